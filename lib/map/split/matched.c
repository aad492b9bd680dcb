/* SPDX-License-Identifier: BSD-3-Clause */
/* `matched`: ranks become pairs, pairs of pairs, and so on, all of one size that every node's slots
 * are a multiple of; the groups are mapped by recursion on a machine of group-sized slots, then
 * taken apart pair by pair with a little annealing in between: the multilevel scheme of Hendrickson
 * and Leland (Supercomputing 1995) with sizes that are exact at every level. */
#include <string.h>

#include "map/problem.h"
#include "map/refine/refine.h"
#include "partition/partition.h"
#include "util/alloc.h"
#include "util/clock.h"

/* Pairs find their places before they are taken apart. */
static const topomap_cooling between_rounds = {30, 0.2, 0.04, 0};

enum {
    UNKNOWN = UINT32_MAX,
    LEAST = 1024,    /* vertices that the recursion should have to choose from */
    A_NODE = 4,      /* groups that a node should have place for */
    NODE_SLOTS = 32, /* sub-trees of at least so many slots stand for nodes */
};

/* The machine that groups of ranks see. Its nodes are the machine's, or sub-trees that are large
 * enough; group t has the slots close.slot[2 t] and [2 t + 1]. */
typedef struct coarsening {
    topomap_closeness close;
    uint32_t level; /* of `close`, whose groups are nodes */
    topomap_machine *machine;
} coarsening;

/* Which level's groups are the nodes, and how often ranks can be paired. */
static uint32_t rounds_of(coarsening *c, const topomap_machine *m)
{
    uint32_t level = 0, least = 0, bits = 0, rounds = 0;

    if (m->kind != TOPOMAP_MACHINE_TREE)
        level = m->inner_levels - 1;
    for (; level < c->close.levels; level++) {
        const uint32_t *start = c->close.start[level];

        least = UINT32_MAX;
        bits = 0;
        for (uint32_t g = 0; g < c->close.groups[level]; g++) {
            bits |= start[g + 1] - start[g];
            least = start[g + 1] - start[g] < least ? start[g + 1] - start[g] : least;
        }
        if (m->kind != TOPOMAP_MACHINE_TREE || least >= NODE_SLOTS)
            break;
    }
    c->level = level;
    while (level < c->close.levels && (bits >> rounds & 1) == 0 &&
           least >> (rounds + 1) >= A_NODE && m->slots >> (rounds + 1) >= LEAST)
        rounds++;
    return rounds;
}

/* A level inside nodes as groups of ranks see it; not at all where groups straddle it. */
static int copy_inner(coarsening *c, const topomap_machine *m, uint32_t level, uint32_t *group,
                      topomap_error *err)
{
    const uint32_t *old = c->close.group[level];

    for (uint32_t i = 0; i < m->slots; i++)
        if (i % 2 && old[i] != old[i - 1])
            return 0;
    for (uint32_t t = 0; t < c->machine->slots; t++)
        group[t] = t == 0 ? 0 : group[t - 1] + (old[t * 2] != old[(t - 1) * 2]);
    return topomap_machine_add_inner(c->machine, topomap_nesting_at(m, level)->name,
                                     topomap_nesting_at(m, level)->cost, group, err);
}

static int copy_outside(coarsening *c, const topomap_machine *m, uint32_t *group,
                        topomap_error *err)
{
    int status = 0;

    switch (m->kind) {
    case TOPOMAP_MACHINE_TREE:
        for (uint32_t l = c->level + 1; status == 0 && l < m->inner_levels + m->outer_levels; l++) {
            for (uint32_t i = 0; i < c->machine->nodes; i++)
                group[i] = l < c->close.levels ? c->close.group[l][c->close.start[c->level][i]] : 0;
            status = topomap_machine_add_outer(c->machine, topomap_nesting_at(m, l)->name,
                                               topomap_nesting_at(m, l)->cost,
                                               topomap_nesting_at(m, l)->hops, group, err);
        }
        break;
    case TOPOMAP_MACHINE_TORUS:
        status = topomap_machine_set_torus(c->machine, m->dims, m->dim, m->wrap, m->coord, m->base,
                                           m->hop_cost, m->base_hops, err);
        break;
    case TOPOMAP_MACHINE_MATRIX:
        status = topomap_machine_set_matrix(c->machine, m->kind_name, m->sites, m->site_of,
                                            m->site_cost, m->site_hops, err);
        break;
    }
    return status == 0 ? topomap_machine_finish(c->machine, err) : -1;
}

