/* SPDX-License-Identifier: BSD-3-Clause */
#include "partition/balance.h"

#include <stdlib.h>

#include "util/alloc.h"

/* A move as it was when it was priced; priced again when it comes up. */
typedef struct move {
    int64_t cost; /* growth of the edge cut */
    uint32_t vertex, to;
} move;

typedef struct balancer {
    const idx_t *offset, *target, *weight;
    idx_t *part;
    uint32_t parts, least_under; /* lowest part that may still be under its size */
    int64_t *over;               /* [parts] vertices too many, negative: too few */
    int64_t *link;               /* [parts] scratch: weight to each part, all 0 between uses */
    move *heap;
    size_t count, capacity;
} balancer;

static int before(const move *a, const move *b)
{
    if (a->cost != b->cost)
        return a->cost < b->cost;
    if (a->vertex != b->vertex)
        return a->vertex < b->vertex;
    return a->to < b->to;
}

static int push(balancer *b, move m, topomap_error *err)
{
    size_t at = b->count;

    if (topomap_grow(&b->heap, &b->capacity, b->count + 1, sizeof m, err) != 0)
        return -1;
    b->count++;
    while (at > 0 && before(&m, &b->heap[(at - 1) / 2])) {
        b->heap[at] = b->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    b->heap[at] = m;
    return 0;
}

static move pop(balancer *b)
{
    move top = b->heap[0], last = b->heap[--b->count];
    size_t at = 0;

    for (;;) {
        size_t child = 2 * at + 1;

        if (child >= b->count)
            break;
        if (child + 1 < b->count && before(&b->heap[child + 1], &b->heap[child]))
            child++;
        if (!before(&b->heap[child], &last))
            break;
        b->heap[at] = b->heap[child];
        at = child;
    }
    if (b->count)
        b->heap[at] = last;
    return top;
}

/* The cheapest move of a vertex out of its part into one that has room. */
static move price(balancer *b, uint32_t vertex)
{
    idx_t own = b->part[vertex];
    move best = {.vertex = vertex};
    int64_t most;

    while (b->over[b->least_under] >= 0)
        b->least_under++;
    best.to = b->least_under;
    for (idx_t e = b->offset[vertex]; e < b->offset[vertex + 1]; e++)
        b->link[b->part[b->target[e]]] += b->weight[e];
    most = b->link[best.to];
    for (idx_t e = b->offset[vertex]; e < b->offset[vertex + 1]; e++) {
        idx_t to = b->part[b->target[e]];

        if (b->over[to] < 0 &&
            (b->link[to] > most || (b->link[to] == most && (uint32_t)to < best.to))) {
            most = b->link[to];
            best.to = (uint32_t)to;
        }
    }
    best.cost = b->link[own] - most;
    for (idx_t e = b->offset[vertex]; e < b->offset[vertex + 1]; e++)
        b->link[b->part[b->target[e]]] = 0;
    return best;
}

static int settle(balancer *b, uint32_t count, topomap_error *err)
{
    int64_t surplus = 0;

    for (uint32_t i = 0; i < b->parts; i++)
        surplus += b->over[i] > 0 ? b->over[i] : 0;
    for (uint32_t v = 0; surplus > 0 && v < count; v++)
        if (b->over[b->part[v]] > 0 && push(b, price(b, v), err) != 0)
            return -1;
    while (surplus > 0) {
        move m = pop(b), now;
        idx_t from = b->part[m.vertex];

        if (b->over[from] <= 0)
            continue;
        now = price(b, m.vertex);
        if (now.cost != m.cost || now.to != m.to) {
            if (push(b, now, err) != 0)
                return -1;
            continue;
        }
        b->part[m.vertex] = (idx_t)m.to;
        b->over[from]--;
        b->over[m.to]++;
        surplus--;
        /* What stays behind has lost a neighbour: its price may have fallen. */
        for (idx_t e = b->offset[m.vertex]; surplus > 0 && e < b->offset[m.vertex + 1]; e++)
            if (b->over[b->part[b->target[e]]] > 0 &&
                push(b, price(b, (uint32_t)b->target[e]), err) != 0)
                return -1;
    }
    return 0;
}

int topomap_balance(uint32_t count, const idx_t *offset, const idx_t *target, const idx_t *weight,
                    uint32_t parts, const uint32_t *size, idx_t *part, topomap_error *err)
{
    balancer b = {
        .offset = offset, .target = target, .weight = weight, .part = part, .parts = parts};
    int status = -1;

    b.over = topomap_alloc(parts, sizeof *b.over, err);
    b.link = topomap_alloc(parts, sizeof *b.link, err);
    if (b.over && b.link) {
        for (uint32_t i = 0; i < parts; i++)
            b.over[i] = -(int64_t)size[i];
        for (uint32_t v = 0; v < count; v++)
            b.over[part[v]]++;
        status = settle(&b, count, err);
    }
    free(b.over);
    free(b.link);
    free(b.heap);
    return status;
}

/* ---- Hoefler & Snir's rule ----------------------------------------------------------------- */

static int lightest_first(const void *a, const void *b)
{
    return before(a, b) ? -1 : before(b, a);
}

int topomap_balance_incident(uint32_t count, const idx_t *offset, const idx_t *weight,
                             uint32_t parts, const uint32_t *size, idx_t *part, topomap_error *err)
{
    int64_t *over = topomap_alloc(parts, sizeof *over, err);
    move *vertex = topomap_alloc(count, sizeof *vertex, err);
    uint32_t to = 0;
    int status = over && vertex ? 0 : -1;

    for (uint32_t i = 0; status == 0 && i < parts; i++)
        over[i] = -(int64_t)size[i];
    for (uint32_t v = 0; status == 0 && v < count; v++) {
        over[part[v]]++;
        vertex[v].vertex = v;
        for (idx_t e = offset[v]; e < offset[v + 1]; e++)
            vertex[v].cost += weight[e];
    }
    if (status == 0 && count)
        qsort(vertex, count, sizeof *vertex, lightest_first);
    for (uint32_t i = 0; status == 0 && i < count; i++) {
        uint32_t v = vertex[i].vertex;

        if (over[part[v]] <= 0)
            continue;
        while (over[to] >= 0)
            to++;
        over[part[v]]--;
        over[to]++;
        part[v] = (idx_t)to;
    }
    free(over);
    free(vertex);
    return status;
}
