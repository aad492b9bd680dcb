/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of a graph that may be a product where the whole is not. */
#include <stdlib.h>
#include <string.h>

#include "graph/recognise/lattice.h"
#include "util/alloc.h"

void topomap_rows_clear(topomap_rows *rows)
{
    free(rows->offset);
    free(rows->target);
    memset(rows, 0, sizeof *rows);
}

static int rows_new(uint32_t vertices, uint64_t arcs, topomap_rows *rows, topomap_error *err)
{
    rows->vertices = vertices;
    rows->offset = topomap_alloc((size_t)vertices + 1, sizeof *rows->offset, err);
    rows->target = topomap_alloc(arcs, sizeof *rows->target, err);
    if (rows->offset && rows->target)
        return 0;
    topomap_rows_clear(rows);
    return -1;
}

int topomap_rows_heavy(const topomap_weights *w, uint32_t ranks, uint64_t least, topomap_rows *rows,
                       topomap_error *err)
{
    uint64_t kept = 0;

    for (uint64_t e = 0; e < w->offset[ranks]; e++)
        kept += w->weight[e] >= least;
    if (rows_new(ranks, kept, rows, err) != 0)
        return -1;
    kept = 0;
    for (uint32_t u = 0; u < ranks; u++) {
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
            if (w->weight[e] >= least)
                rows->target[kept++] = w->target[e];
        rows->offset[u + 1] = kept;
    }
    return 0;
}

enum {
    MOST_DEGREE = 256, /* 3^5 and 5^3 are below; the time goes with its square */
    LEAST_COMMON = 2,  /* of two neighbours in a stencil with diagonals, at its corners too */
    LEAST_SHARE = 8,   /* one in so many of the neighbours is one in common, for most edges */
    SAMPLED = 64
};

typedef struct skeleton {
    const topomap_rows *rows;
    uint32_t *mark;   /* [vertices] arc of the present row to the vertex + 1, from its begin */
    uint16_t *common; /* [arcs] */
    uint8_t *dropped; /* [arcs] */
} skeleton;

/* Whether a few vertices spread over the graph look as a stencil with diagonals does. */
static int has_triangles(const topomap_rows *rows)
{
    uint32_t n = rows->vertices, common[MOST_DEGREE];
    uint64_t step = n / SAMPLED + 1, edges = 0, closed = 0;

    for (uint64_t u = 0; u < n; u += step) {
        uint32_t degree = (uint32_t)(rows->offset[u + 1] - rows->offset[u]);
        uint32_t least = degree / LEAST_SHARE > LEAST_COMMON ? degree / LEAST_SHARE : LEAST_COMMON;

        if (degree > MOST_DEGREE)
            return 0;
        for (uint64_t e = rows->offset[u]; e < rows->offset[u + 1]; e++) {
            edges++;
            closed += topomap_rows_common(rows, (uint32_t)u, rows->target[e], UINT32_MAX, common,
                                          least) == least;
        }
    }
    return edges && 2 * closed > edges;
}

static void mark_row(skeleton *s, uint32_t u, int set)
{
    const topomap_rows *r = s->rows;

    for (uint64_t e = r->offset[u]; e < r->offset[u + 1]; e++)
        s->mark[r->target[e]] = set ? (uint32_t)(e - r->offset[u]) + 1 : 0;
}

static uint64_t arc_to(const topomap_rows *r, uint32_t u, uint32_t v)
{
    return topomap_sorted_u32(r->target, r->offset[u], r->offset[u + 1], v);
}

static void count_common(skeleton *s)
{
    const topomap_rows *r = s->rows;

    for (uint32_t u = 0; u < r->vertices; u++) {
        mark_row(s, u, 1);
        for (uint64_t e = r->offset[u]; e < r->offset[u + 1]; e++) {
            uint32_t v = r->target[e];
            uint16_t count = 0;

            if (v < u || r->offset[v + 1] - r->offset[v] > MOST_DEGREE)
                continue;
            for (uint64_t f = r->offset[v]; f < r->offset[v + 1]; f++)
                count = (uint16_t)(count + (s->mark[r->target[f]] != 0));
            s->common[e] = s->common[arc_to(r, v, u)] = count;
        }
        mark_row(s, u, 0);
    }
}

/* One half of the condition for z to make the edge u-v dispensable: u has more in common with z
 * than with v, or N[u], N[z], N[v] each contain the one before. Closed neighbourhoods: the numbers
 * in common of adjacent vertices are 2 more than of open ones. */
static int closer(uint32_t uv, uint32_t uz, uint32_t zv, uint64_t u, uint64_t z, uint64_t v)
{
    return uz > uv || (uz + 1 == u && zv + 1 == z && u < z && z < v);
}

static int is_dispensable(const skeleton *s, uint32_t u, uint64_t e)
{
    const topomap_rows *r = s->rows;
    uint32_t v = r->target[e], uv = s->common[e];
    uint64_t degree_u = r->offset[u + 1] - r->offset[u], degree_v = r->offset[v + 1] - r->offset[v];

    for (uint64_t f = r->offset[v]; f < r->offset[v + 1]; f++) {
        uint32_t z = r->target[f];
        uint64_t degree_z = r->offset[z + 1] - r->offset[z];
        uint32_t uz, vz = s->common[f];

        if (!s->mark[z])
            continue;
        uz = s->common[r->offset[u] + s->mark[z] - 1];
        if (closer(uv, uz, vz, degree_u, degree_z, degree_v) &&
            closer(uv, vz, uz, degree_v, degree_z, degree_u))
            return 1;
    }
    return 0;
}

static uint64_t drop_edges(skeleton *s)
{
    const topomap_rows *r = s->rows;
    uint64_t kept = 0;

    for (uint32_t u = 0; u < r->vertices; u++) {
        mark_row(s, u, 1);
        for (uint64_t e = r->offset[u]; e < r->offset[u + 1]; e++) {
            if (r->target[e] < u)
                continue;
            if (s->common[e] < LEAST_COMMON || is_dispensable(s, u, e))
                s->dropped[e] = s->dropped[arc_to(r, r->target[e], u)] = 1;
            else
                kept += 2;
        }
        mark_row(s, u, 0);
    }
    return kept;
}

static int build(const skeleton *s, uint64_t kept, topomap_rows *rows, topomap_error *err)
{
    const topomap_rows *r = s->rows;
    uint64_t next = 0;

    if (rows_new(r->vertices, kept, rows, err) != 0)
        return -1;
    for (uint32_t u = 0; u < r->vertices; u++) {
        for (uint64_t e = r->offset[u]; e < r->offset[u + 1]; e++)
            if (!s->dropped[e])
                rows->target[next++] = r->target[e];
        rows->offset[u + 1] = next;
    }
    return 0;
}

int topomap_rows_skeleton(const topomap_rows *all, topomap_rows *rows, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena arena = {0};
    size_t arcs = all->offset[all->vertices];
    skeleton s = {.rows = all};

    memset(rows, 0, sizeof *rows);
    if (!has_triangles(all))
        return 0;
    s.mark = topomap_arena_alloc(&arena, all->vertices, sizeof *s.mark, err);
    s.common = topomap_arena_alloc(&arena, arcs, sizeof *s.common, err);
    s.dropped = topomap_arena_alloc(&arena, arcs, sizeof *s.dropped, err);
    if (arena.is_short)
        return -1;
    count_common(&s);
    return build(&s, drop_edges(&s), rows, err);
}
