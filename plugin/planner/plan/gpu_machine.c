/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "util/alloc.h"
#include "util/sorted.h"

/* ---- Whether it matters --------------------------------------------------------------------- */

/* \return 1, 0: all GPUs of a class use one rail, or -1 */
static int has_rails(const planner_gpus *gpus, topomap_error *err)
{
    uint32_t rail[TOPOMAP_DEVICES_MOST], most = 1;

    for (uint32_t c = 0; c < gpus->known.classes; c++) {
        const topomap_devices *devices = &gpus->known.class[c];
        uint32_t rails = devices->gpus ? topomap_devices_rails(devices, rail, err) : 1;

        if (!rails)
            return -1;
        most = rails > most ? rails : most;
    }
    return most > 1;
}

static int all_have_gpus(const planner_inputs *in)
{
    const planner_request *request = in->request;
    uint32_t gpu[TOPOMAP_DEVICES_MOST];

    for (uint32_t node = 0; node < request->nodes.count; node++)
        if (planner_gpus_of(request, &in->gpus, node, gpu) < request->tasks[node])
            return 0;
    return 1;
}

/* ---- Which GPUs ----------------------------------------------------------------------------- */

/* Of more GPUs than tasks those that are apart, or together. */
static int choose(const planner_inputs *in, const topomap_devices *devices, uint32_t tasks,
                  uint32_t gpus, uint32_t *gpu, topomap_error *err)
{
    TOPOMAP_FREED double *zero = topomap_alloc((size_t)gpus * gpus, sizeof *zero, err);
    TOPOMAP_FREED double *apart = topomap_alloc((size_t)gpus * gpus, sizeof *apart, err);
    uint32_t chosen[TOPOMAP_DEVICES_MOST], all[TOPOMAP_DEVICES_MOST];
    const planner_gpu_search search = {.takers = tasks,
                                       .gpus = gpus,
                                       .weight = zero,
                                       .cost = zero,
                                       .apart = apart,
                                       .compact = in->request->asked.compact};

    if (!zero || !apart)
        return -1;
    for (uint32_t a = 0; a < gpus; a++)
        for (uint32_t b = 0; b < gpus; b++)
            if (a != b)
                apart[(size_t)a * gpus + b] =
                    topomap_near_cost(topomap_devices_near(devices, gpu[a], gpu[b]));
    if (planner_gpu_choose(&search, chosen, err))
        return -1;
    memcpy(all, gpu, gpus * sizeof *gpu);
    for (uint32_t i = 0; i < tasks; i++)
        gpu[i] = all[chosen[i]];
    return 0;
}

/* In the order in which topomap_devices_levels() joins them, as topomap_db_machine_gpus() wants. */
static void sort(const uint32_t *place, uint32_t *gpu, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k && place[gpu[k]] < place[gpu[k - 1]]; k--) {
            uint32_t other = gpu[k];

            gpu[k] = gpu[k - 1];
            gpu[k - 1] = other;
        }
}

static int fill_node(planner_inputs *in, uint32_t node, topomap_error *err)
{
    const topomap_devices *devices = planner_gpus_devices(&in->gpus, node);
    uint32_t gpu[TOPOMAP_DEVICES_MOST], place[TOPOMAP_DEVICES_MOST] = {0};
    uint32_t gpus = planner_gpus_of(in->request, &in->gpus, node, gpu);
    uint32_t tasks = in->request->tasks[node];
    topomap_device_levels levels;

    if (!tasks)
        return 0;
    if ((tasks < gpus && choose(in, devices, tasks, gpus, gpu, err)) ||
        topomap_devices_levels(devices, NULL, 0, &levels, err))
        return -1;
    for (uint32_t i = 0; i < devices->gpus; i++)
        place[levels.order[i]] = i;
    topomap_device_levels_clear(&levels);
    sort(place, gpu, tasks);
    memcpy(in->slot_gpu + in->request->first[node], gpu, tasks * sizeof *gpu);
    return 0;
}

static int fill(planner_inputs *in, topomap_error *err)
{
    const planner_request *request = in->request;

    in->slot_gpu = topomap_alloc(request->first[request->nodes.count], sizeof *in->slot_gpu, err);
    if (!in->slot_gpu)
        return -1;
    for (uint32_t node = 0; node < request->nodes.count; node++)
        if (fill_node(in, node, err))
            return -1;
    return 0;
}

static void forget(planner_inputs *in)
{
    free(in->slot_gpu);
    in->slot_gpu = NULL;
}

void planner_gpu_machine_make(topomap_db *db, const topomap_db_allocation *allocation,
                              planner_inputs *in)
{
    topomap_machine *made;
    topomap_error err;

    if (!in->gpus.known.nodes || in->gpus.bound || in->request->nodes.count < 2 ||
        !all_have_gpus(in) || (has_rails(&in->gpus, &err) <= 0 && !in->gpus.known.domains))
        return;
    if (fill(in, &err) || topomap_db_machine_gpus(db, allocation, in->slot_gpu, &made, &err)) {
        forget(in);
        return;
    }
    in->rails = made->rail_of != NULL;
    if (!in->rails && !in->gpus.known.domains) { /* all NICs of a node hang on one switch */
        topomap_machine_free(made);
        forget(in);
        return;
    }
    topomap_machine_free(in->machine);
    in->machine = made;
}

uint32_t planner_gpu_machine_slot(const planner_inputs *in, uint32_t slot)
{
    const uint32_t *first = in->request->first;
    uint64_t node;

    if (!in->slot_gpu)
        return slot;
    node = topomap_sorted_u32(first, 0, in->request->nodes.count, slot + 1) - 1;
    for (uint32_t s = first[node]; s < first[node + 1]; s++) {
        uint32_t before = 0;

        for (uint32_t other = first[node]; other < first[node + 1]; other++)
            before += in->slot_gpu[other] < in->slot_gpu[s];
        if (before == slot - first[node])
            return s;
    }
    return slot;
}
