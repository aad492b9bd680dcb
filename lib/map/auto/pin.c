/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank that is to be on a node. Where two groups of nodes that look alike change their ranks as
 * they are, all that hierarchies know of the placement stays the same; so this is tried for the
 * nodes themselves and at each level that there is between them; beside that for the rank alone, or
 * for what it is to stay together with. */
#include "map/auto/portfolio.h"

#include <stdlib.h>
#include <string.h>

#include "map/objective.h"
#include "util/alloc.h"

typedef struct pinning {
    topomap_problem *problem;
    const topomap_map_options *options;
    uint32_t piece;         /* ranks that stay together */
    uint32_t *piece_of;     /* [ranks] a number of the piece; NULL: nothing stays together */
    uint32_t *best, *trial; /* [slots] */
    uint32_t *vertex_at;    /* [slots] of the placement that was found */
    topomap_score score;
    int found;
} pinning;

static uint32_t slots_of(const topomap_machine *m, uint32_t node)
{
    return m->slot_first[node + 1] - m->slot_first[node];
}

static int keeps(const pinning *p)
{
    const char *level = p->options->together_level;

    return !p->piece_of ||
           topomap_together_keeps(p->problem->machine, level ? level : "node", p->options->together,
                                  p->problem->ranks, p->piece, p->trial);
}

static int consider(pinning *p, topomap_error *err)
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

/* All ranks of two nodes of one size change places. */
static void exchange(pinning *p, uint32_t a, uint32_t b)
{
    const topomap_machine *m = p->problem->machine;

    for (uint32_t k = 0; k < slots_of(m, a); k++) {
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

    if (slots_of(m, a) != slots_of(m, b) || group[a] == group[b])
        return 0;
    exchange(p, a, b);
    for (;; i++, k++) {
        while (i < m->nodes && (group[i] != group[a] || i == a))
            i++;
        while (k < m->nodes && (group[k] != group[b] || k == b))
            k++;
        if (i == m->nodes || k == m->nodes)
            return i == k;
        if (slots_of(m, i) != slots_of(m, k))
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

    memcpy(p->trial, slot_of, p->problem->weights.vertices * sizeof *p->trial);
    for (uint32_t s = m->slot_first[node]; s < m->slot_first[node + 1]; s++) {
        uint32_t other = p->vertex_at[s];

        p->trial[rank] = s;
        p->trial[other] = slot_of[rank];
        if (consider(p, err))
            return -1;
        p->trial[other] = s;
    }
    return 0;
}

/* Numbers of pieces: of the groups, in the order of their ranks. */
static int find_pieces(pinning *p, uint32_t piece, topomap_error *err)
{
    uint32_t ranks = p->problem->ranks, *seen = topomap_alloc(ranks, sizeof *seen, err);
    const uint32_t *group = p->options->together;

    p->piece = piece;
    p->piece_of = seen ? topomap_alloc(ranks, sizeof *p->piece_of, err) : NULL;
    for (uint32_t r = 0; p->piece_of && r < ranks; r++) {
        if (seen[group[r]]++ % piece == 0)
            p->problem->work.scratch[group[r]] = r; /* the first one of the piece */
        p->piece_of[r] = p->problem->work.scratch[group[r]];
    }
    memset(p->problem->work.scratch, 0xff, p->problem->machine->slots * sizeof(uint32_t));
    free(seen);
    return p->piece_of ? 0 : -1;
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

static int try_all(pinning *p, const uint32_t *slot_of, topomap_error *err)
{
    const topomap_machine *m = p->problem->machine;
    uint32_t rank = p->options->pin_rank, a = m->node_of[slot_of[rank]], b = p->options->pin_node;
    int status = 0;

    if (slots_of(m, a) == slots_of(m, b)) {
        memcpy(p->trial, slot_of, p->problem->weights.vertices * sizeof *p->trial);
        exchange(p, a, b);
        status = consider(p, err);
    }
    if (status == 0 && m->kind == TOPOMAP_MACHINE_MATRIX)
        status = try_groups(p, slot_of, m->site_of, a, b, err);
    for (uint32_t l = 0; status == 0 && m->kind == TOPOMAP_MACHINE_TREE && l < m->outer_levels; l++)
        status = try_groups(p, slot_of, m->outer[l].group, a, b, err);
    if (status != 0)
        return -1;
    return p->piece_of ? try_pieces(p, slot_of, rank, b, err) : try_ranks(p, slot_of, rank, b, err);
}

int topomap_pin_run(topomap_problem *problem, const topomap_map_options *options,
                    topomap_mapping *mapping, topomap_error *err)
{
    uint32_t n = problem->weights.vertices, *slot_of = mapping->slot_of_rank;
    pinning p = {.problem = problem, .options = options};
    int status = -1;

    if (problem->machine->node_of[slot_of[options->pin_rank]] == options->pin_node)
        return 0;
    p.best = topomap_alloc(n, sizeof *p.best, err);
    p.trial = topomap_alloc(n, sizeof *p.trial, err);
    p.vertex_at = topomap_alloc(n, sizeof *p.vertex_at, err);
    if (p.best && p.trial && p.vertex_at) {
        for (uint32_t v = 0; v < n; v++)
            p.vertex_at[slot_of[v]] = v;
        status = (options->together && find_pieces(&p, mapping->together, err)) ||
                         try_all(&p, slot_of, err)
                     ? -1
                     : 0;
    }
    if (status == 0 && p.found) {
        memcpy(slot_of, p.best, n * sizeof *slot_of);
        mapping->J = p.score.J;
        mapping->congestion = p.score.max;
        mapping->mix = p.score.mix;
        mapping->time = p.score.time;
    }
    free(p.best);
    free(p.trial);
    free(p.vertex_at);
    free(p.piece_of);
    return status;
}
