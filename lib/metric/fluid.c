/* SPDX-License-Identifier: BSD-3-Clause */
#include "metric/fluid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metric/congestion.h"
#include "util/arena.h"
#include "util/keyed.h"

#define ROUNDING 1e-9

enum { EVENTS = 8 }; /* a budget for fewer ends of flows is not worth beginning */

typedef struct flows {
    const topomap_network *network;
    topomap_arena arena;
    uint32_t count;
    uint64_t *first; /* [count + 1] the links of flow i: link[first[i] .. first[i + 1]) */
    uint32_t *link;
    size_t links, link_room;
    double *left, *speed; /* [count] bytes that are left of it; bytes a second now */
    uint8_t *is_fixed;    /* [count] its speed is known, or it has ended */
    uint64_t *on_first;   /* [network links + 1] the flows over a link */
    uint32_t *on;
    double *room;     /* [network links] bytes a second that no flow has */
    uint32_t *shares; /* [network links] flows over it whose speed is not known */
    topomap_heap heap;
    uint64_t looked, budget;
} flows;

static void flows_clear(flows *f)
{
    topomap_arena_clear(&f->arena);
    free(f->link);
    free(f->heap.at);
}

/* ---- Routes -------------------------------------------------------------------------------- */

static int add_route(flows *f, const topomap_traffic *t, uint32_t u, uint32_t v, topomap_error *err)
{
    const topomap_network *n = f->network;

    for (uint32_t at = t->vertex_of[u], steps = 0; at != t->vertex_of[v]; steps++) {
        uint32_t link = topomap_network_next(n, at, t->node_of[v]);

        if (link == UINT32_MAX || steps == n->vertices)
            return topomap_congestion_unreachable(t, t->vertex_of[u], t->vertex_of[v], err);
        if (topomap_grow(&f->link, &f->link_room, f->links + 1, sizeof *f->link, err))
            return -1;
        f->link[f->links++] = link;
        at = n->head[link];
    }
    f->first[++f->count] = f->links;
    return 0;
}

static int list_flows(flows *f, const topomap_traffic *t, topomap_error *err)
{
    const topomap_graph *g = t->graph;

    f->first = topomap_arena_alloc(&f->arena, (size_t)g->arcs + 1, sizeof *f->first, err);
    f->left = topomap_arena_alloc(&f->arena, (size_t)g->arcs, sizeof *f->left, err);
    if (f->arena.is_short)
        return -1;
    for (uint32_t u = 0; u < g->ranks; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            uint32_t v = g->target[e];

            if (!g->bytes[e] || t->vertex_of[u] == t->vertex_of[v])
                continue;
            f->left[f->count] = (double)g->bytes[e];
            if (add_route(f, t, u, v, err))
                return -1;
        }
    return 0;
}

static int list_links(flows *f, topomap_error *err)
{
    uint32_t links = f->network->links;
    uint64_t *at;

    f->speed = topomap_arena_alloc(&f->arena, f->count, sizeof *f->speed, err);
    f->is_fixed = topomap_arena_alloc(&f->arena, f->count, 1, err);
    f->on_first = topomap_arena_alloc(&f->arena, (size_t)links + 2, sizeof *f->on_first, err);
    f->on = topomap_arena_alloc(&f->arena, f->links, sizeof *f->on, err);
    f->room = topomap_arena_alloc(&f->arena, links, sizeof *f->room, err);
    f->shares = topomap_arena_alloc(&f->arena, links, sizeof *f->shares, err);
    if (f->arena.is_short)
        return -1;
    at = f->on_first + 1;
    for (size_t i = 0; i < f->links; i++)
        at[f->link[i] + 1]++;
    for (uint32_t link = 0; link < links; link++)
        at[link + 1] += at[link];
    for (uint32_t i = 0; i < f->count; i++)
        for (uint64_t k = f->first[i]; k < f->first[i + 1]; k++)
            f->on[at[f->link[k]]++] = i;
    return 0;
}

