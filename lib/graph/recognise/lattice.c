/* SPDX-License-Identifier: BSD-3-Clause */
/* The search for a lattice: pieces grown from a few vertices, made into coordinates, and checked
 * against every edge; on the whole graph, and where that is none on its heavier edges (noise and
 * diagonals are often light) and on its skeleton (diagonals as heavy as the rest). */
#include "graph/recognise/lattice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/sorted.h"

enum {
    SEEDS = 64, /* vertices whose neighbours are looked at */
    GROWN = 8,  /* frames that are grown */
    LAYERS = 6, /* least weights tried */
    SAMPLE = 4096,
    PIECES = 4096,
    LEAST_RANKS = 8 /* fewer are a pattern by accident */
};

/* Arcs that are walked in search of a frame, beside those of the graph: enough for all vertices
 * that have up to 75 neighbours, and for some of those that have more. Random graphs have none
 * anywhere, and a launch waits. */
#define WALKED 1.5e6

/* Below this, another form is looked for that leaves less unexplained. */
#define SURE 0.9

typedef struct search {
    const topomap_weights *weights; /* whole graph */
    uint32_t ranks, active;         /* active: ranks that have neighbours */
    uint8_t *taken;                 /* [ranks] */
    uint32_t *owner;                /* [ranks] by cell */
    topomap_lattice *best;
} search;

static double fit_of(const topomap_lattice *l)
{
    return l->dims ? l->explained * l->present : 0;
}

/* Dimensions in an order that is the same for equal pieces: by kind, then size. */
static void sort_dims(const topomap_piece *piece, uint32_t *order)
{
    for (uint32_t k = 0; k < piece->dims; k++) {
        uint32_t i = k;

        for (; i > 0 && (piece->kind[k] < piece->kind[order[i - 1]] ||
                         (piece->kind[k] == piece->kind[order[i - 1]] &&
                          piece->size[k] > piece->size[order[i - 1]]));
             i--)
            order[i] = order[i - 1];
        order[i] = k;
    }
}

static uint64_t piece_cells(const topomap_piece *piece)
{
    uint64_t cells = 1;

    for (uint32_t k = 0; k < piece->dims; k++)
        cells *= piece->size[k]; /* at most twice the number of ranks */
    return cells;
}

/* The first piece gives the lattice its shape. */
static void shape_from(topomap_lattice *l, const topomap_piece *piece)
{
    uint32_t order[TOPOMAP_LATTICE_DIMS];

    sort_dims(piece, order);
    l->dims = piece->dims;
    for (uint32_t k = 0; k < piece->dims; k++) {
        l->size[k] = piece->size[order[k]];
        l->kind[k] = piece->kind[order[k]];
    }
    l->cells = (uint32_t)piece_cells(piece);
}

static int same_shape(const topomap_lattice *l, const topomap_piece *piece)
{
    uint32_t order[TOPOMAP_LATTICE_DIMS];

    if (l->dims != piece->dims)
        return 0;
    sort_dims(piece, order);
    for (uint32_t k = 0; k < l->dims; k++)
        if (l->size[k] != piece->size[order[k]] || l->kind[k] != piece->kind[order[k]])
            return 0;
    return 1;
}

/* Puts a piece to its cells, copy by copy. A second vertex at a cell has no place yet. */
static void put_piece(search *s, topomap_lattice *l, const topomap_piece *piece, uint32_t copy)
{
    uint32_t order[TOPOMAP_LATTICE_DIMS];

    sort_dims(piece, order);
    for (uint32_t i = 0; i < piece->count; i++) {
        uint32_t cell = 0;

        for (uint32_t k = l->dims; k-- > 0;)
            cell = cell * l->size[k] + piece->at[(size_t)i * piece->dims + order[k]];
        cell += copy * l->cells;
        s->taken[piece->vertex[i]] = 1;
        if (s->owner[cell] != UINT32_MAX)
            continue;
        s->owner[cell] = piece->vertex[i];
        l->cell[piece->vertex[i]] = cell;
    }
}

