/* SPDX-License-Identifier: BSD-3-Clause */
/* A frame spreads: from u to its neighbour v in direction d, every other direction e of v leads to
 * the one common neighbour of v and u + e beside u; what is left of v's neighbours is v + d.
 * Noise makes some of these ambiguous: such a vertex waits for another neighbour's frame. */
#include "graph/recognise/lattice.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

enum { CHOICES = 8, LEFT = 32, LOOKED = 64, FAILED = 32, FEW = 4 };

/* Counts how often a line closes after so many steps: majority vote in one pass. */
typedef struct vote {
    uint32_t value, lead;
} vote;

typedef struct growth {
    const topomap_rows *rows;
    const topomap_frame *frame;
    uint32_t *next;  /* [vertices * slots] */
    int32_t *at;     /* [vertices * dims] on lines not yet closed */
    uint8_t *state;  /* [vertices] */
    uint32_t *queue; /* [vertices] placed vertices in order */
    uint32_t *framed_queue, framed;
    uint32_t placed, failed;
    vote period[TOPOMAP_LATTICE_DIMS];
} growth;

enum { PLACED = 1, FRAMED = 2 };

static uint32_t *next_of(const growth *g, uint32_t v)
{
    return g->next + (size_t)v * g->frame->slots;
}

static uint32_t dim_of(const topomap_frame *frame, uint32_t slot)
{
    uint32_t k = 0;

    while (frame->first[k + 1] <= slot)
        k++;
    return k;
}

static int holds(const uint32_t *list, uint32_t count, uint32_t v)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == v)
            return 1;
    return 0;
}

typedef struct choice {
    uint32_t slot, count;
    uint32_t vertex[CHOICES];
} choice;

/* Ambiguous directions whose other choices are taken by now. */
static int eliminate(uint32_t *next, uint32_t slots, choice *open, uint32_t count)
{
    for (int changed = 1; changed && count;) {
        changed = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t kept = 0;

            for (uint32_t c = 0; c < open[i].count; c++)
                if (!holds(next, slots, open[i].vertex[c]))
                    open[i].vertex[kept++] = open[i].vertex[c];
            open[i].count = kept;
            if (kept == 0)
                return 0;
            if (kept == 1) {
                next[open[i].slot] = open[i].vertex[0];
                open[i--] = open[--count];
                changed = 1;
            }
        }
    }
    return count == 0;
}

/* Members of a clique that v has no edge to, where most are there: next to another member and to
 * u's. Few may be left open. */
static int take_missing(const growth *g, uint32_t u, uint32_t k, uint32_t *next)
{
    const topomap_frame *f = g->frame;
    const uint32_t *from = next_of(g, u);

    for (uint32_t j = 0; j < f->dims; j++) {
        uint32_t members = f->first[j + 1] - f->first[j], open = 0;

        if (j == k || f->kind[j] != TOPOMAP_LATTICE_CLIQUE)
            continue;
        for (uint32_t d = f->first[j]; d < f->first[j + 1]; d++) {
            uint32_t looked = 0, common[2];

            for (uint32_t e = f->first[j];
                 next[d] == TOPOMAP_LATTICE_NONE && from[d] != TOPOMAP_LATTICE_NONE &&
                 e < f->first[j + 1] && looked < FEW;
                 e++) {
                if (next[e] == TOPOMAP_LATTICE_NONE)
                    continue;
                looked++;
                if (topomap_rows_common(g->rows, next[e], from[d], from[e], common, 2) == 1 &&
                    !holds(next, f->slots, common[0]))
                    next[d] = common[0];
            }
            open += next[d] == TOPOMAP_LATTICE_NONE;
        }
        if (8 * open > members)
            return 0;
    }
    return 1;
}

