/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "plan/node_plan.h"
#include "util/alloc.h"
#include "util/sorted.h"

/* Of all nodes together; a node of 8 GPUs takes 110,000 where nothing is hopeless. */
enum { VISITS = 4 << 20, VISITS_OF_NODE = 1 << 17 };

struct ordering {
    const planner_inputs *in;
    topomap_plan *plan;
    planner_gpu_order *order;
    uint32_t *place_of; /* [tasks] of a task in the plan's list */
    uint32_t gpu[TOPOMAP_DEVICES_MOST], gpu_of[TOPOMAP_DEVICES_MOST];
    uint32_t *taken;               /* [tasks] the GPU of each of a node's */
    double *weight, *cost, *apart; /* [GPUs of a node, squared] */
    topomap_bindings made;         /* the arrays of GPUs */
    planner_cpus cpus;             /* of all tasks */
    size_t gpu_room, place_room;
    int moved; /* some node's order is not Slurm's */
    topomap_arena arena;
};

static int open_ordering(struct ordering *o, topomap_error *err)
{
    size_t most = 0;
    uint32_t gpu[TOPOMAP_DEVICES_MOST];

    for (uint32_t node = 0; node < o->plan->nodes; node++) {
        uint32_t gpus = planner_gpus_of(o->in->request, &o->in->gpus, node, gpu);

        most = gpus > most ? gpus : most;
    }
    o->weight = topomap_arena_alloc(&o->arena, most * most, sizeof *o->weight, err);
    o->cost = topomap_arena_alloc(&o->arena, most * most, sizeof *o->cost, err);
    o->apart = topomap_arena_alloc(&o->arena, most * most, sizeof *o->apart, err);
    o->place_of = topomap_arena_alloc(&o->arena, o->plan->tasks, sizeof *o->place_of, err);
    o->taken = topomap_arena_alloc(&o->arena, o->plan->tasks, sizeof *o->taken, err);
    o->cpus.start = topomap_alloc((size_t)o->plan->tasks + 1, sizeof *o->cpus.start, err);
    o->made.gpu_first = topomap_alloc((size_t)o->plan->nodes + 1, sizeof *o->made.gpu_first, err);
    o->made.gpu_amd = topomap_alloc(o->plan->nodes, sizeof *o->made.gpu_amd, err);
    if (o->arena.is_short || !o->made.gpu_amd || !o->cpus.start || !o->made.gpu_first)
        return -1;
    for (uint32_t i = 0; i < o->plan->tasks; i++)
        o->place_of[o->plan->task[i]] = i;
    return 0;
}

static void close_ordering(struct ordering *o)
{
    topomap_arena_clear(&o->arena);
    free(o->made.gpu_first);
    free(o->made.gpu);
    free(o->made.gpu_place);
    free(o->made.gpu_amd);
    free(o->cpus.start);
    free(o->cpus.pu);
}

/* ---- A node ------------------------------------------------------------------------------- */

/* What the takers of a node send each other. */
static void weigh(struct ordering *o, uint32_t node, uint32_t takers)
{
    const topomap_graph *graph = o->in->graph;
    uint32_t first = o->plan->first[node], end = o->plan->first[node + 1];

    memset(o->weight, 0, (size_t)takers * takers * sizeof *o->weight);
    for (uint32_t i = first; i < end; i++) {
        uint32_t rank = o->plan->task[i], from = (i - first) % takers;

        for (uint64_t arc = rank < graph->ranks ? graph->offset[rank] : 0;
             rank < graph->ranks && arc < graph->offset[rank + 1]; arc++) {
            uint32_t at = o->place_of[graph->target[arc]], to = (at - first) % takers;

            if (at < first || at >= end || to == from)
                continue;
            o->weight[(size_t)from * takers + to] += (double)graph->bytes[arc];
            o->weight[(size_t)to * takers + from] += (double)graph->bytes[arc];
        }
    }
}