/* The i-th vertex to try: spread over the ids. */
static uint32_t spread(uint32_t i, uint32_t n)
{
    return (uint32_t)((i * (uint64_t)2654435769u + n / 2) % n);
}

/* Arcs that are walked for the frame at a vertex: each neighbour's, beside those of the vertex, to
 * count who is adjacent and once more to gather a clique. */
static double frame_cost(const topomap_rows *rows, uint32_t v)
{
    uint64_t first = rows->offset[v], end = rows->offset[v + 1], degree = end - first, walked = 0;

    for (uint64_t e = first; e < end; e++) {
        uint32_t u = rows->target[e];
        uint64_t row = rows->offset[u + 1] - rows->offset[u], most = TOPOMAP_FRAME_HUB * degree;

        walked += degree + (row < most ? row : most);
    }
    return 2.0 * (double)walked;
}

/* Grows a piece from a vertex, and counts the frames that there are; 1, 0 or -1. */
static int grow_at(const search *s, const topomap_rows *rows, uint32_t v, uint32_t *grown,
                   topomap_piece *piece, topomap_error *err)
{
    topomap_frame frame;
    int found = topomap_frame_at(rows, v, &frame, err);
    uint64_t cells;

    if (found != 1)
        return found;
    ++*grown;
    found = topomap_piece_grow(rows, v, &frame, s->taken, piece, err);
    topomap_frame_clear(&frame);
    if (found != 1)
        return found;
    cells = piece_cells(piece);
    if (cells <= s->active && s->active % cells == 0 && 10 * piece->count >= 9 * cells)
        return 1;
    topomap_piece_clear(piece);
    return 0;
}

/* Grows a piece from one of a few vertices; 1, 0 or -1. Hubs are dear and left out, unless nothing
 * else is there: then the one that is least so is tried. */
static int grow_somewhere(const search *s, const topomap_rows *rows, topomap_piece *piece,
                          topomap_error *err)
{
    double budget = WALKED + (double)rows->offset[rows->vertices], left = budget, least = INFINITY;
    uint32_t grown = 0, cheapest = 0;

    for (uint32_t i = 0; i < SEEDS && grown < GROWN; i++) {
        uint32_t v = spread(i, rows->vertices);
        double cost = frame_cost(rows, v);
        int found;

        if (s->taken[v] || cost == 0)
            continue;
        if (cost < least) {
            least = cost;
            cheapest = v;
        }
        if (cost > left)
            continue;
        left -= cost;
        found = grow_at(s, rows, v, &grown, piece, err);
        if (found != 0)
            return found;
    }
    return isfinite(least) && least > budget ? grow_at(s, rows, cheapest, &grown, piece, err) : 0;
}

/* The remaining copies; 0 where the rest is something else. What they take is a few times what the
 * graph has, or most vertices have no frame. */
static int find_copies(search *s, const topomap_rows *rows, topomap_lattice *l, topomap_error *err)
{
    double left = WALKED + 8.0 * (double)rows->offset[rows->vertices];
    uint32_t copies = s->active / l->cells, copy = 1, v = 0, grown = 0;

    if (copies > PIECES)
        return 0;
    while (copy < copies) {
        topomap_piece piece;
        int found;

        while (v < s->ranks && (s->taken[v] || rows->offset[v] == rows->offset[v + 1]))
            v++;
        if (v == s->ranks || left < 0)
            return 0;
        left -= frame_cost(rows, v);
        found = grow_at(s, rows, v++, &grown, &piece, err);
        if (found < 0)
            return -1;
        if (!found)
            continue;
        found = same_shape(l, &piece);
        if (found)
            put_piece(s, l, &piece, copy++);
        topomap_piece_clear(&piece);
        if (!found)
            return 0;
    }
    return 1;
}