/* The directions of v in other dimensions than k. */
static int take_sideways(const growth *g, uint32_t u, uint32_t v, uint32_t k, uint32_t *next)
{
    const topomap_frame *f = g->frame;
    const uint32_t *from = next_of(g, u);
    choice open[LOOKED];
    uint32_t count = 0;

    for (uint32_t d = 0; d < f->slots; d++) {
        choice *c = &open[count];

        if (d >= f->first[k] && d < f->first[k + 1])
            continue;
        if (from[d] == TOPOMAP_LATTICE_NONE || from[d] == u) {
            next[d] = from[d] == u ? v : TOPOMAP_LATTICE_NONE;
            continue;
        }
        c->slot = d;
        c->count = topomap_rows_common(g->rows, v, from[d], u, c->vertex, CHOICES);
        if (c->count == 0 && f->kind[dim_of(f, d)] != TOPOMAP_LATTICE_CLIQUE)
            return 0;
        if (c->count == 0)
            continue; /* next[d] is open */
        if (c->count == 1)
            next[d] = c->vertex[0];
        else if (++count == LOOKED)
            return 0;
    }
    return eliminate(next, f->slots, open, count) && take_missing(g, u, k, next);
}

/* With how many of the first `most` directions that are known in dimension j v + c closes a square.
 */
static uint32_t count_closed(const growth *g, uint32_t v, uint32_t c, uint32_t j, uint32_t most,
                             const uint32_t *next, uint32_t *known)
{
    const topomap_frame *f = g->frame;
    uint32_t closed = 0, common;

    *known = 0;
    for (uint32_t d = f->first[j]; d < f->first[j + 1] && *known < most; d++) {
        if (next[d] == TOPOMAP_LATTICE_NONE || next[d] == v)
            continue;
        ++*known;
        closed += topomap_rows_common(g->rows, c, next[d], v, &common, 1);
    }
    return closed;
}

/* Whether v + c closes a square with each direction beside (two a clique). */
static int closes_squares(const growth *g, uint32_t v, uint32_t c, uint32_t k, const uint32_t *next)
{
    uint32_t known;

    for (uint32_t j = 0; j < g->frame->dims; j++)
        if (j != k && count_closed(g, v, c, j, 2, next, &known) < known)
            return 0;
    return 1;
}

static int take_forward(const growth *g, uint32_t v, uint32_t k, uint32_t forward, uint32_t *next)
{
    const topomap_frame *f = g->frame;
    uint32_t left = 0, fits = 0;

    next[forward] = TOPOMAP_LATTICE_NONE;
    for (uint64_t e = g->rows->offset[v]; e < g->rows->offset[v + 1]; e++) {
        uint32_t c = g->rows->target[e];

        if (holds(next, f->slots, c))
            continue;
        if (++left > LEFT)
            return 0;
        if (!closes_squares(g, v, c, k, next))
            continue;
        if (fits++)
            return 0;
        next[forward] = c;
    }
    return 1;
}

/* Whether v + c closes a square with all directions that are known beside dimension j but one, and
 * with one of each dimension. */
static int crosses_all_but(const growth *g, uint32_t v, uint32_t c, uint32_t j,
                           const uint32_t *next)
{
    uint32_t missed = 0;

    for (uint32_t i = 0; i < g->frame->dims; i++) {
        uint32_t known, closed;

        if (i == j)
            continue;
        closed = count_closed(g, v, c, i, FEW, next, &known);
        missed += known - closed;
        if (!closed || missed > 1)
            return 0;
    }
    return 1;
}

/* A line that seemed to end, because an edge is missing beside it, goes on where a neighbour of v
 * that is left fits there and nowhere else. */
static void take_open_ends(const growth *g, uint32_t v, uint32_t *next)
{
    const topomap_frame *f = g->frame;
    uint64_t begin = g->rows->offset[v], end = g->rows->offset[v + 1];
    uint32_t left = 0;

    for (uint64_t e = begin; e < end && left <= FEW; e++)
        left += !holds(next, f->slots, g->rows->target[e]);
    for (uint64_t e = begin; e < end && left && left <= FEW && f->dims > 1; e++) {
        uint32_t c = g->rows->target[e], slot = TOPOMAP_LATTICE_NONE, fits = 0;

        if (holds(next, f->slots, c))
            continue;
        for (uint32_t j = 0; j < f->dims; j++) {
            const uint32_t *line = next + f->first[j];

            if (f->kind[j] == TOPOMAP_LATTICE_CLIQUE ||
                (line[0] == TOPOMAP_LATTICE_NONE) == (line[1] == TOPOMAP_LATTICE_NONE) ||
                !crosses_all_but(g, v, c, j, next))
                continue;
            slot = f->first[j] + (line[1] == TOPOMAP_LATTICE_NONE);
            fits++;
        }
        if (fits == 1)
            next[slot] = c;
    }
}

