/* SPDX-License-Identifier: BSD-3-Clause */
/* `level`: swaps that take load off the nodes that have too much, for the least J each; then swaps
 * that lower J and leave the loads within the limit. */
#define _GNU_SOURCE /* qsort_r */
#include "map/problem.h"
#include "map/refine/refine.h"

#include <stdlib.h>

#include "machine/machine.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/keyed.h"
#include "util/sorted.h"

enum { DRAWS = 32, SCANS = 64 };
#define ROUNDING 1e-9

static double load_of(const topomap_level *level, uint32_t v)
{
    return v < level->ranks ? (double)level->load[v] : 0.0;
}

/* ---- LPT ------------------------------------------------------------------------------------- */

TOPOMAP_COMPARE_BY(heavier, const uint64_t *load, TOPOMAP_ORDER(load[y], load[x]))

/* Gives each rank, in this order, to the node with the least load per slot that has a slot left.
 * \param node   [nodes] all 0 before; out: the load of each node
 * \param left   [nodes] scratch
 * \param dealt  [ranks] out: the node of each rank */
static int deal(const topomap_problem *problem, const uint32_t *order, double *node, uint32_t *left,
                uint32_t *dealt, topomap_error *err)
{
    const topomap_machine *m = problem->machine;
    TOPOMAP_CLEANUP(topomap_heap_clear) topomap_heap heap = {0};

    for (uint32_t i = 0; i < m->nodes; i++) {
        left[i] = topomap_node_slots(m, i);
        if (left[i] && topomap_heap_push(&heap, (topomap_keyed){.a = i}, err))
            return -1;
    }
    for (uint32_t i = 0; i < problem->ranks; i++) {
        topomap_keyed at = topomap_heap_pop(&heap);

        dealt[order[i]] = at.a;
        node[at.a] += (double)problem->load[order[i]];
        at.key = topomap_keyed_number(node[at.a] / topomap_node_slots(m, at.a));
        if (--left[at.a] && topomap_heap_push(&heap, at, err))
            return -1;
    }
    return 0;
}

static int is_uneven(const topomap_problem *problem)
{
    for (uint32_t r = 1; problem->load && r < problem->ranks; r++)
        if (problem->load[r] != problem->load[0])
            return 1;
    return 0;
}

int topomap_level_open(const topomap_problem *problem, double part, topomap_level *level,
                       topomap_error *err)
{
    const topomap_machine *m = problem->machine;
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena memory = {0};
    uint32_t *order, *left;
    double *node;

    if (m->nodes < 2 || !is_uneven(problem))
        return 0;
    *level = (topomap_level){.load = problem->load, .ranks = problem->ranks};
    left = topomap_arena_alloc(&memory, m->nodes, sizeof *left, err);
    node = topomap_arena_alloc(&memory, m->nodes, sizeof *node, err);
    order = topomap_arena_alloc(&memory, problem->ranks, sizeof *order, err);
    if (memory.is_short)
        return -1;
    level->dealt = topomap_alloc(problem->ranks, sizeof *level->dealt, err);
    if (!level->dealt)
        return -1;
    topomap_identity(order, problem->ranks);
    qsort_r(order, problem->ranks, sizeof *order, heavier, (void *)problem->load);
    if (deal(problem, order, node, left, level->dealt, err))
        return -1;
    level->limit = topomap_nodes_most_load(m, node) * (1 + part);
    return 1;
}

void topomap_level_close(topomap_level *level)
{
    free(level->dealt);
    *level = (topomap_level){0};
}

/* ---- Exchanges ------------------------------------------------------------------------------- */

static double above(const topomap_problem *problem, uint32_t node, double load)
{
    double most =
        problem->level->limit * topomap_node_slots(problem->machine, node) * (1 + ROUNDING);

    return load > most ? load - most : 0.0;
}

int topomap_level_allows(const topomap_problem *problem, const double *node, uint32_t u, uint32_t x,
                         uint32_t place_u, uint32_t place_x)
{
    const topomap_machine *m = problem->machine;
    uint32_t a = m->node_of[place_u], b = m->node_of[place_x];
    double more = load_of(problem->level, x) - load_of(problem->level, u);

    if (a == b || more == 0.0)
        return 1;
    return more > 0.0 ? above(problem, a, node[a] + more) <= 0.0
                      : above(problem, b, node[b] - more) <= 0.0;
}

void topomap_level_exchange(const topomap_problem *problem, double *node, uint32_t u, uint32_t x,
                            uint32_t place_u, uint32_t place_x)
{
    const topomap_machine *m = problem->machine;
    double more = load_of(problem->level, x) - load_of(problem->level, u);

    node[m->node_of[place_u]] += more;
    node[m->node_of[place_x]] -= more;
}

/* ---- Levelling ------------------------------------------------------------------------------- */

typedef struct levelling {
    const topomap_problem *problem;
    uint32_t *slot_of, *vertex_at; /* [slots] */
    double *node;                  /* [nodes] */
    topomap_random random;
    uint32_t u, x; /* the best exchange found */
    double best;
} levelling;

static double move_cost(const levelling *l, uint32_t u, uint32_t x)
{
    const topomap_weights *w = &l->problem->weights;
    const topomap_machine *m = l->problem->machine;
    uint32_t p = l->slot_of[u], q = l->slot_of[x];
    double sum = 0.0;

    for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++) {
        uint32_t v = w->target[e];

        if (v != x)
            sum += (double)w->weight[e] * (topomap_slot_distance(m, q, l->slot_of[v]) -
                                           topomap_slot_distance(m, p, l->slot_of[v]));
    }
    return sum;
}

