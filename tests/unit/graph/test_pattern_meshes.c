/* SPDX-License-Identifier: BSD-3-Clause */
/* Meshes, matrices and random points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/patterns/patterns.h"
#include "tests/unit/graph/graphs.h"
#include "tests/unit/scratch.h"

static const struct graph_known known[] = {
    /* Rows and entries off the diagonal as the SuiteSparse collection lists them for nlpkkt80:
     * 1,062,400 rows, 28,192,672 entries, 512,000 + 38,400 of them on the diagonal. */
    {"kkt3d:80,bytes=1", 1062400, (28192672 - 550400) / 2, 28192672 - 550400},
    /* 8 states, 8 multipliers, 24 controls: 64 pairs of J, 4 for each control. */
    {"kkt3d:2,bytes=1", 40, 64 + 24 * 4, 2 * (64 + 24 * 4)},
    {"kkt3d:n=1,bytes=8", 8, 1 + 6, 16 * 7},
    {"kkt3d:3x2x1,bytes=1", 12 + 22, 7 * 4 + 2 * (4 + 7 + 28), 2 * (7 * 4 + 2 * (4 + 7 + 28))},
    {"fem3d:3,bytes=1", 27, (7 * 7 * 7 - 27) / 2, 7 * 7 * 7 - 27},
    {"fem3d:2x3x4,bytes=1", 24, (4 * 7 * 10 - 24) / 2, 4 * 7 * 10 - 24},
    /* One cube in six tetrahedra: 12 edges, 6 diagonals of its sides, 1 through it. */
    {"fem3d:2,element=tet,bytes=1", 8, 19, 38},
    {"fem3d:2,dof=3,bytes=1", 24, 24 * 23 / 2, 24 * 23},
    {"fem3d:1,dof=2", 2, 1, 16},
    /* The 3x3x3 points within half a side of the middle, at steps of a third: not the
     * corners, each of which has 7 of the cube's 158 pairs. */
    {"fem3d:3,solid=ball,bytes=1", 19, 158 - 8 * 7, 2 * (158 - 8 * 7)},
    {"rgg:n=50,radius=2,bytes=1", 50, 50 * 49 / 2, 50 * 49},
    {"rgg:1", 1, 0, 0},
    {"delaunay:1", 1, 0, 0},
    {"delaunay:2,bytes=5", 2, 1, 10},
};

static void test_known(void **state)
{
    (void)state;
    graph_known_all(known, sizeof known / sizeof *known);
}

/* States see multipliers alone, controls too. A row has up to 27 entries off the diagonal: of a
 * multiplier inside, 27 states; of one on a side, 18 states and 9 controls. */
static void test_kkt(void **state)
{
    topomap_graph *graph = graph_good("kkt3d:5", NULL);
    uint32_t primal = 125 + 150, most = 0;

    (void)state;
    assert_int_equal(graph->ranks, primal + 125);
    for (uint32_t u = 0; u < graph->ranks; u++) {
        uint32_t degree = (uint32_t)(graph->offset[u + 1] - graph->offset[u]);

        for (uint64_t i = graph->offset[u]; i < graph->offset[u + 1]; i++)
            assert_true((u < primal) == (graph->target[i] >= primal));
        if (u < 125)
            assert_true(degree >= 8 && degree <= 27);
        else if (u < primal)
            assert_true(degree >= 4 && degree <= 9);
        most = degree > most ? degree : most;
    }
    assert_int_equal(most, 27);
    topomap_graph_free(graph);
}

static void test_seed(void **state)
{
    static const char *const pattern[] = {"rgg:n=300,seed=%d", "delaunay:300,seed=%d"};
    topomap_graph *a, *b, *c;
    char one[60], other[60];

    (void)state;
    for (int i = 0; i < 2; i++) {
        snprintf(one, sizeof one, "%.40s", pattern[i]);
        snprintf(strchr(one, '%'), 10, "7");
        snprintf(other, sizeof other, "%.40s", pattern[i]);
        snprintf(strchr(other, '%'), 10, "8");
        a = graph_good(one, NULL);
        b = graph_good(one, NULL);
        c = graph_good(other, NULL);
        graph_same(a, b, 0, 0);
        assert_true(a->arcs != c->arcs || memcmp(a->target, c->target, a->arcs * 4) != 0);
        topomap_graph_free(a);
        topomap_graph_free(b);
        topomap_graph_free(c);
    }
}

