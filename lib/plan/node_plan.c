/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/node_plan.h"

size_t topomap_node_plan_size(const topomap_node_plan *plan)
{
    size_t gpus = plan->gpus * (sizeof *plan->gpu + sizeof *plan->gpu_place);

    if (!plan->cores)
        return gpus;
    return ((size_t)plan->tasks + 1) * sizeof *plan->task_first +
           ((size_t)plan->cores + 1) * sizeof *plan->core_first + plan->pus * sizeof *plan->pu_os +
           2 * (size_t)plan->runs * sizeof *plan->run + gpus;
}

void topomap_node_plan_lay(topomap_node_plan *plan, const void *bytes)
{
    plan->gpu = bytes;
    if (plan->cores) {
        plan->task_first = bytes;
        plan->core_first = (const uint16_t *)(plan->task_first + plan->tasks + 1);
        plan->pu_os = plan->core_first + plan->cores + 1;
        plan->run = plan->pu_os + plan->pus;
        plan->gpu = plan->run + 2 * (size_t)plan->runs;
    }
    plan->gpu_place = plan->gpu + plan->gpus;
}

int topomap_node_plan_counts(const topomap_node_plan *plan)
{
    return plan->tasks <= TOPOMAP_NODE_PLAN_TASKS && plan->pus <= TOPOMAP_NODE_PLAN_PUS &&
           plan->cores <= plan->pus && plan->runs < 1u << 28 &&
           plan->gpus <= TOPOMAP_NODE_PLAN_GPUS && plan->amd <= 1 &&
           (plan->cores ? plan->runs >= plan->tasks : !plan->pus && !plan->runs);
}

static int class_is_sound(const topomap_node_plan *plan)
{
    unsigned char seen[TOPOMAP_NODE_PLAN_PUS / 8] = {0};

    if (plan->core_first[0])
        return 0;
    for (uint32_t core = 0; core < plan->cores; core++)
        if (plan->core_first[core + 1] <= plan->core_first[core])
            return 0;
    if (plan->core_first[plan->cores] != plan->pus)
        return 0;
    for (uint32_t i = 0; i < plan->pus; i++) {
        uint32_t os = plan->pu_os[i];

        if (os >= TOPOMAP_NODE_PLAN_PUS || seen[os / 8] >> os % 8 & 1)
            return 0;
        seen[os / 8] |= (unsigned char)(1u << os % 8);
    }
    return 1;
}

static int gpus_are_sound(const topomap_node_plan *plan)
{
    unsigned char seen[TOPOMAP_NODE_PLAN_GPUS] = {0};

    for (uint32_t i = 0; i < plan->gpus; i++) {
        if ((i && plan->gpu[i] <= plan->gpu[i - 1]) || plan->gpu_place[i] >= plan->gpus ||
            seen[plan->gpu_place[i]]++)
            return 0;
    }
    return 1;
}

int topomap_node_plan_is_sound(const topomap_node_plan *plan)
{
    if (!gpus_are_sound(plan))
        return 0;
    if (!plan->cores)
        return 1;
    if (!class_is_sound(plan) || plan->task_first[0])
        return 0;
    for (uint32_t task = 0; task < plan->tasks; task++) {
        uint32_t end = plan->task_first[task + 1], least = 0;

        if (end <= plan->task_first[task] || end > plan->runs)
            return 0;
        for (uint32_t i = plan->task_first[task]; i < end; i++) {
            const uint16_t *run = plan->run + 2 * (size_t)i;

            if (run[0] < least || !run[1] || (uint32_t)run[0] + run[1] > plan->pus)
                return 0;
            least = (uint32_t)run[0] + run[1];
        }
    }
    return plan->task_first[plan->tasks] == plan->runs;
}
