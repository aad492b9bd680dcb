/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "contrib/verify/verify.h"

#include <jansson.h>
#include <string.h>

#include "plan/bindings.h"
#include "plugin/node/cpus.h"
#include "util/alloc.h"

int verify_plan_init(verify_plan *plan, topomap_error *err)
{
    *plan = (verify_plan){.local_rank = -1, .local_size = -1, .tasks = -1};
    plan->cpus.set = CPU_ALLOC(VERIFY_CPUS);
    if (!plan->cpus.set)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    CPU_ZERO_S(CPU_ALLOC_SIZE(VERIFY_CPUS), plan->cpus.set);
    return 0;
}

void verify_plan_clear(verify_plan *plan)
{
    CPU_FREE(plan->cpus.set);
    plan->cpus.set = NULL;
}

static int add_cpu(verify_plan *plan, long long cpu, topomap_error *err)
{
    if (cpu < 0 || cpu >= VERIFY_CPUS)
        return topomap_error_set(err, TOPOMAP_EINPUT, "the plan has a CPU %lld", cpu);
    CPU_SET_S((size_t)cpu, CPU_ALLOC_SIZE(VERIFY_CPUS), plan->cpus.set);
    plan->cpus.known = 1;
    return 0;
}

/* ---- A file -------------------------------------------------------------------------------- */

static const char *node_of(const json_t *row)
{
    return json_string_value(json_object_get(row, "node"));
}

/* Tasks of a node are numbered by their ranks. */
static int read_placement(const char *path, const json_t *placement, long rank, verify_plan *plan,
                          topomap_error *err)
{
    const json_t *own = NULL, *row, *cpu;
    const char *node;
    size_t i;

    json_array_foreach(placement, i, row)
    {
        const json_t *number = json_object_get(row, "rank");

        if (!json_is_integer(number) || !node_of(row))
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "%.300s: expected ranks and nodes by name", path);
        if (json_integer_value(number) == rank)
            own = row;
    }
    plan->tasks = (long)json_array_size(placement);
    if (!own)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%.300s: no rank %ld in this plan", path,
                                 rank);
    node = node_of(own);
    snprintf(plan->node, sizeof plan->node, "%s", node);
    plan->local_rank = plan->local_size = 0;
    json_array_foreach(placement, i, row) if (strcmp(node_of(row), node) == 0)
    {
        plan->local_size++;
        plan->local_rank += json_integer_value(json_object_get(row, "rank")) < rank;
    }
    json_array_foreach(json_object_get(own, "cpus"), i,
                       cpu) if (add_cpu(plan, json_integer_value(cpu), err) != 0) return -1;
    return 0;
}

int verify_plan_read(const char *path, long rank, verify_plan *plan, topomap_error *err)
{
    json_error_t where;
    json_auto_t *root = json_load_file(path, 0, &where);
    const json_t *placement = json_object_get(root, "placement");

    if (!root)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%.300s:%d: %s", path, where.line,
                                 where.text);
    if (json_is_array(placement))
        return read_placement(path, placement, rank, plan, err);
    return topomap_error_set(err, TOPOMAP_EINPUT,
                             "%.300s: not a plan: expected `topomap map --format json`", path);
}

/* ---- The environment ----------------------------------------------------------------------- */

static int add_runs(verify_plan *plan, const topomap_node_plan *node_plan, uint32_t local,
                    topomap_error *err)
{
    for (uint32_t i = node_plan->task_first[local]; i < node_plan->task_first[local + 1]; i++) {
        const uint16_t *run = node_plan->run + 2 * (size_t)i;

        for (uint32_t k = 0; k < run[1]; k++)
            if (add_cpu(plan, node_plan->pu_os[run[0] + k], err) != 0)
                return -1;
    }
    return 0;
}

/* As the node's plugin finds it (plugin/node/bind.c). */
static int find_entry(const topomap_node_plan *node_plan, uint32_t local, const char *step_gpus,
                      uint32_t *entry, topomap_error *err)
{
    *entry = plugin_gpus_are_own(node_plan) ? plugin_gpus_entry(node_plan, step_gpus) : local;
    if (local >= node_plan->tasks)
        return topomap_error_set(err, TOPOMAP_EINPUT, "the plan has %u tasks on this node",
                                 node_plan->tasks);
    if (*entry == UINT32_MAX)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "its GPUs (by Slurm's index: %.64s) are not one of those that the "
                                 "plan is for",
                                 step_gpus ? step_gpus : "");
    return 0;
}

int verify_plan_bindings(const char *text, uint32_t node, uint32_t local, const char *step_gpus,
                         verify_plan *plan, topomap_error *err)
{
    topomap_node_plan node_plan;
    TOPOMAP_FREED void *memory = NULL;
    uint32_t entry;
    int result;

    if (topomap_bindings_decode_node(text, strlen(text), node, SIZE_MAX, &node_plan, &memory,
                                     err) != 0)
        return -1;
    result = find_entry(&node_plan, local, step_gpus, &entry, err);
    plan->local_size = node_plan.tasks;
    if (!result && node_plan.cores)
        result = add_runs(plan, &node_plan, entry, err);
    return result;
}