static int has_edge(const topomap_weights *w, uint32_t u, uint32_t v)
{
    uint64_t lo = topomap_sorted_u32(w->target, w->offset[u], w->offset[u + 1], v);

    return lo < w->offset[u + 1] && w->target[lo] == v;
}

/* How many of the ranks next to a cell, along the axes, the vertex talks to. */
static uint32_t neighbours_at(const search *s, const topomap_lattice *l, uint32_t cell, uint32_t v)
{
    uint32_t stride = 1, met = 0;

    for (uint32_t k = 0; k < l->dims; stride *= l->size[k++]) {
        uint32_t x = cell / stride % l->size[k], first = cell - x * stride;

        for (uint32_t y = 0; y < l->size[k]; y++) {
            uint32_t gap = x < y ? y - x : x - y, other = s->owner[first + y * stride];

            if (l->kind[k] != TOPOMAP_LATTICE_CLIQUE && gap != 1 &&
                (l->kind[k] != TOPOMAP_LATTICE_RING || gap + 1 != l->size[k]))
                continue;
            met += gap && other != UINT32_MAX && has_edge(s->weights, v, other);
        }
    }
    return met;
}

/* The vertices that growth did not reach, because of noise around them, to the cells left. */
static int put_rest(search *s, topomap_lattice *l, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *open = topomap_alloc(l->cells, sizeof *open, err);
    uint32_t count = 0;

    if (!open)
        return -1;
    for (uint32_t c = 0; c < l->cells; c++)
        if (s->owner[c] == UINT32_MAX)
            open[count++] = c;
    /* Few: pieces have nine tenths of their cells, and a large rest is no noise. */
    for (int rounds = 0; count && rounds < 4; rounds++)
        for (uint32_t v = 0; v < s->ranks && (uint64_t)count * count <= 8 * (uint64_t)l->cells;
             v++) {
            uint32_t best = UINT32_MAX, most = 0;

            if (l->cell[v] != UINT32_MAX || s->weights->offset[v] == s->weights->offset[v + 1])
                continue;
            for (uint32_t i = 0; i < count; i++) {
                uint32_t met = neighbours_at(s, l, open[i], v);

                if (met > most) {
                    most = met;
                    best = i;
                }
            }
            if (best == UINT32_MAX)
                continue;
            l->cell[v] = open[best];
            s->owner[open[best]] = v;
            open[best] = open[--count];
        }
    return count == 0;
}

/* A piece and its copies, with every active rank at a cell; 1, 0 or -1. */
static int assemble(search *s, const topomap_rows *rows, topomap_lattice *l, topomap_error *err)
{
    topomap_piece piece;
    uint32_t copies;
    int found;

    memset(s->taken, 0, s->ranks);
    memset(s->owner, 0xff, s->ranks * sizeof *s->owner);
    memset(l->cell, 0xff, s->ranks * sizeof *l->cell);
    found = grow_somewhere(s, rows, &piece, err);
    if (found != 1)
        return found;
    shape_from(l, &piece);
    put_piece(s, l, &piece, 0);
    topomap_piece_clear(&piece);
    copies = s->active / l->cells;
    found = find_copies(s, rows, l, err);
    if (found != 1)
        return found;
    if (copies > 1) {
        if (l->dims == TOPOMAP_LATTICE_DIMS)
            return 0;
        l->kind[l->dims] = TOPOMAP_LATTICE_COPIES;
        l->size[l->dims++] = copies;
        l->cells *= copies;
    }
    return put_rest(s, l, err);
}

/* Keeps what explains the graph better than what is known; 1 if the search is over. */
static int try_rows(search *s, const topomap_rows *rows, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_lattice_clear) topomap_lattice l = {.ranks = s->ranks};
    int found;

    l.cell = topomap_alloc(s->ranks, sizeof *l.cell, err);
    if (!l.cell)
        return -1;
    found = assemble(s, rows, &l, err);
    if (found != 1)
        return found < 0 ? -1 : 0;
    topomap_lattice_rings_of_four(&l, s->weights);
    topomap_lattice_close_rings(&l, s->weights);
    topomap_lattice_fit(&l, s->weights);
    if (topomap_lattice_weigh(&l, s->weights, err))
        return -1;
    if (!topomap_lattice_holds(&l) || !(fit_of(&l) > fit_of(s->best)))
        return 0;
    topomap_lattice_clear(s->best);
    *s->best = l;
    l.cell = NULL;
    return fit_of(&l) >= SURE;
}