static int make_frame(const growth *g, uint32_t u, uint32_t slot, uint32_t v)
{
    const topomap_frame *f = g->frame;
    uint32_t k = dim_of(f, slot), *next = next_of(g, v);
    const uint32_t *from = next_of(g, u);

    for (uint32_t d = 0; d < f->slots; d++)
        next[d] = TOPOMAP_LATTICE_NONE;
    if (f->kind[k] == TOPOMAP_LATTICE_CLIQUE) {
        memcpy(next + f->first[k], from + f->first[k],
               (f->first[k + 1] - f->first[k]) * sizeof *next);
        return take_sideways(g, u, v, k, next);
    }
    next[f->first[k] + (slot == f->first[k])] = u;
    if (!take_sideways(g, u, v, k, next) || !take_forward(g, v, k, slot, next))
        return 0;
    take_open_ends(g, v, next);
    return 1;
}

/* Where v is, seen from u. */
static void step(const growth *g, uint32_t u, uint32_t slot, int32_t *at)
{
    const topomap_frame *f = g->frame;
    uint32_t k = dim_of(f, slot);

    memcpy(at, g->at + (size_t)u * f->dims, f->dims * sizeof *at);
    if (f->kind[k] == TOPOMAP_LATTICE_CLIQUE)
        at[k] = (int32_t)(slot - f->first[k]);
    else
        at[k] += slot == f->first[k] ? -1 : 1;
}

/* Two ways to one vertex that end at different places: the line closes. */
static void note_period(growth *g, const int32_t *at, uint32_t v)
{
    const int32_t *there = g->at + (size_t)v * g->frame->dims;
    uint32_t differ = UINT32_MAX, gap;

    for (uint32_t k = 0; k < g->frame->dims; k++)
        if (at[k] != there[k]) {
            if (differ != UINT32_MAX)
                return;
            differ = k;
        }
    if (differ == UINT32_MAX)
        return;
    gap = (uint32_t)abs(at[differ] - there[differ]);
    if (g->period[differ].value == gap) {
        g->period[differ].lead++;
    } else if (g->period[differ].lead-- == 0) {
        g->period[differ] = (vote){gap, 1};
    }
}

/* Returns 0 where too many vertices have no frame. */
static int look_around(growth *g, uint32_t u, const uint8_t *taken)
{
    const topomap_frame *f = g->frame;
    int32_t at[TOPOMAP_LATTICE_DIMS];

    for (uint32_t d = 0; d < f->slots; d++) {
        uint32_t v = next_of(g, u)[d];

        if (v == TOPOMAP_LATTICE_NONE || v == u || taken[v])
            continue;
        step(g, u, d, at);
        if (!(g->state[v] & PLACED)) {
            memcpy(g->at + (size_t)v * f->dims, at, f->dims * sizeof *at);
            g->state[v] |= PLACED;
            g->queue[g->placed++] = v;
        } else {
            note_period(g, at, v);
        }
        if (g->state[v] & FRAMED)
            continue;
        if (make_frame(g, u, d, v)) {
            g->state[v] |= FRAMED;
            g->framed_queue[g->framed++] = v;
        } else if (++g->failed > FAILED + g->framed) {
            return 0;
        }
    }
    return 1;
}

static void place_seed(growth *g, uint32_t vertex)
{
    const topomap_frame *f = g->frame;

    memcpy(next_of(g, vertex), f->seed, f->slots * sizeof *f->seed);
    for (uint32_t k = 0; k < f->dims; k++)
        g->at[(size_t)vertex * f->dims + k] = 0; /* of a clique: the seed is its first member */
    g->state[vertex] = PLACED | FRAMED;
    g->queue[g->placed++] = g->framed_queue[g->framed++] = vertex;
}

