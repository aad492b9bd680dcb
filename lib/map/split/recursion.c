/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/split/split.h"

#include <stdlib.h>

#include "partition/partition.h"
#include "util/alloc.h"
#include "util/clock.h"

enum {
    MANY = 50000,    /* vertices: one cut of each segment must do */
    DENSE = 1000000, /* arcs: a few */
};

/* Slots and vertices share positions: the vertices of a segment go to the slots of it. */
typedef struct segment {
    uint32_t lo, hi, where;
} segment;

typedef struct recursion {
    topomap_arena memory;
    topomap_problem *problem;
    const topomap_splitter *splitter;
    topomap_partitioner partitioner;
    uint32_t *slots, *vertices; /* [n] by position */
    uint32_t *stand_in;         /* [n] by vertex: a slot in the middle of its present segment */
    segment *queue;
    size_t head, tail, capacity;
    topomap_split split;
    int inside;   /* a node: is the present segment */
    double since; /* CPU time that is not charged to a phase yet begins here */
} recursion;

int topomap_split_add(topomap_split *split, uint32_t size, uint32_t where, topomap_error *err)
{
    size_t need = (size_t)split->parts + 1;

    if (topomap_grow_beside(&split->size, split->capacity, need, sizeof size, err) ||
        topomap_grow(&split->where, &split->capacity, need, sizeof where, err))
        return -1;
    split->size[split->parts] = size;
    split->where[split->parts++] = where;
    return 0;
}

int topomap_split_runs(const uint32_t *slots, uint32_t count, const uint32_t *key,
                       const uint32_t *node_of, uint32_t where, topomap_split *split,
                       topomap_error *err)
{
    uint32_t first = 0, last = 0;

    for (uint32_t i = 0; i <= count; i++) {
        uint32_t own = i == count ? 0 : key[node_of ? node_of[slots[i]] : slots[i]];

        if (i > 0 && (i == count || own != last)) {
            if (topomap_split_add(split, i - first, where, err) != 0)
                return -1;
            first = i;
        }
        last = own;
    }
    return 0;
}

int topomap_split_inside(const topomap_machine *machine, uint32_t *slots, uint32_t count,
                         topomap_split *split, topomap_error *err)
{
    for (uint32_t l = machine->inner_levels; l-- > 0;) {
        const uint32_t *group = machine->inner[l].group;

        if (group[slots[0]] != group[slots[count - 1]])
            return topomap_split_runs(slots, count, group, NULL, 0, split, err);
    }
    return topomap_split_add(split, count, 0, err);
}

static int enqueue(recursion *r, uint32_t lo, uint32_t hi, uint32_t where, topomap_error *err)
{
    return TOPOMAP_APPEND(r->queue, r->tail, r->capacity, err, (segment){lo, hi, where});
}

static int all_single(const topomap_split *split)
{
    for (uint32_t i = 0; i < split->parts; i++)
        if (split->size[i] != 1)
            return 0;
    return 1;
}

static void mark_stand_ins(recursion *r, uint32_t lo, uint32_t hi)
{
    for (uint32_t i = lo; i < hi; i++)
        r->stand_in[r->vertices[i]] = r->slots[lo + (hi - lo) / 2];
}

static void charge(recursion *r, int phase)
{
    double now = topomap_clock_cpu();

    r->problem->found.phase_seconds[phase] += now - r->since;
    r->since = now;
}

static void charge_division(recursion *r)
{
    charge(r, r->inside ? TOPOMAP_PHASE_INTRA : TOPOMAP_PHASE_INTER);
}

/* The insides of nodes are many small segments, of which the clock would be a good part: they are
 * charged together, with their splits, which are next to nothing. */
static int step(recursion *r, segment s, topomap_error *err)
{
    topomap_problem *problem = r->problem;
    const uint32_t *node_of = problem->machine->node_of;
    int inside = node_of[r->slots[s.lo]] == node_of[r->slots[s.hi - 1]];

    if (s.hi - s.lo < 2 || (inside && problem->inter_only))
        return 0;
    if (inside != r->inside) {
        charge_division(r);
        r->inside = inside;
    }
    r->split.parts = 0;
    if (r->splitter->split(r->splitter->data, s.where, r->slots + s.lo, s.hi - s.lo, &r->split,
                           err) != 0)
        return -1;
    if (!inside)
        charge(r, TOPOMAP_PHASE_TREE);
    /* Single slots are all alike only where nothing tells their places apart. */
    if (r->split.parts < 2 || (all_single(&r->split) && !r->splitter->orient))
        return 0;
    /* Elsewhere, which of equal cuts it is decides on how parts can lie beside each other. */
    r->partitioner.looks_at_all = inside;
    if (topomap_partition(&r->partitioner, r->vertices + s.lo, s.hi - s.lo, r->split.parts,
                          r->split.size, err) != 0)
        return -1;
    if (r->splitter->orient && topomap_orient(problem, &r->split, r->slots + s.lo,
                                              r->vertices + s.lo, r->stand_in, err) != 0)
        return -1;
    for (uint32_t i = 0, lo = s.lo; i < r->split.parts; lo += r->split.size[i++]) {
        mark_stand_ins(r, lo, lo + r->split.size[i]);
        if (r->split.size[i] > 1 &&
            enqueue(r, lo, lo + r->split.size[i], r->split.where[i], err) != 0)
            return -1;
    }
    if (!inside)
        charge_division(r);
    return 0;
}

static int run(recursion *r, uint32_t n, topomap_error *err)
{
    const topomap_problem *problem = r->problem;
    uint64_t arcs = problem->weights.offset[n];
    /* On a torus, what the placement is worth is decided by orientation and annealing. */
    int few = r->splitter->orient || arcs > DENSE;
    int cuts = problem->effort == TOPOMAP_FAST || n > MANY ? 1
               : problem->effort == TOPOMAP_DEFAULT && few ? 2
                                                           : 8;

    if (topomap_partitioner_init(&r->partitioner, &problem->weights, cuts, (uint32_t)problem->seed,
                                 err) != 0)
        return -1;
    r->partitioner.how = r->splitter->how;
    r->slots = topomap_arena_alloc(&r->memory, n, sizeof *r->slots, err);
    r->vertices = topomap_arena_alloc(&r->memory, n, sizeof *r->vertices, err);
    r->stand_in = topomap_arena_alloc(&r->memory, n, sizeof *r->stand_in, err);
    if (r->memory.is_short)
        return -1;
    for (uint32_t i = 0; i < n; i++)
        r->slots[i] = r->splitter->place ? r->splitter->place[i] : i;
    topomap_identity(r->vertices, n);
    mark_stand_ins(r, 0, n);
    if (enqueue(r, 0, n, r->splitter->root, err) != 0)
        return -1;
    r->since = topomap_clock_cpu();
    while (r->head < r->tail)
        if (topomap_problem_abandoned(problem, err) != 0 || step(r, r->queue[r->head++], err) != 0)
            return -1;
    charge_division(r);
    return 0;
}

int topomap_recursion_map(topomap_problem *problem, const topomap_splitter *splitter,
                          uint32_t *slot_of, topomap_error *err)
{
    recursion r = {.problem = problem, .splitter = splitter};
    uint32_t n = problem->weights.vertices;
    int status = run(&r, n, err);

    for (uint32_t i = 0; status == 0 && i < n; i++)
        slot_of[r.vertices[i]] = r.slots[i];
    topomap_partitioner_clear(&r.partitioner);
    topomap_arena_clear(&r.memory);
    free(r.queue);
    topomap_split_clear(&r.split);
    return status;
}
