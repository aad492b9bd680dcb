/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/writers/rank_places.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/hostlist.h"
#include "util/sorted.h"

/* Which PUs of a class a job has, and how a launcher counts them. */
struct count {
    topomap_arena memory;
    uint32_t *core_of; /* [highest OS number + 1] UINT32_MAX: not the job's */
    uint32_t *thread_of;
    uint32_t *size; /* [cores] hardware threads of each that counts */
    uint32_t pus;
};

static uint32_t highest(const topomap_bindings_class *c)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < c->pu_first[c->cores]; i++)
        most = c->pu_os[i] > most ? c->pu_os[i] : most;
    return most;
}

/* \param core  [n] the job's; n 0: all */
static int count_class(const topomap_bindings_class *c, const uint32_t *core, uint32_t n,
                       struct count *count, topomap_error *err)
{
    uint32_t cores = n ? n : c->cores, threads = 0;

    count->pus = highest(c) + 1;
    count->core_of = topomap_arena_alloc(&count->memory, count->pus, sizeof *count->core_of, err);
    count->thread_of =
        topomap_arena_alloc(&count->memory, count->pus, sizeof *count->thread_of, err);
    count->size = topomap_arena_alloc(&count->memory, cores, sizeof *count->size, err);
    if (count->memory.is_short)
        return -1;
    memset(count->core_of, 0xff, count->pus * sizeof *count->core_of);
    for (uint32_t k = 0; k < cores; k++) {
        uint32_t of = n ? core[k] : k;

        if (of >= c->cores)
            return topomap_error_set(err, TOPOMAP_EINPUT, "core %u of a node that has %u", of,
                                     c->cores);
        count->size[k] = c->pu_first[of + 1] - c->pu_first[of];
        for (uint32_t p = c->pu_first[of]; p < c->pu_first[of + 1]; p++) {
            count->core_of[c->pu_os[p]] = k;
            count->thread_of[c->pu_os[p]] = threads++;
        }
    }
    return 0;
}

/* A task's PUs as units; \p whole is cleared where they are not whole cores. */
static int count_task(const struct count *count, const uint32_t *pu, uint32_t pus, int threads,
                      uint32_t *unit, uint32_t *units, int *whole, topomap_error *err)
{
    *units = 0;
    for (uint32_t i = 0; i < pus; i++) {
        if (pu[i] >= count->pus || count->core_of[pu[i]] == UINT32_MAX)
            return topomap_error_set(err, TOPOMAP_EINPUT, "CPU %u is bound to, and not the job's",
                                     pu[i]);
        unit[(*units)++] = threads ? count->thread_of[pu[i]] : count->core_of[pu[i]];
    }
    qsort(unit, *units, sizeof *unit, topomap_by_u32);
    if (threads)
        return 0;
    for (uint32_t i = 0, next, kept = 0; i < pus; i = next) {
        for (next = i; next < pus && unit[next] == unit[i];)
            next++;
        *whole &= next - i == count->size[unit[i]];
        unit[kept++] = unit[i];
        *units = kept;
    }
    return 0;
}

struct making {
    const topomap_plan *plan;
    const topomap_cores *cores;
    topomap_rank_places *places;
    uint32_t *of_task; /* [ranks + 1] units of the plan's tasks, in its order */
    uint32_t *unit;    /* [PUs of all] room */
    int whole;
};

static int count_node(struct making *making, uint32_t node, uint32_t *used, topomap_error *err)
{
    const topomap_bindings *bindings = &making->plan->bindings;
    const topomap_cores *cores = making->cores;
    uint32_t at = cores ? cores->first[node] : 0, n = cores ? cores->first[node + 1] - at : 0;
    struct count count = {0};
    int status = count_class(&bindings->node_class[bindings->class_of[node]],
                             n ? cores->core + at : NULL, n, &count, err);

    for (uint32_t k = bindings->task_first[node]; status == 0 && k < bindings->task_first[node + 1];
         k++) {
        uint32_t units;

        status =
            count_task(&count, bindings->pu + bindings->pu_start[k],
                       bindings->pu_start[k + 1] - bindings->pu_start[k], making->places->threads,
                       making->unit + *used, &units, &making->whole, err);
        making->of_task[k] = *used;
        *used += status == 0 ? units : 0;
    }
    topomap_arena_clear(&count.memory);
    return status;
}