/* Lengths of the lines, and coordinates from 0. A line that closes crosses its seam once for each
 * place in the other dimensions. Returns 0 where the lengths do not multiply up. */
static int close_lines(growth *g, topomap_piece *piece)
{
    const topomap_frame *f = g->frame;
    uint64_t cells = 1;

    piece->dims = f->dims;
    for (uint32_t k = 0; k < f->dims; k++) {
        int32_t low = INT32_MAX, high = INT32_MIN;
        uint32_t period = g->period[k].value, size;

        if (f->kind[k] == TOPOMAP_LATTICE_CLIQUE) {
            piece->kind[k] = TOPOMAP_LATTICE_CLIQUE;
            piece->size[k] = f->first[k + 1] - f->first[k];
            cells *= piece->size[k];
            continue;
        }
        for (uint32_t i = 0; i < g->placed; i++) {
            int32_t x = g->at[(size_t)g->queue[i] * f->dims + k];

            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        size = (uint32_t)(high - low) + 1;
        piece->kind[k] = TOPOMAP_LATTICE_PATH;
        if (g->period[k].lead && (uint64_t)g->period[k].lead * period * 2 >= g->placed) {
            piece->kind[k] = TOPOMAP_LATTICE_RING;
            size = period;
        }
        for (uint32_t i = 0; i < g->placed; i++) {
            int32_t *x = &g->at[(size_t)g->queue[i] * f->dims + k];

            *x = (int32_t)((uint32_t)(*x - low) % size);
        }
        piece->size[k] = size;
        cells *= size;
        if (cells > 2 * (uint64_t)g->placed + 2)
            return 0;
    }
    return 1;
}

static int take_piece(growth *g, topomap_piece *piece, topomap_error *err)
{
    size_t dims = g->frame->dims;

    if (!close_lines(g, piece))
        return 0;
    piece->count = g->placed;
    piece->vertex = topomap_alloc(piece->count, sizeof *piece->vertex, err);
    piece->at = topomap_alloc(piece->count * dims, sizeof *piece->at, err);
    if (!piece->vertex || !piece->at)
        return -1;
    for (uint32_t i = 0; i < g->placed; i++) {
        piece->vertex[i] = g->queue[i];
        for (size_t k = 0; k < dims; k++)
            piece->at[i * dims + k] = (uint32_t)g->at[g->queue[i] * dims + k];
    }
    return 1;
}

int topomap_piece_grow(const topomap_rows *rows, uint32_t vertex, const topomap_frame *frame,
                       const uint8_t *taken, topomap_piece *piece, topomap_error *err)
{
    growth g = {.rows = rows, .frame = frame};
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena memory = {0};
    uint32_t n = rows->vertices;
    int found = 1;

    memset(piece, 0, sizeof *piece);
    /* A product has as many arcs as slots, but for the ends of its lines. */
    if ((uint64_t)n * frame->slots > 8 * (rows->offset[n] + n))
        return 0;
    g.next = topomap_arena_alloc(&memory, (size_t)n * frame->slots, sizeof *g.next, err);
    g.at = topomap_arena_alloc(&memory, (size_t)n * frame->dims, sizeof *g.at, err);
    g.state = topomap_arena_alloc(&memory, n, sizeof *g.state, err);
    g.queue = topomap_arena_alloc(&memory, n, sizeof *g.queue, err);
    g.framed_queue = topomap_arena_alloc(&memory, n, sizeof *g.framed_queue, err);
    if (memory.is_short)
        return -1;
    place_seed(&g, vertex);
    for (uint32_t i = 0; found == 1 && i < g.framed; i++)
        found = look_around(&g, g.framed_queue[i], taken);
    if (found == 1)
        found = take_piece(&g, piece, err);
    if (found != 1)
        topomap_piece_clear(piece);
    return found;
}

void topomap_piece_clear(topomap_piece *piece)
{
    free(piece->vertex);
    free(piece->at);
    memset(piece, 0, sizeof *piece);
}
