/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/sorted.h"

enum { PUS = PLANNER_CPUS_NEAR, TASKS = 512 };

/* Tasks whose GPUs are next to the same CPUs. */
struct side {
    const char *cpus;     /* the GPU's, lent */
    uint8_t *near;        /* [PUS] by OS number */
    uint32_t *core;       /* [cores of the class] that its tasks share */
    uint32_t tasks, each; /* each: cores of a task, 0: they are not divided yet */
};

struct placing {
    const topomap_bindings_class *inside;
    const topomap_bindings *bindings;
    planner_cpus *cpus;
    const uint32_t *gpu;   /* [tasks] */
    uint32_t first, tasks; /* of the node, in the bindings */
    const uint32_t *core;  /* [cores] that the job has; NULL: all */
    uint32_t cores;
    uint32_t each, threads; /* cores of a task, and PUs of each of them */
    struct side side[TOPOMAP_DEVICES_MOST];
    uint32_t sides;
    uint32_t *side_of;             /* [tasks] */
    uint32_t *begin;               /* [tasks] */
    uint8_t *taken;                /* [cores of the class] */
    uint32_t *core_of, *thread_of; /* [PUS] */
    uint32_t *room;                /* [cores of the class] */
    uint32_t next;                 /* task of the bindings that is to get CPUs */
    int compact, share;
    topomap_arena arena; /* of these arrays and the sides' */
};

/* ---- Sides -------------------------------------------------------------------------------- */

void planner_cpus_near(const char *list, uint8_t *near)
{
    while (*list >= '0' && *list <= '9') {
        char *end;
        unsigned long low = strtoul(list, &end, 10), high = low;

        if (*end == '-')
            high = strtoul(end + 1, &end, 10);
        for (; low <= high && low < PUS; low++)
            near[low] = 1;
        list = end + (*end == ',');
    }
}

static int find_side(struct placing *p, const char *cpus, uint32_t *number, topomap_error *err)
{
    for (*number = 0; *number < p->sides; ++*number)
        if (!strcmp(p->side[*number].cpus, cpus))
            return 0;
    p->side[p->sides++] = (struct side){
        .cpus = cpus,
        .near = topomap_arena_alloc(&p->arena, PUS, 1, err),
        .core = topomap_arena_alloc(&p->arena, p->inside->cores, sizeof *p->side->core, err)};
    if (p->arena.is_short)
        return -1;
    planner_cpus_near(cpus, p->side[*number].near);
    return 0;
}

/* \return 1: some GPU's place is not known */
static int find_sides(struct placing *p, const topomap_devices *devices, topomap_error *err)
{
    for (uint32_t i = 0; i < p->tasks; i++) {
        const char *cpus = devices->device[p->gpu[i]].cpus;

        if (!cpus || !*cpus)
            return 1;
        if (find_side(p, cpus, &p->side_of[i], err))
            return -1;
        p->side[p->side_of[i]].tasks++;
    }
    return 0;
}

/* ---- Cores of each side -------------------------------------------------------------------- */

/* Where each of the class's PUs is, by OS number. */
static void locate(struct placing *p)
{
    for (uint32_t core = 0; core < p->inside->cores; core++)
        for (uint32_t i = p->inside->pu_first[core]; i < p->inside->pu_first[core + 1]; i++) {
            p->core_of[p->inside->pu_os[i]] = core;
            p->thread_of[p->inside->pu_os[i]] = i - p->inside->pu_first[core];
        }
}

/* Whether a task has of each of its cores the same number of first PUs as the tasks before. */
static int is_even(struct placing *p, const uint32_t *pu, uint32_t count)
{
    uint32_t each = 0, threads = 0;

    for (uint32_t i = 0; i < count; i++) {
        p->room[p->core_of[pu[i]]] = 0;
        each += p->thread_of[pu[i]] == 0;
    }
    for (uint32_t i = 0; i < count; i++)
        p->room[p->core_of[pu[i]]]++;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t has = p->room[p->core_of[pu[i]]];

        if (p->thread_of[pu[i]] >= has || (threads && has != threads))
            return 0;
        threads = has;
    }
    if (!each || (p->each && (each != p->each || threads != p->threads)))
        return 0;
    p->each = each;
    p->threads = threads;
    return 1;
}

