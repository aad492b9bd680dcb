/* SPDX-License-Identifier: BSD-3-Clause */
/* `grid`: a recognised grid, torus or product of groups on a torus or mesh. Ranks are cut into
 * boxes, one a node, of the best shapes; the grid of boxes is folded onto the machine where all of
 * it is there, and halved together with the nodes otherwise. The cheapest by J is kept. */
#include "map/problem.h"
#include "map/grid/grid.h"

#include <stdlib.h>
#include <string.h>

enum { FOLDS = 8, TILES = 24, RUNS = 64 };
#define DOUBT 0.05 /* a step of it */

typedef struct grid {
    topomap_arena memory;
    topomap_problem *problem;
    const topomap_lattice *lattice;
    topomap_tiling tiling;
    topomap_kept kept;
    uint32_t per_node;  /* slots of every node; 0 where they differ */
    uint32_t used;      /* nodes that get ranks: the first in `nodes` */
    uint32_t *nodes;    /* [nodes] */
    uint32_t *items_of; /* [nodes] */
    uint32_t *slots;    /* [cells] where places are */
    uint32_t *node;     /* [FOLDS * cells] by item */
    uint32_t *next;     /* [nodes] scratch */
} grid;

/* All nodes, in order, until there is room for all cells; those with no slot are left out. */
static void choose_nodes(grid *g)
{
    const topomap_machine *m = g->problem->machine;
    uint32_t room = 0;

    g->per_node = UINT32_MAX;
    for (uint32_t i = 0; i < m->nodes && room < g->lattice->cells; i++) {
        uint32_t slots = topomap_node_slots(m, i);

        if (slots == 0)
            continue;
        if (slots > g->lattice->cells - room)
            slots = g->lattice->cells - room;
        g->items_of[i] = slots;
        g->nodes[g->used++] = i;
        room += slots;
        g->per_node = g->per_node == UINT32_MAX || g->per_node == slots ? slots : 0;
    }
}

/* Levels inside a node, if its groups are equal; then the nodes; then everything. */
static void find_levels(const grid *g, topomap_tiling_levels *levels)
{
    const topomap_machine *m = g->problem->machine;

    memset(levels, 0, sizeof *levels);
    levels->group[0] = 1;
    for (uint32_t l = 0; l < m->inner_levels && g->per_node; l++) {
        const uint32_t *group = m->inner[l].group;
        uint32_t size = 1, equal = 1, first = m->slot_first[g->nodes[0]];

        while (size < g->per_node && group[first + size] == group[first])
            size++;
        for (uint32_t i = 0; i < g->per_node && equal; i++)
            equal = (group[first + i] == group[first + i / size * size]) &&
                    (i % size || i == 0 || group[first + i] != group[first + i - 1]);
        if (!equal || g->per_node % size != 0 || size <= levels->group[levels->levels])
            continue;
        levels->cost[++levels->levels] = m->inner[l].cost;
        levels->group[levels->levels] = size;
    }
    if (levels->group[levels->levels] < g->lattice->cells) {
        levels->cost[++levels->levels] = m->base + m->hop_cost;
        levels->group[levels->levels] = g->lattice->cells;
    }
}

/* Gives every item the next places of its node, and looks at the result. */
static int settle(grid *g, topomap_coarse *coarse, const uint32_t *node, uint32_t *slot_of,
                  topomap_error *err)
{
    const topomap_machine *m = g->problem->machine;
    uint32_t volume = g->lattice->cells / coarse->items;

    for (uint32_t i = 0; i < m->nodes; i++)
        g->next[i] = m->slot_first[i];
    topomap_identity(coarse->item, coarse->items);
    for (uint32_t i = 0; i < coarse->items; i++)
        for (uint32_t k = 0; k < volume; k++)
            g->slots[i * volume + k] = g->next[node[i]]++;
    if (topomap_coarse_lay(coarse, &g->tiling, g->kept.place, err) != 0)
        return -1;
    topomap_kept_consider(&g->kept, g->slots, slot_of);
    return 0;
}

