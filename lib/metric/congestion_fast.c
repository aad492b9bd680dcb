/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "metric/congestion.h"
#include "util/alloc.h"

struct arc {
    uint64_t bytes;
    uint32_t from, to; /* ranks */
};

struct search {
    const topomap_network *network;
    uint32_t epoch, *seen;                   /* [vertices] seen in this epoch */
    uint32_t *distance, *via, *tail, *order; /* [vertices] */
    double *cost; /* [vertices] sum of bytes / capacity along the best path */
};

static int heaviest_first(const void *a, const void *b)
{
    const struct arc *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static struct arc *sort_arcs(const topomap_traffic *t, size_t *count, topomap_error *err)
{
    const topomap_graph *g = t->graph;
    struct arc *arc = topomap_alloc(g->arcs, sizeof *arc, err);

    *count = 0;
    for (uint32_t u = 0; arc && u < g->ranks; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++)
            if (g->bytes[e] && t->vertex_of[u] != t->vertex_of[g->target[e]])
                arc[(*count)++] = (struct arc){g->bytes[e], u, g->target[e]};
    if (arc && *count)
        qsort(arc, *count, sizeof *arc, heaviest_first);
    return arc;
}

/* Takes the link u->v where it makes the cheapest shortest path to v so far. */
static void relax(struct search *s, const double *load, uint32_t u, uint32_t link, uint32_t *found)
{
    uint32_t v = s->network->head[link];
    double cost = s->cost[u] + load[link] / s->network->capacity[link];

    if (s->seen[v] != s->epoch) {
        s->seen[v] = s->epoch;
        s->distance[v] = s->distance[u] + 1;
        s->order[(*found)++] = v;
    } else if (s->distance[v] != s->distance[u] + 1 ||
               !(cost < s->cost[v] || (!(s->cost[v] < cost) && link < s->via[v]))) {
        return;
    }
    s->cost[v] = cost;
    s->via[v] = link;
    s->tail[v] = u;
}

/* Breadth first, until all vertices before the target's step are done: then its best path is known.
 * \return 0 where there is no path */
static int find_path(struct search *s, const double *load, uint32_t from, uint32_t to)
{
    const topomap_network *n = s->network;
    uint32_t found = 1;

    s->epoch++;
    s->seen[from] = s->epoch;
    s->distance[from] = 0;
    s->cost[from] = 0.0;
    s->order[0] = from;
    for (uint32_t i = 0; i < found; i++) {
        uint32_t u = s->order[i];

        if (s->seen[to] == s->epoch && s->distance[u] >= s->distance[to])
            break;
        for (uint32_t link = n->first[u]; link < n->first[u + 1]; link++)
            relax(s, load, u, link, &found);
    }
    return s->seen[to] == s->epoch;
}

static int route_all(const topomap_traffic *t, struct search *s, const struct arc *arc, size_t arcs,
                     double *load, topomap_error *err)
{
    for (size_t i = 0; i < arcs; i++) {
        uint32_t from = t->vertex_of[arc[i].from], to = t->vertex_of[arc[i].to];

        if (!find_path(s, load, from, to))
            return topomap_congestion_unreachable(t, from, to, err);
        for (uint32_t v = to; v != from; v = s->tail[v])
            load[s->via[v]] += (double)arc[i].bytes;
    }
    return 0;
}

int topomap_congestion_fast(const topomap_traffic *t, double *load, topomap_error *err)
{
    size_t vertices = t->network->vertices, arcs;
    struct search s = {.network = t->network};
    struct arc *arc = sort_arcs(t, &arcs, err);
    int status = -1;

    s.seen = topomap_alloc(vertices * 5, sizeof *s.seen, err);
    s.cost = topomap_alloc(vertices, sizeof *s.cost, err);
    if (arc && s.seen && s.cost) {
        s.distance = s.seen + vertices;
        s.via = s.distance + vertices;
        s.tail = s.via + vertices;
        s.order = s.tail + vertices;
        status = arcs < UINT32_MAX ? route_all(t, &s, arc, arcs, load, err)
                                   : topomap_error_set(err, TOPOMAP_EINPUT, "%zu arcs", arcs);
    }
    free(arc);
    free(s.seen);
    free(s.cost);
    return status;
}
