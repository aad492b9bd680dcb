/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of contrib/reorder that need no other process. */
#include "contrib/reorder/measure.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Lindgren (KTH), Table 3.1: 2.4 a hop, 26.9 at none. */
static void fit_of_a_line(void **state)
{
    const double hops[] = {0, 1, 1, 2, 5, 9}, a = 2.4, b = 26.9;
    double time[6];
    topomap_mpi_fit fit;

    (void)state;
    for (int i = 0; i < 6; i++)
        time[i] = a * hops[i] + b;
    reorder_measure_fit(hops, time, 6, &fit);
    assert_true(fabs(fit.hop - a) < 1e-9 && fabs(fit.base - b) < 1e-9 && fit.sigma < 1e-9);
    assert_int_equal(fit.nodes, 6);
}

/* By hand: means 2 and 31; slope 15 / 10; residuals 1, -1, -1, 1. */
static void fit_with_noise(void **state)
{
    const double hops[] = {0, 1, 3, 4}, time[] = {29, 28.5, 31.5, 35};
    topomap_mpi_fit fit;

    (void)state;
    reorder_measure_fit(hops, time, 4, &fit);
    assert_true(fabs(fit.hop - 1.5) < 1e-9 && fabs(fit.base - 28) < 1e-9);
    assert_true(fabs(fit.sigma - 1) < 1e-9);
}

static void fit_of_one_distance(void **state)
{
    const double hops[] = {2, 2, 2}, time[] = {10, 20, 30};
    topomap_mpi_fit fit;

    (void)state;
    reorder_measure_fit(hops, time, 3, &fit);
    assert_true(fit.hop == 0 && fabs(fit.base - 20) < 1e-9 && fit.sigma > 8);
}

static int has(const reorder_arcs *arcs, uint32_t from, uint32_t to)
{
    int count = 0;

    for (size_t i = 0; i < arcs->count; i++)
        count += arcs->arc[i].from == from && arcs->arc[i].to == to && arcs->arc[i].bytes == 1;
    return count;
}

/* A ring of three by a row of two: MPI numbers the last dimension fastest. */
static void arcs_of_a_grid(void **state)
{
    const int dims[] = {3, 2}, wraps[] = {1, 0};
    reorder_arcs arcs = {0};

    (void)state;
    assert_int_equal(reorder_arcs_of_grid(2, dims, wraps, &arcs), 0);
    assert_int_equal(arcs.count, 2 * 3 + 2 * 6);
    assert_int_equal(has(&arcs, 0, 1), 1);
    assert_int_equal(has(&arcs, 1, 0), 1);
    assert_int_equal(has(&arcs, 1, 2), 0);
    assert_int_equal(has(&arcs, 0, 2), 1);
    assert_int_equal(has(&arcs, 0, 4), 1);
    assert_int_equal(has(&arcs, 4, 0), 1);
    assert_int_equal(has(&arcs, 5, 1), 1);
    free(arcs.arc);
}

static void nodes_of_the_list(void **state)
{
    const reorder_settings settings = {.nodes = "a/3,bb,,c.d/12"};
    char name[4];
    int cpu;

    (void)state;
    reorder_settings_node(&settings, 0, name, sizeof name, &cpu);
    assert_true(strcmp(name, "a") == 0 && cpu == 3);
    reorder_settings_node(&settings, 1, name, sizeof name, &cpu);
    assert_true(strcmp(name, "bb") == 0 && cpu == -1);
    reorder_settings_node(&settings, 2, name, sizeof name, &cpu);
    assert_true(strcmp(name, "") == 0 && cpu == -1);
    reorder_settings_node(&settings, 3, name, sizeof name, &cpu);
    assert_true(strcmp(name, "c.d") == 0 && cpu == 12);
    reorder_settings_node(&settings, 9, name, sizeof name, &cpu);
    assert_true(strcmp(name, "") == 0 && cpu == -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fit_of_a_line),       cmocka_unit_test(fit_with_noise),
        cmocka_unit_test(fit_of_one_distance), cmocka_unit_test(arcs_of_a_grid),
        cmocka_unit_test(nodes_of_the_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
