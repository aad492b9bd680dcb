/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/kinds/torus.h"

#include <string.h>

#include "util/alloc.h"
#include "fabric/network.h"

enum { CLASSES = 1024 };

/* ---- Classes of parallel links ------------------------------------------------------------- */

struct classes {
    topomap_arena memory;
    struct torus *t;
    uint32_t *parent; /* [edges] union-find */
    uint8_t *squared; /* [edges] some square has it */
    uint32_t squares;
    uint32_t *class_of; /* [edges] or UINT32_MAX */
    uint32_t count;
    uint32_t *size;               /* [count] links */
    uint32_t *crossing, *parting; /* [count * count] pairs of links of one switch with and without
                                     a square */
};

static int joined(const topomap_switches *graph, uint32_t a, uint32_t b)
{
    return topomap_switches_link(graph, a, b) != UINT32_MAX;
}

static int number_edges(struct torus *t, topomap_error *err)
{
    const topomap_switches *graph = &t->part->switches;
    TOPOMAP_FREED uint32_t *at = topomap_alloc(graph->count, sizeof *at, err);

    t->edge_of = topomap_alloc(graph->first[graph->count], sizeof *t->edge_of, err);
    if (!at || !t->edge_of)
        return -1;
    memcpy(at, graph->first, graph->count * sizeof *at);
    /* Neighbours ascend, so the lower ends of a switch's links come in the order of its list. */
    for (uint32_t i = 0; i < graph->count; i++)
        for (uint32_t k = graph->first[i]; k < graph->first[i + 1]; k++)
            if (graph->neighbour[k] > i) {
                t->edge_of[k] = t->edges;
                t->edge_of[at[graph->neighbour[k]]++] = t->edges++;
            }
    return 0;
}

/* Squares without a diagonal over links j and k of switch u: opposite links are parallel. Returns
 * how many there are. */
static uint32_t take_squares(struct classes *c, uint32_t u, uint32_t j, uint32_t k, int unite)
{
    const topomap_switches *graph = &c->t->part->switches;
    const uint32_t *edge = c->t->edge_of, *to = graph->neighbour;
    uint32_t v = to[j], w = to[k], p = graph->first[v], q = graph->first[w], found = 0;

    while (p < graph->first[v + 1] && q < graph->first[w + 1]) {
        if (to[p] < to[q]) {
            p++;
        } else if (to[p] > to[q]) {
            q++;
        } else {
            if (to[p] != u && !joined(graph, to[p], u)) {
                found++;
                if (unite) {
                    topomap_disjoint_join(c->parent, edge[j], edge[q]);
                    topomap_disjoint_join(c->parent, edge[k], edge[p]);
                    c->squared[edge[j]] = c->squared[edge[k]] = 1;
                }
            }
            p++;
            q++;
        }
    }
    return found;
}

static void find_squares(struct classes *c)
{
    const topomap_switches *graph = &c->t->part->switches;

    for (uint32_t u = 0; u < graph->count; u++)
        for (uint32_t j = graph->first[u]; j < graph->first[u + 1]; j++)
            for (uint32_t k = j + 1; k < graph->first[u + 1]; k++)
                if (!joined(graph, graph->neighbour[j], graph->neighbour[k]))
                    c->squares += take_squares(c, u, j, k, 1);
}

static void number_classes(struct classes *c)
{
    for (uint32_t e = 0; e < c->t->edges; e++) {
        c->class_of[e] = UINT32_MAX;
        if (c->squares && !c->squared[e])
            continue;
        if (topomap_disjoint_root(c->parent, e) == e)
            c->class_of[e] = c->count++;
        else
            c->class_of[e] = c->class_of[topomap_disjoint_root(c->parent, e)];
    }
}

/* How often links of two classes meet in a switch with a square, and without one. */
static void count_meetings(struct classes *c)
{
    const topomap_switches *graph = &c->t->part->switches;

    for (uint32_t u = 0; u < graph->count; u++)
        for (uint32_t j = graph->first[u]; j < graph->first[u + 1]; j++)
            for (uint32_t k = j + 1; k < graph->first[u + 1]; k++) {
                uint32_t a = c->class_of[c->t->edge_of[j]], b = c->class_of[c->t->edge_of[k]];
                size_t at;

                if (a == UINT32_MAX || b == UINT32_MAX)
                    continue;
                at = a < b ? (size_t)a * c->count + b : (size_t)b * c->count + a;
                if (!joined(graph, graph->neighbour[j], graph->neighbour[k]) &&
                    take_squares(c, u, j, k, 0))
                    c->crossing[at]++;
                else
                    c->parting[at]++;
            }
}