/* All that a smaller radius joins, a larger one joins; the largest has one cell, so that nothing
 * can be missed there; as many pairs as the area says. */
static void test_radius(void **state)
{
    topomap_graph *near = graph_good("rgg:n=2000,radius=0.03", NULL);
    topomap_graph *far = graph_good("rgg:n=2000,radius=0.06", NULL);
    double expected = 2000.0 * 1999.0 / 2 * M_PI * 0.03 * 0.03;

    (void)state;
    for (uint32_t u = 0; u < near->ranks; u++)
        for (uint64_t i = near->offset[u]; i < near->offset[u + 1]; i++)
            assert_true(graph_arc(far, u, near->target[i]) != UINT64_MAX);
    assert_true(fabs((double)near->pairs - 0.975 * expected) < 5 * sqrt(expected));
    topomap_graph_free(near);
    topomap_graph_free(far);
}

/* Numbers along a curve are another order of the same graph, with near neighbours. */
static void test_curve(void **state)
{
    topomap_graph *drawn = graph_good("rgg:4096", NULL);
    topomap_graph *curve = graph_good("rgg:4096,order=curve", NULL);
    double gap[2] = {0, 0};

    (void)state;
    assert_int_equal(drawn->arcs, curve->arcs);
    for (uint32_t u = 0; u < drawn->ranks; u++) {
        for (uint64_t i = drawn->offset[u]; i < drawn->offset[u + 1]; i++)
            gap[0] += fabs((double)u - drawn->target[i]);
        for (uint64_t i = curve->offset[u]; i < curve->offset[u + 1]; i++)
            gap[1] += fabs((double)u - curve->target[i]);
    }
    assert_true(gap[1] < gap[0] / 4);
    topomap_graph_free(drawn);
    topomap_graph_free(curve);
}

/* ---- Delaunay ------------------------------------------------------------------------------ */

static double turn(const topomap_point *a, const topomap_point *b, const topomap_point *c)
{
    return ((double)b->x[0] - a->x[0]) * ((double)c->x[1] - a->x[1]) -
           ((double)b->x[1] - a->x[1]) * ((double)c->x[0] - a->x[0]);
}

/* Coordinates below 2^10 make this exact in doubles. */
static double in_circle(const topomap_point *a, const topomap_point *b, const topomap_point *c,
                        const topomap_point *d)
{
    const topomap_point *p[3] = {a, b, c};
    double x[3], y[3], s[3];

    for (int i = 0; i < 3; i++) {
        x[i] = (double)p[i]->x[0] - d->x[0];
        y[i] = (double)p[i]->x[1] - d->x[1];
        s[i] = x[i] * x[i] + y[i] * y[i];
    }
    return s[0] * (x[1] * y[2] - x[2] * y[1]) + s[1] * (x[2] * y[0] - x[0] * y[2]) +
           s[2] * (x[0] * y[1] - x[1] * y[0]);
}

static int by_place(const void *a, const void *b)
{
    const topomap_point *p = a, *q = b;

    return p->x[0] != q->x[0] ? (p->x[0] < q->x[0] ? -1 : 1)
                              : (p->x[1] < q->x[1] ? -1 : p->x[1] > q->x[1]);
}

static int has_arc(const topomap_arcs *arcs, uint32_t u, uint32_t v)
{
    for (size_t i = 0; i < arcs->count; i++)
        if (arcs->from[i] == u && arcs->to[i] == v)
            return 1;
    return 0;
}

/* All that lies on the edge of the hull is an edge; n points of which h are on the hull make
 * 3n - 3 - h edges; every triangle with nothing in its circle is there. */
