/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank that is to be on a node. Where two groups of nodes that look alike change their ranks as
 * they are, all that hierarchies know of the placement stays the same; so this is tried for the
 * nodes themselves, at each level that there is between them, and from level to level. Tori and
 * meshes are laid onto themselves. Beside that the rank alone is tried, or what it is to stay
 * together with; and where all of it costs something, others change places around it. */
#include "map/auto/portfolio.h"

#include <string.h>

#include "machine/machine.h"
#include "machine/closeness.h"
#include "map/problem.h"
#include "map/objective.h"
#include "map/refine/refine.h"
#include "util/alloc.h"

typedef struct pinning {
    topomap_problem *problem;
    const topomap_map_options *options;
    topomap_arena *memory;  /* of the arrays below */
    uint32_t piece;         /* ranks that stay together */
    uint32_t *piece_of;     /* [ranks] a number of the piece; NULL: nothing stays together */
    uint32_t *best, *trial; /* [slots] */
    uint32_t *vertex_at;    /* [slots] of the placement that was found */
    uint32_t *node_to;      /* [nodes] where each node's ranks go */
    uint32_t *pair;         /* [nodes] the one that a node changes its ranks with */
    topomap_score loose;    /* of the placement that was found */
    topomap_score score;    /* of the best */
    int found;
} pinning;

static int keeps(const pinning *p)
{
    const char *level = p->options->together_level;

    return !p->piece_of ||
           topomap_together_keeps(p->problem->machine, level ? level : "node", p->options->together,
                                  p->problem->ranks, p->piece, p->trial);
}

static int consider_as_is(pinning *p, topomap_error *err)
{
    topomap_score score;

    if (!keeps(p))
        return 0;
    if (topomap_problem_score(p->problem, p->trial, &score, err))
        return -1;
    if (p->found && !topomap_score_better(&score, &p->score))
        return 0;
    p->found = 1;
    p->score = score;
    memcpy(p->best, p->trial, p->problem->weights.vertices * sizeof *p->best);
    return 0;
}

static int consider(pinning *p, topomap_error *err)
{
    if (p->problem->inter_only && topomap_problem_sort_inside(p->problem, p->trial, err))
        return -1;
    return consider_as_is(p, err);
}

static int costs_nothing(const pinning *p)
{
    return p->found && !topomap_score_better(&p->loose, &p->score);
}

/* All ranks of two nodes of one size change places. */
static void exchange(pinning *p, uint32_t a, uint32_t b)
{
    const topomap_machine *m = p->problem->machine;

    for (uint32_t k = 0; k < topomap_node_slots(m, a); k++) {
        uint32_t s = m->slot_first[a] + k, t = m->slot_first[b] + k;

        p->trial[p->vertex_at[s]] = t;
        p->trial[p->vertex_at[t]] = s;
    }
}

/* The groups of the nodes a and b, node by node, a for b; 0 where they do not match. */
static int exchange_groups(pinning *p, const uint32_t *group, uint32_t a, uint32_t b)
{
    const topomap_machine *m = p->problem->machine;
    uint32_t i = 0, k = 0;

    if (topomap_node_slots(m, a) != topomap_node_slots(m, b) || group[a] == group[b])
        return 0;
    exchange(p, a, b);
    for (;; i++, k++) {
        while (i < m->nodes && (group[i] != group[a] || i == a))
            i++;
        while (k < m->nodes && (group[k] != group[b] || k == b))
            k++;
        if (i == m->nodes || k == m->nodes)
            return i == k;
        if (topomap_node_slots(m, i) != topomap_node_slots(m, k))
            return 0;
        exchange(p, i, k);
    }
}

static int try_groups(pinning *p, const uint32_t *slot_of, const uint32_t *group, uint32_t a,
                      uint32_t b, topomap_error *err)
{
    memcpy(p->trial, slot_of, p->problem->weights.vertices * sizeof *p->trial);
    return exchange_groups(p, group, a, b) ? consider(p, err) : 0;
}

/* The rank alone, with each one of the node. */
static int try_ranks(pinning *p, const uint32_t *slot_of, uint32_t rank, uint32_t node,
                     topomap_error *err)
{
    const topomap_machine *m = p->problem->machine;

    for (uint32_t s = m->slot_first[node]; s < m->slot_first[node + 1]; s++) {
        memcpy(p->trial, slot_of, p->problem->weights.vertices * sizeof *p->trial);
        p->trial[rank] = s;
        p->trial[p->vertex_at[s]] = slot_of[rank];
        if (consider(p, err))
            return -1;
    }
    return 0;
}

/* Numbers of pieces: of the groups, in the order of their ranks. */
static int find_pieces(pinning *p, uint32_t piece, topomap_error *err)
{
    uint32_t ranks = p->problem->ranks;
    TOPOMAP_FREED uint32_t *seen = topomap_alloc(ranks, sizeof *seen, err);
    const uint32_t *group = p->options->together;

    p->piece = piece;
    p->piece_of = topomap_arena_alloc(p->memory, ranks, sizeof *p->piece_of, err);
    if (!seen || !p->piece_of)
        return -1;
    for (uint32_t r = 0; r < ranks; r++) {
        if (seen[group[r]]++ % piece == 0)
            p->problem->work.scratch[group[r]] = r; /* the first one of the piece */
        p->piece_of[r] = p->problem->work.scratch[group[r]];
    }
    memset(p->problem->work.scratch, 0xff, p->problem->machine->slots * sizeof(uint32_t));
    return 0;
}