/* 0: more dimensions than there is room for. */
static int number_dimensions(struct classes *c, uint32_t *parent, uint8_t *number)
{
    struct torus *t = c->t;

    for (uint32_t a = 0; a < c->count; a++) {
        parent[a] = a;
        number[a] = TORUS_NONE;
    }
    for (uint32_t a = 0; a < c->count; a++)
        for (uint32_t b = a + 1; b < c->count; b++) {
            size_t at = (size_t)a * c->count + b;

            uint32_t least = c->size[a] < c->size[b] ? c->size[a] : c->size[b];

            /* Neighbours along one dimension meet in as many switches as the smaller one has
             * links; links beside a gap meet in a few without a square. */
            if (c->parting[at] > 2 * c->crossing[at] && 2 * c->parting[at] > least)
                topomap_disjoint_join(parent, a, b);
        }
    for (uint32_t e = 0; e < t->edges; e++) {
        uint32_t a = c->class_of[e];

        t->dim_of[e] = TORUS_NONE;
        if (a == UINT32_MAX)
            continue;
        a = topomap_disjoint_root(parent, a);
        if (number[a] == TORUS_NONE) {
            if (t->dims == TORUS_DIMS)
                return 0;
            number[a] = (uint8_t)t->dims++;
        }
        t->dim_of[e] = number[a];
    }
    return 1;
}

static int find_classes(struct classes *c, topomap_error *err)
{
    struct torus *t = c->t;

    c->parent = topomap_arena_alloc(&c->memory, t->edges, sizeof *c->parent, err);
    c->squared = topomap_arena_alloc(&c->memory, t->edges, 1, err);
    c->class_of = topomap_arena_alloc(&c->memory, t->edges, sizeof *c->class_of, err);
    t->dim_of = topomap_alloc(t->edges, 1, err);
    if (c->memory.is_short || !t->dim_of)
        return -1;
    topomap_identity(c->parent, t->edges);
    find_squares(c);
    number_classes(c);
    return 0;
}

static int join_classes(struct classes *c, topomap_error *err)
{
    uint32_t n = c->count, *parent = topomap_arena_alloc(&c->memory, n, sizeof *parent, err);
    uint8_t *number = topomap_arena_alloc(&c->memory, n, 1, err);

    c->size = topomap_arena_alloc(&c->memory, n, sizeof *c->size, err);
    c->crossing = topomap_arena_alloc(&c->memory, (size_t)n * n, sizeof *c->crossing, err);
    c->parting = topomap_arena_alloc(&c->memory, (size_t)n * n, sizeof *c->parting, err);
    if (c->memory.is_short)
        return -1;
    for (uint32_t e = 0; e < c->t->edges; e++)
        if (c->class_of[e] != UINT32_MAX)
            c->size[c->class_of[e]]++;
    count_meetings(c);
    return number_dimensions(c, parent, number);
}

int topomap_torus_find_dimensions(struct torus *t, topomap_verdict *verdict, topomap_error *err)
{
    struct classes c = {.t = t};
    int done = -1;

    if (!number_edges(t, err) && !find_classes(&c, err))
        done = c.count && c.count <= CLASSES ? join_classes(&c, err) : 0;
    if (!done)
        topomap_verdict_say(verdict, "no torus: its links do not fall into a few directions");
    topomap_arena_clear(&c.memory);
    return done;
}

/* ---- Places ------------------------------------------------------------------------------ */

struct slabs {
    topomap_arena memory;
    struct torus *t;
    uint32_t dim;
    uint8_t *keep;  /* [directed neighbours] of another dimension */
    uint32_t *slab; /* [switches] */
    uint32_t count;
    uint32_t *members; /* [count] */
    uint8_t *joined;   /* [count * count] */
    uint32_t *degree;  /* [count] */
    int32_t *position; /* [count] -1: not placed, or merged into another */
};

static uint8_t dim_at(const struct torus *t, uint32_t k)
{
    return t->dim_of[t->edge_of[k]];
}

/* Switches that links of other dimensions join. */
static void find_slabs(struct slabs *s)
{
    topomap_switches *graph = &s->t->part->switches;

    for (uint32_t k = 0; k < graph->first[graph->count]; k++)
        s->keep[k] = dim_at(s->t, k) != s->dim && dim_at(s->t, k) != TORUS_NONE;
    s->count = topomap_switches_parts(graph, s->keep, s->slab);
}

static void join_slabs(struct slabs *s)
{
    const topomap_switches *graph = &s->t->part->switches;

    for (uint32_t i = 0; i < graph->count; i++) {
        s->members[s->slab[i]]++;
        for (uint32_t k = graph->first[i]; k < graph->first[i + 1]; k++) {
            uint32_t a = s->slab[i], b = s->slab[graph->neighbour[k]];

            if (dim_at(s->t, k) == s->dim && !s->joined[(size_t)a * s->count + b]) {
                s->joined[(size_t)a * s->count + b] = 1;
                s->degree[a]++;
            }
        }
    }
}