static int are_even(struct placing *p)
{
    const topomap_bindings *b = p->bindings;

    locate(p);
    for (uint32_t task = p->first; task < p->first + p->tasks; task++)
        if (!is_even(p, b->pu + b->pu_start[task], b->pu_start[task + 1] - b->pu_start[task]))
            return 0;
    return 1;
}

/* A side's cores that nobody has taken yet, in the class's order, into `room`. */
static uint32_t free_cores(const struct placing *p, const struct side *side)
{
    const uint32_t *first = p->inside->pu_first;
    uint32_t count = 0;

    for (uint32_t i = 0; i < p->cores; i++) {
        uint32_t core = p->core ? p->core[i] : i;

        if (!p->taken[core] && first[core + 1] - first[core] >= p->threads &&
            side->near[p->inside->pu_os[first[core]]])
            p->room[count++] = core;
    }
    return count;
}

/* So many PUs of each core for the next task. */
static int give(struct placing *p, const uint32_t *core, uint32_t cores, topomap_error *err)
{
    uint32_t at = p->cpus->start[p->next], count = 0;

    if (topomap_grow(&p->cpus->pu, &p->cpus->room, (size_t)at + (size_t)cores * p->threads,
                     sizeof *p->cpus->pu, err))
        return -1;
    for (uint32_t i = 0; i < cores; i++) {
        p->taken[core[i]] = 1;
        for (uint32_t k = 0; k < p->threads; k++)
            p->cpus->pu[at + count++] = p->inside->pu_os[p->inside->pu_first[core[i]] + k];
    }
    qsort(p->cpus->pu + at, count, sizeof *p->cpus->pu, topomap_by_u32);
    p->cpus->start[++p->next] = at + count;
    return 0;
}

/* A side's cores, of which each of its tasks has a range: GPU by GPU in their order, evenly over
 * all of them, or side by side. \return -1: they are too few */
static int divide_side(struct placing *p, uint32_t number)
{
    struct side *side = &p->side[number];
    uint32_t cores = free_cores(p, side), turn = 0, each = p->each;

    if ((uint64_t)side->tasks * each > cores)
        return -1;
    if (p->share)
        each = cores / side->tasks;
    memcpy(side->core, p->room, cores * sizeof *side->core);
    for (uint32_t gpu = 0; gpu < TOPOMAP_DEVICES_MOST && turn < side->tasks; gpu++)
        for (uint32_t i = 0; i < p->tasks; i++) {
            if (p->gpu[i] != gpu || p->side_of[i] != number)
                continue;
            p->begin[i] =
                p->compact ? turn * each : (uint32_t)((uint64_t)turn * cores / side->tasks);
            for (uint32_t k = 0; k < each; k++)
                p->taken[side->core[p->begin[i] + k]] = 1;
            turn++;
        }
    side->each = each;
    return 0;
}

/* The side with the fewest cores first, so that another one which has these, too, leaves them. */
static int divide(struct placing *p)
{
    for (uint32_t done = 0; done < p->sides; done++) {
        uint32_t least = UINT32_MAX, best = 0;

        for (uint32_t s = 0; s < p->sides; s++) {
            uint32_t cores = p->side[s].each ? UINT32_MAX : free_cores(p, &p->side[s]);

            if (cores < least) {
                least = cores;
                best = s;
            }
        }
        if (divide_side(p, best))
            return -1;
    }
    return 0;
}

static int give_all(struct placing *p, topomap_error *err)
{
    for (uint32_t i = 0; i < p->tasks; i++) {
        const struct side *side = &p->side[p->side_of[i]];

        if (give(p, side->core + p->begin[i], side->each, err))
            return -1;
    }
    return 0;
}

/* ---- CPUs that are there -------------------------------------------------------------------- */

static int copy(struct placing *p, uint32_t task, topomap_error *err)
{
    const topomap_bindings *b = p->bindings;
    uint32_t from = b->pu_start[p->first + task];
    uint32_t count = b->pu_start[p->first + task + 1] - from, at = p->cpus->start[p->next];

    if (topomap_grow(&p->cpus->pu, &p->cpus->room, (size_t)at + count + 1, sizeof *p->cpus->pu,
                     err))
        return -1;
    if (count)
        memcpy(p->cpus->pu + at, b->pu + from, count * sizeof *b->pu);
    p->cpus->start[++p->next] = at + count;
    return 0;
}

