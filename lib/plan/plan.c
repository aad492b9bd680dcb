/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "util/alloc.h"

static int copy_class(const topomap_bindings_class *from, topomap_bindings_class *to,
                      topomap_error *err)
{
    uint32_t pus = from->pu_first[from->cores];

    to->pu_first = topomap_alloc((size_t)from->cores + 1, sizeof(uint32_t), err);
    to->pu_os = topomap_alloc(pus, sizeof(uint32_t), err);
    if (!to->pu_first || !to->pu_os)
        return -1;
    to->cores = from->cores;
    memcpy(to->pu_first, from->pu_first, ((size_t)from->cores + 1) * sizeof(uint32_t));
    memcpy(to->pu_os, from->pu_os, pus * sizeof(uint32_t));
    return 0;
}

/* Slot k of a node is bindings task first + k; tasks take the bindings of their slots. */
static int reorder_bindings(const topomap_plan *plan, const topomap_bindings *by_slot,
                            topomap_bindings *made, topomap_error *err)
{
    uint32_t pus = by_slot->pu_start[plan->tasks], at = 0;

    made->job = by_slot->job;
    made->step = by_slot->step;
    made->node_class = topomap_alloc(by_slot->classes, sizeof *made->node_class, err);
    made->class_of = topomap_alloc(plan->nodes, sizeof(uint32_t), err);
    made->task_first = topomap_alloc((size_t)plan->nodes + 1, sizeof(uint32_t), err);
    made->pu_start = topomap_alloc((size_t)plan->tasks + 1, sizeof(uint32_t), err);
    made->pu = topomap_alloc(pus, sizeof(uint32_t), err);
    if (!made->node_class || !made->class_of || !made->task_first || !made->pu_start || !made->pu)
        return -1;
    for (; made->classes < by_slot->classes; made->classes++)
        if (copy_class(&by_slot->node_class[made->classes], &made->node_class[made->classes],
                       err) != 0) {
            made->classes++; /* so that what was allocated of it is freed too */
            return -1;
        }
    made->nodes = plan->nodes;
    memcpy(made->class_of, by_slot->class_of, plan->nodes * sizeof(uint32_t));
    memcpy(made->task_first, plan->first, ((size_t)plan->nodes + 1) * sizeof(uint32_t));
    for (uint32_t t = 0; t < plan->tasks; t++) {
        uint32_t slot = plan->slot[t];
        uint32_t count = by_slot->pu_start[slot + 1] - by_slot->pu_start[slot];

        if (count)
            memcpy(made->pu + at, by_slot->pu + by_slot->pu_start[slot], count * sizeof(uint32_t));
        at += count;
        made->pu_start[t + 1] = at;
    }
    return 0;
}

int topomap_plan_make(const topomap_machine *machine, const uint32_t *slot_of_task,
                      const topomap_bindings *by_slot, topomap_plan *plan, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_plan_clear)
    topomap_plan made = {.nodes = machine->nodes, .tasks = machine->slots};
    TOPOMAP_FREED uint32_t *next = NULL;

    if (topomap_machine_check_slots(machine, slot_of_task, machine->slots, TOPOMAP_EUSAGE, err) !=
        0)
        return -1;
    next = topomap_alloc(machine->nodes, sizeof *next, err);
    made.first = topomap_alloc((size_t)made.nodes + 1, sizeof *made.first, err);
    made.task = topomap_alloc(made.tasks, sizeof *made.task, err);
    made.slot = topomap_alloc(made.tasks, sizeof *made.slot, err);
    if (!next || !made.first || !made.task || !made.slot)
        return -1;
    memcpy(made.first, machine->slot_first, ((size_t)made.nodes + 1) * sizeof *made.first);
    memcpy(next, machine->slot_first, made.nodes * sizeof *next);
    for (uint32_t t = 0; t < made.tasks; t++) {
        uint32_t at = next[machine->node_of[slot_of_task[t]]]++;

        made.task[at] = t;
        made.slot[at] = slot_of_task[t];
    }
    if (by_slot && by_slot->nodes && reorder_bindings(&made, by_slot, &made.bindings, err))
        return -1;
    *plan = made;
    made = (topomap_plan){0};
    return 0;
}

void topomap_plan_clear(topomap_plan *plan)
{
    free(plan->first);
    free(plan->task);
    free(plan->slot);
    free(plan->gpu);
    free(plan->nic);
    free(plan->nic_name);
    topomap_bindings_clear(&plan->bindings);
    *plan = (topomap_plan){0};
}

/* Whose entry in the bindings a task has. */
static uint32_t entry_of(const topomap_plan *plan, uint32_t node, uint32_t i)
{
    const topomap_bindings *b = &plan->bindings;
    uint32_t from = b->gpu_first ? b->gpu_first[node] : 0, entry = i;
    uint32_t gpus = b->gpu_first ? b->gpu_first[node + 1] - from : 0;

    for (uint32_t k = 0; k < gpus; k++) {
        if (b->gpu_place[from + k] != k)
            return i; /* the order in which tasks see them */
        if (plan->gpu && b->gpu[from + k] == plan->gpu[i])
            entry = plan->first[node] + k;
    }
    return entry;
}

uint32_t topomap_plan_cpus(const topomap_plan *plan, uint32_t node, uint32_t i, const uint32_t **pu)
{
    const topomap_bindings *b = &plan->bindings;
    uint32_t entry;

    if (!b->nodes || b->class_of[node] == UINT32_MAX)
        return 0;
    entry = entry_of(plan, node, i);
    *pu = b->pu + b->pu_start[entry];
    return b->pu_start[entry + 1] - b->pu_start[entry];
}

double topomap_plan_gain(double before, double after)
{
    return before > 0 ? 100.0 * (before - after) / before : 0.0;
}

/* Of the maximum, or of the mean where the maximum is as it was. */
static double gain_of_congestion(const topomap_congestion *before, const topomap_congestion *after)
{
    double gain = topomap_plan_gain(before->max, after->max);

    return gain > 1e-7 || gain < -1e-7 ? gain : topomap_plan_gain(before->mean, after->mean);
}

double topomap_plan_gain_of(const topomap_mapping *mapping, double J_before, double J_after,
                            const topomap_congestion *load)
{
    switch (load ? mapping->objective : TOPOMAP_OBJECTIVE_J) {
    case TOPOMAP_OBJECTIVE_MIX:
        return topomap_plan_gain(1, mapping->mix);
    case TOPOMAP_OBJECTIVE_TIME:
        return topomap_plan_gain(mapping->time_before, mapping->time);
    case TOPOMAP_OBJECTIVE_CONGESTION:
        return gain_of_congestion(load, load + 1);
    case TOPOMAP_OBJECTIVE_J:
        break;
    }
    return mapping->message_bytes > 0 ? topomap_plan_gain(mapping->J_before, mapping->J)
                                      : topomap_plan_gain(J_before, J_after);
}

const char *topomap_plan_figure(const topomap_mapping *mapping, int links)
{
    if (links && mapping->objective != TOPOMAP_OBJECTIVE_J)
        return topomap_plan_objective(mapping->objective);
    return mapping->message_bytes > 0 ? "J (weight=bytes+messages)" : "J";
}

const char *topomap_plan_objective(enum topomap_objective_kind objective)
{
    static const char *const names[] = {"J", "congestion", "mix", "time"};

    return names[objective];
}