/* Weights that are well above the next lower ones, the highest first. Returns how many. */
static int find_layers(const topomap_weights *w, uint32_t ranks, uint64_t *least,
                       topomap_error *err)
{
    uint64_t arcs = w->offset[ranks], step = arcs / SAMPLE + 1;
    TOPOMAP_FREED uint64_t *sample = topomap_alloc(SAMPLE, sizeof *sample, err);
    int count = 0, layers = 0;

    if (!sample)
        return -1;
    for (uint64_t e = 0; e < arcs && count < SAMPLE; e += step)
        sample[count++] = w->weight[e];
    qsort(sample, (size_t)count, sizeof *sample, topomap_by_u64);
    for (int i = count - 1; i > 0 && layers < LAYERS; i--)
        if (sample[i] / 5 * 4 > sample[i - 1] || (sample[i] < 5 && sample[i] > sample[i - 1]))
            least[layers++] = sample[i];
    return layers;
}

static int try_skeleton(search *s, const topomap_rows *all, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_rows_clear) topomap_rows rows = {0};

    if (topomap_rows_skeleton(all, &rows, err))
        return -1;
    return rows.vertices ? try_rows(s, &rows, err) : 0;
}

static int try_layers(search *s, topomap_error *err)
{
    uint64_t least[LAYERS];
    int layers = find_layers(s->weights, s->ranks, least, err), found = layers < 0 ? -1 : 0;

    for (int i = 0; i < layers && found == 0; i++) {
        topomap_rows rows;

        found = topomap_rows_heavy(s->weights, s->ranks, least[i], &rows, err);
        if (found != 0)
            continue;
        found = try_rows(s, &rows, err);
        if (found == 0)
            found = try_skeleton(s, &rows, err);
        topomap_rows_clear(&rows);
    }
    return found;
}

static int run(search *s, topomap_error *err)
{
    topomap_rows all = {s->ranks, s->weights->offset, s->weights->target};
    int found = topomap_lattice_groups(s->weights, s->ranks, s->best, err);

    if (found == 1)
        found = fit_of(s->best) >= SURE;
    if (found == 0)
        found = try_rows(s, &all, err);
    if (found == 0)
        found = try_layers(s, err);
    if (found == 0)
        found = try_skeleton(s, &all, err);
    if (found == 0 && !s->best->dims && s->active == s->ranks)
        found = topomap_lattice_twins(s->weights, s->ranks, topomap_lattice_find, s->best, err);
    return found < 0 ? -1 : 0;
}

int topomap_lattice_find(const topomap_weights *weights, uint32_t ranks, topomap_lattice *lattice,
                         topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_lattice_clear) topomap_lattice best = {.ranks = ranks};
    search s = {.weights = weights, .ranks = ranks, .best = &best};

    for (uint32_t u = 0; u < ranks; u++)
        s.active += weights->offset[u] < weights->offset[u + 1];
    if (s.active >= LEAST_RANKS) {
        TOPOMAP_FREED uint8_t *taken = s.taken = topomap_alloc(ranks, sizeof *s.taken, err);
        TOPOMAP_FREED uint32_t *owner = s.owner = topomap_alloc(ranks, sizeof *s.owner, err);

        if (!taken || !owner || run(&s, err))
            return -1;
    }
    if (best.dims && topomap_lattice_tidy(&best, weights) &&
        topomap_lattice_weigh(&best, weights, err))
        return -1;
    *lattice = best;
    best.cell = NULL;
    return 0;
}
