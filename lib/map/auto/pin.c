/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank that is to be on a node. Where two groups of nodes that look alike change their ranks as
 * they are, all that hierarchies know of the placement stays the same; so this is tried for the
 * nodes themselves and at each level that there is between them. */
#include "map/auto/portfolio.h"

#include <stdlib.h>
#include <string.h>

#include "map/objective.h"
#include "util/alloc.h"

typedef struct pinning {
    topomap_problem *problem;
    uint32_t *best, *trial; /* [slots] */
    uint32_t *vertex_at;    /* [slots] of the placement that was found */
    topomap_score score;
    int found;
} pinning;

static uint32_t slots_of(const topomap_machine *m, uint32_t node)
{
    return m->slot_first[node + 1] - m->slot_first[node];
}

static int consider(pinning *p, topomap_error *err)
{
    topomap_score score;

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

static int try_all(pinning *p, const topomap_map_options *options, const uint32_t *slot_of,
                   topomap_error *err)
{
    const topomap_machine *m = p->problem->machine;
    uint32_t a = m->node_of[slot_of[options->pin_rank]], b = options->pin_node;
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
    if (status == 0 && !options->together)
        status = try_ranks(p, slot_of, options->pin_rank, b, err);
    if (status == 0 && !p->found)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "rank %u cannot be pinned to a node of another size than the "
                                 "others and its group stay together",
                                 options->pin_rank);
    return status;
}

int topomap_pin_run(topomap_problem *problem, const topomap_map_options *options,
                    topomap_mapping *mapping, topomap_error *err)
{
    uint32_t n = problem->weights.vertices, *slot_of = mapping->slot_of_rank;
    pinning p = {.problem = problem};
    int status = -1;

    if (problem->machine->node_of[slot_of[options->pin_rank]] == options->pin_node)
        return 0;
    p.best = topomap_alloc(n, sizeof *p.best, err);
    p.trial = topomap_alloc(n, sizeof *p.trial, err);
    p.vertex_at = topomap_alloc(n, sizeof *p.vertex_at, err);
    if (p.best && p.trial && p.vertex_at) {
        for (uint32_t v = 0; v < n; v++)
            p.vertex_at[slot_of[v]] = v;
        status = try_all(&p, options, slot_of, err);
    }
    if (status == 0) {
        memcpy(slot_of, p.best, n * sizeof *slot_of);
        mapping->J = p.score.J;
        mapping->congestion = p.score.max;
        mapping->mix = p.score.mix;
        mapping->time = p.score.time;
    }
    free(p.best);
    free(p.trial);
    free(p.vertex_at);
    return status;
}
