/* SPDX-License-Identifier: BSD-3-Clause */
#include "metric/bound.h"

#include <stdlib.h>
#include <string.h>

#include "machine/distance.h"
#include "util/alloc.h"

enum { EXACT_NODES = 1024 };

typedef struct place {
    double cost;
    uint64_t slots;
} place;

/* The closest that places can be: ring i offers slots at this cost, costs ascending. */
typedef struct profile {
    place *ring;
    size_t count, capacity;
} profile;

static int by_cost(const void *a, const void *b)
{
    const place *x = a, *y = b;

    return (x->cost > y->cost) - (x->cost < y->cost);
}

/* Slots within each cost of one slot, sorted and summed up. */
static size_t accumulate(place *list, size_t count)
{
    size_t kept = 0;

    qsort(list, count, sizeof *list, by_cost);
    for (size_t i = 0; i < count; i++) {
        if (kept && list[kept - 1].cost == list[i].cost)
            list[kept - 1].slots += list[i].slots;
        else
            list[kept++] = list[i];
    }
    for (size_t i = 1; i < kept; i++)
        list[i].slots += list[i - 1].slots;
    return kept;
}

/* The upper envelope of two cumulative lists. */
static int merge(profile *best, const place *list, size_t count, topomap_error *err)
{
    place *merged = topomap_alloc(best->count + count, sizeof *merged, err);
    size_t i = 0, j = 0, n = 0;

    if (!merged)
        return -1;
    while (i < best->count || j < count) {
        double cost = j == count || (i < best->count && best->ring[i].cost <= list[j].cost)
                          ? best->ring[i].cost
                          : list[j].cost;
        uint64_t a, b;

        while (i < best->count && best->ring[i].cost == cost)
            i++;
        while (j < count && list[j].cost == cost)
            j++;
        a = i ? best->ring[i - 1].slots : 0;
        b = j ? list[j - 1].slots : 0;
        merged[n++] = (place){cost, a > b ? a : b};
    }
    free(best->ring);
    best->ring = merged;
    best->count = n;
    return 0;
}

/* How many slots each group of each level holds, inside nodes and (tree machines) between them. */
typedef struct census {
    uint32_t *inner[TOPOMAP_MACHINE_LEVELS]; /* [slots or nodes, what is more] by group id */
    uint32_t *outer[TOPOMAP_MACHINE_LEVELS]; /* [nodes] by group id */
} census;

static void census_clear(census *c)
{
    for (size_t l = 0; l < TOPOMAP_MACHINE_LEVELS; l++) {
        free(c->inner[l]);
        free(c->outer[l]);
    }
}

static uint32_t node_slots(const topomap_machine *m, uint32_t node)
{
    return m->slot_first[node + 1] - m->slot_first[node];
}

static int census_take(const topomap_machine *m, census *c, topomap_error *err)
{
    size_t ids = m->slots > m->nodes ? m->slots : m->nodes;

    for (uint32_t l = 0; l < m->inner_levels; l++) {
        if (!(c->inner[l] = topomap_alloc(ids, sizeof(uint32_t), err)))
            return -1;
        for (uint32_t s = 0; s < m->slots; s++)
            c->inner[l][m->inner[l].group[s]]++;
    }
    for (uint32_t l = 0; m->kind == TOPOMAP_MACHINE_TREE && l < m->outer_levels; l++) {
        if (!(c->outer[l] = topomap_alloc(m->nodes, sizeof(uint32_t), err)))
            return -1;
        for (uint32_t i = 0; i < m->nodes; i++)
            c->outer[l][m->outer[l].group[i]] += node_slots(m, i);
    }
    return 0;
}

/* Other slots of the slot's own node, by cost. */
static size_t places_inside(const topomap_machine *m, const census *c, uint32_t slot, place *list)
{
    size_t count = 0;
    uint32_t before = 1;

    for (uint32_t l = 0; l < m->inner_levels; l++) {
        uint32_t all = c->inner[l][m->inner[l].group[slot]];

        if (all > before)
            list[count++] = (place){m->inner[l].cost, all - before};
        before = all;
    }
    return count;
}

