/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/bindings.h"
#include "util/alloc.h"
#include "util/sorted.h"

#include <stdlib.h>
#include <string.h>

/* A task's PUs, and where they begin in its class's order. */
struct turn {
    uint32_t place, pus, task;
    const uint32_t *pu;
};

struct order {
    const topomap_bindings *from;
    topomap_arena memory;
    topomap_bindings to; /* lent from `from` but for the two arrays of PUs */
    uint32_t *place_of;  /* [BINDINGS_CLASS_PUS] by OS PU number, in the class that was learnt */
    struct turn *turn;   /* [tasks of the largest node] */
};

static int by_place(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;

    if (x->place != y->place)
        return TOPOMAP_ORDER(x->place, y->place);
    for (uint32_t i = 0; i < x->pus && i < y->pus; i++)
        if (x->pu[i] != y->pu[i])
            return TOPOMAP_ORDER(x->pu[i], y->pu[i]);
    return TOPOMAP_ORDER(x->pus, y->pus) ?: TOPOMAP_ORDER(x->task, y->task);
}

static int open_order(struct order *o, topomap_error *err)
{
    const topomap_bindings *from = o->from;
    uint32_t tasks = from->task_first[from->nodes], most = 0;

    for (uint32_t node = 0; node < from->nodes; node++)
        if (from->task_first[node + 1] - from->task_first[node] > most)
            most = from->task_first[node + 1] - from->task_first[node];
    o->to = *from;
    o->to.pu_start =
        topomap_arena_alloc(&o->memory, (size_t)tasks + 1, sizeof *o->to.pu_start, err);
    o->to.pu = topomap_arena_alloc(&o->memory, from->pu_start[tasks], sizeof *o->to.pu, err);
    o->place_of = topomap_arena_alloc(&o->memory, BINDINGS_CLASS_PUS, sizeof *o->place_of, err);
    o->turn = topomap_arena_alloc(&o->memory, most, sizeof *o->turn, err);
    return o->memory.is_short ? -1 : 0;
}

static void learn(struct order *o, const topomap_bindings_class *node_class)
{
    for (uint32_t i = 0; i < node_class->pu_first[node_class->cores]; i++)
        o->place_of[node_class->pu_os[i]] = i;
}

/* The node's tasks in the order of their first places. */
static void sort_tasks(struct order *o, uint32_t first, uint32_t count)
{
    const topomap_bindings *from = o->from;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t start = from->pu_start[first + i], end = from->pu_start[first + i + 1];

        o->turn[i] = (struct turn){UINT32_MAX, end - start, first + i, from->pu + start};
        for (uint32_t k = start; k < end; k++)
            if (o->place_of[from->pu[k]] < o->turn[i].place)
                o->turn[i].place = o->place_of[from->pu[k]];
    }
    qsort(o->turn, count, sizeof *o->turn, by_place);
}

static void deal_out(struct order *o, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct turn *turn = &o->turn[i];
        uint32_t at = o->to.pu_start[first + i];

        if (turn->pus)
            memcpy(o->to.pu + at, turn->pu, turn->pus * sizeof *turn->pu);
        o->to.pu_start[first + i + 1] = at + turn->pus;
    }
}

char *topomap_bindings_in_order(const topomap_bindings *bindings, topomap_error *err)
{
    struct order o = {.from = bindings};
    uint32_t learnt = UINT32_MAX;
    char *text = NULL;

    if (bindings->gpu_first) {
        topomap_error_set(err, TOPOMAP_EUSAGE, "bindings: they go with an order of GPUs");
        return NULL;
    }
    if (open_order(&o, err) == 0) {
        for (uint32_t node = 0; node < bindings->nodes; node++) {
            uint32_t first = bindings->task_first[node], number = bindings->class_of[node];
            uint32_t count = bindings->task_first[node + 1] - first;

            if (number != UINT32_MAX && number != learnt)
                learn(&o, &bindings->node_class[learnt = number]);
            sort_tasks(&o, first, count);
            deal_out(&o, first, count);
        }
        text = topomap_bindings_encode(&o.to, err);
    }
    topomap_arena_clear(&o.memory);
    return text;
}
