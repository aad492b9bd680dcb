/* SPDX-License-Identifier: BSD-3-Clause */
#include "partition/partition.h"

#include <string.h>

#include "util/alloc.h"

enum {
    FREE = UINT32_MAX,
    REACH = 200, /* vertices looked at in search of a path to another free one */
};

typedef struct pairing {
    const topomap_weights *graph;
    uint32_t *mate; /* [vertices] */
    uint32_t *from; /* [vertices] scratch: who waits, or the path back; all FREE between uses */
    uint32_t queue[REACH], met[REACH];
} pairing;

static void join(pairing *p, uint32_t u, uint32_t v)
{
    p->mate[u] = v;
    p->mate[v] = u;
}

static void join_heaviest(pairing *p, uint32_t u)
{
    const topomap_weights *g = p->graph;
    uint32_t best = FREE;
    uint64_t most = 0;

    for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++)
        if (p->mate[g->target[e]] == FREE && g->weight[e] > most) {
            most = g->weight[e];
            best = g->target[e];
        }
    if (best != FREE)
        join(p, u, best);
}

/* Along the path back to the root, partners shift by one: an augmenting path (Berge, 1957). */
static void shift_along(pairing *p, uint32_t root, uint32_t outer, uint32_t end)
{
    for (;;) {
        uint32_t next = p->mate[outer];

        join(p, outer, end);
        if (outer == root)
            return;
        end = next;
        outer = p->from[next];
    }
}

/* Breadth-first over paths in which every second edge is a pair, to the nearest free vertex. */
static void join_by_path(pairing *p, uint32_t root)
{
    const topomap_weights *g = p->graph;
    uint32_t count = 1, seen = 0, found = 0;

    p->queue[0] = root;
    for (uint32_t head = 0; head < count && !found; head++) {
        uint32_t outer = p->queue[head];

        for (uint64_t e = g->offset[outer]; e < g->offset[outer + 1]; e++) {
            uint32_t v = g->target[e], mate = p->mate[v];

            if (v == root || v == p->mate[outer] || p->from[v] != FREE)
                continue;
            if (mate == FREE) {
                shift_along(p, root, outer, v);
                found = 1;
                break;
            }
            if (p->from[mate] != FREE || count == REACH) /* reached both ways: an odd cycle */
                continue;
            p->from[v] = outer;
            p->met[seen++] = v;
            p->queue[count++] = mate;
        }
    }
    while (seen)
        p->from[p->met[--seen]] = FREE;
}

/* Who is left waits at its neighbours for another. */
static void join_around(pairing *p, uint32_t u)
{
    const topomap_weights *g = p->graph;

    for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
        uint32_t other = p->from[g->target[e]];

        if (other != FREE && other != u && p->mate[other] == FREE) {
            join(p, u, other);
            return;
        }
    }
    for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++)
        p->from[g->target[e]] = u;
}

static void join_rest(pairing *p)
{
    uint32_t left = FREE;

    for (uint32_t u = 0; u < p->graph->vertices; u++)
        if (p->mate[u] == FREE)
            join_around(p, u);
    for (uint32_t u = 0; u < p->graph->vertices; u++)
        if (p->mate[u] == FREE && left == FREE) {
            left = u;
        } else if (p->mate[u] == FREE) {
            join(p, left, u);
            left = FREE;
        }
}

int topomap_matching(const topomap_weights *graph, topomap_random *random, uint32_t *half,
                     topomap_error *err)
{
    uint32_t n = graph->vertices, count = 0;
    pairing p = {.graph = graph};
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena memory = {0};
    uint32_t *order = topomap_arena_alloc(&memory, n, sizeof *order, err);

    p.mate = topomap_arena_alloc(&memory, n, sizeof *p.mate, err);
    p.from = topomap_arena_alloc(&memory, n, sizeof *p.from, err);
    if (memory.is_short)
        return -1;
    memset(p.mate, 0xff, n * sizeof *p.mate);
    memset(p.from, 0xff, n * sizeof *p.from);
    topomap_identity(order, n);
    topomap_random_shuffle(random, order, n);
    for (uint32_t i = 0; i < n; i++)
        if (p.mate[order[i]] == FREE)
            join_heaviest(&p, order[i]);
    for (uint32_t i = 0; i < n; i++)
        if (p.mate[order[i]] == FREE)
            join_by_path(&p, order[i]);
    join_rest(&p);
    for (uint32_t u = 0; u < n; u++)
        if (u < p.mate[u]) {
            half[count++] = u;
            half[count++] = p.mate[u];
        }
    return 0;
}

static void contract_row(const topomap_weights *graph, const uint32_t *half,
                         const uint32_t *pair_of, uint32_t pair, uint64_t *mark,
                         topomap_weights *out)
{
    uint64_t first = out->offset[pair], at = first;

    for (uint32_t i = 0; i < 2; i++) {
        uint32_t u = half[2 * (size_t)pair + i];

        for (uint64_t e = graph->offset[u]; e < graph->offset[u + 1]; e++) {
            uint32_t to = pair_of[graph->target[e]];

            if (to == pair)
                continue;
            if (mark[to] <= first || mark[to] > at) {
                out->target[at] = to;
                out->weight[at] = 0;
                mark[to] = ++at;
            }
            out->weight[mark[to] - 1] += graph->weight[e];
        }
    }
    out->offset[pair + 1] = at;
}

int topomap_matching_contract(const topomap_weights *graph, const uint32_t *half,
                              topomap_weights *pairs, topomap_error *err)
{
    uint32_t count = graph->vertices / 2;
    uint64_t arcs = graph->offset[graph->vertices];
    TOPOMAP_FREED uint32_t *pair_of = topomap_alloc(graph->vertices, sizeof *pair_of, err);
    TOPOMAP_FREED uint64_t *mark = topomap_alloc(count, sizeof *mark, err);
    TOPOMAP_CLEANUP(topomap_weights_clear)
    topomap_weights made = {.vertices = count, .total = graph->total};

    made.offset = topomap_alloc((size_t)count + 1, sizeof *made.offset, err);
    made.target = topomap_alloc(arcs, sizeof *made.target, err);
    made.weight = topomap_alloc(arcs, sizeof *made.weight, err);
    if (!pair_of || !mark || !made.offset || !made.target || !made.weight)
        return -1;
    for (uint32_t i = 0; i < graph->vertices; i++)
        pair_of[half[i]] = i / 2;
    for (uint32_t pair = 0; pair < count; pair++)
        contract_row(graph, half, pair_of, pair, mark, &made);
    *pairs = made;
    made = (topomap_weights){0};
    return 0;
}