static void measure(struct ordering *o, const topomap_devices *devices, uint32_t gpus)
{
    for (uint32_t a = 0; a < gpus; a++)
        for (uint32_t b = 0; b < gpus; b++) {
            size_t at = (size_t)a * gpus + b;
            enum topomap_near near = topomap_devices_near(devices, o->gpu[a], o->gpu[b]);

            o->cost[at] = a == b ? 0 : topomap_devices_cost(devices, o->gpu[a], o->gpu[b]);
            o->apart[at] = a == b ? 0 : topomap_near_cost(near);
        }
}

/* Where GPUs of a node differ for other nodes, the map has said which. */
static void take_slots(struct ordering *o, uint32_t node, uint32_t gpus)
{
    uint32_t first = o->plan->first[node], tasks = o->plan->first[node + 1] - first;

    for (uint32_t i = 0; i < gpus; i++)
        o->gpu_of[i] = i;
    for (uint32_t task = 0; task < tasks; task++) {
        uint32_t at = task;

        while (at < gpus && o->gpu[o->gpu_of[at]] != o->in->slot_gpu[o->plan->slot[first + task]])
            at++;
        if (at < gpus) {
            uint32_t other = o->gpu_of[task];

            o->gpu_of[task] = o->gpu_of[at];
            o->gpu_of[at] = other;
        }
    }
}

static int search(struct ordering *o, uint32_t node, uint32_t takers, uint32_t gpus,
                  topomap_error *err)
{
    uint32_t share = VISITS / o->plan->nodes, first[TOPOMAP_DEVICES_MOST];
    const planner_gpu_search of = {.takers = takers,
                                   .gpus = gpus,
                                   .weight = o->weight,
                                   .cost = o->cost,
                                   .apart = o->apart,
                                   .compact = o->in->request->asked.compact,
                                   .visits = share < VISITS_OF_NODE ? share : VISITS_OF_NODE};

    for (uint32_t i = 0; i < gpus; i++)
        first[i] = i;
    if (o->in->rails) {
        take_slots(o, node, gpus);
        planner_gpu_order_rest(&of, o->gpu_of);
        return 0;
    }
    if (o->plan->first[node + 1] - o->plan->first[node] == 1) {
        memcpy(o->gpu_of, first, gpus * sizeof *first);
        return 0;
    }
    weigh(o, node, takers);
    if (planner_gpu_choose(&of, o->gpu_of, err))
        return -1;
    o->order->before += planner_gpu_cost(&of, first);
    o->order->after += planner_gpu_cost(&of, o->gpu_of);
    return 0;
}

/* One task alone takes them all, or the first: it is left as it is. */
static int keep_order(struct ordering *o, uint32_t node, uint32_t gpus, topomap_error *err)
{
    uint32_t from = o->made.gpu_first[node], moved = 0;

    o->made.gpu_first[node + 1] = from;
    for (uint32_t i = 0; i < gpus; i++)
        moved += o->gpu_of[i] != i;
    if (!moved && !o->in->gpus.bound)
        return 0;
    if (topomap_grow(&o->made.gpu, &o->gpu_room, (size_t)from + gpus, sizeof *o->made.gpu, err) ||
        topomap_grow(&o->made.gpu_place, &o->place_room, (size_t)from + gpus,
                     sizeof *o->made.gpu_place, err))
        return -1;
    memcpy(o->made.gpu + from, o->gpu, gpus * sizeof *o->gpu);
    memcpy(o->made.gpu_place + from, o->gpu_of, gpus * sizeof *o->gpu_of);
    o->made.gpu_first[node + 1] = from + gpus;
    o->made.gpu_amd[node] =
        !strcmp(planner_gpus_devices(&o->in->gpus, node)->device[o->gpu[0]].vendor, "amd");
    o->moved = 1;
    return 0;
}

static int add_cpus(struct ordering *o, uint32_t node, const uint32_t *gpu, topomap_error *err)
{
    int near = planner_gpu_cores(o->in, node, gpu, &o->plan->bindings, &o->cpus, err);

    o->order->bound += near > 0;
    return near < 0 ? -1 : 0;
}

/* One task alone is likely to use all GPUs of its node, wherever they are. */
static int is_asked(const struct ordering *o)
{
    return o->in->request->asked.bind == TOPOMAP_REQUEST_BIND_GPU;
}

/* Whether CPUs can follow the GPUs that Slurm gives to the tasks of a node, into o->taken: it is
 * known which they are and, unless somebody said bind=gpu, also which CPUs are next to them. */