/* ---- Speeds -------------------------------------------------------------------------------- */

static double share_of(const flows *f, uint32_t link)
{
    return f->room[link] > 0 ? f->room[link] / f->shares[link] : 0;
}

/* Numbers that are not negative are in the order of their bits. */
static int offer(flows *f, uint32_t link, topomap_error *err)
{
    double share = share_of(f, link);
    topomap_keyed one = {.a = link};

    memcpy(&one.key, &share, sizeof share);
    return topomap_heap_push(&f->heap, one, err);
}

/* Gives all flows over the fullest link its share; the other links have the rest for fewer. */
static void fill_link(flows *f, uint32_t full, double share)
{
    for (uint64_t k = f->on_first[full]; k < f->on_first[full + 1]; k++) {
        uint32_t i = f->on[k];

        if (f->is_fixed[i])
            continue;
        f->is_fixed[i] = 1;
        f->speed[i] = share;
        for (uint64_t j = f->first[i]; j < f->first[i + 1]; j++) {
            f->room[f->link[j]] -= share;
            f->shares[f->link[j]]--;
        }
        f->looked += f->first[i + 1] - f->first[i];
    }
    f->looked += f->on_first[full + 1] - f->on_first[full];
}

static int open_links(flows *f, double rate, topomap_error *err)
{
    const topomap_network *n = f->network;

    f->heap.count = 0;
    f->looked += f->links;
    for (uint32_t link = 0; link < n->links; link++) {
        f->room[link] = n->capacity[link] * rate;
        f->shares[link] = 0;
        for (uint64_t k = f->on_first[link]; k < f->on_first[link + 1]; k++)
            f->shares[link] += !f->is_fixed[f->on[k]];
        if (f->shares[link] && offer(f, link, err))
            return -1;
    }
    return 0;
}

/* A link's share only grows while flows of others are fixed: one that comes too soon goes back. */
static int set_speeds(flows *f, double rate, topomap_error *err)
{
    if (open_links(f, rate, err))
        return -1;
    while (f->heap.count && f->looked <= f->budget) {
        topomap_keyed top = topomap_heap_pop(&f->heap);
        double share, now;

        if (!f->shares[top.a])
            continue;
        memcpy(&share, &top.key, sizeof share);
        now = share_of(f, top.a);
        if (now <= share * (1 + ROUNDING))
            fill_link(f, top.a, now);
        else if (offer(f, top.a, err))
            return -1;
    }
    return f->looked > f->budget;
}

/* ---- Time ---------------------------------------------------------------------------------- */

/* Until the next ends, and what else ends then. \return how many are still under way */
static uint32_t advance(flows *f, double *seconds)
{
    double step = INFINITY;
    uint32_t under_way = 0;

    for (uint32_t i = 0; i < f->count; i++)
        if (f->left[i] > 0 && f->left[i] < step * f->speed[i])
            step = f->left[i] / f->speed[i];
    for (uint32_t i = 0; i < f->count; i++) {
        if (f->left[i] <= step * f->speed[i] * (1 + TOPOMAP_FLUID_PART))
            f->left[i] = 0;
        else
            f->left[i] -= step * f->speed[i];
        f->is_fixed[i] = f->left[i] == 0;
        f->speed[i] = 0;
        under_way += f->left[i] > 0;
    }
    *seconds += step;
    return under_way;
}

int topomap_fluid(const topomap_traffic *traffic, double rate, uint64_t budget, double *seconds,
                  topomap_error *err)
{
    flows f = {.network = traffic->network, .budget = budget};
    int status = list_flows(&f, traffic, err) || list_links(&f, err) ? -1 : 0;

    *seconds = 0;
    if (status == 0 && f.links > budget / EVENTS)
        status = 1;
    for (uint32_t under_way = f.count; status == 0 && under_way;) {
        status = set_speeds(&f, rate, err);
        if (status == 0)
            under_way = advance(&f, seconds);
    }
    flows_clear(&f);
    return status;
}
