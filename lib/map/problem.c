/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/problem.h"

#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "map/objective.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/sorted.h"

/* ---- Scores ------------------------------------------------------------------------------ */

double topomap_problem_cost(const topomap_problem *problem, const uint32_t *slot_of)
{
    const topomap_weights *w = &problem->weights;
    double sum = 0.0;

    for (uint32_t u = 0; u < w->vertices; u++)
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
            if (u < w->target[e])
                sum += (double)w->weight[e] *
                       topomap_slot_distance(problem->machine, slot_of[u], slot_of[w->target[e]]);
    return sum;
}

double topomap_problem_most_load(const topomap_problem *problem, const uint32_t *slot_of,
                                 double *node)
{
    const topomap_machine *m = problem->machine;

    for (uint32_t i = 0; i < m->nodes; i++)
        node[i] = 0.0;
    for (uint32_t r = 0; r < problem->ranks; r++)
        node[m->node_of[slot_of[r]]] += (double)problem->load[r];
    return topomap_nodes_most_load(m, node);
}

int topomap_problem_score(const topomap_problem *problem, const uint32_t *slot_of,
                          topomap_score *score, topomap_error *err)
{
    *score = (topomap_score){0};
    if (problem->objective && topomap_objective_score(problem->objective, problem->graph,
                                                      problem->machine, slot_of, score, err) != 0)
        return -1;
    if (problem->level) {
        TOPOMAP_FREED double *node = topomap_alloc(problem->machine->nodes, sizeof *node, err);
        double most;

        if (!node)
            return -1;
        most = topomap_problem_most_load(problem, slot_of, node);
        score->over = most > problem->level->limit ? most - problem->level->limit : 0;
    }
    score->J = topomap_problem_cost(problem, slot_of);
    if (problem->objective)
        score->mix = topomap_objective_mix(problem->objective, score->J, score->max);
    return 0;
}

/* ---- Time -------------------------------------------------------------------------------- */

int topomap_problem_late(const topomap_problem *problem)
{
    if (problem->cancel && atomic_load_explicit(problem->cancel, memory_order_relaxed))
        return 1;
    return problem->deadline > 0 && topomap_clock_wall() >= problem->deadline;
}

int topomap_problem_abandoned(const topomap_problem *problem, topomap_error *err)
{
    if (problem->cancel && atomic_load_explicit(problem->cancel, memory_order_relaxed))
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "the result is not needed any more");
    return 0;
}

/* ---- Placements -------------------------------------------------------------------------- */

void topomap_problem_fill(const topomap_problem *problem, uint32_t *slot_of)
{
    uint32_t n = problem->weights.vertices, next = 0, *used = problem->work.scratch;

    for (uint32_t v = 0; v < n; v++)
        if (slot_of[v] != UINT32_MAX)
            used[slot_of[v]] = v;
    for (uint32_t v = 0; v < n; v++)
        if (slot_of[v] == UINT32_MAX) {
            while (used[next] != UINT32_MAX)
                next++;
            slot_of[v] = next++;
        }
    memset(used, 0xff, n * sizeof *used);
}

int topomap_placement_fill(const char *name, const uint32_t *slot_of, uint32_t ranks,
                           uint32_t slots, uint32_t *full, topomap_error *err)
{
    TOPOMAP_FREED uint8_t *used = topomap_alloc(slots, 1, err);
    uint32_t next = 0;

    if (!used)
        return -1;
    for (uint32_t r = 0; r < ranks; r++) {
        full[r] = slot_of ? slot_of[r] : r;
        if (full[r] >= slots || used[full[r]]++)
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "the %.60s mapping puts rank %u on slot %u, which %s", name, r,
                                     full[r], full[r] >= slots ? "does not exist" : "is taken");
    }
    for (uint32_t v = ranks; v < slots; v++) {
        while (used[next])
            next++;
        full[v] = next++;
    }
    return 0;
}

int topomap_problem_sort_inside(const topomap_problem *problem, uint32_t *slot_of,
                                topomap_error *err)
{
    const topomap_machine *m = problem->machine;
    TOPOMAP_FREED uint32_t *vertex_at = topomap_alloc(m->slots, sizeof *vertex_at, err);

    if (!vertex_at)
        return -1;
    for (uint32_t v = 0; v < m->slots; v++)
        vertex_at[slot_of[v]] = v;
    for (uint32_t i = 0; i < m->nodes; i++)
        qsort(vertex_at + m->slot_first[i], topomap_node_slots(m, i), sizeof *vertex_at,
              topomap_by_u32);
    for (uint32_t s = 0; s < m->slots; s++)
        slot_of[vertex_at[s]] = s;
    return 0;
}