/* Missing switches can cut a slab in pieces: a piece has no neighbour that the slab has not. Puts
 * the smallest piece that another slab covers into that one; 0 where there is none. */
static int merge_piece(struct slabs *s)
{
    uint32_t piece = UINT32_MAX, into = UINT32_MAX;

    for (uint32_t a = 0; a < s->count; a++) {
        if (!s->degree[a] || (piece != UINT32_MAX && s->members[a] >= s->members[piece]))
            continue;
        for (uint32_t b = 0; b < s->count; b++) {
            uint32_t covered = 0;

            if (b == a || s->members[b] < s->members[a] || !s->degree[b])
                continue;
            for (uint32_t n = 0; n < s->count; n++)
                covered +=
                    s->joined[(size_t)a * s->count + n] && s->joined[(size_t)b * s->count + n];
            if (covered == s->degree[a]) {
                piece = a;
                into = b;
                break;
            }
        }
    }
    if (piece == UINT32_MAX)
        return 0;
    for (uint32_t n = 0; n < s->count; n++)
        if (s->joined[(size_t)piece * s->count + n]) {
            s->joined[(size_t)piece * s->count + n] = s->joined[(size_t)n * s->count + piece] = 0;
            s->degree[n]--;
        }
    s->degree[piece] = 0;
    s->members[into] += s->members[piece];
    for (uint32_t i = 0; i < s->t->part->switches.count; i++)
        if (s->slab[i] == piece)
            s->slab[i] = into;
    return 1;
}

static int forked(const struct slabs *s)
{
    for (uint32_t a = 0; a < s->count; a++)
        if (s->degree[a] > 2)
            return 1;
    return 0;
}

/* Numbers the path or ring of slabs: a path from its end of lower number, a ring from the slab of
 * the first switch on towards its neighbour of lower number. */
static int string_slabs(struct slabs *s)
{
    uint32_t at = UINT32_MAX, from = UINT32_MAX, total = 0, size = 0;

    for (uint32_t a = 0; a < s->count; a++) {
        s->position[a] = -1;
        total += s->degree[a] > 0;
        if (s->degree[a] == 1 && at == UINT32_MAX)
            at = a;
    }
    s->t->wrap[s->dim] = at == UINT32_MAX;
    for (uint32_t a = 0; at == UINT32_MAX && a < s->count; a++)
        if (s->degree[a])
            at = a;
    while (at != UINT32_MAX) {
        uint32_t next = UINT32_MAX;

        s->position[at] = (int32_t)size++;
        for (uint32_t n = 0; next == UINT32_MAX && n < s->count; n++)
            if (s->joined[(size_t)at * s->count + n] && n != from && s->position[n] < 0)
                next = n;
        from = at;
        at = next;
    }
    s->t->size[s->dim] = size;
    return size == total && size > 1;
}

static int place_slabs(struct slabs *s, topomap_error *err)
{
    const topomap_switches *graph = &s->t->part->switches;

    s->keep = topomap_arena_alloc(&s->memory, graph->first[graph->count], sizeof *s->keep, err);
    s->slab = topomap_arena_alloc(&s->memory, graph->count, sizeof *s->slab, err);
    if (s->memory.is_short)
        return -1;
    find_slabs(s);
    if (s->count > CLASSES)
        return 0;
    s->members = topomap_arena_alloc(&s->memory, s->count, sizeof *s->members, err);
    s->degree = topomap_arena_alloc(&s->memory, s->count, sizeof *s->degree, err);
    s->position = topomap_arena_alloc(&s->memory, s->count, sizeof *s->position, err);
    s->joined = topomap_arena_alloc(&s->memory, (size_t)s->count * s->count, 1, err);
    if (s->memory.is_short)
        return -1;
    join_slabs(s);
    for (uint32_t merges = 0; forked(s); merges++)
        if (merges == 64 || !merge_piece(s))
            return 0;
    if (!string_slabs(s))
        return 0;
    for (uint32_t i = 0; i < graph->count; i++)
        s->t->place[(size_t)i * TORUS_DIMS + s->dim] = s->position[s->slab[i]];
    return 1;
}

int topomap_torus_find_places(struct torus *t, topomap_verdict *verdict, topomap_error *err)
{
    int done = 1;

    t->place = topomap_alloc((size_t)t->part->switches.count * TORUS_DIMS, sizeof *t->place, err);
    if (!t->place)
        return -1;
    for (uint32_t dim = 0; done > 0 && dim < t->dims; dim++) {
        struct slabs s = {.t = t, .dim = dim};

        done = place_slabs(&s, err);
        topomap_arena_clear(&s.memory);
    }
    if (!done)
        topomap_verdict_say(verdict, "no torus: its links run in %u directions, but not as a grid",
                            t->dims);
    return done;
}
