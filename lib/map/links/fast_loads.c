/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/links/links.h"

#include <math.h>
#include <stdlib.h>

#include "util/alloc.h"
#include "util/sorted.h"

TOPOMAP_COMPARE(heaviest_first, topomap_fast_path, TOPOMAP_ORDER(y->bytes, x->bytes),
                TOPOMAP_ORDER(x->from, y->from) ?: TOPOMAP_ORDER(x->to, y->to))

static int list_paths(topomap_fast_loads *l, const topomap_graph *g, topomap_error *err)
{
    if (g->arcs >= UINT32_MAX / 2)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%llu arcs", (unsigned long long)g->arcs);
    l->path = topomap_arena_alloc(&l->memory, g->arcs, sizeof *l->path, err);
    l->first = topomap_arena_alloc(&l->memory, (size_t)l->vertices + 2, sizeof *l->first, err);
    l->of = topomap_arena_alloc(&l->memory, (size_t)g->arcs * 2, sizeof *l->of, err);
    l->moved = topomap_arena_alloc(&l->memory, g->arcs, sizeof *l->moved, err);
    l->old = topomap_arena_alloc(&l->memory, g->arcs, sizeof *l->old, err);
    if (l->memory.is_short)
        return -1;
    for (uint32_t u = 0; u < g->ranks; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++)
            if (g->bytes[e])
                l->path[l->paths++] = (topomap_fast_path){
                    .from = u, .to = g->target[e], .bytes = (double)g->bytes[e]};
    TOPOMAP_SORT(l->path, l->paths, heaviest_first);
    for (uint32_t i = 0; i < l->paths; i++) {
        l->first[l->path[i].from + 2]++;
        l->first[l->path[i].to + 2]++;
    }
    for (uint32_t v = 0; v < l->vertices; v++)
        l->first[v + 2] += l->first[v + 1];
    for (uint32_t i = 0; i < l->paths; i++) {
        l->of[l->first[l->path[i].from + 1]++] = i;
        l->of[l->first[l->path[i].to + 1]++] = i;
    }
    return 0;
}

static void add(topomap_fast_loads *l, const topomap_fast_path *p, double sign)
{
    l->lost = p->is_lost ? sign > 0 ? l->lost + 1 : l->lost - 1 : l->lost;
    for (uint32_t i = 0; i < p->links; i++) {
        uint32_t link = p->link[i];

        l->bytes[link] += sign * p->bytes;
        l->bytes[link] = l->bytes[link] > 0 ? l->bytes[link] : 0;
        l->sum += sign * p->bytes / l->network->capacity[link];
        topomap_maxima_set(&l->load, link, l->bytes[link] / l->network->capacity[link]);
    }
}

/* Finds the path of an edge under the present loads, and loads it. */
static int route(topomap_fast_loads *l, topomap_fast_path *p)
{
    uint32_t from = l->at[p->from], to = l->at[p->to], found;

    p->links = 0;
    p->is_lost = 0;
    if (from == to)
        return 0;
    found = topomap_path_find(&l->search, l->bytes, from, &(topomap_path_goal){.to = to});
    p->is_lost = found != to;
    if (p->is_lost) {
        l->lost++;
        return 0;
    }
    if (l->search.hops[to] > p->room) {
        uint32_t *link = realloc(p->link, l->search.hops[to] * sizeof *link);

        if (!link)
            return -1;
        p->link = link;
        p->room = l->search.hops[to];
    }
    for (uint32_t v = to; v != from; v = l->search.tail[v])
        p->link[p->links++] = l->search.cost[v].link;
    add(l, p, 1);
    return 0;
}

int topomap_fast_loads_init(topomap_fast_loads *l, const topomap_graph *graph,
                            const topomap_network *network, uint32_t vertices, const uint32_t *at,
                            topomap_error *err)
{
    int status;

    *l = (topomap_fast_loads){.network = network, .vertices = vertices};
    status = topomap_path_init(&l->search, network, topomap_path_lower_link, err);
    l->at = topomap_arena_alloc(&l->memory, vertices, sizeof *l->at, err);
    l->bytes = topomap_arena_alloc(&l->memory, network->links, sizeof *l->bytes, err);
    if (topomap_maxima_init(&l->load, network->links, err) || status || list_paths(l, graph, err))
        return -1;
    for (uint32_t v = 0; v < vertices; v++)
        l->at[v] = at[v];
    for (uint32_t i = 0; i < l->paths; i++)
        if (route(l, &l->path[i]))
            return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    return 0;
}

void topomap_fast_loads_clear(topomap_fast_loads *l)
{
    for (uint32_t i = 0; l->path && l->old && i < l->paths; i++) {
        free(l->path[i].link);
        free(l->old[i].link);
    }
    topomap_path_clear(&l->search);
    topomap_maxima_clear(&l->load);
    topomap_arena_clear(&l->memory);
    *l = (topomap_fast_loads){0};
}

double topomap_fast_loads_max(const topomap_fast_loads *l)
{
    return l->lost ? INFINITY : topomap_maxima_max(&l->load);
}

/* The paths from and to either one, heaviest first, each once: two ascending lists merged. */
static void list_moved(topomap_fast_loads *l)
{
    uint64_t i = l->first[l->u], j = l->first[l->x];
    uint64_t last = l->first[l->u + 1], end = l->first[l->x + 1];

    l->moves = 0;
    while (i < last || j < end) {
        uint32_t a = i < last ? l->of[i] : UINT32_MAX, b = j < end ? l->of[j] : UINT32_MAX;

        l->moved[l->moves++] = a < b ? a : b;
        i += a <= b;
        j += b <= a;
    }
}

int topomap_fast_loads_swap(topomap_fast_loads *l, uint32_t u, uint32_t x)
{
    int status = 0;

    l->u = u;
    l->x = x;
    list_moved(l);
    for (uint32_t i = 0; i < l->moves; i++) {
        topomap_fast_path *p = &l->path[l->moved[i]], spare = l->old[i];

        add(l, p, -1);
        l->old[i] = *p;
        p->link = spare.link; /* the memory of one that is no longer needed */
        p->room = spare.room;
        p->links = 0;
        p->is_lost = 0;
    }
    TOPOMAP_SWAP(l->at[l->u], l->at[l->x]);
    for (uint32_t i = 0; status == 0 && i < l->moves; i++)
        status = route(l, &l->path[l->moved[i]]);
    return status;
}

void topomap_fast_loads_undo(topomap_fast_loads *l)
{
    TOPOMAP_SWAP(l->at[l->u], l->at[l->x]);
    for (uint32_t i = 0; i < l->moves; i++)
        add(l, &l->path[l->moved[i]], -1);
    for (uint32_t i = 0; i < l->moves; i++) {
        topomap_fast_path *p = &l->path[l->moved[i]], spare = *p;

        *p = l->old[i];
        l->old[i] = (topomap_fast_path){.link = spare.link, .room = spare.room};
        add(l, p, 1);
    }
    l->moves = 0;
}
