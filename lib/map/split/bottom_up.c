/* SPDX-License-Identifier: BSD-3-Clause */
/* Bottom-up construction: Schulz & Traeff (VieM), section 3.1. The graph is partitioned into
 * blocks of as many vertices as an innermost group has slots, the blocks become the vertices of
 * the next graph, and so on up to one block; then the levels are unfolded again. Which of two
 * equal groups a block gets does not matter until the level above decides, so that all groups of
 * a level must have one size. Of a matrix, groups are those of machine/closeness.h. */
#include <stdlib.h>
#include <string.h>

#include "machine/closeness.h"
#include "map/problem.h"
#include "map/split/split.h"
#include "partition/partition.h"
#include "util/alloc.h"
#include "util/clock.h"

enum { LEVELS = 2 * TOPOMAP_MACHINE_LEVELS };

typedef struct bottom_up {
    topomap_arena memory;
    topomap_problem *problem;
    topomap_machine view; /* the machine; of a matrix with the levels that it has not */
    uint32_t *slots;      /* [slots] so that each group of every level is a run */
    uint32_t levels;
    uint32_t size[LEVELS];     /* slots of a group */
    uint32_t *members[LEVELS]; /* [vertices of the level's graph] block by block */
} bottom_up;

/* The one size of the level's groups, 0 where they have several. */
static uint32_t group_size(const bottom_up *b, uint32_t level)
{
    const topomap_machine *m = &b->view;
    uint32_t size = 0, first = 0;

    for (uint32_t i = 1; i <= m->slots; i++) {
        if (i < m->slots && topomap_nesting_group(m, level, b->slots[i]) ==
                                topomap_nesting_group(m, level, b->slots[first]))
            continue;
        if (size && i - first != size)
            return 0;
        size = i - first;
        first = i;
    }
    return size;
}

static int refuse(const topomap_nesting *level, topomap_error *err)
{
    if (*level->name)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "bottom-up: the groups of level '%s' have different sizes; "
                                 "use top-down",
                                 level->name);
    return topomap_error_set(err, TOPOMAP_EUSAGE,
                             "bottom-up: of the matrix, groups of distances up to %g have "
                             "different sizes; use top-down",
                             level->cost);
}

/* Levels of more than one member a group, from the inside out. */
static int find_levels(bottom_up *b, topomap_error *err)
{
    const topomap_machine *m = &b->view;
    uint32_t below = 1;

    for (uint32_t l = 0; l < m->inner_levels + m->outer_levels; l++) {
        uint32_t size = group_size(b, l);

        if (size == 0)
            return refuse(topomap_nesting_at(m, l), err);
        if (size > below)
            b->size[b->levels++] = size;
        below = size;
    }
    return 0;
}

/* Replaces the graph by that of its blocks. */
static int climb(bottom_up *b, uint32_t level, topomap_weights *w, topomap_error *err)
{
    uint32_t width = b->size[level] / (level ? b->size[level - 1] : 1);
    enum topomap_effort effort = b->problem->effort;
    int cuts = effort == TOPOMAP_STRONG ? 8 : effort == TOPOMAP_DEFAULT ? 2 : 1;
    TOPOMAP_CLEANUP(topomap_partitioner_clear) topomap_partitioner partitioner = {0};
    topomap_weights next = {0};

    b->members[level] = topomap_arena_alloc(&b->memory, w->vertices, sizeof(uint32_t), err);
    if (!b->members[level] ||
        topomap_partitioner_init(&partitioner, w, cuts, (uint32_t)b->problem->seed, err))
        return -1;
    partitioner.how = TOPOMAP_PARTITION_EXCHANGE;
    if (topomap_contract_blocks(&partitioner, width, b->members[level], &next, err))
        return -1;
    if (level)
        topomap_weights_clear(w);
    *w = next;
    return 0;
}

/* place[v] of a level's vertices, counted in groups of that level, becomes that of the members. */
static int unfold(const bottom_up *b, uint32_t *slot_of, topomap_error *err)
{
    uint32_t n = b->problem->weights.vertices, blocks = 1;
    TOPOMAP_FREED uint32_t *place = topomap_alloc(n, sizeof *place, err);
    TOPOMAP_FREED uint32_t *below = topomap_alloc(n, sizeof *below, err);

    for (uint32_t l = b->levels; place && below && l-- > 0;) {
        uint32_t width = b->size[l] / (l ? b->size[l - 1] : 1);

        for (uint32_t i = 0; i < blocks * width; i++)
            below[b->members[l][i]] = place[i / width] * width + i % width;
        blocks *= width;
        memcpy(place, below, blocks * sizeof *place);
    }
    for (uint32_t v = 0; place && below && v < n; v++)
        slot_of[v] = b->slots[place[v]];
    return place && below ? 0 : -1;
}

static int open_view(bottom_up *b, topomap_error *err)
{
    topomap_machine *m = &b->view;

    *m = *b->problem->machine;
    if (m->kind == TOPOMAP_MACHINE_MATRIX &&
        topomap_machine_clusters(m, m->outer, TOPOMAP_MACHINE_LEVELS, &m->outer_levels, err) != 0)
        return -1;
    b->slots = topomap_nested_slots(m, err);
    return b->slots ? 0 : -1;
}

static void close_view(bottom_up *b)
{
    if (b->view.kind == TOPOMAP_MACHINE_MATRIX)
        topomap_machine_clusters_clear(b->view.outer, b->view.outer_levels);
    free(b->slots);
}

static int map_bottom_up(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    double before = topomap_clock_cpu();
    bottom_up b = {.problem = problem};
    topomap_weights w = problem->weights;
    int status = open_view(&b, err) || find_levels(&b, err) ? -1 : 0;

    for (uint32_t l = 0; status == 0 && l < b.levels; l++)
        status = climb(&b, l, &w, err);
    if (status == 0)
        status = unfold(&b, slot_of, err);
    if (w.offset != problem->weights.offset)
        topomap_weights_clear(&w);
    topomap_arena_clear(&b.memory);
    close_view(&b);
    problem->found.phase_seconds[TOPOMAP_PHASE_INTER] += topomap_clock_cpu() - before;
    return status;
}

const topomap_algorithm_impl topomap_algorithm_bottom_up = {
    .row = {"bottom-up", BY_VIEM ", 3.1", "construct", "tree,matrix",
            "perfectly balanced blocks from the inside out (groups of a level all of one size)"},
    .run = map_bottom_up,
};
