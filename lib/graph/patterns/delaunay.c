/* SPDX-License-Identifier: BSD-3-Clause */
/* Delaunay triangulation by divide and conquer on quad-edges: Guibas & Stolfi, "Primitives for the
 * manipulation of general subdivisions and the computation of Voronoi diagrams", ACM Transactions
 * on Graphics 4(2), 1985. Integer coordinates and 128-bit determinants: no rounding. */
#include "graph/patterns/patterns.h"
#include "util/alloc.h"

__extension__ typedef __int128 wide;

/* Four directed edges a quad: the edge, its dual, its reverse, the reverse's dual. */
struct quads {
    const topomap_point *point;
    uint32_t *next;   /* the next edge counterclockwise round the origin */
    uint32_t *origin; /* of every edge that is not a dual */
    uint32_t count;   /* quads made so far */
    uint32_t unused;  /* a list through next of those given back; NONE: empty */
};

#define NONE UINT32_MAX

static uint32_t rot(uint32_t e)
{
    return (e & ~3u) | ((e + 1) & 3);
}

static uint32_t inverse(uint32_t e)
{
    return (e & ~3u) | ((e + 3) & 3);
}

static uint32_t sym(uint32_t e)
{
    return e ^ 2;
}

static uint32_t left_next(const struct quads *q, uint32_t e)
{
    return rot(q->next[inverse(e)]);
}

static uint32_t origin_previous(const struct quads *q, uint32_t e)
{
    return rot(q->next[rot(e)]);
}

static uint32_t right_previous(const struct quads *q, uint32_t e)
{
    return q->next[sym(e)];
}

static uint32_t org(const struct quads *q, uint32_t e)
{
    return q->origin[e];
}

static uint32_t dest(const struct quads *q, uint32_t e)
{
    return q->origin[sym(e)];
}

/* A planar graph has fewer than 3n edges: the arrays are long enough. */
static uint32_t edge_new(struct quads *q, uint32_t from, uint32_t to)
{
    uint32_t e = q->unused;

    if (e == NONE)
        e = 4 * q->count++;
    else
        q->unused = q->next[e];
    q->next[e] = e;
    q->next[e + 1] = e + 3;
    q->next[e + 2] = e + 2;
    q->next[e + 3] = e + 1;
    q->origin[e] = from;
    q->origin[e + 2] = to;
    return e;
}

static void splice(struct quads *q, uint32_t a, uint32_t b)
{
    uint32_t alpha = rot(q->next[a]), beta = rot(q->next[b]);
    uint32_t keep = q->next[a];

    q->next[a] = q->next[b];
    q->next[b] = keep;
    keep = q->next[alpha];
    q->next[alpha] = q->next[beta];
    q->next[beta] = keep;
}

static uint32_t join(struct quads *q, uint32_t a, uint32_t b)
{
    uint32_t e = edge_new(q, dest(q, a), org(q, b));

    splice(q, e, left_next(q, a));
    splice(q, sym(e), b);
    return e;
}

static void edge_delete(struct quads *q, uint32_t e)
{
    splice(q, e, origin_previous(q, e));
    splice(q, sym(e), origin_previous(q, sym(e)));
    e &= ~3u;
    q->origin[e] = NONE;
    q->next[e] = q->unused;
    q->unused = e;
}

static int64_t along(const struct quads *q, uint32_t a, uint32_t b, int k)
{
    return (int64_t)q->point[b].x[k] - (int64_t)q->point[a].x[k];
}

/* Positive where a, b, c turn left. */
static int64_t turn(const struct quads *q, uint32_t a, uint32_t b, uint32_t c)
{
    return along(q, a, b, 0) * along(q, a, c, 1) - along(q, a, b, 1) * along(q, a, c, 0);
}

/* d inside the circle through a, b, c, which turn left. */
static int in_circle(const struct quads *q, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t corner[3] = {a, b, c};
    int64_t x[3], y[3], square[3];

    for (int i = 0; i < 3; i++) {
        x[i] = along(q, d, corner[i], 0);
        y[i] = along(q, d, corner[i], 1);
        square[i] = x[i] * x[i] + y[i] * y[i];
    }
    return (wide)square[0] * (x[1] * y[2] - x[2] * y[1]) +
               (wide)square[1] * (x[2] * y[0] - x[0] * y[2]) +
               (wide)square[2] * (x[0] * y[1] - x[1] * y[0]) >
           0;
}

