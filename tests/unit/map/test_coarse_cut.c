/* SPDX-License-Identifier: BSD-3-Clause */
/* Ordering, cutting and dividing ranges of a coarse grid, against the slow ways to do it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "map/grid/grid.h"
#include "util/random.h"

typedef struct across {
    const topomap_coarse *coarse;
    const uint8_t *side; /* by item: 1 before the cut, 2 behind it, 0 elsewhere */
    double weight;
} across;

static void add(void *data, uint32_t item, double weight)
{
    across *a = data;

    a->weight += a->side[item] == 2 ? weight : 0;
}

/* All neighbours of all items before the cut. */
static double slow_cut(const topomap_coarse *c, uint32_t lo, uint32_t middle, uint32_t hi)
{
    uint8_t *side = calloc(c->items, 1);
    across a = {c, side, 0};

    for (uint32_t i = lo; i < hi; i++)
        side[c->item[i]] = i < middle ? 1 : 2;
    for (uint32_t i = lo; i < middle; i++)
        topomap_coarse_around(c, c->item[i], add, &a);
    free(side);
    return a.weight;
}

static int comes_after(const topomap_coarse *c, uint32_t dim, uint32_t p, uint32_t q)
{
    uint32_t x = topomap_coarse_at(c, p, dim), y = topomap_coarse_at(c, q, dim);

    return x > y || (x == y && p > q);
}

static void compare_order(topomap_coarse *c, uint32_t lo, uint32_t hi, uint32_t dim)
{
    uint32_t *kept = malloc((hi - lo) * sizeof *kept);

    for (uint32_t i = 0; i < hi - lo; i++) {
        uint32_t item = c->item[lo + i], k = i;

        for (; k > 0 && comes_after(c, dim, kept[k - 1], item); k--)
            kept[k] = kept[k - 1];
        kept[k] = item;
    }
    topomap_coarse_order(c, lo, hi, dim);
    assert_memory_equal(kept, c->item + lo, (hi - lo) * sizeof *kept);
    free(kept);
}

static void divide_all(topomap_coarse *c, uint32_t lo, uint32_t hi, topomap_random *random,
                       uint32_t *regions)
{
    uint32_t middle, dim;

    if (hi - lo < 2)
        return;
    for (uint32_t k = 0; k < c->dims; k++) {
        compare_order(c, lo, hi, k);
        for (int i = 0; i < 3; i++) {
            uint32_t at = lo + 1 + topomap_random_below(random, hi - lo - 1);

            assert_true(topomap_coarse_cut(c, lo, at, k) == slow_cut(c, lo, at, hi));
        }
    }
    dim = topomap_random_below(random, c->dims);
    middle = lo + 1 + topomap_random_below(random, hi - lo - 1);
    topomap_coarse_order(c, lo, hi, dim);
    topomap_coarse_divide(c, lo, middle, hi, ++*regions);
    divide_all(c, lo, middle, random, regions);
    divide_all(c, middle, hi, random, regions);
}

static void check(uint32_t dims, const uint32_t *size, const uint8_t *kind)
{
    static const uint32_t box[TOPOMAP_LATTICE_DIMS] = {1, 1, 1, 1};
    topomap_lattice lattice = {.dims = dims, .cells = 1, .reach = 1};
    topomap_tiling tiling = {.lattice = &lattice};
    topomap_coarse coarse;
    topomap_random random = {dims};
    topomap_error err;

    for (uint32_t k = 0; k < dims; k++) {
        lattice.size[k] = size[k];
        lattice.kind[k] = kind[k];
        lattice.cells *= size[k];
        tiling.weights.along[k] = 1 + k;
    }
    lattice.ranks = lattice.cells;
    assert_int_equal(topomap_coarse_open(&coarse, &tiling, box, &err), 0);
    for (int round = 0; round < 4; round++) {
        uint32_t regions = 0;

        topomap_coarse_begin(&coarse);
        divide_all(&coarse, 0, coarse.items, &random, &regions);
        assert_int_equal(regions, coarse.items - 1);
    }
    topomap_coarse_close(&coarse);
}

enum {
    P = TOPOMAP_LATTICE_PATH,
    R = TOPOMAP_LATTICE_RING,
    C = TOPOMAP_LATTICE_CLIQUE,
    N = TOPOMAP_LATTICE_COPIES
};

static void test_kinds(void **state)
{
    (void)state;
    check(1, (const uint32_t[]){37}, (const uint8_t[]){P});
    check(1, (const uint32_t[]){12}, (const uint8_t[]){R});
    check(2, (const uint32_t[]){9, 7}, (const uint8_t[]){P, P});
    check(2, (const uint32_t[]){2, 5}, (const uint8_t[]){R, R});
    check(3, (const uint32_t[]){5, 4, 6}, (const uint8_t[]){P, R, P});
    check(3, (const uint32_t[]){4, 3, 5}, (const uint8_t[]){C, R, P});
    check(3, (const uint32_t[]){5, 3, 4}, (const uint8_t[]){R, P, C});
    check(3, (const uint32_t[]){4, 2, 3}, (const uint8_t[]){C, N, R});
}

/* More coordinates than are counted. */
static void test_long(void **state)
{
    (void)state;
    check(2, (const uint32_t[]){1500, 2}, (const uint8_t[]){P, P});
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_long),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
