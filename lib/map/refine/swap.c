/* SPDX-License-Identifier: BSD-3-Clause */
/* `swap`: whole nodes change places first, then single ranks. */
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
    uint32_t n = problem->weights.vertices;
    TOPOMAP_FREED uint32_t *node_of = topomap_alloc(n, sizeof *node_of, err);

    if (!node_of)
        return -1;
    for (uint32_t u = 0; u < n; u++)
        node_of[u] = problem->machine->node_of[slot_of[u]];
    return topomap_contract(&problem->weights, node_of, problem->machine->nodes, weights, err);
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
    TOPOMAP_CLEANUP(topomap_weights_clear) topomap_weights weights = {0};
    TOPOMAP_FREED uint32_t *node_to = topomap_alloc(m->nodes, sizeof *node_to, err);
    topomap_swap swap = {.weights = &weights, .place_of = node_to, .whole_nodes = 1};
    uint32_t held = problem->held ? m->node_of[slot_of[*problem->held]] : 0;
    int status;

    if (!node_to || node_graph(problem, slot_of, &weights, err))
        return -1;
    swap.held = problem->held ? &held : NULL;
    topomap_identity(node_to, m->nodes);
    status = search(&swap, problem, vicinity, err);
    topomap_arena_clear(&swap.memory);
    if (status == 0)
        topomap_moves_nodes(m, node_to, slot_of);
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
        topomap_problem_most_load(problem, slot_of, swap.node_load);
    }
    status = search(&swap, problem, vicinity, err);
    topomap_arena_clear(&swap.memory);
    return status;
}

int topomap_map_swap_nodes(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_vicinity_clear) topomap_vicinity vicinity = {0};

    if (topomap_vicinity_build(problem->machine, 64, &vicinity, err))
        return -1;
    return problem->machine->nodes > 1 ? swap_nodes(problem, &vicinity, slot_of, err) : 0;
}

static int map_swap(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    const topomap_machine *m = problem->machine;
    double before = topomap_clock_cpu();
    TOPOMAP_CLEANUP(topomap_vicinity_clear) topomap_vicinity vicinity = {0};

    if (topomap_vicinity_build(m, 64, &vicinity, err) ||
        (m->nodes > 1 && m->slots > m->nodes && swap_nodes(problem, &vicinity, slot_of, err)) ||
        swap_slots(problem, &vicinity, slot_of, err))
        return -1;
    problem->found.phase_seconds[TOPOMAP_PHASE_REFINE] += topomap_clock_cpu() - before;
    return 0;
}

const topomap_algorithm_impl topomap_algorithm_swap = {
    .row = {"swap", "topomap, gains after Schulz, Traeff: VieM, 3.2", "refine", FITS_ALL,
            "swaps of whole nodes, then of ranks, with O(degree) gains; after any other with '+'"},
    .run = map_swap,
};
