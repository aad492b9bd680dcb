/* SPDX-License-Identifier: BSD-3-Clause */
#include "metric/metric.h"

#include <stdlib.h>

#include "machine/machine.h"
#include "util/alloc.h"
#include "util/sorted.h"

/* Pairs of nodes of a torus, and of a node and a site of a matrix: a tenth of a second each, which
 * a launch that is explained waits for twice. */
enum { TORUS_PAIRS = 1 << 24, MATRIX_PAIRS = 1 << 23 };

TOPOMAP_COMPARE(by_cost, topomap_shell, TOPOMAP_ORDER(x->distance, y->distance), 0)

/* Slots within each cost of one slot, sorted and summed up. */
static size_t accumulate(topomap_shell *list, size_t count)
{
    size_t kept = 0;

    qsort(list, count, sizeof *list, by_cost);
    for (size_t i = 0; i < count; i++) {
        if (kept && list[kept - 1].distance == list[i].distance)
            list[kept - 1].slots += list[i].slots;
        else
            list[kept++] = list[i];
    }
    for (size_t i = 1; i < kept; i++)
        list[i].slots += list[i - 1].slots;
    return kept;
}

/* The upper envelope of two cumulative lists. */
static int merge(topomap_shells *best, const topomap_shell *list, size_t count, topomap_error *err)
{
    topomap_shell *merged = topomap_alloc(best->count + count, sizeof *merged, err);
    size_t i = 0, j = 0, n = 0;

    if (!merged)
        return -1;
    while (i < best->count || j < count) {
        double cost = j == count || (i < best->count && best->shell[i].distance <= list[j].distance)
                          ? best->shell[i].distance
                          : list[j].distance;
        double a, b;

        while (i < best->count && best->shell[i].distance == cost)
            i++;
        while (j < count && list[j].distance == cost)
            j++;
        a = i ? best->shell[i - 1].slots : 0;
        b = j ? list[j - 1].slots : 0;
        merged[n++] = (topomap_shell){cost, a > b ? a : b};
    }
    free(best->shell);
    best->shell = merged;
    best->count = n;
    return 0;
}

/* How many slots each group of each level holds, inside nodes and (tree machines) between them;
 * and each site of a matrix. */
typedef struct census {
    topomap_arena *memory;
    uint32_t *inner[TOPOMAP_MACHINE_LEVELS]; /* [slots or nodes, what is more] by group id */
    uint32_t *outer[TOPOMAP_MACHINE_LEVELS]; /* [nodes] by group id */
    uint32_t *site;                          /* [sites], or NULL */
} census;

static int census_take(const topomap_machine *m, census *c, topomap_error *err)
{
    size_t ids = m->slots > m->nodes ? m->slots : m->nodes;

    for (uint32_t l = 0; l < m->inner_levels; l++) {
        if (!(c->inner[l] = topomap_arena_alloc(c->memory, ids, sizeof(uint32_t), err)))
            return -1;
        for (uint32_t s = 0; s < m->slots; s++)
            c->inner[l][m->inner[l].group[s]]++;
    }
    for (uint32_t l = 0; m->kind == TOPOMAP_MACHINE_TREE && l < m->outer_levels; l++) {
        if (!(c->outer[l] = topomap_arena_alloc(c->memory, m->nodes, sizeof(uint32_t), err)))
            return -1;
        for (uint32_t i = 0; i < m->nodes; i++)
            c->outer[l][m->outer[l].group[i]] += topomap_node_slots(m, i);
    }
    if (m->kind != TOPOMAP_MACHINE_MATRIX)
        return 0;
    if (!(c->site = topomap_arena_alloc(c->memory, m->sites, sizeof(uint32_t), err)))
        return -1;
    for (uint32_t i = 0; i < m->nodes; i++)
        c->site[m->site_of[i]] += topomap_node_slots(m, i);
    return 0;
}

/* Other places in the groups that hold a slot or a node, by cost; \p before are in none. */
static size_t places_along(const topomap_nesting *level, uint32_t levels, uint32_t *const *held,
                           uint32_t member, uint32_t before, topomap_shell *list)
{
    size_t count = 0;

    for (uint32_t l = 0; l < levels; l++) {
        uint32_t all = held[l][level[l].group[member]];

        if (all > before)
            list[count++] = (topomap_shell){level[l].cost, all - before};
        before = all;
    }
    return count;
}

