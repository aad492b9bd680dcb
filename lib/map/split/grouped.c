/* SPDX-License-Identifier: BSD-3-Clause */
/* The preprocessing of Wu, Xiong, Lan (HierTopoMap), section 3.1: one k-way partition of the ranks
 * into as many groups of equal size as there are nodes, made exact by the moves of section 4; then
 * the graph of the groups is mapped to the nodes, and each group inside its node by itself. The
 * recursion over all ranks, which is ours, needs no groups: what is divided next to last is one. */
#include <string.h>

#include "map/problem.h"
#include "map/split/split.h"
#include "partition/partition.h"
#include "util/alloc.h"
#include "util/clock.h"

typedef struct grouping {
    topomap_arena memory;
    uint32_t groups, size;
    uint32_t *place;   /* [groups] first slots of the nodes that have any */
    uint32_t *members; /* [groups * size] group by group */
    uint32_t *node;    /* [groups] first slot of the node that each group gets */
} grouping;

uint32_t topomap_slots_per_node(const topomap_machine *m)
{
    uint32_t size = 0;

    for (uint32_t i = 0; i < m->nodes; i++) {
        uint32_t own = topomap_node_slots(m, i);

        if (own && size && own != size)
            return 0;
        size = own ? own : size;
    }
    return size;
}

static int open_groups(grouping *g, const topomap_machine *m, topomap_error *err)
{
    g->groups = m->slots / g->size;
    g->place = topomap_arena_alloc(&g->memory, g->groups, sizeof *g->place, err);
    g->members = topomap_arena_alloc(&g->memory, m->slots, sizeof *g->members, err);
    g->node = topomap_arena_alloc(&g->memory, g->groups, sizeof *g->node, err);
    if (g->memory.is_short)
        return -1;
    for (uint32_t i = 0, next = 0; i < m->nodes; i++)
        if (topomap_node_slots(m, i))
            g->place[next++] = m->slot_first[i];
    return 0;
}

/* Makes the groups and their graph. */
static int make_groups(const topomap_problem *problem, grouping *g, topomap_weights *weights,
                       topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_partitioner_clear) topomap_partitioner partitioner = {0};

    if (topomap_partitioner_init(&partitioner, &problem->weights, 1, (uint32_t)problem->seed, err))
        return -1;
    return topomap_contract_blocks(&partitioner, g->size, g->members, weights, err);
}

static int map_groups(topomap_problem *problem, const topomap_splitter *splitter,
                      const topomap_weights *weights, grouping *g, topomap_error *err)
{
    topomap_problem nodes = *problem;
    topomap_splitter over_nodes = *splitter;
    int status;

    nodes.weights = *weights;
    over_nodes.place = g->place;
    if (over_nodes.by_nodes)
        over_nodes.by_nodes(over_nodes.data, g->size);
    status = topomap_recursion_map(&nodes, &over_nodes, g->node, err);
    memcpy(problem->found.phase_seconds, nodes.found.phase_seconds,
           sizeof nodes.found.phase_seconds);
    return status;
}

static int run(topomap_problem *problem, const topomap_splitter *splitter, grouping *g,
               uint32_t *slot_of, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_weights_clear) topomap_weights weights = {0};
    double before = topomap_clock_cpu();

    if (open_groups(g, problem->machine, err) || make_groups(problem, g, &weights, err))
        return -1;
    problem->found.phase_seconds[TOPOMAP_PHASE_GROUP] += topomap_clock_cpu() - before;
    if (map_groups(problem, splitter, &weights, g, err))
        return -1;
    for (uint32_t i = 0; i < problem->weights.vertices; i++)
        slot_of[g->members[i]] = g->node[i / g->size] + i % g->size;
    return problem->inter_only ? 0 : topomap_map_cores(problem, slot_of, err);
}

int topomap_grouped_map(topomap_problem *problem, const topomap_splitter *splitter,
                        uint32_t *slot_of, topomap_error *err)
{
    grouping g = {.size = topomap_slots_per_node(problem->machine)};
    int status;

    if (!topomap_parameter_number(problem, "grouped", 0))
        return topomap_recursion_map(problem, splitter, slot_of, err);
    if (g.size == 0)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "grouped=1 takes nodes with the same number of slots each");
    status = run(problem, splitter, &g, slot_of, err);
    topomap_arena_clear(&g.memory);
    return status;
}