/* The next vertex of the piece `of` behind v that is not `but`; ranks where there is none. */
static uint32_t next_of(const pinning *p, uint32_t of, uint32_t v, uint32_t but)
{
    while (v < p->problem->ranks && (p->piece_of[v] != of || v == but))
        v++;
    return v;
}

/* The rank's piece, with each one that has a rank on the node: this rank for that one, the others
 * in order. Both have places for as many. */
static int try_pieces(pinning *p, const uint32_t *slot_of, uint32_t rank, uint32_t node,
                      topomap_error *err)
{
    const topomap_machine *m = p->problem->machine;
    uint32_t mine = p->piece_of[rank];

    for (uint32_t s = m->slot_first[node]; s < m->slot_first[node + 1]; s++) {
        uint32_t other = p->vertex_at[s], u = 0, v = 0;

        if (other >= p->problem->ranks || p->piece_of[other] == mine)
            continue;
        memcpy(p->trial, slot_of, p->problem->weights.vertices * sizeof *p->trial);
        p->trial[rank] = s;
        p->trial[other] = slot_of[rank];
        for (uint32_t i = 1; i < p->piece; i++, u++, v++) {
            u = next_of(p, mine, u, rank);
            v = next_of(p, p->piece_of[other], v, other);
            p->trial[u] = slot_of[v];
            p->trial[v] = slot_of[u];
        }
        if (consider(p, err))
            return -1;
    }
    return 0;
}

/* The farthest that a node is from node a, nearer than `limit`; -1 where none is. */
static double farthest_below(const topomap_machine *m, uint32_t a, double limit)
{
    double farthest = -1;

    for (uint32_t i = 0; i < m->nodes; i++) {
        double distance = i == a ? -1 : topomap_node_distance(m, a, i);

        if (distance < limit && distance > farthest)
            farthest = distance;
    }
    return farthest;
}

static int is_within(const topomap_machine *m, uint32_t a, uint32_t i, double reach)
{
    return i == a || topomap_node_distance(m, a, i) <= reach;
}

/* The next node behind i that is within `reach` of one of the two and not of the other one. */
static uint32_t next_within(const topomap_machine *m, uint32_t of, uint32_t but, double reach,
                            uint32_t i)
{
    while (i < m->nodes && (!is_within(m, of, i, reach) || is_within(m, but, i, reach)))
        i++;
    return i;
}

/* What is within `reach` of a, node by node in order, for what is within it of b: then those which
 * are together in a part of it stay so. 0 where the two do not match, and nothing is changed. */
static int exchange_within(pinning *p, uint32_t a, uint32_t b, double reach)
{
    const topomap_machine *m = p->problem->machine;
    uint32_t i = next_within(m, a, b, reach, 0), k = next_within(m, b, a, reach, 0);

    topomap_identity(p->pair, m->nodes);
    while (i < m->nodes && k < m->nodes) {
        if (topomap_node_slots(m, i) != topomap_node_slots(m, k))
            return 0;
        p->pair[i] = k;
        p->pair[k] = i;
        i = next_within(m, a, b, reach, i + 1);
        k = next_within(m, b, a, reach, k + 1);
    }
    if (i < m->nodes || k < m->nodes)
        return 0;
    for (uint32_t node = 0; node < m->nodes; node++)
        p->node_to[node] = p->pair[p->node_to[node]];
    return 1;
}

/* From the outermost level inwards, each brings the rank into the node's group of that level. */
static int try_levels(pinning *p, const uint32_t *slot_of, uint32_t a, uint32_t b,
                      topomap_error *err)
{
    const topomap_machine *m = p->problem->machine;
    double limit = topomap_node_distance(m, a, b);

    topomap_identity(p->node_to, m->nodes);
    for (uint32_t l = 0; l < TOPOMAP_MACHINE_LEVELS && a != b; l++) {
        double reach = farthest_below(m, a, limit);

        if (reach < 0)
            break;
        limit = reach;
        if (exchange_within(p, a, b, reach)) {
            a = p->pair[a];
            limit = a != b ? topomap_node_distance(m, a, b) : 0;
        }
    }
    if (a != b && !exchange_within(p, a, b, -1))
        return 0;
    memcpy(p->trial, slot_of, p->problem->weights.vertices * sizeof *p->trial);
    topomap_moves_nodes(m, p->node_to, p->trial);
    return consider(p, err);
}

/* Where every node of the torus is there the first one costs nothing; of other allocations, and by
 * the load of links, it may be a later one. */