static int can_follow(const struct ordering *o, uint32_t node, uint32_t gpus, uint32_t tasks)
{
    const topomap_devices *devices = planner_gpus_devices(&o->in->gpus, node);

    if (!topomap_gpu_bound(o->in->request->asked.step_gpus, o->gpu, gpus, tasks, 0, o->taken))
        return 0;
    for (uint32_t i = 0; i < tasks && !is_asked(o); i++)
        if (!devices->device[o->taken[i]].cpus || !*devices->device[o->taken[i]].cpus)
            return 0;
    return 1;
}

/* Slurm gives each task GPUs of its own: CPUs go by one of them (lib/plan/node_plan.h), whatever
 * the task, or Slurm's CPUs stay. */
static int follow_node(struct ordering *o, uint32_t node, uint32_t gpus, topomap_error *err)
{
    topomap_bindings *b = &o->plan->bindings;
    uint32_t first = o->plan->first[node], tasks = o->plan->first[node + 1] - first;

    if (b->class_of[node] == UINT32_MAX || !can_follow(o, node, gpus, tasks)) {
        b->class_of[node] = UINT32_MAX;
        for (uint32_t task = first; task < first + tasks; task++)
            o->cpus.start[task + 1] = o->cpus.start[task];
        return 0;
    }
    qsort(o->taken, tasks, sizeof *o->taken, topomap_by_u32);
    memcpy(o->gpu, o->taken, tasks * sizeof *o->gpu);
    for (uint32_t i = 0; i < tasks; i++)
        o->gpu_of[i] = i;
    return keep_order(o, node, tasks, err) || add_cpus(o, node, o->taken, err) ? -1 : 0;
}

static int order_node(struct ordering *o, uint32_t node, topomap_error *err)
{
    const topomap_devices *devices = planner_gpus_devices(&o->in->gpus, node);
    uint32_t gpus = planner_gpus_of(o->in->request, &o->in->gpus, node, o->gpu);
    uint32_t first = o->plan->first[node], tasks = o->plan->first[node + 1] - first;
    uint32_t takers = tasks < gpus ? tasks : gpus;

    o->made.gpu_first[node + 1] = o->made.gpu_first[node];
    if (o->in->gpus.bound)
        return follow_node(o, node, gpus, err);
    if (!gpus || !tasks)
        return add_cpus(o, node, NULL, err);
    measure(o, devices, gpus);
    if (search(o, node, takers, gpus, err) || keep_order(o, node, gpus, err))
        return -1;
    for (uint32_t i = 0; i < tasks; i++)
        o->taken[i] = o->gpu[o->gpu_of[i % takers]];
    return add_cpus(o, node, tasks > 1 || gpus == 1 || is_asked(o) ? o->taken : NULL, err);
}

static void take_made(struct ordering *o)
{
    topomap_bindings *b = &o->plan->bindings;

    if (o->moved) {
        b->gpu_first = o->made.gpu_first;
        b->gpu = o->made.gpu;
        b->gpu_place = o->made.gpu_place;
        b->gpu_amd = o->made.gpu_amd;
        o->made = (topomap_bindings){0};
    }
    free(b->pu_start);
    free(b->pu);
    b->pu_start = o->cpus.start;
    b->pu = o->cpus.pu;
    o->cpus = (planner_cpus){0};
}

int planner_gpu_order_make(const planner_inputs *in, topomap_plan *plan, planner_gpu_order *order,
                           topomap_error *err)
{
    struct ordering o = {.in = in, .plan = plan, .order = order};
    int status;

    *order = (planner_gpu_order){0};
    if (in->gpus.bound && !is_asked(&o) && (!in->gpus.known.nodes || in->gpus.none))
        topomap_bindings_clear(&plan->bindings);
    if (!in->gpus.known.nodes || in->gpus.none || !plan->bindings.nodes)
        return 0;
    status = open_ordering(&o, err);
    for (uint32_t node = 0; status == 0 && node < plan->nodes; node++)
        status = order_node(&o, node, err);
    if (status == 0)
        take_made(&o);
    close_ordering(&o);
    return status;
}
