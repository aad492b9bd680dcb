/* SPDX-License-Identifier: BSD-3-Clause */
/* `boxes`: a recognised grid, torus or product of groups on a hierarchy, by nested boxes. Where the
 * levels are of equal groups and straight cuts exist, the best of all ways to cut the grid from
 * side to side; else groups of the inner levels are boxes, of the best shapes, and the outer levels
 * get regions of them, halved by coordinates to their exact sizes. The cheapest by J is kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map/problem.h"
#include "machine/closeness.h"
#include "map/grid/grid.h"
#include "map/split/split.h"
#include "util/alloc.h"

enum { BORDERS = 8, FEW = 32768, RUNS = 64, CLUSTERS = 8, SIZES = 61 };
#define DOUBT 0.2 /* a step of it */

typedef struct level {
    double cost;
    uint32_t *end;  /* [cells] first place after the group that the place is in */
    uint32_t equal; /* size of its groups, 0 where they differ */
} level;

typedef struct boxes {
    topomap_problem *problem;
    const topomap_lattice *lattice;
    uint32_t *slots;      /* [slots] in nested order: the cells get the first */
    topomap_machine view; /* the machine, with groups of nodes for outer levels */
    level level[2 * TOPOMAP_MACHINE_LEVELS];
    uint32_t levels;
    topomap_tiling tiling;
    topomap_kept kept;
    topomap_random random;
    double doubt;    /* how far a cut may be from the best one */
    double straight; /* J of the best straight cuts; INFINITY where there are none */
    double doubtful; /* a J that shows that there must be better ones */
} boxes;

/* Ends of the groups of one level; a group is a run of places. Returns -1 on failure. */
static int add_level(boxes *b, const topomap_nesting *nesting, int inside, topomap_error *err)
{
    const topomap_machine *m = &b->view;
    uint32_t cells = b->lattice->cells, first = 0, groups = 0;
    level *level = &b->level[b->levels];

    level->cost = nesting->cost;
    level->equal = 0;
    level->end = topomap_alloc(cells, sizeof *level->end, err);
    if (!level->end)
        return -1;
    b->levels++;
    for (uint32_t i = 1; i <= cells; i++) {
        uint32_t p = b->slots[i - 1], q = i < cells ? b->slots[i] : p;
        int same =
            i < cells &&
            (inside ? m->node_of[p] == m->node_of[q] && nesting->group[p] == nesting->group[q]
                    : nesting->group[m->node_of[p]] == nesting->group[m->node_of[q]]);

        if (same)
            continue;
        level->equal = groups == 0 || level->equal == i - first ? i - first : 0;
        groups++;
        while (first < i)
            level->end[first++] = i;
    }
    /* A level with the groups of the one before adds nothing. */
    if (b->levels > 1 && memcmp(level->end, level[-1].end, cells * sizeof *level->end) == 0) {
        free(level->end);
        b->levels--;
    }
    return 0;
}

static int find_levels(boxes *b, topomap_error *err)
{
    const topomap_machine *m = &b->view;

    b->slots = topomap_nested_slots(m, err);
    if (!b->slots)
        return -1;
    for (uint32_t l = 0; l < m->inner_levels; l++)
        if (add_level(b, &m->inner[l], 1, err) != 0)
            return -1;
    for (uint32_t l = 0; l < m->outer_levels; l++)
        if (add_level(b, &m->outer[l], 0, err) != 0)
            return -1;
    return 0;
}

/* The levels of equal groups, from the inside out; then all cells, as one group. */
static uint32_t equal_levels(const boxes *b, topomap_tiling_levels *levels)
{
    uint32_t cells = b->lattice->cells, count = 0;

    memset(levels, 0, sizeof *levels);
    levels->group[0] = 1;
    while (count < b->levels && b->level[count].equal) {
        count++;
        levels->group[count] = b->level[count - 1].equal;
        levels->cost[count] = b->level[count - 1].cost;
    }
    levels->levels = count;
    if (levels->group[count] < cells) {
        levels->levels++;
        levels->group[count + 1] = cells;
        levels->cost[count + 1] = b->level[count].cost;
    }
    return count;
}

/* Borders between groups of the outermost level that divides lo..hi, in items, those near the
 * middle. Returns how many; 0: one group of the level below holds all. */
