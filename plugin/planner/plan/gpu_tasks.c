/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/plan/plan.h"

#include <string.h>

#include "plan/node_plan.h"
#include "util/alloc.h"

/* The one at the place of the task's local id, in the node's order or in Slurm's; or that Slurm
 * gives it. */
static void fill_gpus(const planner_inputs *in, const topomap_bindings *b, uint32_t node,
                      uint32_t tasks, uint32_t *taken)
{
    uint32_t gpu[TOPOMAP_DEVICES_MOST], gpus = planner_gpus_of(in->request, &in->gpus, node, gpu);
    uint32_t from = b->nodes && b->gpu_first ? b->gpu_first[node] : 0;
    uint32_t order = b->nodes && b->gpu_first ? b->gpu_first[node + 1] - from : 0;
    int ordered = gpus && order == gpus;

    if (in->gpus.bound &&
        ((b->nodes && order != tasks) ||
         !topomap_gpu_bound(in->request->asked.step_gpus, gpu, gpus, tasks, 0, taken)))
        memset(taken, 0xff, tasks * sizeof *taken);
    if (!gpus || in->gpus.bound)
        return;
    for (uint32_t i = 0; i < tasks; i++)
        taken[i] = ordered ? b->gpu[from + b->gpu_place[from + i % gpus]] : gpu[i % gpus];
}

/* Few nodes have other names of NICs than the rest. */
static int name_of(topomap_plan *plan, size_t *room, const char *name, uint32_t *number,
                   topomap_error *err)
{
    for (*number = 0; *number < plan->nics; ++*number)
        if (!strcmp(plan->nic_name[*number], name))
            return 0;
    if (topomap_grow(&plan->nic_name, room, (size_t)plan->nics + 1, sizeof *plan->nic_name, err))
        return -1;
    snprintf(plan->nic_name[plan->nics++], sizeof *plan->nic_name, "%s", name);
    return 0;
}

static int fill_nics(const topomap_devices *devices, topomap_plan *plan, size_t *room,
                     uint32_t node, topomap_error *err)
{
    uint32_t nic[TOPOMAP_DEVICES_MOST];

    if (!devices || topomap_devices_nics(devices, nic, err))
        return devices ? -1 : 0;
    for (uint32_t t = plan->first[node]; t < plan->first[node + 1]; t++) {
        uint32_t of = plan->gpu[t] < devices->gpus ? nic[plan->gpu[t]] : UINT32_MAX;

        if (of != UINT32_MAX && *devices->device[of].name &&
            name_of(plan, room, devices->device[of].name, &plan->nic[t], err))
            return -1;
    }
    return 0;
}

int planner_gpu_tasks(const planner_inputs *in, const topomap_bindings *bindings,
                      topomap_plan *plan, topomap_error *err)
{
    size_t room = 0;

    if (!in->gpus.known.nodes || in->gpus.none)
        return 0;
    plan->gpu = topomap_alloc(plan->tasks, sizeof *plan->gpu, err);
    plan->nic = topomap_alloc(plan->tasks, sizeof *plan->nic, err);
    if (!plan->gpu || !plan->nic)
        return -1;
    memset(plan->gpu, 0xff, plan->tasks * sizeof *plan->gpu);
    memset(plan->nic, 0xff, plan->tasks * sizeof *plan->nic);
    for (uint32_t node = 0; node < plan->nodes; node++) {
        fill_gpus(in, bindings, node, plan->first[node + 1] - plan->first[node],
                  plan->gpu + plan->first[node]);
        if (fill_nics(planner_gpus_devices(&in->gpus, node), plan, &room, node, err))
            return -1;
    }
    return 0;
}

int planner_gpu_tasks_of_slurm(const planner_inputs *in, topomap_plan *plan, topomap_error *err)
{
    static const topomap_bindings none;
    planner_inputs view = *in; /* all of it is lent */
    topomap_db *db;
    topomap_error why;
    int status = 0;

    if (in->gpus.bound || !topomap_gpu_is_bound(in->request->asked.step_gpus) ||
        topomap_db_open(in->request->asked.db, &db, &why) != 0)
        return 0;
    view.gpus = (planner_gpus){.bound = 1};
    if (topomap_db_devices_of(db, &in->request->nodes, &view.gpus.known, &why) == 0) {
        view.gpus.counted = view.gpus.known;
        status = planner_gpu_tasks(&view, &none, plan, err);
    }
    topomap_db_device_classes_clear(&view.gpus.known);
    topomap_db_close(db);
    return status;
}
