/* SPDX-License-Identifier: BSD-3-Clause */
#include "metric/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDING 1e-9

int topomap_flows_open(topomap_flows *f, const topomap_network *network, double rate, uint64_t most,
                       uint64_t budget, topomap_error *err)
{
    *f = (topomap_flows){.network = network, .rate = rate, .budget = budget};
    f->first = topomap_arena_alloc(&f->arena, (size_t)most + 1, sizeof *f->first, err);
    f->left = topomap_arena_alloc(&f->arena, (size_t)most, sizeof *f->left, err);
    return f->arena.is_short ? -1 : 0;
}

void topomap_flows_clear(topomap_flows *f)
{
    topomap_arena_clear(&f->arena);
    free(f->link);
    free(f->heap.at);
}

int topomap_flows_add(topomap_flows *f, const topomap_traffic *t, uint32_t u, uint32_t v,
                      uint64_t bytes, topomap_error *err)
{
    const topomap_network *n = f->network;

    for (uint32_t at = t->vertex_of[u], steps = 0; at != t->vertex_of[v]; steps++) {
        uint32_t link = topomap_network_next(n, at, t->node_of[v]);

        if (link == UINT32_MAX || steps == n->vertices)
            return topomap_traffic_unreachable(t, t->vertex_of[u], t->vertex_of[v], err);
        if (TOPOMAP_APPEND(f->link, f->links, f->link_room, err, link))
            return -1;
        at = n->head[link];
    }
    f->left[f->count] = (double)bytes;
    f->first[++f->count] = f->links;
    return 0;
}

int topomap_flows_ready(topomap_flows *f, topomap_error *err)
{
    uint32_t links = f->network->links;

    f->speed = topomap_arena_alloc(&f->arena, f->count, sizeof *f->speed, err);
    f->is_fixed = topomap_arena_alloc(&f->arena, f->count, 1, err);
    f->under_way = topomap_arena_alloc(&f->arena, f->count, sizeof *f->under_way, err);
    f->on = topomap_arena_alloc(&f->arena, f->links, sizeof *f->on, err);
    f->shared = topomap_arena_alloc(&f->arena, links, sizeof *f->shared, err);
    f->on_first = topomap_arena_alloc(&f->arena, links, sizeof *f->on_first, err);
    f->on_end = topomap_arena_alloc(&f->arena, links, sizeof *f->on_end, err);
    f->over = topomap_arena_alloc(&f->arena, links, sizeof *f->over, err);
    if (f->arena.is_short)
        return -1;
    if (f->count)
        memset(f->is_fixed, 1, f->count);
    return 0;
}

void topomap_flows_begin(topomap_flows *f, uint32_t flow)
{
    f->under_way[f->flows++] = flow;
    f->has_begun = 1;
}

/* ---- Speeds -------------------------------------------------------------------------------- */

static double share_of(const topomap_flows *f, uint32_t link)
{
    return f->over[link].room > 0 ? f->over[link].room / f->over[link].shares : 0;
}

static int offer(topomap_flows *f, uint32_t link, topomap_error *err)
{
    topomap_keyed one = {.key = topomap_keyed_number(share_of(f, link)), .a = link};

    return topomap_heap_push(&f->heap, one, err);
}

/* The links of what is under way, and how many are over each. */
static void count_links(topomap_flows *f)
{
    for (uint32_t i = 0; i < f->shared_links; i++)
        f->over[f->shared[i]].now = 0;
    f->shared_links = 0;
    for (uint32_t i = 0; i < f->flows; i++) {
        uint32_t flow = f->under_way[i];

        for (uint64_t k = f->first[flow]; k < f->first[flow + 1]; k++)
            if (f->over[f->link[k]].now++ == 0)
                f->shared[f->shared_links++] = f->link[k];
    }
}

static void list_links(topomap_flows *f)
{
    uint64_t at = 0;

    count_links(f);
    for (uint32_t i = 0; i < f->shared_links; i++) {
        uint32_t link = f->shared[i];

        f->on_first[link] = f->on_end[link] = at;
        at += f->over[link].now;
    }
    for (uint32_t i = 0; i < f->flows; i++)
        for (uint64_t k = f->first[f->under_way[i]]; k < f->first[f->under_way[i] + 1]; k++)
            f->on[f->on_end[f->link[k]]++] = f->under_way[i];
    f->listed = f->flows;
    f->has_begun = 0;
}

static int open_links(topomap_flows *f, topomap_error *err)
{
    f->heap.count = 0;
    if (f->has_begun || f->flows < f->listed / 2)
        list_links(f);
    for (uint32_t i = 0; i < f->flows; i++) {
        uint32_t flow = f->under_way[i];

        f->is_fixed[flow] = 0;
        f->looked += f->first[flow + 1] - f->first[flow];
    }
    for (uint32_t i = 0; i < f->shared_links; i++) {
        uint32_t link = f->shared[i];
        struct topomap_link_flows *over = &f->over[link];

        over->room = f->network->capacity[link] * f->rate;
        over->shares = over->now;
        if (over->now && offer(f, link, err))
            return -1;
    }
    return 0;
}

/* Gives all flows over the fullest link its share; the other links have the rest for fewer. */
static void fill_link(topomap_flows *f, uint32_t full, double share)
{
    for (uint64_t k = f->on_first[full]; k < f->on_end[full]; k++) {
        uint32_t i = f->on[k];

        if (f->is_fixed[i])
            continue;
        f->is_fixed[i] = 1;
        f->speed[i] = share;
        for (uint64_t j = f->first[i]; j < f->first[i + 1]; j++) {
            struct topomap_link_flows *over = &f->over[f->link[j]];

            over->room -= share;
            over->shares--;
        }
        f->looked += f->first[i + 1] - f->first[i];
    }
    f->looked += f->over[full].now;
}

/* A link's share only grows while flows of others are fixed: one that comes too soon goes back. */
int topomap_flows_share(topomap_flows *f, topomap_error *err)
{
    if (open_links(f, err))
        return -1;
    while (f->heap.count && f->looked <= f->budget) {
        topomap_keyed top = topomap_heap_pop(&f->heap);
        double share, now;

        if (!f->over[top.a].shares)
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

double topomap_flows_next(const topomap_flows *f)
{
    double seconds = INFINITY;

    for (uint32_t i = 0; i < f->flows; i++) {
        uint32_t flow = f->under_way[i];

        if (f->left[flow] < seconds * f->speed[flow])
            seconds = f->left[flow] / f->speed[flow];
    }
    return seconds;
}

uint32_t topomap_flows_advance(topomap_flows *f, double seconds, double slack, uint32_t *ended)
{
    uint32_t flows = 0, gone = 0;

    for (uint32_t i = 0; i < f->flows; i++) {
        uint32_t flow = f->under_way[i];
        double speed = f->speed[flow];

        if (f->left[flow] > seconds * speed * (1 + TOPOMAP_FLUID_PART) + slack * speed) {
            f->left[flow] -= seconds * speed;
            f->under_way[flows++] = flow;
        } else {
            f->is_fixed[flow] = 1;
            for (uint64_t k = f->first[flow]; k < f->first[flow + 1]; k++)
                f->over[f->link[k]].now--;
            if (ended)
                ended[gone] = flow;
            gone++;
        }
    }
    f->flows = flows;
    return gone;
}
