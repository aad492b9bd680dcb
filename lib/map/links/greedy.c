/* SPDX-License-Identifier: BSD-3-Clause */
/* Greedy mapping with heterogeneous links: Hoefler & Snir, ICS 2011, Alg. 1, section 3.1. The
 * heaviest edge of what is placed goes next, to the host with room that is closest to the last one
 * filled, under the loads that the edges placed so far have put on the links.
 *
 * Ways are compared by (hops, bytes / capacity so far, sum of 1 / capacity): the pseudocode's equal
 * starting weights, without numbers that overflow, and with the fast one of two idle links first.
 * An edge whose end is placed meanwhile is skipped, and a graph in several parts goes on with the
 * heaviest vertex left: the pseudocode is silent on both. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map/problem.h"
#include "graph/graph.h"
#include "map/links/links.h"
#include "metric/metric.h"
#include "util/alloc.h"
#include "util/keyed.h"

enum { NONE = UINT32_MAX };
static const double search_budget = 2e8; /* links looked at by all congestion estimates together */

typedef struct greedy {
    const topomap_hosts *hosts;
    topomap_arena memory;
    double *load;       /* [links] bytes */
    uint32_t *left;     /* [places] room */
    uint32_t *place_of; /* [units] */
    uint32_t *order;    /* [units] heaviest first */
    topomap_heap heap;  /* of edges from a unit that is placed to one that is to be placed */
    topomap_path_search search;
} greedy;

/* ---- Ways -------------------------------------------------------------------------------- */

/* A place with room; of equally good ones the first. */
static uint32_t place_with_room(const void *data, uint32_t vertex)
{
    const greedy *g = data;
    uint32_t place = g->hosts->place_of[vertex];

    return place != NONE && g->left[place] > 0 ? place : NONE;
}

/* Best ways from a vertex as far as the vertex \p to, or (NONE) to the best place with room.
 * \return the vertex found, NONE where there is none */
static uint32_t search(greedy *g, uint32_t from, uint32_t to)
{
    topomap_path_goal goal = {to, place_with_room, g};

    return topomap_path_find(&g->search, g->load, from, &goal);
}

static uint32_t first_with_room(const greedy *g)
{
    uint32_t place = 0;

    while (g->left[place] == 0)
        place++;
    return place;
}

/* ---- One run ----------------------------------------------------------------------------- */

static int put(greedy *g, uint32_t unit, uint32_t place, topomap_error *err)
{
    const topomap_weights *w = &g->hosts->work;

    g->place_of[unit] = place;
    g->left[place]--;
    for (uint64_t e = w->offset[unit]; e < w->offset[unit + 1]; e++)
        if (g->place_of[w->target[e]] == NONE &&
            topomap_heap_push(&g->heap, (topomap_keyed){-(int64_t)w->weight[e], unit, w->target[e]},
                              err))
            return -1;
    return 0;
}

/* Traffic is both ways; w is of both directions together, each gets half. */
static void load_way(greedy *g, const topomap_keyed *e)
{
    const topomap_hosts *h = g->hosts;
    uint32_t from = h->vertex[g->place_of[e->a]], to = h->vertex[g->place_of[e->b]];
    double half = -(double)e->key / 2;

    if (from == to || search(g, from, to) == NONE)
        return;
    for (uint32_t v = to; v != from; v = g->search.tail[v]) {
        g->load[g->search.cost[v].link] += half;
        g->load[topomap_network_link(h->network, v, g->search.tail[v])] += half;
    }
}

static int run(greedy *g, uint32_t start, topomap_error *err)
{
    const topomap_hosts *h = g->hosts;
    uint32_t s = start, next = 0;

    memset(g->load, 0, h->network->links * sizeof *g->load);
    memset(g->place_of, 0xff, h->units * sizeof *g->place_of);
    memcpy(g->left, h->room, h->places * sizeof *g->left);
    g->heap.count = 0;
    for (uint32_t placed = 0; placed < h->units; placed++) {
        topomap_keyed e = {0, NONE, NONE};

        while (g->heap.count && (e.b == NONE || g->place_of[e.b] != NONE))
            e = topomap_heap_pop(&g->heap);
        if (e.b == NONE || g->place_of[e.b] != NONE) {
            while (g->place_of[g->order[next]] != NONE)
                next++;
            e = (topomap_keyed){0, NONE, g->order[next]};
        }
        if (g->left[s] == 0) { /* from where it is, not from the neighbour's host */
            uint32_t found = search(g, h->vertex[s], NONE);

            s = found == NONE ? first_with_room(g) : h->place_of[found];
        }
        if (put(g, e.b, s, err))
            return -1;
        if (e.a != NONE)
            load_way(g, &e);
    }
    return 0;
}

