/* SPDX-License-Identifier: BSD-3-Clause */
/* Random points of the unit square or cube, joined where they are near, or triangulated. */
#include "graph/patterns/patterns.h"

#include <math.h>
#include <stdlib.h>

#define POINT_RANGE ((uint32_t)1 << TOPOMAP_POINT_BITS)
#define NUMBERING                                                                                  \
    {                                                                                              \
        "order", TOPOMAP_PARAM_WORD, "drawn|curve", "drawn",                                       \
            "numbers as the points were drawn, or along a Z-order curve", 0, 0                     \
    }

static const topomap_pattern_param rgg[] = {
    {"n", TOPOMAP_PARAM_COUNT, "N", NULL, "points", 1, 0x1p26},
    {"radius", TOPOMAP_PARAM_REAL, "R", "",
     "points nearer than this are neighbours (0.55 sqrt(ln n / n), in a cube 0.55 cbrt(ln n / n))",
     1e-7, 2},
    {"dims", TOPOMAP_PARAM_COUNT, "2|3", "2", "square or cube", 2, 3},
    NUMBERING,
    TOPOMAP_PARAM_BYTES("8", "to each neighbour"),
    TOPOMAP_PARAM_SEED,
    TOPOMAP_PARAM_NONE,
};
static const topomap_pattern_param delaunay[] = {
    {"n", TOPOMAP_PARAM_COUNT, "N", NULL, "points", 1, 0x1p26},
    NUMBERING,
    TOPOMAP_PARAM_BYTES("8", "to each neighbour"),
    TOPOMAP_PARAM_SEED,
    TOPOMAP_PARAM_NONE,
};

/* ---- Points --------------------------------------------------------------------------------- */

TOPOMAP_COMPARE(by_place, topomap_point,
                TOPOMAP_ORDER(x->x[0], y->x[0]) ?: TOPOMAP_ORDER(x->x[1], y->x[1]),
                TOPOMAP_ORDER(x->x[2], y->x[2]) ?: TOPOMAP_ORDER(x->id, y->id))
TOPOMAP_COMPARE(by_curve, topomap_point, topomap_pattern_curve(x->x, y->x, 0, 1),
                TOPOMAP_ORDER(x->id, y->id))

static void draw(topomap_point *point, int dims, topomap_random *random)
{
    for (int k = 0; k < dims; k++)
        point->x[k] = topomap_random_below(random, POINT_RANGE);
}

/* Draws points until no two are the same; they end sorted by place. */
static void draw_all(topomap_point *point, uint64_t n, int dims, topomap_random *random)
{
    uint64_t same = 1;

    for (uint64_t i = 0; i < n; i++) {
        point[i].id = (uint32_t)i;
        draw(&point[i], dims, random);
    }
    while (same) {
        same = 0;
        qsort(point, n, sizeof *point, by_place);
        for (uint64_t i = 1; i < n; i++)
            if (point[i].x[0] == point[i - 1].x[0] && point[i].x[1] == point[i - 1].x[1] &&
                point[i].x[2] == point[i - 1].x[2]) {
                draw(&point[i], dims, random);
                same++;
            }
    }
}

static topomap_point *points_new(const topomap_pattern_args *args, int dims,
                                 topomap_pattern_out *out)
{
    uint64_t n = topomap_pattern_number(args, "n");
    topomap_random random = {topomap_pattern_number(args, "seed")};
    topomap_point *point = topomap_pattern_alloc(out, n, sizeof *point);

    if (!point)
        return NULL;
    draw_all(point, n, dims, &random);
    if (topomap_pattern_number(args, "order") == 1) {
        qsort(point, n, sizeof *point, by_curve);
        for (uint64_t i = 0; i < n; i++)
            point[i].id = (uint32_t)i;
        qsort(point, n, sizeof *point, by_place);
    }
    return point;
}

/* ---- Neighbours in reach -------------------------------------------------------------------- */

/* Cells at least as wide as the reach: neighbours are in the same cell or one next to it. */
struct cells {
    const topomap_point *point;
    int dims;
    uint64_t side;   /* cells in each dimension */
    uint64_t reach;  /* squared, in units of coordinates */
    uint32_t *first; /* [cells + 1] */
    uint32_t *list;  /* [n] points by cell */
};

static uint64_t cell_of(const struct cells *c, const topomap_point *p)
{
    uint64_t cell = 0;

    for (int k = c->dims - 1; k >= 0; k--)
        cell = cell * c->side + (uint64_t)p->x[k] * c->side / POINT_RANGE;
    return cell;
}

static int cells_fill(struct cells *c, uint64_t n, topomap_pattern_out *out)
{
    uint64_t count = c->side * c->side * (c->dims == 3 ? c->side : 1);

    c->first = topomap_pattern_alloc(out, count + 2, sizeof *c->first);
    c->list = topomap_pattern_alloc(out, n, sizeof *c->list);
    if (!c->first || !c->list)
        return -1;
    for (uint64_t i = 0; i < n; i++)
        c->first[cell_of(c, &c->point[i]) + 2]++;
    for (uint64_t i = 0; i < count; i++)
        c->first[i + 2] += c->first[i + 1];
    for (uint64_t i = 0; i < n; i++)
        c->list[c->first[cell_of(c, &c->point[i]) + 1]++] = (uint32_t)i;
    return 0;
}