static void check_delaunay(topomap_point *p, uint32_t n)
{
    topomap_pattern_out out = {0};
    uint32_t hull = 0;
    int flat = 1;

    for (uint32_t i = 2; i < n; i++)
        flat &= turn(&p[0], &p[1], &p[i]) == 0.0;
    assert_int_equal(topomap_delaunay(p, n, 1, &out), 0);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            int edge = i != j;

            for (uint32_t k = 0; edge && k < n; k++) {
                double side = turn(&p[i], &p[j], &p[k]);

                edge = side > 0.0 || k == i || k == j ||
                       (side == 0.0 && ((k < i && k < j) || (k > i && k > j)));
            }
            hull += (uint32_t)edge;
            if (edge)
                assert_true(has_arc(&out.arcs, p[i].id, p[j].id));
        }
    assert_int_equal(out.arcs.count / 2, flat ? n - 1 : 3 * n - 3 - hull);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            for (uint32_t k = 0; k < n; k++) {
                int empty = turn(&p[i], &p[j], &p[k]) > 0.0;

                for (uint32_t l = 0; empty && l < n; l++)
                    empty =
                        l == i || l == j || l == k || in_circle(&p[i], &p[j], &p[k], &p[l]) < 0.0;
                if (empty)
                    assert_true(has_arc(&out.arcs, p[i].id, p[j].id));
            }
    topomap_arcs_clear(&out.arcs);
}

static void test_delaunay(void **state)
{
    topomap_random random = {3};

    (void)state;
    for (int round = 0; round < 400; round++) {
        uint32_t n = 3 + topomap_random_below(&random, 25);
        uint32_t range = 4 + topomap_random_below(&random, round % 2 ? 1020 : 4);
        topomap_point point[28] = {0};
        uint32_t kept = 0;

        for (uint32_t i = 0; i < n; i++)
            for (int k = 0; k < 2; k++)
                point[i].x[k] = topomap_random_below(&random, range);
        qsort(point, n, sizeof *point, by_place);
        for (uint32_t i = 0; i < n; i++)
            if (!i || by_place(&point[i], &point[kept - 1]) != 0)
                point[kept++] = point[i];
        for (uint32_t i = 0; i < kept; i++)
            point[i].id = i;
        if (kept > 2)
            check_delaunay(point, kept);
    }
}

static void test_large_delaunay(void **state)
{
    topomap_graph *graph = graph_good("delaunay:20000", NULL);

    (void)state;
    assert_true(graph->pairs >= 3 * 20000 - 3 - 80 && graph->pairs <= 3 * 20000 - 3 - 6);
    topomap_graph_free(graph);
}

static void test_refused(void **state)
{
    (void)state;
    graph_bad("fem3d:3x3", NULL, TOPOMAP_EUSAGE, "three");
    graph_bad("fem3d:5000", NULL, TOPOMAP_EUSAGE, "30000000");
    graph_bad("fem3d:60,dof=64", NULL, TOPOMAP_EUSAGE, "30000000");
    graph_bad("kkt3d:645", NULL, TOPOMAP_EUSAGE, "30000000");
    graph_bad("kkt3d:", NULL, TOPOMAP_EUSAGE, "size|1");
    graph_bad("rgg:n=1e6,radius=1.5", NULL, TOPOMAP_EUSAGE, "30000000");
    graph_bad("rgg:n=1e9", NULL, TOPOMAP_EUSAGE, "n=|1|2^26");
    graph_bad("rgg:n=10,dims=4", NULL, TOPOMAP_EUSAGE, "dims=|2|3");
    graph_bad("delaunay:2.5", NULL, TOPOMAP_EUSAGE, "n=");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),   cmocka_unit_test(test_kkt),
        cmocka_unit_test(test_seed),    cmocka_unit_test(test_radius),
        cmocka_unit_test(test_curve),   cmocka_unit_test(test_delaunay),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_large_delaunay),
    };

    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