static int is_right_of(const struct quads *q, uint32_t p, uint32_t e)
{
    return turn(q, p, dest(q, e), org(q, e)) > 0;
}

static int is_left_of(const struct quads *q, uint32_t p, uint32_t e)
{
    return turn(q, p, org(q, e), dest(q, e)) > 0;
}

/* The hull's edge counterclockwise out of the leftmost point, and clockwise out of the rightmost.
 */
struct ends {
    uint32_t left, right;
};

static struct ends three(struct quads *q, uint32_t first)
{
    uint32_t a = edge_new(q, first, first + 1), b = edge_new(q, first + 1, first + 2), c;
    int64_t side = turn(q, first, first + 1, first + 2);

    splice(q, sym(a), b);
    if (side == 0)
        return (struct ends){a, sym(b)};
    c = join(q, b, a);
    return side > 0 ? (struct ends){a, sym(b)} : (struct ends){sym(c), c};
}

static uint32_t origin_next(const struct quads *q, uint32_t e)
{
    return q->next[e];
}

/* The candidate of one side, `e` or one of those that follow by `next`: edges that the circle test
 * rules out go. */
static uint32_t candidate(struct quads *q, uint32_t base, uint32_t e,
                          uint32_t (*next)(const struct quads *q, uint32_t e))
{
    if (!is_right_of(q, dest(q, e), base))
        return e;
    while (in_circle(q, dest(q, base), org(q, base), dest(q, e), dest(q, next(q, e)))) {
        uint32_t after = next(q, e);

        edge_delete(q, e);
        e = after;
    }
    return e;
}

/* From the common tangent `base` upwards, one edge across a step. */
static void zip(struct quads *q, uint32_t base)
{
    for (;;) {
        uint32_t left = candidate(q, base, q->next[sym(base)], origin_next);
        uint32_t right = candidate(q, base, origin_previous(q, base), origin_previous);
        int has_left = is_right_of(q, dest(q, left), base);
        int has_right = is_right_of(q, dest(q, right), base);

        if (!has_left && !has_right)
            return;
        if (!has_left ||
            (has_right && in_circle(q, dest(q, left), org(q, left), org(q, right), dest(q, right))))
            base = join(q, right, sym(base));
        else
            base = join(q, sym(base), sym(left));
    }
}

static struct ends triangulate(struct quads *q, uint32_t first, uint32_t end)
{
    uint32_t middle = first + (end - first) / 2, base;
    struct ends a, b;

    if (end - first == 2) {
        uint32_t e = edge_new(q, first, first + 1);

        return (struct ends){e, sym(e)};
    }
    if (end - first == 3)
        return three(q, first);
    a = triangulate(q, first, middle);
    b = triangulate(q, middle, end);
    {
        uint32_t inner_a = a.right, inner_b = b.left;

        for (;;) {
            if (is_left_of(q, org(q, inner_b), inner_a))
                inner_a = left_next(q, inner_a);
            else if (is_right_of(q, org(q, inner_a), inner_b))
                inner_b = right_previous(q, inner_b);
            else
                break;
        }
        base = join(q, sym(inner_b), inner_a);
        if (org(q, inner_a) == org(q, a.left))
            a.left = sym(base);
        if (org(q, inner_b) == org(q, b.right))
            b.right = base;
    }
    zip(q, base);
    return (struct ends){a.left, b.right};
}

int topomap_delaunay(const topomap_point *point, uint32_t points, uint64_t bytes,
                     topomap_pattern_out *out)
{
    TOPOMAP_FREED uint32_t *next = topomap_alloc((size_t)points * 12, sizeof *next, out->err);
    TOPOMAP_FREED uint32_t *origin = topomap_alloc((size_t)points * 12, sizeof *origin, out->err);
    struct quads q = {.point = point, .unused = NONE, .next = next, .origin = origin};

    if (points < 2)
        return 0;
    if (!next || !origin)
        return -1;
    triangulate(&q, 0, points);
    for (uint32_t e = 0; e < 4 * q.count; e += 4)
        if (origin[e] != NONE &&
            topomap_pattern_pair(out, point[origin[e]].id, point[origin[e + 2]].id, bytes))
            return -1;
    return 0;
}
