/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "map/balance.h"
#include "util/random.h"

/* A path 0-1-2-3-4-5 with one light edge at 3-4; five vertices in part 0, one in part 1. The least
 * cut moves 4 (its edge to 5 is heavy), then the exact sizes 4 and 2 are met. */
static void moves_the_cheapest_vertex(void **state)
{
    idx_t offset[] = {0, 1, 3, 5, 7, 9, 10};
    idx_t target[] = {1, 0, 2, 1, 3, 2, 4, 3, 5, 4};
    idx_t weight[] = {5, 5, 5, 5, 5, 5, 1, 1, 9, 9};
    idx_t part[] = {0, 0, 0, 0, 0, 1};
    uint32_t size[] = {4, 2};
    topomap_error err;

    (void)state;
    assert_int_equal(topomap_balance(6, offset, target, weight, 2, size, part, &err), 0);
    for (int v = 0; v < 6; v++)
        assert_int_equal(part[v], v >= 4);
}

static void sizes_are_exact(void **state)
{
    topomap_random random = {5};

    (void)state;
    for (int round = 0; round < 200; round++) {
        enum { N = 40, PARTS = 5 };
        idx_t offset[N + 1], target[2 * N], weight[2 * N], part[N];
        uint32_t size[PARTS] = {0}, count[PARTS] = {0};
        topomap_error err;

        for (int v = 0; v < N; v++) { /* a ring */
            offset[v] = 2 * v;
            target[2 * v] = (v + N - 1) % N;
            target[2 * v + 1] = (v + 1) % N;
            weight[2 * v] = weight[2 * v + 1] = 1;
            part[v] = (idx_t)topomap_random_below(&random, PARTS);
            size[topomap_random_below(&random, PARTS)]++;
        }
        offset[N] = 2 * N;
        assert_int_equal(topomap_balance(N, offset, target, weight, PARTS, size, part, &err), 0);
        for (int v = 0; v < N; v++)
            count[part[v]]++;
        for (int p = 0; p < PARTS; p++)
            assert_int_equal(count[p], size[p]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_the_cheapest_vertex),
        cmocka_unit_test(sizes_are_exact),
    };

    return cmocka_run_group_tests_name("balance", tests, NULL, NULL);
}