/* By how much an exchange lowers what both nodes have above the limit. */
static double relief(const levelling *l, uint32_t u, uint32_t x)
{
    const topomap_problem *problem = l->problem;
    uint32_t a = problem->machine->node_of[l->slot_of[u]];
    uint32_t b = problem->machine->node_of[l->slot_of[x]];
    double less = load_of(problem->level, u) - load_of(problem->level, x);

    if (a == b || less <= 0.0)
        return 0.0;
    return above(problem, a, l->node[a]) + above(problem, b, l->node[b]) -
           above(problem, a, l->node[a] - less) - above(problem, b, l->node[b] + less);
}

static void try_pair(levelling *l, uint32_t u, uint32_t x)
{
    double less = relief(l, u, x), price;

    if (less <= ROUNDING * l->problem->level->limit)
        return;
    price = (move_cost(l, u, x) + move_cost(l, x, u)) / less;
    if (l->u == UINT32_MAX || price < l->best) {
        l->best = price;
        l->u = u;
        l->x = x;
    }
}

/* Somebody beside one that u talks to, or anywhere. */
static uint32_t draw(levelling *l, uint32_t u, uint32_t kind)
{
    const topomap_weights *w = &l->problem->weights;
    const topomap_machine *m = l->problem->machine;
    uint64_t degree = w->offset[u + 1] - w->offset[u];
    uint32_t node;

    if (kind % 2 == 0 || degree == 0)
        return l->vertex_at[topomap_random_below(&l->random, m->slots)];
    degree = degree < UINT32_MAX ? degree : UINT32_MAX;
    node = m->node_of[l->slot_of[w->target[w->offset[u] +
                                           topomap_random_below(&l->random, (uint32_t)degree)]]];
    return l->vertex_at[m->slot_first[node] +
                        topomap_random_below(&l->random, topomap_node_slots(m, node))];
}

static uint32_t fullest(const levelling *l)
{
    const topomap_machine *m = l->problem->machine;
    uint32_t node = UINT32_MAX;
    double most = 0.0;

    for (uint32_t i = 0; i < m->nodes; i++) {
        double over = topomap_node_slots(m, i)
                          ? above(l->problem, i, l->node[i]) / topomap_node_slots(m, i)
                          : 0.0;

        if (over > most) {
            most = over;
            node = i;
        }
    }
    return node;
}

/* One exchange of a rank of the node; of drawn partners, or of all. Nonzero where one was found. */
static int take_off(levelling *l, uint32_t node, int all)
{
    const topomap_machine *m = l->problem->machine;

    l->u = UINT32_MAX;
    for (uint32_t s = m->slot_first[node]; s < m->slot_first[node + 1]; s++) {
        uint32_t u = l->vertex_at[s];

        for (uint32_t k = 0; k < (all ? m->slots : DRAWS); k++)
            try_pair(l, u, all ? k : draw(l, u, k));
    }
    if (l->u == UINT32_MAX)
        return 0;
    topomap_level_exchange(l->problem, l->node, l->u, l->x, l->slot_of[l->u], l->slot_of[l->x]);
    topomap_moves_exchange(l->slot_of, l->vertex_at, l->u, l->x);
    return 1;
}

/* The placement that the limit was found with. */
static void place_dealt(levelling *l)
{
    const topomap_problem *problem = l->problem;
    const topomap_machine *m = problem->machine;
    uint32_t next = problem->ranks;

    for (uint32_t s = 0; s < m->slots; s++)
        l->vertex_at[s] = UINT32_MAX;
    for (uint32_t r = 0; r < problem->ranks; r++) {
        uint32_t s = m->slot_first[problem->level->dealt[r]];

        while (l->vertex_at[s] != UINT32_MAX)
            s++;
        l->vertex_at[s] = r;
    }
    for (uint32_t s = 0; s < m->slots; s++) {
        if (l->vertex_at[s] == UINT32_MAX)
            l->vertex_at[s] = next++;
        l->slot_of[l->vertex_at[s]] = s;
    }
}

static void level(levelling *l)
{
    uint32_t scans = 0, node;

    while ((node = fullest(l)) != UINT32_MAX && !topomap_problem_late(l->problem))
        if (!take_off(l, node, 0) && (scans++ == SCANS || !take_off(l, node, 1))) {
            place_dealt(l);
            return;
        }
}

static int map_level(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    const topomap_machine *m = problem->machine;
    TOPOMAP_FREED uint32_t *vertex_at = topomap_alloc(m->slots, sizeof *vertex_at, err);
    TOPOMAP_FREED double *node = topomap_alloc(m->nodes, sizeof *node, err);
    levelling l = {.problem = problem,
                   .slot_of = slot_of,
                   .vertex_at = vertex_at,
                   .node = node,
                   .random = {problem->seed}};
    double started = topomap_clock_cpu();

    if (!problem->level)
        return 0;
    if (!vertex_at || !node)
        return -1;
    for (uint32_t v = 0; v < m->slots; v++)
        vertex_at[slot_of[v]] = v;
    topomap_problem_most_load(problem, slot_of, node);
    level(&l);
    problem->found.phase_seconds[TOPOMAP_PHASE_REFINE] += topomap_clock_cpu() - started;
    return problem->objective ? 0 : topomap_algorithm_swap.run(problem, slot_of, err);
}

const topomap_algorithm_impl topomap_algorithm_level = {
    .row = {"level", "topomap; LPT: Graham, 1969", "refine", FITS_ALL,
            "swaps that even out the loads of nodes (--balance), then such that lower J and keep "
            "to it"},
    .run = map_level,
};