/* As it looks best, then with doubts. */
static int try_halves(grid *g, topomap_coarse *coarse, uint32_t *slot_of, topomap_error *err)
{
    static const uint32_t budget[] = {
        [TOPOMAP_FAST] = 0, [TOPOMAP_DEFAULT] = 30000, [TOPOMAP_STRONG] = 300000};
    uint32_t volume = g->lattice->cells / coarse->items;
    uint32_t runs = 1 + budget[g->problem->effort] / (coarse->items + g->lattice->cells / 8 + 1);
    topomap_random random = {g->problem->seed};

    runs = runs > RUNS ? RUNS : runs;
    for (uint32_t i = 0; i < runs; i++) {
        if (i && topomap_problem_late(g->problem))
            break;
        for (uint32_t k = 0; k < g->used; k++)
            g->next[g->nodes[k]] = g->items_of[g->nodes[k]] / volume;
        if (topomap_halve_torus(coarse, g->problem->machine, g->nodes, g->used, g->next,
                                i ? DOUBT * (1 + i % 4) : 0, &random, g->node, err) ||
            settle(g, coarse, g->node, slot_of, err))
            return -1;
    }
    return 0;
}

static int try_tile(grid *g, const uint32_t *size, uint32_t *slot_of, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_coarse_close) topomap_coarse coarse = {0};
    int folds;

    if (topomap_coarse_open(&coarse, &g->tiling, size, err))
        return -1;
    folds = topomap_fold(&coarse, g->problem->machine, g->node, FOLDS, err);
    for (int i = 0; i < folds; i++)
        if (settle(g, &coarse, g->node + (size_t)i * coarse.items, slot_of, err))
            return -1;
    return folds < 0 ? -1 : try_halves(g, &coarse, slot_of, err);
}

/* A level of the tiling whose groups are the nodes; none where these differ. */
static uint32_t node_level(const grid *g)
{
    for (uint32_t l = g->tiling.levels.levels + 1; l-- > 0;)
        if (g->per_node && g->tiling.levels.group[l] == g->per_node)
            return l;
    return 0;
}

static int run(grid *g, uint32_t *slot_of, topomap_error *err)
{
    static const int most[] = {[TOPOMAP_FAST] = 1, [TOPOMAP_DEFAULT] = 4, [TOPOMAP_STRONG] = TILES};
    topomap_tiling_levels levels;
    topomap_tile tile[TILES];
    int shapes;

    choose_nodes(g);
    find_levels(g, &levels);
    if (topomap_tiling_open(&g->tiling, g->problem, g->lattice, &levels, err) != 0)
        return -1;
    shapes = topomap_tiling_shapes(&g->tiling, node_level(g),
                                   g->problem->machine->base + g->problem->machine->hop_cost, tile,
                                   most[g->problem->effort], err);
    if (shapes == 0) /* no box has as many ranks as a node: rank by rank */
        shapes = topomap_tiling_shapes(&g->tiling, 0, 1, tile, 1, err);
    for (int i = 0; i < shapes && (i == 0 || !topomap_problem_late(g->problem)); i++)
        if (try_tile(g, tile[i].size, slot_of, err) != 0)
            shapes = -1;
    topomap_tiling_close(&g->tiling);
    return shapes < 0 ? -1 : 0;
}

static void grid_clear(grid *g)
{
    topomap_arena_clear(&g->memory);
    topomap_kept_close(&g->kept);
}

static int map_grid(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    const topomap_machine *m = problem->machine;
    TOPOMAP_CLEANUP(grid_clear) grid g = {.problem = problem};

    if (topomap_problem_lattice(problem, "grid", &g.lattice, err))
        return -1;
    g.nodes = topomap_arena_alloc(&g.memory, m->nodes, sizeof *g.nodes, err);
    g.items_of = topomap_arena_alloc(&g.memory, m->nodes, sizeof *g.items_of, err);
    g.next = topomap_arena_alloc(&g.memory, m->nodes, sizeof *g.next, err);
    g.slots = topomap_arena_alloc(&g.memory, g.lattice->cells, sizeof *g.slots, err);
    g.node = topomap_arena_alloc(&g.memory, g.lattice->cells, FOLDS * sizeof *g.node, err);
    if (g.memory.is_short || topomap_kept_open(&g.kept, problem, g.lattice, err))
        return -1;
    return run(&g, slot_of, err);
}

const topomap_algorithm_impl topomap_algorithm_grid = {
    .row = {"grid", "topomap", "construct", FITS_GRID,
            "a recognised grid, torus or product of groups, folded onto the machine or halved with "
            "it"},
    .run = map_grid,
};
