/* SPDX-License-Identifier: BSD-3-Clause */
#include "partition/partition.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/keyed.h"

typedef struct balancer {
    const idx_t *offset, *target, *weight;
    idx_t *part;
    uint32_t parts, least_under; /* lowest part that may still be under its size */
    int64_t *over;               /* [parts] vertices too many, negative: too few */
    int64_t *link;               /* [parts] scratch: weight to each part, all 0 between uses */
    topomap_heap moves; /* as they were when they were priced; priced again when they come up */
} balancer;

/* The cheapest move of a vertex (a) out of its part into one that has room (b), by how much the
 * edge cut grows. */
static topomap_keyed price(balancer *b, uint32_t vertex)
{
    idx_t own = b->part[vertex];
    topomap_keyed best = {.a = vertex};
    int64_t most;

    while (b->over[b->least_under] >= 0)
        b->least_under++;
    best.b = b->least_under;
    for (idx_t e = b->offset[vertex]; e < b->offset[vertex + 1]; e++)
        b->link[b->part[b->target[e]]] += b->weight[e];
    most = b->link[best.b];
    for (idx_t e = b->offset[vertex]; e < b->offset[vertex + 1]; e++) {
        idx_t to = b->part[b->target[e]];

        if (b->over[to] < 0 &&
            (b->link[to] > most || (b->link[to] == most && (uint32_t)to < best.b))) {
            most = b->link[to];
            best.b = (uint32_t)to;
        }
    }
    best.key = b->link[own] - most;
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
        if (b->over[b->part[v]] > 0 && topomap_heap_push(&b->moves, price(b, v), err) != 0)
            return -1;
    while (surplus > 0) {
        topomap_keyed m = topomap_heap_pop(&b->moves), now;
        idx_t from = b->part[m.a];

        if (b->over[from] <= 0)
            continue;
        now = price(b, m.a);
        if (now.key != m.key || now.b != m.b) {
            if (topomap_heap_push(&b->moves, now, err) != 0)
                return -1;
            continue;
        }
        b->part[m.a] = (idx_t)m.b;
        b->over[from]--;
        b->over[m.b]++;
        surplus--;
        /* What stays behind has lost a neighbour: its price may have fallen. */
        for (idx_t e = b->offset[m.a]; surplus > 0 && e < b->offset[m.a + 1]; e++)
            if (b->over[b->part[b->target[e]]] > 0 &&
                topomap_heap_push(&b->moves, price(b, (uint32_t)b->target[e]), err) != 0)
                return -1;
    }
    return 0;
}

int topomap_balance(uint32_t count, const idx_t *offset, const idx_t *target, const idx_t *weight,
                    uint32_t parts, const uint32_t *size, idx_t *part, topomap_error *err)
{
    TOPOMAP_FREED int64_t *over = topomap_alloc(parts, sizeof *over, err);
    TOPOMAP_FREED int64_t *link = topomap_alloc(parts, sizeof *link, err);
    balancer b = {.offset = offset,
                  .target = target,
                  .weight = weight,
                  .part = part,
                  .parts = parts,
                  .over = over,
                  .link = link};
    int status;

    if (!over || !link)
        return -1;
    for (uint32_t i = 0; i < parts; i++)
        over[i] = -(int64_t)size[i];
    for (uint32_t v = 0; v < count; v++)
        over[part[v]]++;
    status = settle(&b, count, err);
    free(b.moves.at);
    return status;
}

/* ---- Hoefler & Snir's rule ----------------------------------------------------------------- */

int topomap_balance_incident(uint32_t count, const idx_t *offset, const idx_t *weight,
                             uint32_t parts, const uint32_t *size, idx_t *part, topomap_error *err)
{
    TOPOMAP_FREED int64_t *over = topomap_alloc(parts, sizeof *over, err);
    TOPOMAP_FREED topomap_keyed *vertex = topomap_alloc(count, sizeof *vertex, err);
    uint32_t to = 0;

    if (!over || !vertex)
        return -1;
    for (uint32_t i = 0; i < parts; i++)
        over[i] = -(int64_t)size[i];
    for (uint32_t v = 0; v < count; v++) {
        over[part[v]]++;
        vertex[v].a = v;
        for (idx_t e = offset[v]; e < offset[v + 1]; e++)
            vertex[v].key += weight[e];
    }
    if (count)
        qsort(vertex, count, sizeof *vertex, topomap_keyed_order);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = vertex[i].a;

        if (over[part[v]] <= 0)
            continue;
        while (over[to] >= 0)
            to++;
        over[part[v]]--;
        over[to]++;
        part[v] = (idx_t)to;
    }
    return 0;
}