static size_t places_tree(const topomap_machine *m, const census *c, uint32_t node, place *list)
{
    size_t count = 0;
    uint32_t before = node_slots(m, node);

    for (uint32_t l = 0; l < m->outer_levels; l++) {
        uint32_t all = c->outer[l][m->outer[l].group[node]];

        if (all > before)
            list[count++] = (place){m->outer[l].cost, all - before};
        before = all;
    }
    return count;
}

static size_t places_outside(const topomap_machine *m, const census *c, uint32_t node, place *list)
{
    size_t count = 0;

    if (m->kind == TOPOMAP_MACHINE_TREE)
        return places_tree(m, c, node, list);
    if (m->nodes > EXACT_NODES) {
        double least = m->kind == TOPOMAP_MACHINE_TORUS ? m->base : 0.0;

        list[0] = (place){least, m->slots};
        return 1;
    }
    for (uint32_t other = 0; other < m->nodes; other++)
        if (other != node && node_slots(m, other))
            list[count++] = (place){topomap_node_distance(m, node, other), node_slots(m, other)};
    return count;
}

/* One node's closest places: the envelope over its slots inside, then the outside added. */
static int node_profile(const topomap_machine *m, const census *c, uint32_t node, place *list,
                        profile *best, topomap_error *err)
{
    profile inside = {0};
    size_t count = 0;
    int status = 0;

    for (uint32_t s = m->slot_first[node]; status == 0 && s < m->slot_first[node + 1]; s++) {
        if (s > m->slot_first[node] && m->inner[0].group[s] == m->inner[0].group[s - 1])
            continue;
        count = accumulate(list, places_inside(m, c, s, list));
        status = merge(&inside, list, count, err);
    }
    for (size_t i = 0; status == 0 && i < inside.count; i++)
        list[i] =
            (place){inside.ring[i].cost, inside.ring[i].slots - (i ? inside.ring[i - 1].slots : 0)};
    count = inside.count;
    free(inside.ring);
    if (status != 0)
        return -1;
    count += places_outside(m, c, node, list + count);
    return merge(best, list, accumulate(list, count), err);
}

static int build_profile(const topomap_machine *m, profile *best, topomap_error *err)
{
    size_t room =
        (size_t)m->inner_levels + m->outer_levels + (m->nodes <= EXACT_NODES ? m->nodes : 1);
    place *list = topomap_alloc(room, sizeof *list, err);
    census c = {0};
    int status = list ? census_take(m, &c, err) : -1;

    for (uint32_t node = 0; status == 0 && node < m->nodes; node++)
        if (node_slots(m, node))
            status = node_profile(m, &c, node, list, best, err);
    census_clear(&c);
    free(list);
    return status;
}

static int descending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x < y) - (x > y);
}

static double rank_bound(uint64_t *weight, size_t count, const profile *best)
{
    double sum = 0.0;
    size_t ring = 0;

    qsort(weight, count, sizeof *weight, descending);
    for (size_t k = 0; k < count; k++) {
        while (ring + 1 < best->count && best->ring[ring].slots <= k)
            ring++;
        if (best->count)
            sum += (double)weight[k] * best->ring[ring].cost;
    }
    return sum;
}

int topomap_bound_lower(const topomap_weights *weights, const topomap_machine *machine,
                        double *bound, topomap_error *err)
{
    profile best = {0};
    size_t widest = 0;
    uint64_t *row;

    for (uint32_t u = 0; u < weights->vertices; u++) {
        size_t degree = weights->offset[u + 1] - weights->offset[u];

        widest = degree > widest ? degree : widest;
    }
    row = topomap_alloc(widest, sizeof *row, err);
    if (!row || build_profile(machine, &best, err) != 0) {
        free(row);
        free(best.ring);
        return -1;
    }
    *bound = 0.0;
    for (uint32_t u = 0; u < weights->vertices; u++) {
        size_t degree = weights->offset[u + 1] - weights->offset[u];

        memcpy(row, weights->weight + weights->offset[u], degree * sizeof *row);
        *bound += 0.5 * rank_bound(row, degree, &best);
    }
    free(row);
    free(best.ring);
    return 0;
}
