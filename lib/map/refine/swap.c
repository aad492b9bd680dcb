/* SPDX-License-Identifier: BSD-3-Clause */
/* `swap`: whole nodes change places first, then single ranks. */
#include <stdlib.h>
#include <string.h>

#include "map/problem.h"
#include "map/refine/refine.h"
#include "partition/partition.h"
#include "util/alloc.h"
#include "util/clock.h"

static const struct {
    uint32_t reach;
    uint32_t evaluations; /* per vertex */
} budget[] = {
    [TOPOMAP_FAST] = {6, 200},
    [TOPOMAP_DEFAULT] = {16, 1000},
    [TOPOMAP_STRONG] = {64, 20000},
};

/* The graph between nodes under a placement; what stays inside a node is left out. */
static int node_graph(const topomap_problem *problem, const uint32_t *slot_of,
                      topomap_weights *weights, topomap_error *err)
{
    uint32_t n = problem->weights.vertices, *node_of = topomap_alloc(n, sizeof *node_of, err);
    int status = -1;

    for (uint32_t u = 0; node_of && u < n; u++)
        node_of[u] = problem->machine->node_of[slot_of[u]];
    if (node_of)
        status =
            topomap_contract(&problem->weights, node_of, problem->machine->nodes, weights, err);
    free(node_of);
    return status;
}

/* From where swap->place_of has the vertices of swap->weights. */
static int search(topomap_swap *swap, topomap_problem *problem, const topomap_vicinity *vicinity,
                  topomap_error *err)
{
    swap->machine = problem->machine;
    swap->vicinity = vicinity;
    swap->problem = problem;
    swap->reach = budget[problem->effort].reach;
    swap->evaluations = (uint64_t)budget[problem->effort].evaluations * swap->weights->vertices;
    return topomap_swap_open(swap, err) == 0 ? topomap_swap_run(swap, problem->seed, err) : -1;
}

static int swap_nodes(topomap_problem *problem, const topomap_vicinity *vicinity, uint32_t *slot_of,
                      topomap_error *err)
{
    const topomap_machine *m = problem->machine;
    topomap_weights weights = {0};
    topomap_swap swap = {.weights = &weights, .whole_nodes = 1};
    uint32_t held = problem->held ? m->node_of[slot_of[*problem->held]] : 0;
    int status = node_graph(problem, slot_of, &weights, err);

    swap.held = problem->held ? &held : NULL;
    swap.place_of = topomap_arena_alloc(&swap.memory, m->nodes, sizeof *swap.place_of, err);
    for (uint32_t i = 0; swap.place_of && i < m->nodes; i++)
        swap.place_of[i] = i;
    if (status == 0)
        status = swap.place_of ? search(&swap, problem, vicinity, err) : -1;
    if (status == 0)
        topomap_moves_nodes(m, swap.place_of, slot_of);
    topomap_arena_clear(&swap.memory);
    topomap_weights_clear(&weights);
    return status;
}

static int swap_slots(topomap_problem *problem, const topomap_vicinity *vicinity, uint32_t *slot_of,
                      topomap_error *err)
{
    uint32_t nodes = problem->machine->nodes;
    topomap_swap swap = {.weights = &problem->weights, .place_of = slot_of, .held = problem->held};
    int status;

    if (problem->level) {
        swap.node_load = topomap_arena_alloc(&swap.memory, nodes, sizeof *swap.node_load, err);
        if (!swap.node_load)
            return -1;
        topomap_level_most(problem, slot_of, swap.node_load);
    }
    status = search(&swap, problem, vicinity, err);
    topomap_arena_clear(&swap.memory);
    return status;
}

int topomap_map_swap_nodes(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    topomap_vicinity vicinity = {0};
    int status = topomap_vicinity_build(problem->machine, 64, &vicinity, err);

    if (status == 0 && problem->machine->nodes > 1)
        status = swap_nodes(problem, &vicinity, slot_of, err);
    topomap_vicinity_clear(&vicinity);
    return status;
}

static int map_swap(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    const topomap_machine *m = problem->machine;
    double before = topomap_clock_cpu();
    topomap_vicinity vicinity = {0};
    int status = topomap_vicinity_build(m, 64, &vicinity, err);

    if (status == 0 && m->nodes > 1 && m->slots > m->nodes)
        status = swap_nodes(problem, &vicinity, slot_of, err);
    if (status == 0)
        status = swap_slots(problem, &vicinity, slot_of, err);
    topomap_vicinity_clear(&vicinity);
    problem->found.phase_seconds[TOPOMAP_PHASE_REFINE] += topomap_clock_cpu() - before;
    return status;
}

const topomap_algorithm_impl topomap_algorithm_swap = {
    .row = {"swap", "topomap, gains after Schulz, Traeff: VieM, 3.2", "refine", FITS_ALL,
            "swaps of whole nodes, then of ranks, with O(degree) gains; after any other with '+'"},
    .run = map_swap,
};
