/* SPDX-License-Identifier: BSD-3-Clause */
/* Reverse Cuthill-McKee on both graphs: Hoefler & Snir, ICS 2011, section 3.3. What is i-th in the
 * order of G goes to the i-th place in the order of H, a host of capacity c being c places in a
 * row. Weights and capacities of links play no part.
 *
 * The paper drops vertices without capacity before H is ordered, which on a fat tree leaves no
 * edge: `rcm-literal` is then the identity. `rcm` orders H with its switches, and drops them then.
 * Each part of a disconnected graph is ordered by itself, parts by their lowest vertex. */
#define _GNU_SOURCE /* qsort_r */
#include <stdlib.h>
#include <string.h>

#include "map/problem.h"
#include "map/links/links.h"
#include "util/alloc.h"
#include "util/sorted.h"

typedef struct adjacency {
    uint32_t vertices;
    const uint64_t *first; /* [vertices + 1] */
    const uint32_t *target;
} adjacency;

typedef struct ordering {
    const adjacency *graph;
    uint32_t *order, *level; /* [vertices] level: UINT32_MAX where not reached */
} ordering;

static uint64_t degree(const adjacency *g, uint32_t v)
{
    return g->first[v + 1] - g->first[v];
}

TOPOMAP_COMPARE_BY(by_degree, const adjacency *g, TOPOMAP_ORDER(degree(g, x), degree(g, y)))

/* Breadth first from \p root into order[at..]; what a vertex adds is sorted by degree where
 * \p sorted. \return where the order ends */
static uint32_t walk(ordering *o, uint32_t root, uint32_t at, int sorted)
{
    const adjacency *g = o->graph;
    uint32_t end = at;

    o->order[end++] = root;
    o->level[root] = 0;
    for (uint32_t i = at; i < end; i++) {
        uint32_t u = o->order[i], start = end;

        for (uint64_t e = g->first[u]; e < g->first[u + 1]; e++)
            if (o->level[g->target[e]] == UINT32_MAX) {
                o->level[g->target[e]] = o->level[u] + 1;
                o->order[end++] = g->target[e];
            }
        if (sorted && end - start > 1)
            qsort_r(o->order + start, end - start, sizeof *o->order, by_degree, (void *)g);
    }
    return end;
}

/* A vertex at the rim, by George and Liu: from the least connected of the farthest, again and
 * again while that gets farther. Levels are all UINT32_MAX before and after. */
static uint32_t find_rim(ordering *o, uint32_t root, uint32_t at)
{
    uint32_t depth = 0;

    for (;;) {
        uint32_t end = walk(o, root, at, 0), reached = o->level[o->order[end - 1]];
        uint32_t best = o->order[end - 1];

        for (uint32_t i = end; i-- > at && o->level[o->order[i]] == reached;)
            if (by_degree(&o->order[i], &best, (void *)o->graph) < 0)
                best = o->order[i];
        for (uint32_t i = at; i < end; i++)
            o->level[o->order[i]] = UINT32_MAX;
        if (reached <= depth)
            return root;
        depth = reached;
        root = best;
    }
}

/* \param order  [vertices] */
static int reverse_cuthill_mckee(const adjacency *g, uint32_t *order, topomap_error *err)
{
    ordering o = {.graph = g, .order = order};
    uint32_t at = 0;

    o.level = topomap_alloc(g->vertices, sizeof *o.level, err);
    if (!o.level)
        return -1;
    memset(o.level, 0xff, g->vertices * sizeof *o.level);
    for (uint32_t v = 0; v < g->vertices; v++) {
        uint32_t end;

        if (o.level[v] != UINT32_MAX)
            continue;
        end = walk(&o, find_rim(&o, v, at), at, 1);
        for (uint32_t i = at, j = end - 1; i < j; i++, j--)
            TOPOMAP_SWAP(order[i], order[j]);
        at = end;
    }
    free(o.level);
    return 0;
}

/* H as it is, or with the links between places alone. */
static int order_places(const topomap_hosts *h, int literal, uint32_t *order, topomap_error *err)
{
    const topomap_network *n = h->network;
    TOPOMAP_FREED uint64_t *first = topomap_alloc((size_t)n->vertices + 1, sizeof *first, err);
    TOPOMAP_FREED uint32_t *target = topomap_alloc(n->links, sizeof *target, err);
    adjacency g = {n->vertices, first, target};
    uint64_t at = 0;

    if (!first || !target)
        return -1;
    for (uint32_t v = 0; v < n->vertices; v++) {
        for (uint32_t l = n->first[v]; l < n->first[v + 1]; l++)
            if (!literal || (h->place_of[v] != UINT32_MAX && h->place_of[n->head[l]] != UINT32_MAX))
                target[at++] = n->head[l];
        first[v + 1] = at;
    }
    return reverse_cuthill_mckee(&g, order, err);
}

static void match(const topomap_hosts *h, const uint32_t *units, const uint32_t *vertices,
                  uint32_t *place_of)
{
    uint32_t next = 0;

    for (uint32_t i = 0; i < h->network->vertices; i++) {
        uint32_t place = h->place_of[vertices[i]];

        for (uint32_t k = 0; place != UINT32_MAX && k < h->room[place]; k++)
            place_of[units[next++]] = place;
    }
}

static int map_rcm(const topomap_algorithm_impl *self, topomap_problem *problem, uint32_t *slot_of,
                   topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_hosts_clear) topomap_hosts h = {0};
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena memory = {0};
    uint32_t *units, *vertices, *place_of;
    adjacency g;

    if (topomap_hosts_init(&h, problem, self->row.name, err))
        return -1;
    g = (adjacency){h.units, h.work.offset, h.work.target};
    units = topomap_arena_alloc(&memory, h.units, sizeof *units, err);
    place_of = topomap_arena_alloc(&memory, h.units, sizeof *place_of, err);
    vertices = topomap_arena_alloc(&memory, h.network->vertices, sizeof *vertices, err);
    if (memory.is_short || reverse_cuthill_mckee(&g, units, err) ||
        order_places(&h, self->variant, vertices, err))
        return -1;
    match(&h, units, vertices, place_of);
    return topomap_hosts_place(&h, place_of, slot_of, err);
}

const topomap_algorithm_impl topomap_algorithm_rcm = {
    .row = {"rcm", BY_HOEFLER ", 3.3; switches kept", "construct", FITS_LINKED,
            "reverse Cuthill-McKee on both graphs, the network ordered with its switches"},
    .run_family = map_rcm,
};

const topomap_algorithm_impl topomap_algorithm_rcm_literal = {
    .row = {"rcm-literal", BY_HOEFLER ", 3.3", "construct", FITS_LINKED,
            "the same with switches removed first, as published: the identity on fat trees"},
    .run_family = map_rcm,
    .variant = 1,
};