static int count_all(struct making *making, topomap_error *err)
{
    uint32_t used = 0;

    making->whole = 1;
    for (uint32_t node = 0; node < making->plan->nodes; node++)
        if (count_node(making, node, &used, err) != 0)
            return -1;
    making->of_task[making->plan->tasks] = used;
    return 0;
}

static int has_bindings(const topomap_plan *plan)
{
    if (plan->bindings.nodes != plan->nodes)
        return 0;
    for (uint32_t node = 0; node < plan->nodes; node++)
        if (plan->bindings.class_of[node] == UINT32_MAX &&
            plan->first[node] < plan->first[node + 1])
            return 0;
    return 1;
}

/* From the plan's order, node by node, to that of the ranks. */
static void deal_out(const struct making *making)
{
    const topomap_plan *plan = making->plan;
    topomap_rank_places *places = making->places;

    for (uint32_t k = 0; k < plan->tasks; k++)
        places->first[plan->task[k] + 1] = making->of_task[k + 1] - making->of_task[k];
    for (uint32_t r = 0; r < plan->tasks; r++)
        places->first[r + 1] += places->first[r];
    for (uint32_t k = 0; k < plan->tasks; k++)
        memcpy(places->unit + places->first[plan->task[k]], making->unit + making->of_task[k],
               (making->of_task[k + 1] - making->of_task[k]) * sizeof *places->unit);
}

static int count_bindings(struct making *making, topomap_error *err)
{
    const topomap_bindings *bindings = &making->plan->bindings;
    size_t pus = bindings->pu_start[bindings->task_first[bindings->nodes]];
    topomap_arena *memory = &making->places->memory;

    making->places->known = 1;
    making->unit = topomap_arena_alloc(memory, pus, sizeof *making->unit, err);
    making->places->unit = topomap_arena_alloc(memory, pus, sizeof *making->places->unit, err);
    if (memory->is_short || count_all(making, err) != 0)
        return -1;
    if (!making->whole) {
        making->places->threads = 1;
        if (count_all(making, err) != 0)
            return -1;
    }
    deal_out(making);
    return 0;
}

static int count_locals(topomap_rank_places *places, topomap_error *err)
{
    places->unit = topomap_arena_alloc(&places->memory, places->ranks, sizeof *places->unit, err);
    if (!places->unit)
        return -1;
    for (uint32_t r = 0; r < places->ranks; r++) {
        places->unit[r] = places->local[r];
        places->first[r + 1] = r + 1;
    }
    return 0;
}

int topomap_rank_places_make(const topomap_plan *plan, const char *const *names,
                             const topomap_cores *cores, topomap_rank_places *places,
                             topomap_error *err)
{
    struct making making = {plan, cores && cores->nodes ? cores : NULL, places, NULL, NULL, 1};
    uint32_t tasks = plan->tasks;
    topomap_arena *memory = &places->memory;

    *places = (topomap_rank_places){.ranks = tasks, .nodes = plan->nodes, .node = names};
    for (uint32_t node = 0; node < plan->nodes; node++)
        if (!topomap_is_node_name(names[node], strlen(names[node])))
            return topomap_error_set(err, TOPOMAP_EUSAGE,
                                     "'%.80s' is not a node name that a launcher's file can have: "
                                     "letters, digits, '.', '-' and '_'",
                                     names[node]);
    places->node_of = topomap_arena_alloc(memory, tasks, sizeof *places->node_of, err);
    places->local = topomap_arena_alloc(memory, tasks, sizeof *places->local, err);
    places->by_node = topomap_arena_alloc(memory, tasks, sizeof *places->by_node, err);
    places->first = topomap_arena_alloc(memory, (size_t)tasks + 1, sizeof *places->first, err);
    making.of_task = topomap_arena_alloc(memory, (size_t)tasks + 1, sizeof *making.of_task, err);
    if (memory->is_short)
        return -1;
    memcpy(places->by_node, plan->task, tasks * sizeof *places->by_node);
    for (uint32_t node = 0; node < plan->nodes; node++)
        for (uint32_t k = plan->first[node]; k < plan->first[node + 1]; k++) {
            places->node_of[plan->task[k]] = node;
            places->local[plan->task[k]] = k - plan->first[node];
        }
    return has_bindings(plan) ? count_bindings(&making, err) : count_locals(places, err);
}

void topomap_rank_places_clear(topomap_rank_places *places)
{
    topomap_arena_clear(&places->memory);
    *places = (topomap_rank_places){0};
}