static uint32_t near_of(const struct placing *p, uint32_t task, uint32_t side)
{
    const topomap_bindings *b = p->bindings;
    uint32_t count = 0;

    for (uint32_t i = b->pu_start[p->first + task]; i < b->pu_start[p->first + task + 1]; i++)
        count += p->side[side].near[b->pu[i]];
    return count;
}

/* Each task in its turn takes of the CPUs that are left those with the most near its GPU, its own
 * where these are as near. */
static int exchange(struct placing *p, topomap_error *err)
{
    for (uint32_t i = 0; i < p->tasks; i++)
        p->begin[i] = i;
    for (uint32_t i = 0; i < p->tasks; i++) {
        uint32_t best = i, own;

        for (uint32_t k = i + 1; k < p->tasks; k++)
            if (near_of(p, p->begin[k], p->side_of[i]) > near_of(p, p->begin[best], p->side_of[i]))
                best = k;
        own = p->begin[i];
        p->begin[i] = p->begin[best];
        p->begin[best] = own;
        if (copy(p, p->begin[i], err))
            return -1;
    }
    return 0;
}

static int keep(struct placing *p, topomap_error *err)
{
    for (uint32_t i = 0; i < p->tasks; i++)
        if (copy(p, i, err))
            return -1;
    return 0;
}

/* ---- A node --------------------------------------------------------------------------------- */

static int open_placing(struct placing *p, const planner_inputs *in, uint32_t node,
                        topomap_error *err)
{
    const topomap_cores *has = in->cores.nodes ? &in->cores : &in->request->cores;
    topomap_arena *arena = &p->arena;

    p->cores = p->inside->cores;
    if (has->nodes && has->first[node + 1] > has->first[node] &&
        has->core[has->first[node + 1] - 1] < p->inside->cores) {
        p->core = has->core + has->first[node];
        p->cores = has->first[node + 1] - has->first[node];
    }
    p->core_of = topomap_arena_alloc(arena, PUS, sizeof *p->core_of, err);
    p->thread_of = topomap_arena_alloc(arena, PUS, sizeof *p->thread_of, err);
    p->side_of = topomap_arena_alloc(arena, p->tasks, sizeof *p->side_of, err);
    p->begin = topomap_arena_alloc(arena, p->tasks, sizeof *p->begin, err);
    p->taken = topomap_arena_alloc(arena, p->inside->cores, 1, err);
    p->room = topomap_arena_alloc(arena, p->inside->cores, sizeof *p->room, err);
    return arena->is_short ? -1 : 0;
}

/* Where each task has a GPU whose place is known. */
static int place(struct placing *p, const planner_inputs *in, uint32_t node, topomap_error *err)
{
    int unknown = find_sides(p, planner_gpus_devices(&in->gpus, node), err);

    if (unknown)
        return unknown < 0 || keep(p, err) ? -1 : 0;
    if (are_even(p) && divide(p) == 0)
        return give_all(p, err) ? -1 : 1;
    return exchange(p, err) ? -1 : 0;
}

int planner_gpu_cores(const planner_inputs *in, uint32_t node, const uint32_t *gpu,
                      const topomap_bindings *bindings, planner_cpus *cpus, topomap_error *err)
{
    uint32_t class = bindings->class_of[node];
    struct placing p = {.bindings = bindings,
                        .cpus = cpus,
                        .gpu = gpu,
                        .first = bindings->task_first[node],
                        .tasks = bindings->task_first[node + 1] - bindings->task_first[node],
                        .compact = in->request->asked.compact,
                        .share = in->request->asked.cpus_per_task <= 1};
    int status;

    p.next = p.first;
    if (!gpu || class >= bindings->classes || p.tasks > TASKS)
        return keep(&p, err) ? -1 : 0;
    p.inside = &bindings->node_class[class];
    status = open_placing(&p, in, node, err);
    if (status == 0)
        status = place(&p, in, node, err);
    topomap_arena_clear(&p.arena);
    return status;
}
