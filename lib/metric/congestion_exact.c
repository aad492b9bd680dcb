/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "graph/graph.h"
#include "machine/machine.h"
#include "metric/metric.h"
#include "util/alloc.h"
#include "util/sorted.h"

/* For one sending vertex s: paths(v) is the number of shortest paths s..v. With wanted(v) the bytes
 * that s sends to v, the bytes for one path that ends at v or goes on from there are
 *     through(v) = wanted(v) / paths(v) + sum over links v->w one step farther: cables * through(w)
 * and the link u->v carries paths(u) * cables * through(v). (Brandes's accumulation, with equal
 * shares for paths instead of 1 for each pair.) */
struct search {
    const topomap_network *network;
    uint32_t *distance;               /* [vertices] UINT32_MAX: not seen */
    uint32_t *order;                  /* [vertices] as they were found */
    double *paths, *wanted, *through; /* [vertices] */
    uint32_t found;
};

static void gather(struct search *s, double *load)
{
    const topomap_network *n = s->network;

    for (uint32_t i = s->found; i-- > 0;) {
        uint32_t u = s->order[i];

        s->through[u] = s->wanted[u] / s->paths[u];
        for (uint32_t link = n->first[u]; link < n->first[u + 1]; link++) {
            uint32_t v = n->head[link];

            if (s->distance[v] != s->distance[u] + 1 || s->through[v] == 0.0)
                continue;
            load[link] += s->paths[u] * n->cables[link] * s->through[v];
            s->through[u] += n->cables[link] * s->through[v];
        }
    }
}

/* Ranks in the order of their vertices. */
static int sort_ranks(const topomap_traffic *t, uint32_t **sorted, topomap_error *err)
{
    uint32_t vertices = t->network->vertices, ranks = t->graph->ranks;
    TOPOMAP_FREED uint32_t *first = topomap_alloc((size_t)vertices + 2, sizeof *first, err);

    *sorted = topomap_alloc(ranks, sizeof **sorted, err);
    if (!first || !*sorted)
        return -1;
    topomap_list_groups(t->vertex_of, ranks, vertices, first, *sorted);
    return 0;
}

/* The bytes that the ranks sorted[*at..] of one vertex send to others, in wanted, which was all 0;
 * *at moves past them. */
static int collect(const topomap_traffic *t, const uint32_t *sorted, uint32_t *at, double *wanted)
{
    const topomap_graph *g = t->graph;
    uint32_t from = t->vertex_of[sorted[*at]];
    int any = 0;

    for (; *at < g->ranks && t->vertex_of[sorted[*at]] == from; ++*at)
        for (uint64_t e = g->offset[sorted[*at]]; e < g->offset[sorted[*at] + 1]; e++) {
            uint32_t to = t->vertex_of[g->target[e]];

            if (to == from || !g->bytes[e])
                continue;
            wanted[to] += (double)g->bytes[e];
            any = 1;
        }
    return any;
}

static int check_reached(const topomap_traffic *t, const struct search *s, uint32_t from,
                         topomap_error *err)
{
    if (s->found == t->network->vertices)
        return 0;
    for (uint32_t v = 0; v < t->network->vertices; v++)
        if (s->wanted[v] > 0.0 && s->distance[v] == UINT32_MAX)
            return topomap_traffic_unreachable(t, from, v, err);
    return 0;
}

/* ---- On a grid ---------------------------------------------------------------------------- */

/* The arcs of the ranks sorted[begin..end), which are on one vertex. */
struct sender {
    const topomap_traffic *traffic;
    const uint32_t *sorted;
    uint32_t begin, end, from;
};

/* Whether the boxes to those it sends to have fewer links than the grid. */
static int is_near(const struct sender *s, const topomap_shares *ways)
{
    const topomap_traffic *t = s->traffic;
    uint64_t links = 0;

    for (uint32_t i = s->begin; i < s->end; i++)
        for (uint64_t e = t->graph->offset[s->sorted[i]]; e < t->graph->offset[s->sorted[i] + 1];
             e++) {
            links += topomap_shares_estimate(ways, s->from, t->vertex_of[t->graph->target[e]]);
            if (links > t->network->links)
                return 0;
        }
    return 1;
}

static int add_ways(const struct sender *s, topomap_shares *ways, double *wanted, double *load,
                    topomap_error *err)
{
    const topomap_traffic *t = s->traffic;

    for (uint32_t i = s->begin; i < s->end; i++)
        for (uint64_t e = t->graph->offset[s->sorted[i]]; e < t->graph->offset[s->sorted[i] + 1];
             e++) {
            uint32_t to = t->vertex_of[t->graph->target[e]];
            topomap_way way;

            if (!(wanted[to] > 0))
                continue;
            if (topomap_shares_find(ways, s->from, to, &way))
                return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
            for (uint32_t k = 0; k < way.links; k++)
                load[way.link[k]] += wanted[to] * way.part[k];
            wanted[to] = 0;
        }
    return 0;
}

static void free_shares(topomap_shares **shares)
{
    topomap_shares_free(*shares);
}

int topomap_congestion_exact(const topomap_traffic *t, double *load, topomap_error *err)
{
    size_t vertices = t->network->vertices;
    struct search s = {.network = t->network};
    TOPOMAP_CLEANUP(free_shares) topomap_shares *ways = NULL;
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena memory = {0};
    TOPOMAP_FREED uint32_t *sorted = NULL;

    if (sort_ranks(t, &sorted, err) ||
        (!t->machine->network &&
         topomap_shares_new(t->machine, t->network, "exact", 1, &ways, err)))
        return -1;
    s.distance = topomap_arena_alloc(&memory, vertices, sizeof *s.distance, err);
    s.order = topomap_arena_alloc(&memory, vertices, sizeof *s.order, err);
    s.paths = topomap_arena_alloc(&memory, vertices * 3, sizeof *s.paths, err);
    if (memory.is_short)
        return -1;
    s.wanted = s.paths + vertices;
    s.through = s.wanted + vertices;
    topomap_watch_stage(t->watch, "loads of links", "ranks", t->graph->ranks);
    for (uint32_t at = 0; at < t->graph->ranks;) {
        topomap_watch_at(t->watch, at);
        uint32_t from = t->vertex_of[sorted[at]];
        struct sender sender = {t, sorted, at, at, from};

        if (!collect(t, sorted, &at, s.wanted))
            continue;
        sender.end = at;
        if (ways && is_near(&sender, ways)) {
            if (add_ways(&sender, ways, s.wanted, load, err))
                return -1;
            continue;
        }
        s.found = topomap_paths_count(t->network, from, s.distance, s.paths, s.order);
        if (check_reached(t, &s, from, err))
            return -1;
        gather(&s, load);
        memset(s.wanted, 0, vertices * sizeof *s.wanted);
    }
    return 0;
}