static int coarse_machine(coarsening *c, const topomap_machine *m, topomap_error *err)
{
    int tree = m->kind == TOPOMAP_MACHINE_TREE;
    uint32_t nodes = tree ? c->close.groups[c->level] : m->nodes;
    const uint32_t *first = tree ? c->close.start[c->level] : m->slot_first;
    TOPOMAP_FREED uint32_t *per_node = topomap_alloc(nodes, sizeof *per_node, err);
    TOPOMAP_FREED uint32_t *group = topomap_alloc(m->slots, sizeof *group, err);

    if (!per_node || !group)
        return -1;
    for (uint32_t i = 0; i < nodes; i++)
        per_node[i] = (first[i + 1] - first[i]) / 2;
    if (topomap_machine_frame(nodes, per_node, NULL, &c->machine, err))
        return -1;
    for (uint32_t l = 0; l <= c->level; l++)
        if (copy_inner(c, m, l, group, err))
            return -1;
    return copy_outside(c, m, group, err);
}

static int map_rounds(topomap_problem *problem, uint32_t rounds, uint32_t *slot_of,
                      topomap_error *err);

/* The pairs are mapped on slots for pairs. */
static int map_pairs(const topomap_problem *problem, coarsening *c, const topomap_weights *weights,
                     uint32_t rounds, uint32_t *pair_at, topomap_error *err)
{
    topomap_problem pairs = *problem;
    TOPOMAP_FREED uint32_t *scratch = topomap_alloc(c->machine->slots, sizeof *scratch, err);

    if (!scratch)
        return -1;
    memset(scratch, 0xff, c->machine->slots * sizeof *scratch);
    pairs.machine = c->machine;
    pairs.weights = *weights;
    pairs.ranks = weights->vertices;
    pairs.load = NULL;
    pairs.start = NULL;
    pairs.work.scratch = scratch;
    if (map_rounds(&pairs, rounds - 1, pair_at, err))
        return -1;
    return topomap_anneal_slots(&pairs, &between_rounds, pair_at, err);
}

static int map_round(topomap_problem *problem, coarsening *c, uint32_t rounds, uint32_t *slot_of,
                     topomap_error *err)
{
    uint32_t slots = problem->machine->slots;
    TOPOMAP_FREED uint32_t *half = topomap_alloc(slots, sizeof *half, err);
    TOPOMAP_FREED uint32_t *pair_at = topomap_alloc(slots / 2, sizeof *pair_at, err);
    TOPOMAP_CLEANUP(topomap_weights_clear) topomap_weights weights = {0};
    topomap_random random = {problem->seed};
    double before = topomap_clock_cpu();

    if (!half || !pair_at || coarse_machine(c, problem->machine, err) ||
        topomap_matching(&problem->weights, &random, half, err) ||
        topomap_matching_contract(&problem->weights, half, &weights, err))
        return -1;
    problem->found.phase_seconds[TOPOMAP_PHASE_GROUP] += topomap_clock_cpu() - before;
    if (map_pairs(problem, c, &weights, rounds, pair_at, err))
        return -1;
    for (uint32_t i = 0; i < slots; i++)
        slot_of[half[i]] = c->close.slot[pair_at[i / 2] * 2 + i % 2];
    return 0;
}

/* rounds: as many as are left, UNKNOWN at the start. */
static int map_rounds(topomap_problem *problem, uint32_t rounds, uint32_t *slot_of,
                      topomap_error *err)
{
    const topomap_machine *m = problem->machine;
    coarsening c = {0};
    int status;

    if (rounds == 0)
        return m->kind == TOPOMAP_MACHINE_TORUS
                   ? topomap_algorithm_run(&topomap_algorithm_rb_wrap, problem, slot_of, err)
                   : topomap_algorithm_tree.run(problem, slot_of, err);
    status = topomap_closeness_init(&c.close, m, TOPOMAP_CLOSE_SLOTS, 0, err);
    if (status != 0)
        return -1;
    if (rounds == UNKNOWN)
        rounds = rounds_of(&c, m);
    else
        c.level = m->inner_levels - 1;
    status = rounds ? map_round(problem, &c, rounds, slot_of, err)
                    : map_rounds(problem, 0, slot_of, err);
    topomap_machine_free(c.machine);
    topomap_closeness_clear(&c.close);
    return status;
}

static int map_matched(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    return map_rounds(problem, UNKNOWN, slot_of, err);
}

const topomap_algorithm_impl topomap_algorithm_matched = {
    .row =
        {"matched", "topomap", "construct", FITS_ALL,
         "ranks that talk most are paired, pairs too; tree or rb-wrap maps groups: for large jobs"},
    .run = map_matched,
};