static uint32_t find_borders(const boxes *b, uint32_t from, uint32_t volume, uint32_t lo,
                             uint32_t hi, uint32_t *border)
{
    uint32_t count = 0, middle = lo + (hi - lo) / 2;

    for (uint32_t l = b->levels; l-- > from && count == 0;) {
        const uint32_t *end = b->level[l].end;

        for (uint32_t at = end[lo * volume] / volume; at < hi; at = end[at * volume] / volume) {
            uint32_t gap = at < middle ? middle - at : at - middle, i;

            if (10 * gap > 2 * (hi - lo) && count > 0)
                continue;
            for (i = count < BORDERS ? count++ : BORDERS; i > 0; i--) {
                uint32_t was = border[i - 1], other = was < middle ? middle - was : was - middle;

                if (other <= gap)
                    break;
                if (i < BORDERS)
                    border[i] = was;
            }
            if (i < BORDERS)
                border[i] = at;
        }
    }
    return count;
}

/* Halves the items at lo..hi-1 where that cuts least, and goes on with the halves. */
static void halve(boxes *b, topomap_coarse *c, uint32_t from, uint32_t lo, uint32_t hi,
                  uint32_t *regions)
{
    uint32_t border[BORDERS], best_dim = UINT32_MAX, best_at = 0, sorted = UINT32_MAX;
    uint32_t count = find_borders(b, from, c->lattice->cells / c->items, lo, hi, border);
    double least = INFINITY;

    if (count == 0)
        return;
    for (uint32_t k = 0; k < c->dims; k++) {
        if (topomap_coarse_extent(c, lo, hi, k) < 2)
            continue;
        topomap_coarse_order(c, lo, hi, sorted = k);
        for (uint32_t i = 0; i < count; i++) {
            double small = border[i] - lo < hi - border[i] ? border[i] - lo : hi - border[i];
            double cut = topomap_coarse_cut(c, lo, border[i], k) / sqrt(small);

            cut *= 1.0 + b->doubt * topomap_random_below(&b->random, 1000) / 1000.0;

            if (cut < least) {
                least = cut;
                best_dim = k;
                best_at = border[i];
            }
        }
    }
    if (best_dim != sorted)
        topomap_coarse_order(c, lo, hi, best_dim);
    topomap_coarse_divide(c, lo, best_at, hi, ++*regions);
    halve(b, c, from, lo, best_at, regions);
    halve(b, c, from, best_at, hi, regions);
}

/* Boxes of this shape for the groups of level `from` - 1, their regions for the outer levels. */
static int try_tile(boxes *b, uint32_t from, const uint32_t *size, uint32_t *slot_of,
                    topomap_error *err)
{
    static const uint32_t budget[] = {
        [TOPOMAP_FAST] = 0, [TOPOMAP_DEFAULT] = 60000, [TOPOMAP_STRONG] = 1000000};
    TOPOMAP_CLEANUP(topomap_coarse_close) topomap_coarse coarse = {0};
    uint32_t runs;

    if (topomap_coarse_open(&coarse, &b->tiling, size, err))
        return -1;
    runs = 1 + budget[b->problem->effort] / (coarse.items + b->lattice->cells / 8 + 1);
    runs = runs > RUNS ? RUNS : runs;
    b->random.state = b->problem->seed;
    for (uint32_t i = 0; i < runs; i++) {
        uint32_t regions = 0;

        /* Where straight cuts are better than the first regions, no doubtful ones have bettered
         * them. */
        if (i && (topomap_problem_late(b->problem) || b->kept.J == b->straight))
            break;
        b->doubt = i ? DOUBT * (1 + i % 4) : 0;
        topomap_coarse_begin(&coarse);
        halve(b, &coarse, from, 0, coarse.items, &regions);
        if (topomap_coarse_lay(&coarse, &b->tiling, b->kept.place, err))
            return -1;
        topomap_kept_consider(&b->kept, b->slots, slot_of);
    }
    return 0;
}

static int try_straight(boxes *b, uint32_t *slot_of, topomap_error *err)
{
    static const uint32_t corner[TOPOMAP_LATTICE_DIMS];
    double cost;

    if (topomap_tiling_cost(&b->tiling, b->lattice->size, &cost, err) != 0)
        return -1;
    if (!isfinite(cost))
        return 0;
    if (topomap_tiling_lay(&b->tiling, corner, b->lattice->size, 0, b->kept.place, err) != 0)
        return -1;
    topomap_kept_consider(&b->kept, b->slots, slot_of);
    return 0;
}