/* ---- Several starts ---------------------------------------------------------------------- */

static int sort_units(greedy *g, topomap_error *err)
{
    const topomap_weights *w = &g->hosts->work;
    TOPOMAP_FREED topomap_keyed *unit = topomap_alloc(g->hosts->units, sizeof *unit, err);

    if (!unit)
        return -1;
    for (uint32_t u = 0; u < g->hosts->units; u++) {
        double weight = 0;

        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
            weight += (double)w->weight[e];
        unit[u] = (topomap_keyed){.key = -(int64_t)fmin(weight, 0x1p62), .a = u};
    }
    qsort(unit, g->hosts->units, sizeof *unit, topomap_keyed_order);
    for (uint32_t u = 0; u < g->hosts->units; u++)
        g->order[u] = unit[u].a;
    return 0;
}

/* How many starts the time for their estimates allows. */
static uint32_t count_starts(const topomap_hosts *h)
{
    static const uint32_t wanted[] = {1, 4, 16};
    const topomap_problem *p = h->problem;
    double each = (double)p->graph->offset[p->graph->ranks] * h->network->links;
    uint32_t starts = wanted[p->effort];

    if (each * starts > search_budget)
        starts = each * 2 > search_budget ? 1 : (uint32_t)(search_budget / each);
    return starts < h->places ? starts : h->places;
}

static int try_starts(greedy *g, uint32_t *slot_of, topomap_error *err)
{
    const topomap_hosts *h = g->hosts;
    topomap_problem *p = h->problem;
    uint32_t starts = count_starts(h), start = 0;
    TOPOMAP_FREED uint32_t *trial = topomap_alloc(p->machine->slots, sizeof *trial, err);
    topomap_random random = {p->seed};
    double best = INFINITY;

    if (!trial)
        return -1;
    for (uint32_t i = 0; i < starts; i++) {
        topomap_congestion congestion = {.max = 0};

        if (i > 0 && topomap_problem_late(p))
            break;
        if (run(g, start, err) || topomap_hosts_place(h, g->place_of, trial, err))
            return -1;
        /* A network in parts has no congestion between them: then the first start stays. */
        if (starts > 1 &&
            topomap_congestion_evaluate(p->graph, p->machine, trial, "fast", &congestion, NULL))
            congestion.max = i ? INFINITY : 0;
        if (congestion.max < best) {
            best = congestion.max;
            memcpy(slot_of, trial, p->machine->slots * sizeof *trial);
        }
        start = topomap_random_below(&random, h->places);
    }
    return 0;
}

static int allocate(greedy *g, topomap_error *err)
{
    const topomap_hosts *h = g->hosts;

    g->load = topomap_arena_alloc(&g->memory, h->network->links, sizeof *g->load, err);
    g->left = topomap_arena_alloc(&g->memory, h->places, sizeof *g->left, err);
    g->place_of = topomap_arena_alloc(&g->memory, h->units, sizeof *g->place_of, err);
    g->order = topomap_arena_alloc(&g->memory, h->units, sizeof *g->order, err);
    if (g->memory.is_short)
        return -1;
    return topomap_path_init(&g->search, h->network, topomap_path_faster, err);
}

static int map_greedy(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_hosts_clear) topomap_hosts hosts = {0};
    greedy g = {.hosts = &hosts};
    int status = topomap_hosts_init(&hosts, problem, "greedy", err) || allocate(&g, err) ||
                 sort_units(&g, err) || try_starts(&g, slot_of, err);

    topomap_arena_clear(&g.memory);
    free(g.heap.at);
    topomap_path_clear(&g.search);
    return status ? -1 : 0;
}

const topomap_algorithm_impl topomap_algorithm_greedy = {
    .row = {"greedy", BY_HOEFLER ", Alg. 1, 3.1", "construct", FITS_LINKED,
            "heaviest edge next, to the closest host under the loads so far; the best of several "
            "starts"},
    .run = map_greedy,
};
