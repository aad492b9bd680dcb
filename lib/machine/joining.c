/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/machine.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/sorted.h"

typedef struct joiner {
    uint32_t items;
    float *distance;  /* [items * items]; a joined vertex lives in the row of its first member */
    float *nearest;   /* [items] least distance of each live row */
    uint32_t *vertex; /* [items] tree vertex of each live row */
    uint32_t *leaves; /* [items] */
    uint8_t *live;    /* [items] */
    uint32_t *clique; /* [items] scratch */
    uint32_t *parent; /* [2 * items] by tree vertex */
    uint32_t vertices;
} joiner;

/* Means of equal numbers may differ in the last bits. */
static int same(float a, float b)
{
    return fabsf(a - b) <= 1e-5f * fmaxf(fabsf(a), fabsf(b));
}

static void find_nearest(joiner *j, uint32_t row)
{
    const float *distance = j->distance + (size_t)row * j->items;

    j->nearest[row] = FLT_MAX;
    for (uint32_t i = 0; i < j->items; i++)
        if (j->live[i] && i != row && distance[i] < j->nearest[row])
            j->nearest[row] = distance[i];
}

static uint32_t grow_clique(joiner *j, uint32_t first, float least, const uint8_t *taken)
{
    uint32_t count = 1;

    j->clique[0] = first;
    for (uint32_t i = first + 1; i < j->items; i++) {
        uint32_t k = 0;

        if (!j->live[i] || taken[i])
            continue;
        while (k < count && same(j->distance[(size_t)i * j->items + j->clique[k]], least))
            k++;
        if (k == count)
            j->clique[count++] = i;
    }
    return count;
}

static void join(joiner *j, uint32_t count)
{
    uint32_t row = j->clique[0], total = 0;

    for (uint32_t k = 0; k < count; k++) {
        total += j->leaves[j->clique[k]];
        j->parent[j->vertex[j->clique[k]]] = j->vertices;
    }
    for (uint32_t i = 0; i < j->items; i++) {
        double sum = 0.0;

        for (uint32_t k = 0; k < count; k++)
            sum +=
                (double)j->leaves[j->clique[k]] * j->distance[(size_t)j->clique[k] * j->items + i];
        j->distance[(size_t)row * j->items + i] = (float)(sum / total);
    }
    for (uint32_t i = 0; i < j->items; i++)
        j->distance[(size_t)i * j->items + row] = j->distance[(size_t)row * j->items + i];
    for (uint32_t k = 1; k < count; k++)
        j->live[j->clique[k]] = 0;
    j->leaves[row] = total;
    j->vertex[row] = j->vertices++;
}

/* One round; returns how many live rows it took away. */
static uint32_t round_of(joiner *j, uint8_t *taken)
{
    float least = FLT_MAX;
    uint32_t gone = 0;

    for (uint32_t i = 0; i < j->items; i++)
        if (j->live[i] && j->nearest[i] < least)
            least = j->nearest[i];
    memset(taken, 0, j->items);
    for (uint32_t i = 0; i < j->items; i++) {
        uint32_t count;

        if (!j->live[i] || taken[i] || !same(j->nearest[i], least))
            continue;
        count = grow_clique(j, i, least, taken);
        if (count < 2)
            continue;
        for (uint32_t k = 0; k < count; k++)
            taken[j->clique[k]] = 1;
        join(j, count);
        gone += count - 1;
    }
    for (uint32_t i = 0; i < j->items; i++)
        if (j->live[i])
            find_nearest(j, i);
    return gone;
}

/* Parents to lists of children, which ascend. */
static int list_children(const joiner *j, topomap_joining *tree, topomap_error *err)
{
    tree->vertices = j->vertices;
    tree->first_child = topomap_alloc((size_t)j->vertices + 2, sizeof(uint32_t), err);
    tree->child = topomap_alloc(j->vertices, sizeof(uint32_t), err);
    if (!tree->first_child || !tree->child)
        return -1;
    topomap_list_groups(j->parent, j->vertices - 1, j->vertices, tree->first_child, tree->child);
    return 0;
}

int topomap_joining_build(uint32_t items, float *distance, topomap_joining *tree,
                          topomap_error *err)
{
    joiner j = {.items = items, .distance = distance, .vertices = items};
    TOPOMAP_CLEANUP(topomap_joining_clear) topomap_joining made = {0};
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena memory = {0};
    uint8_t *taken = topomap_arena_alloc(&memory, items, sizeof *taken, err);

    j.nearest = topomap_arena_alloc(&memory, items, sizeof *j.nearest, err);
    j.vertex = topomap_arena_alloc(&memory, items, sizeof *j.vertex, err);
    j.leaves = topomap_arena_alloc(&memory, items, sizeof *j.leaves, err);
    j.live = topomap_arena_alloc(&memory, items, 1, err);
    j.clique = topomap_arena_alloc(&memory, items, sizeof *j.clique, err);
    j.parent = topomap_arena_alloc(&memory, (size_t)items * 2, sizeof *j.parent, err);
    if (memory.is_short)
        return -1;
    memset(j.live, 1, items);
    for (uint32_t i = 0; i < items; i++) {
        j.vertex[i] = i;
        j.leaves[i] = 1;
    }
    for (uint32_t i = 0; i < items; i++)
        find_nearest(&j, i);
    for (uint32_t left = items; left > 1;)
        left -= round_of(&j, taken);
    if (list_children(&j, &made, err))
        return -1;
    *tree = made;
    made = (topomap_joining){0};
    return 0;
}

void topomap_joining_clear(topomap_joining *tree)
{
    free(tree->first_child);
    free(tree->child);
    *tree = (topomap_joining){0};
}