static int try_symmetries(pinning *p, const uint32_t *slot_of, uint32_t a, uint32_t b,
                          topomap_error *err)
{
    static const uint32_t most[] = {
        [TOPOMAP_FAST] = 8, [TOPOMAP_DEFAULT] = 48, [TOPOMAP_STRONG] = 384};
    topomap_symmetries symmetries;
    int status = topomap_symmetries_open(p->problem->machine, a, b, &symmetries, err);

    for (uint32_t i = 0; status == 0 && i < most[p->problem->effort] && !costs_nothing(p); i++) {
        if ((i && topomap_problem_late(p->problem)) ||
            !topomap_symmetries_next(&symmetries, p->node_to))
            break;
        memcpy(p->trial, slot_of, p->problem->weights.vertices * sizeof *p->trial);
        topomap_moves_nodes(p->problem->machine, p->node_to, p->trial);
        status = consider(p, err);
    }
    topomap_symmetries_close(&symmetries);
    return status;
}

/* Where nobody names an algorithm the baseline is a candidate, if the rank is there. */
static int try_start(pinning *p, topomap_error *err)
{
    const uint32_t *start = p->problem->start;

    if (!topomap_portfolio_is_auto(p->options) ||
        p->problem->machine->node_of[start[p->options->pin_rank]] != p->options->pin_node)
        return 0;
    memcpy(p->trial, start, p->problem->weights.vertices * sizeof *p->trial);
    return consider_as_is(p, err);
}

/* Groups that stay together move by whole nodes. Who names an algorithm gets what that made. */
static int refine(pinning *p, topomap_error *err)
{
    int status;

    if (!p->found || costs_nothing(p) || !topomap_portfolio_is_auto(p->options) ||
        topomap_problem_is_hasty(p->problem) || topomap_problem_late(p->problem))
        return 0;
    memcpy(p->trial, p->best, p->problem->weights.vertices * sizeof *p->trial);
    p->problem->held = &p->options->pin_rank;
    status = p->piece_of ? topomap_map_swap_nodes(p->problem, p->trial, err)
                         : topomap_algorithm_swap.run(p->problem, p->trial, err);
    p->problem->held = NULL;
    return status == 0 ? consider(p, err) : -1;
}

static int try_all(pinning *p, const uint32_t *slot_of, topomap_error *err)
{
    const topomap_machine *m = p->problem->machine;
    uint32_t rank = p->options->pin_rank, a = m->node_of[slot_of[rank]], b = p->options->pin_node;

    if (topomap_problem_score(p->problem, slot_of, &p->loose, err))
        return -1;
    if (topomap_node_slots(m, a) == topomap_node_slots(m, b)) {
        memcpy(p->trial, slot_of, p->problem->weights.vertices * sizeof *p->trial);
        exchange(p, a, b);
        if (consider(p, err))
            return -1;
    }
    if (m->kind == TOPOMAP_MACHINE_MATRIX && try_groups(p, slot_of, m->site_of, a, b, err))
        return -1;
    for (uint32_t l = 0; m->kind == TOPOMAP_MACHINE_TREE && l < m->outer_levels; l++)
        if (try_groups(p, slot_of, m->outer[l].group, a, b, err))
            return -1;
    if ((m->kind == TOPOMAP_MACHINE_TORUS ? try_symmetries(p, slot_of, a, b, err)
                                          : try_levels(p, slot_of, a, b, err)) ||
        (p->piece_of ? try_pieces(p, slot_of, rank, b, err)
                     : try_ranks(p, slot_of, rank, b, err)) ||
        try_start(p, err))
        return -1;
    return refine(p, err);
}

static void put(const pinning *p, topomap_mapping *mapping)
{
    const topomap_problem *problem = p->problem;
    int is_start = topomap_portfolio_is_auto(p->options) &&
                   memcmp(p->best, problem->start, problem->ranks * sizeof *p->best) == 0;
    char name[sizeof mapping->algorithm];

    snprintf(name, sizeof name, "%s",
             is_start ? topomap_start_name(p->options) : mapping->algorithm);
    topomap_mapping_put(mapping, problem, name, p->best, &p->score);
}

int topomap_pin_run(topomap_problem *problem, const topomap_map_options *options,
                    topomap_mapping *mapping, topomap_error *err)
{
    uint32_t n = problem->weights.vertices, nodes = problem->machine->nodes;
    uint32_t *slot_of = mapping->slot_of_rank;
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena memory = {0};
    pinning p = {.problem = problem, .options = options, .memory = &memory};

    if (problem->machine->node_of[slot_of[options->pin_rank]] == options->pin_node)
        return 0;
    p.best = topomap_arena_alloc(&memory, n, sizeof *p.best, err);
    p.trial = topomap_arena_alloc(&memory, n, sizeof *p.trial, err);
    p.vertex_at = topomap_arena_alloc(&memory, n, sizeof *p.vertex_at, err);
    p.node_to = topomap_arena_alloc(&memory, nodes, sizeof *p.node_to, err);
    p.pair = topomap_arena_alloc(&memory, nodes, sizeof *p.pair, err);
    if (memory.is_short)
        return -1;
    for (uint32_t v = 0; v < n; v++)
        p.vertex_at[slot_of[v]] = v;
    if ((options->together && find_pieces(&p, mapping->together, err)) || try_all(&p, slot_of, err))
        return -1;
    if (p.found)
        put(&p, mapping);
    return 0;
}
