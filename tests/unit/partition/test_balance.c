/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "partition/partition.h"
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

static int64_t cut_of(uint32_t count, const idx_t *offset, const idx_t *target, const idx_t *weight,
                      const idx_t *part)
{
    int64_t cut = 0;

    for (uint32_t v = 0; v < count; v++)
        for (idx_t e = offset[v]; e < offset[v + 1]; e++)
            cut += part[v] != part[target[e]] ? weight[e] : 0;
    return cut / 2;
}

/* The path of moves_the_cheapest_vertex with 2 and 4 in each other's part: exact sizes, cut 5 + 5 +
 * 9 = 19. Only the swap of those two helps; they are two hops apart, over 3. */
static void exchange_swaps_what_is_in_the_wrong_part(void **state)
{
    idx_t offset[] = {0, 1, 3, 5, 7, 9, 10};
    idx_t target[] = {1, 0, 2, 1, 3, 2, 4, 3, 5, 4};
    idx_t weight[] = {5, 5, 5, 5, 5, 5, 1, 1, 9, 9};
    idx_t part[] = {0, 0, 1, 0, 0, 1};
    topomap_error err;

    (void)state;
    assert_int_equal(cut_of(6, offset, target, weight, part), 19);
    assert_int_equal(topomap_exchange(6, offset, target, weight, 2, part, &err), 0);
    for (int v = 0; v < 6; v++)
        assert_int_equal(part[v], v >= 4);
}

/* After it, sizes are what they were and no swap of two neighbours saves anything. */
static void exchange_ends_where_no_swap_of_neighbours_helps(void **state)
{
    topomap_random random = {6};

    (void)state;
    for (int round = 0; round < 200; round++) {
        enum { N = 30, PARTS = 4, DEGREE = 4 };
        idx_t offset[N + 1], target[DEGREE * N], weight[DEGREE * N], part[N];
        uint32_t before[PARTS] = {0}, after[PARTS] = {0};
        idx_t chord = 2 + (idx_t)topomap_random_below(&random, N / 2 - 2);
        int64_t cut;
        topomap_error err;

        for (idx_t v = 0; v < N; v++) { /* a ring with chords */
            idx_t around[DEGREE] = {(v + N - 1) % N, (v + 1) % N, (v + N - chord) % N,
                                    (v + chord) % N};

            offset[v] = DEGREE * v;
            for (int k = 0; k < DEGREE; k++) {
                target[DEGREE * v + k] = around[k];
                weight[DEGREE * v + k] = 1 + (v * around[k] + v + around[k]) % 7;
            }
            part[v] = (idx_t)topomap_random_below(&random, PARTS);
            before[part[v]]++;
        }
        offset[N] = DEGREE * N;
        cut = cut_of(N, offset, target, weight, part);
        assert_int_equal(topomap_exchange(N, offset, target, weight, PARTS, part, &err), 0);
        assert_true(cut_of(N, offset, target, weight, part) <= cut);
        cut = cut_of(N, offset, target, weight, part);
        for (idx_t v = 0; v < N; v++) {
            after[part[v]]++;
            for (idx_t e = offset[v]; e < offset[v + 1]; e++) {
                idx_t x = target[e], own = part[v];

                part[v] = part[x];
                part[x] = own;
                assert_true(cut_of(N, offset, target, weight, part) >= cut);
                part[x] = part[v];
                part[v] = own;
            }
        }
        assert_memory_equal(before, after, sizeof before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_the_cheapest_vertex),
        cmocka_unit_test(sizes_are_exact),
        cmocka_unit_test(exchange_swaps_what_is_in_the_wrong_part),
        cmocka_unit_test(exchange_ends_where_no_swap_of_neighbours_helps),
    };

    return cmocka_run_group_tests_name("balance", tests, NULL, NULL);
}