/* A torus has no way of more hops. */
static uint32_t most_hops(const topomap_machine *m)
{
    uint32_t most = 0;

    for (uint32_t d = 0; d < m->dims; d++)
        most += m->wrap[d] ? m->dim[d] / 2 : m->dim[d] - 1;
    return most;
}

/* Counted by hops, of which there are few. */
static size_t places_by_hops(const topomap_machine *m, uint32_t node, topomap_shell *list)
{
    const uint32_t most = most_hops(m);
    size_t count = 0;

    for (uint32_t h = 0; h <= most; h++)
        list[h] = (topomap_shell){m->base + m->hop_cost * h, 0};
    for (uint32_t other = 0; other < m->nodes; other++)
        if (other != node)
            list[topomap_torus_hops(m, node, other)].slots += topomap_node_slots(m, other);
    for (uint32_t h = 0; h <= most; h++)
        if (list[h].slots > 0)
            list[count++] = list[h];
    return count;
}

static size_t places_by_site(const topomap_machine *m, const census *c, uint32_t node,
                             topomap_shell *list)
{
    const uint32_t own = m->site_of[node];
    const float *cost = m->site_cost + (size_t)own * m->sites;
    size_t count = 0;

    for (uint32_t s = 0; s < m->sites; s++) {
        uint32_t slots = c->site[s] - (s == own ? topomap_node_slots(m, node) : 0);

        if (slots)
            list[count++] = (topomap_shell){(double)cost[s], slots};
    }
    return count;
}

static size_t places_outside(const topomap_machine *m, const census *c, uint32_t node,
                             topomap_shell *list)
{
    switch (m->kind) {
    case TOPOMAP_MACHINE_TORUS:
        return places_by_hops(m, node, list);
    case TOPOMAP_MACHINE_MATRIX:
        return places_by_site(m, c, node, list);
    case TOPOMAP_MACHINE_TREE:
        break;
    }
    return places_along(m->outer, m->outer_levels, c->outer, node, topomap_node_slots(m, node),
                        list);
}

/* One node's closest places: the envelope over its slots inside, then the outside added. */
static int node_profile(const topomap_machine *m, const census *c, uint32_t node,
                        topomap_shell *list, topomap_shells *best, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_shells_clear) topomap_shells inside = {0};
    size_t count;

    for (uint32_t s = m->slot_first[node]; s < m->slot_first[node + 1]; s++) {
        if (s > m->slot_first[node] && m->inner[0].group[s] == m->inner[0].group[s - 1])
            continue;
        count = accumulate(list, places_along(m->inner, m->inner_levels, c->inner, s, 1, list));
        if (merge(&inside, list, count, err))
            return -1;
    }
    for (size_t i = 0; i < inside.count; i++)
        list[i] = (topomap_shell){inside.shell[i].distance,
                                  inside.shell[i].slots - (i ? inside.shell[i - 1].slots : 0)};
    count = inside.count + places_outside(m, c, node, list + inside.count);
    return merge(best, list, accumulate(list, count), err);
}

static int build_profile(const topomap_machine *m, topomap_shells *best, topomap_error *err)
{
    /* Sites of a matrix, hops of a torus. */
    size_t room = (size_t)m->inner_levels + m->outer_levels + m->sites + most_hops(m) + 1;
    TOPOMAP_FREED topomap_shell *list = topomap_alloc(room, sizeof *list, err);
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena memory = {0};
    census c = {.memory = &memory};

    if (!list || census_take(m, &c, err))
        return -1;
    for (uint32_t node = 0; node < m->nodes; node++)
        if (topomap_node_slots(m, node) && node_profile(m, &c, node, list, best, err))
            return -1;
    return 0;
}

static int is_small(const topomap_machine *m)
{
    const uint64_t nodes = m->nodes;

    return (m->kind != TOPOMAP_MACHINE_TORUS || nodes * nodes <= TORUS_PAIRS) &&
           (m->kind != TOPOMAP_MACHINE_MATRIX || nodes * m->sites <= MATRIX_PAIRS);
}

int topomap_bound_lower(const topomap_weights *weights, const topomap_machine *machine,
                        double *bound, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_shells_clear) topomap_shells best = {0};

    if (!is_small(machine))
        return topomap_bound_quick(weights, machine, bound, err);
    if (build_profile(machine, &best, err))
        return -1;
    return topomap_shells_cost(weights, &best, bound, err);
}