static int add_cell(const struct cells *c, uint32_t i, uint64_t cell, uint64_t bytes,
                    topomap_pattern_out *out)
{
    for (uint32_t at = c->first[cell]; at < c->first[cell + 1]; at++) {
        uint32_t j = c->list[at];
        uint64_t sum = 0;

        for (int k = 0; k < c->dims; k++) {
            int64_t d = (int64_t)c->point[i].x[k] - (int64_t)c->point[j].x[k];

            sum += (uint64_t)(d * d);
        }
        if (j <= i || sum >= c->reach)
            continue;
        if (out->arcs.count + 2 > TOPOMAP_PATTERN_MOST)
            return topomap_error_set(out->err, TOPOMAP_EUSAGE,
                                     "more arcs than allowed: " TOPOMAP_PATTERN_LIMIT);
        if (topomap_pattern_pair(out, c->point[i].id, c->point[j].id, bytes))
            return -1;
    }
    return 0;
}

static int add_point(const struct cells *c, uint32_t i, uint64_t bytes, topomap_pattern_out *out)
{
    int64_t at[3] = {0};
    int depth = c->dims == 3;

    for (int k = 0; k < c->dims; k++)
        at[k] = (int64_t)((uint64_t)c->point[i].x[k] * c->side / POINT_RANGE);
    for (int64_t z = at[2] - depth; z <= at[2] + depth; z++)
        for (int64_t y = at[1] - 1; y <= at[1] + 1; y++)
            for (int64_t x = at[0] - 1; x <= at[0] + 1; x++) {
                int64_t side = (int64_t)c->side;

                if (x < 0 || y < 0 || z < 0 || x >= side || y >= side || (depth && z >= side))
                    continue;
                if (add_cell(c, i, (uint64_t)(x + side * (y + side * z)), bytes, out))
                    return -1;
            }
    return 0;
}

/* Holtgrewe, Sanders, Schulz, "Engineering a scalable high quality graph partitioner", IPDPS 2010,
 * join points that are nearer than 0.55 sqrt(ln n / n), which makes nearly all such graphs
 * connected; Schulz & Traeff's rggX are these, with n = 2^X. */
static double radius_of(const topomap_pattern_args *args, double n, int dims)
{
    const topomap_pattern_value *given = topomap_pattern_get(args, "radius");

    if (given->given)
        return given->real;
    return 0.55 * (dims == 3 ? cbrt(log(n) / n) : sqrt(log(n) / n));
}

static int make_rgg(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    int dims = (int)topomap_pattern_number(args, "dims");
    uint64_t n = topomap_pattern_number(args, "n"), bytes = topomap_pattern_number(args, "bytes");
    double radius = radius_of(args, (double)n, dims),
           most = dims == 3 ? cbrt((double)n) : sqrt((double)n);
    double expected =
        (double)n * (double)n * (dims == 3 ? 4.2 * pow(radius, 3) : 3.2 * pow(radius, 2));
    struct cells c = {.dims = dims};
    topomap_point *point;

    if (expected > (double)n * (double)n)
        expected = (double)n * (double)n;
    if (topomap_pattern_size(out, n, expected < 0x1p40 ? (uint64_t)expected : UINT64_MAX))
        return -1;
    point = points_new(args, dims, out);
    if (!point)
        return -1;
    c.point = point;
    c.reach = (uint64_t)(radius * radius * (double)POINT_RANGE * (double)POINT_RANGE);
    c.side = radius * most < 1.0 ? (uint64_t)most : (uint64_t)(1.0 / radius);
    c.side += !c.side;
    if (cells_fill(&c, n, out))
        return -1;
    for (uint64_t i = 0; i < n; i++)
        if (add_point(&c, (uint32_t)i, bytes, out))
            return -1;
    return 0;
}

static int make_delaunay(const topomap_pattern_args *args, topomap_pattern_out *out)
{
    uint64_t n = topomap_pattern_number(args, "n");
    topomap_point *point;

    if (topomap_pattern_size(out, n, 6 * n))
        return -1;
    point = points_new(args, 2, out);
    if (!point)
        return -1;
    return topomap_delaunay(point, (uint32_t)n, topomap_pattern_number(args, "bytes"), out);
}

const topomap_pattern topomap_patterns_points[] = {
    {{"rgg", "random geometric graph: points of the unit square that are near each other"},
     rgg,
     1,
     0,
     make_rgg},
    {{"delaunay", "Delaunay triangulation of random points of the unit square"},
     delaunay,
     1,
     0,
     make_delaunay},
    {{NULL, NULL}, NULL, 0, 0, NULL},
};