static int try_tiles(boxes *b, uint32_t equal, uint32_t *slot_of, topomap_error *err)
{
    static const int most[] = {[TOPOMAP_FAST] = 1, [TOPOMAP_DEFAULT] = 6, [TOPOMAP_STRONG] = 24};
    /* Levels from the outermost on that have tiles; single ranks only where few or no other way. */
    static const int deep[] = {[TOPOMAP_FAST] = 1, [TOPOMAP_DEFAULT] = 2, [TOPOMAP_STRONG] = 99};
    enum topomap_effort effort = b->problem->effort;
    int limit = b->lattice->cells > FEW && most[effort] > 2 ? 2 : most[effort];
    topomap_tile tile[24];
    int levels = isfinite(b->kept.J) && effort == TOPOMAP_FAST ? deep[effort] : 0;

    for (uint32_t l = equal + 1; l-- > 0 && (levels < deep[effort] || b->kept.J > b->doubtful);) {
        int shapes = 0;

        if (b->tiling.levels.group[l] == b->lattice->cells ||
            (l == 0 && isfinite(b->kept.J) && b->lattice->cells > FEW))
            continue;
        shapes = topomap_tiling_shapes(&b->tiling, l, b->level[l].cost, tile, limit, err);
        levels += shapes > 0;
        for (int i = 0; i < shapes; i++)
            if (topomap_problem_late(b->problem) && isfinite(b->kept.J))
                return 0;
            else if (try_tile(b, l, tile[i].size, slot_of, err) != 0)
                return -1;
        if (shapes < 0)
            return -1;
    }
    return 0;
}

/* Weight inside groups of one level, were they boxes of the best shapes. Groups have few sizes. */
static double most_inside(const boxes *b, const level *level)
{
    struct {
        uint32_t size;
        double inside;
    } known[SIZES] = {{0, 0}};
    uint32_t cells = b->lattice->cells;
    double sum = 0;

    for (uint32_t first = 0; first < cells; first = level->end[first]) {
        uint32_t size = level->end[first] - first, at = size % SIZES;

        if (known[at].size != size) {
            known[at].size = size;
            known[at].inside = topomap_tiling_most_inside(&b->tiling, size);
        }
        sum += known[at].inside;
    }
    return sum;
}

/* J if each group of each level were a box of the best shape. */
static double ideal(const boxes *b)
{
    double J = 0, inside = 0, whole = topomap_tiling_inside(&b->tiling, b->lattice->size);

    for (uint32_t l = 0; l < b->levels; l++) {
        double more = fmin(most_inside(b, &b->level[l]), whole);

        J += b->level[l].cost * fmax(more - inside, 0);
        inside = fmax(inside, more);
    }
    return J;
}

static int run(boxes *b, uint32_t *slot_of, topomap_error *err)
{
    /* Of grids whose sides and groups have few divisors in common, halves and partitions have
     * found up to a quarter less than whole boxes. */
    static const double doubtful[] = {
        [TOPOMAP_FAST] = 1.1, [TOPOMAP_DEFAULT] = 1.06, [TOPOMAP_STRONG] = 1.06};
    topomap_tiling_levels levels;
    topomap_problem *problem = b->problem;
    uint32_t equal;
    int status;

    b->view = *problem->machine;
    if (b->view.kind == TOPOMAP_MACHINE_MATRIX &&
        topomap_machine_clusters(&b->view, b->view.outer, CLUSTERS, &b->view.outer_levels, err) !=
            0)
        return -1;
    if (find_levels(b, err) != 0)
        return -1;
    equal = equal_levels(b, &levels);
    status = topomap_tiling_open(&b->tiling, problem, b->lattice, &levels, err);
    if (status == 0 && equal == b->levels)
        status = try_straight(b, slot_of, err);
    b->straight = b->kept.J;
    b->doubtful = ideal(b) * doubtful[problem->effort];
    if (status == 0)
        status = try_tiles(b, equal, slot_of, err);
    problem->found.doubtful = b->kept.J > b->doubtful;
    problem->found.flawless =
        topomap_lattice_exact(b->lattice) && b->tiling.weights.even && !problem->found.doubtful;
    problem->found.straight = problem->found.flawless &&
                              problem->machine->kind == TOPOMAP_MACHINE_TREE &&
                              isfinite(b->straight) && b->kept.J == b->straight;
    topomap_tiling_close(&b->tiling);
    return status;
}

static int map_boxes(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    boxes b = {.problem = problem};
    int status = topomap_problem_lattice(problem, "boxes", &b.lattice, err) ||
                 topomap_kept_open(&b.kept, problem, b.lattice, err) || run(&b, slot_of, err);

    if (b.view.kind == TOPOMAP_MACHINE_MATRIX)
        topomap_machine_clusters_clear(b.view.outer, b.view.outer_levels);
    for (uint32_t l = 0; l < b.levels; l++)
        free(b.level[l].end);
    free(b.slots);
    topomap_kept_close(&b.kept);
    return status ? -1 : 0;
}

const topomap_algorithm_impl topomap_algorithm_boxes = {
    .row = {"boxes", "topomap", "construct", FITS_HIERARCHY,
            "a recognised grid, torus or product of groups in nested boxes of every shape"},
    .run = map_boxes,
};
