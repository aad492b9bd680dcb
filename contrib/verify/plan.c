/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "contrib/verify/verify.h"

#include <jansson.h>
#include <string.h>

#include "plan/bindings.h"

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
    json_t *root = json_load_file(path, 0, &where), *placement = json_object_get(root, "placement");
    int result;

    if (!root)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%.300s:%d: %s", path, where.line,
                                 where.text);
    if (json_is_array(placement))
        result = read_placement(path, placement, rank, plan, err);
    else
        result = topomap_error_set(
            err, TOPOMAP_EINPUT, "%.300s: not a plan: expected `topomap map --format json`", path);
    json_decref(root);
    return result;
}

/* ---- The environment ----------------------------------------------------------------------- */

int verify_plan_bindings(const char *text, uint32_t node, uint32_t local, verify_plan *plan,
                         topomap_error *err)
{
    topomap_bindings bindings;
    int result = 0;

    if (topomap_bindings_decode_node(text, node, &bindings, err) != 0)
        return -1;
    if (local >= bindings.task_first[1])
        result = topomap_error_set(err, TOPOMAP_EINPUT, "the plan has %u tasks on this node",
                                   bindings.task_first[1]);
    plan->local_size = bindings.task_first[1];
    for (uint32_t i = result ? 0 : bindings.pu_start[local];
         !result && bindings.class_of[0] != UINT32_MAX && i < bindings.pu_start[local + 1]; i++)
        result = add_cpu(plan, bindings.pu[i], err);
    topomap_bindings_clear(&bindings);
    return result;
}
