/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/bindings.h"
#include "util/alloc.h"

#include <string.h>

/* The tasks of every pattern; then every node's against what the step has. */
static int nodes_check(struct bindings_walk *walk, uint32_t nodes, const uint32_t *task_first,
                       uint32_t *tasks)
{
    struct bindings_pattern pattern;

    for (uint32_t i = 0; i < walk->patterns; i++) {
        if (bindings_walk_pattern(walk, 1, &pattern))
            return -1;
        tasks[i] = pattern.tasks;
    }
    if (bindings_walk_nodes(walk))
        return -1;
    if (walk->nodes != nodes)
        return topomap_error_set(walk->err, TOPOMAP_EINPUT,
                                 "bindings: they are for %u nodes, the step has %u", walk->nodes,
                                 nodes);
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t number = bindings_walk_pattern_of(walk, node);

        if (number == UINT32_MAX)
            return -1;
        if (tasks[number] != task_first[node + 1] - task_first[node])
            return topomap_error_set(walk->err, TOPOMAP_EINPUT,
                                     "bindings: they have %u tasks on node %u, the step has %u",
                                     tasks[number], node, task_first[node + 1] - task_first[node]);
    }
    return 0;
}

static int step_check(const struct bindings_walk *walk, uint32_t job, uint32_t step)
{
    if (walk->job == job && walk->step == step)
        return 0;
    return topomap_error_set(walk->err, TOPOMAP_EINPUT, "bindings: they are for step %u.%u",
                             walk->job, walk->step);
}

int topomap_bindings_check(const char *text, uint32_t job, uint32_t step, uint32_t nodes,
                           const uint32_t *task_first, topomap_error *err)
{
    TOPOMAP_CLEANUP(bindings_walk_close) struct bindings_walk walk = {0};
    TOPOMAP_FREED uint32_t *tasks = NULL;

    if (bindings_walk_open(&walk, text, strlen(text), SIZE_MAX, 1, err) ||
        step_check(&walk, job, step))
        return -1;
    tasks = bindings_walk_alloc(&walk, walk.patterns, sizeof *tasks);
    return tasks ? nodes_check(&walk, nodes, task_first, tasks) : -1;
}
