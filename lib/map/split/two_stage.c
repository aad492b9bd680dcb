/* SPDX-License-Identifier: BSD-3-Clause */
/* `two-stage`: ranks to nodes first, then, in each node by itself, to cores: Lindgren (KTH), Alg.
 * 4. `two-stage-refine` improves an existing mapping: the node stage is refined, the core stage
 * made anew (Alg. 5). Always one to one. */
#include <string.h>

#include "map/problem.h"
#include "machine/machine.h"
#include "map/split/split.h"
#include "partition/partition.h"
#include "util/alloc.h"
#include "util/clock.h"

typedef struct core_stage {
    topomap_arena memory;
    topomap_problem *problem;
    topomap_partitioner partitioner;
    uint32_t *slots;             /* [slots] 0, 1, ... */
    uint32_t *vertices, *before; /* [slots] which vertex has a slot; before: of one node */
} core_stage;

/* Divides a run of slots of one node, and the vertices on it, down the node's levels. */
static int divide(core_stage *stage, uint32_t lo, uint32_t hi, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_split_clear) topomap_split split = {0};

    if (topomap_split_inside(stage->problem->machine, stage->slots + lo, hi - lo, &split, err))
        return -1;
    if (split.parts <= 1 || split.parts >= hi - lo)
        return 0;
    if (topomap_partition(&stage->partitioner, stage->vertices + lo, hi - lo, split.parts,
                          split.size, err))
        return -1;
    for (uint32_t i = 0; i < split.parts; lo += split.size[i++])
        if (split.size[i] > 1 && divide(stage, lo, lo + split.size[i], err))
            return -1;
    return 0;
}

/* J inside the node of slots lo..hi-1 by stage->vertices; scratch is [slots], UINT32_MAX again. */
static double cost_inside(core_stage *stage, const uint32_t *vertex_at, uint32_t lo, uint32_t hi)
{
    topomap_problem *problem = stage->problem;
    const topomap_weights *w = &problem->weights;
    uint32_t *slot_of = problem->work.scratch;
    double sum = 0;

    for (uint32_t s = lo; s < hi; s++)
        slot_of[vertex_at[s - lo]] = s;
    for (uint32_t s = lo; s < hi; s++)
        for (uint64_t e = w->offset[vertex_at[s - lo]]; e < w->offset[vertex_at[s - lo] + 1]; e++) {
            uint32_t t = slot_of[w->target[e]];

            if (t != UINT32_MAX && s < t)
                sum += (double)w->weight[e] * topomap_slot_distance(problem->machine, s, t);
        }
    for (uint32_t s = lo; s < hi; s++)
        slot_of[vertex_at[s - lo]] = UINT32_MAX;
    return sum;
}

static int map_node(core_stage *stage, uint32_t lo, uint32_t hi, topomap_error *err)
{
    size_t bytes = (hi - lo) * sizeof *stage->before;
    double cost;

    if (hi - lo < 2)
        return 0;
    memcpy(stage->before, stage->vertices + lo, bytes);
    cost = cost_inside(stage, stage->before, lo, hi);
    if (divide(stage, lo, hi, err) != 0)
        return -1;
    if (cost <= cost_inside(stage, stage->vertices + lo, lo, hi)) /* ours: never worse inside */
        memcpy(stage->vertices + lo, stage->before, bytes);
    return 0;
}

static void stage_clear(core_stage *stage)
{
    topomap_partitioner_clear(&stage->partitioner);
    topomap_arena_clear(&stage->memory);
}

int topomap_map_cores(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    const topomap_machine *m = problem->machine;
    TOPOMAP_CLEANUP(stage_clear) core_stage stage = {.problem = problem};
    double before = topomap_clock_cpu();

    stage.slots = topomap_arena_alloc(&stage.memory, m->slots, sizeof *stage.slots, err);
    stage.vertices = topomap_arena_alloc(&stage.memory, m->slots, sizeof *stage.vertices, err);
    stage.before = topomap_arena_alloc(&stage.memory, m->slots, sizeof *stage.before, err);
    if (stage.memory.is_short || topomap_partitioner_init(&stage.partitioner, &problem->weights, 4,
                                                          (uint32_t)problem->seed, err))
        return -1;
    stage.partitioner.how = TOPOMAP_PARTITION_EXCHANGE;
    topomap_identity(stage.slots, m->slots);
    for (uint32_t v = 0; v < m->slots; v++)
        stage.vertices[slot_of[v]] = v;
    for (uint32_t i = 0; i < m->nodes; i++)
        if (map_node(&stage, m->slot_first[i], m->slot_first[i + 1], err))
            return -1;
    for (uint32_t s = 0; s < m->slots; s++)
        slot_of[stage.vertices[s]] = s;
    problem->found.phase_seconds[TOPOMAP_PHASE_INTRA] += topomap_clock_cpu() - before;
    return 0;
}

static int map_two_stage(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    int inter_only = problem->inter_only, status;

    problem->inter_only = 1;
    status = topomap_algorithm_run(problem->machine->kind == TOPOMAP_MACHINE_TORUS
                                       ? &topomap_algorithm_rb_wrap
                                       : &topomap_algorithm_top_down,
                                   problem, slot_of, err);
    problem->inter_only = inter_only;
    return status == 0 && !inter_only ? topomap_map_cores(problem, slot_of, err) : status;
}

static int map_two_stage_refine(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    if (topomap_algorithm_swap.run(problem, slot_of, err) != 0)
        return -1;
    return problem->inter_only ? 0 : topomap_map_cores(problem, slot_of, err);
}

const topomap_algorithm_impl topomap_algorithm_two_stage = {
    .row = {"two-stage", BY_LINDGREN ", Alg. 4", "construct", FITS_ALL,
            "ranks to nodes, then, in each node, to cores"},
    .run = map_two_stage,
};

const topomap_algorithm_impl topomap_algorithm_two_stage_refine = {
    .row = {"two-stage-refine", BY_LINDGREN ", Alg. 5", "refine", FITS_ALL,
            "the node stage of a mapping refined, its core stage made anew"},
    .run = map_two_stage_refine,
};
