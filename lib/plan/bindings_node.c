/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/bindings.h"
#include "util/alloc.h"

/* Where the arrays are filled. */
struct filler {
    topomap_node_plan *plan;
    const struct bindings_pattern *pattern;
    uint32_t *task_first;
    uint16_t *core_first, *pu_os, *run;
    uint32_t runs;
};

static int add_run(void *context, uint32_t task, uint32_t start, uint32_t length)
{
    struct filler *filler = context;
    uint32_t first = filler->pattern->cores ? filler->core_first[start] : start;
    uint32_t end = filler->pattern->cores ? filler->core_first[start + length] : start + length;

    if (filler->runs >= filler->plan->runs)
        return -1;
    filler->run[2 * (size_t)filler->runs] = (uint16_t)first;
    filler->run[2 * (size_t)filler->runs + 1] = (uint16_t)(end - first);
    filler->task_first[task + 1] = ++filler->runs;
    return 0;
}

/* The patterns before the node's are passed over a second time: their places need not be kept. */
static int find_pattern(struct bindings_walk *walk, uint32_t node, struct bindings_pattern *pattern)
{
    uint32_t number;

    for (uint32_t i = 0; i < walk->patterns; i++)
        if (bindings_walk_pattern(walk, 0, pattern))
            return -1;
    if (bindings_walk_nodes(walk))
        return -1;
    if (node >= walk->nodes)
        return bindings_walk_bad(walk, "they have fewer nodes than the step");
    number = bindings_walk_pattern_of(walk, node);
    if (number == UINT32_MAX)
        return -1;
    walk->reader.bit = walk->pattern_bit;
    for (uint32_t i = 0; i <= number; i++)
        if (bindings_walk_pattern(walk, 0, pattern))
            return -1;
    return 0;
}

static int fill_cpus(struct bindings_walk *walk, struct filler *filler)
{
    const topomap_node_plan *plan = filler->plan;
    const struct bindings_class *node_class = &walk->node_class[filler->pattern->node_class];

    filler->core_first = (uint16_t *)(filler->task_first + plan->tasks + 1);
    filler->pu_os = filler->core_first + plan->cores + 1;
    filler->run = filler->pu_os + plan->pus;
    return bindings_walk_class(walk, node_class, filler->core_first, filler->pu_os) ||
                   (plan->tasks && bindings_walk_tasks(walk, filler->pattern, add_run, filler))
               ? -1
               : 0;
}

static int fill(struct bindings_walk *walk, const struct bindings_pattern *pattern,
                topomap_node_plan *plan, void **memory)
{
    struct filler filler = {.plan = plan, .pattern = pattern};
    uint16_t *gpu;

    if (pattern->node_class != UINT32_MAX) {
        plan->cores = walk->node_class[pattern->node_class].cores;
        plan->pus = walk->node_class[pattern->node_class].pus;
        plan->runs = pattern->runs;
    }
    plan->gpus = pattern->gpus;
    plan->amd = pattern->amd;
    *memory = bindings_walk_alloc(walk, topomap_node_plan_size(plan), 1);
    if (!*memory)
        return -1;
    topomap_node_plan_lay(plan, *memory);
    filler.task_first = *memory;
    if (plan->cores && fill_cpus(walk, &filler))
        return -1;
    gpu = plan->cores ? filler.run + 2 * (size_t)plan->runs : *memory;
    return plan->gpus ? bindings_walk_gpus(walk, pattern, gpu, gpu + plan->gpus) : 0;
}

int topomap_bindings_decode_node(const char *text, size_t size, uint32_t node, size_t budget,
                                 topomap_node_plan *plan, void **memory, topomap_error *err)
{
    struct bindings_pattern pattern;
    TOPOMAP_CLEANUP(bindings_walk_close) struct bindings_walk walk = {0};
    TOPOMAP_FREED void *bytes = NULL;
    int status = bindings_walk_open(&walk, text, size, budget, 0, err);

    *plan = (topomap_node_plan){.job = walk.job, .step = walk.step};
    *memory = NULL;
    if (status || find_pattern(&walk, node, &pattern))
        return -1;
    plan->tasks = pattern.tasks;
    if ((pattern.node_class != UINT32_MAX || pattern.gpus) && fill(&walk, &pattern, plan, &bytes))
        return -1;
    *memory = topomap_take(&bytes);
    return 0;
}
