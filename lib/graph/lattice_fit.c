/* SPDX-License-Identifier: BSD-3-Clause */
/* How well coordinates explain a graph, and the form in which they are given. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/lattice_inside.h"
#include "util/alloc.h"

void topomap_lattice_at(const topomap_lattice *l, uint32_t cell, uint32_t *at)
{
    for (uint32_t k = 0; k < l->dims; k++) {
        at[k] = cell % l->size[k];
        cell /= l->size[k];
    }
}

static int is_next(const topomap_lattice *l, uint32_t k, uint32_t a, uint32_t b)
{
    uint32_t gap = a < b ? b - a : a - b;

    switch (l->kind[k]) {
    case TOPOMAP_LATTICE_PATH:
        return gap == 1;
    case TOPOMAP_LATTICE_RING:
        return gap == 1 || gap + 1 == l->size[k];
    case TOPOMAP_LATTICE_CLIQUE:
        return 1;
    default:
        return 0;
    }
}

uint32_t topomap_lattice_along(const topomap_lattice *l, const uint32_t *a, const uint32_t *b)
{
    uint32_t differ = 0, along = UINT32_MAX;

    for (uint32_t k = 0; k < l->dims; k++) {
        if (a[k] == b[k])
            continue;
        if (!is_next(l, k, a[k], b[k]) || (differ && l->kind[along] == TOPOMAP_LATTICE_CLIQUE))
            return UINT32_MAX;
        differ++;
        along = k;
    }
    if (differ > 1)
        return l->kind[along] == TOPOMAP_LATTICE_CLIQUE ? UINT32_MAX : l->dims;
    return along;
}

/* Pairs along one dimension of a line or group of this kind. */
static double pairs_along(uint8_t kind, double size)
{
    switch (kind) {
    case TOPOMAP_LATTICE_PATH:
        return size - 1;
    case TOPOMAP_LATTICE_RING:
        return size > 2 ? size : size - 1;
    case TOPOMAP_LATTICE_CLIQUE:
        return size * (size - 1) / 2;
    default:
        return 0;
    }
}

static void count_expected(const topomap_lattice *l, double *axis, double *all)
{
    double closed = 1, cells = 1;

    *axis = 0;
    for (uint32_t k = 0; k < l->dims; k++) {
        double pairs = pairs_along(l->kind[k], l->size[k]);

        *axis += pairs * l->cells / l->size[k];
        closed *= l->size[k] + 2 * pairs;
        cells *= l->size[k];
    }
    *all = (closed - cells) / 2;
}

void topomap_lattice_fit(topomap_lattice *l, const topomap_weights *w)
{
    double axis = 0, diagonal = 0, edges = 0, most_axis, most_all, fit_axis, fit_all;

    for (uint32_t u = 0; u < l->ranks; u++) {
        uint32_t a[TOPOMAP_LATTICE_DIMS], b[TOPOMAP_LATTICE_DIMS];

        if (l->cell[u] != UINT32_MAX)
            topomap_lattice_at(l, l->cell[u], a);
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++) {
            uint32_t v = w->target[e], along;

            if (v < u)
                continue;
            edges++;
            if (l->cell[u] == UINT32_MAX || l->cell[v] == UINT32_MAX)
                continue;
            topomap_lattice_at(l, l->cell[v], b);
            along = topomap_lattice_along(l, a, b);
            axis += along < l->dims;
            diagonal += along == l->dims;
        }
    }
    count_expected(l, &most_axis, &most_all);
    fit_axis = axis / (edges + most_axis - axis);
    fit_all = (axis + diagonal) / (edges + most_all - axis - diagonal);
    l->diagonals = fit_all > fit_axis;
    if (l->diagonals)
        axis += diagonal;
    l->explained = edges > 0 ? axis / edges : 0;
    l->present = axis > 0 ? axis / (l->diagonals ? most_all : most_axis) : 0;
}

/* What is known of the edges along each dimension. */
typedef struct survey {
    double count[TOPOMAP_LATTICE_DIMS], weight[TOPOMAP_LATTICE_DIMS];
    /* of the differences between ranks, edges across a seam left out */
    uint32_t least[TOPOMAP_LATTICE_DIMS], most[TOPOMAP_LATTICE_DIMS];
    uint64_t at_least[TOPOMAP_LATTICE_DIMS], steps[TOPOMAP_LATTICE_DIMS]; /* how many */
} survey;

static void survey_take(const topomap_lattice *l, const topomap_weights *w, survey *s)
{
    memset(s, 0, sizeof *s);
    memset(s->least, 0xff, sizeof s->least);
    for (uint32_t u = 0; u < l->ranks; u++) {
        uint32_t a[TOPOMAP_LATTICE_DIMS], b[TOPOMAP_LATTICE_DIMS];

        if (l->cell[u] == UINT32_MAX)
            continue;
        topomap_lattice_at(l, l->cell[u], a);
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++) {
            uint32_t v = w->target[e], k, gap;

            if (v < u || l->cell[v] == UINT32_MAX)
                continue;
            topomap_lattice_at(l, l->cell[v], b);
            k = topomap_lattice_along(l, a, b);
            if (k >= l->dims)
                continue;
            s->count[k]++;
            s->weight[k] += (double)w->weight[e];
            if (l->kind[k] != TOPOMAP_LATTICE_CLIQUE && a[k] + 1 != b[k] && b[k] + 1 != a[k])
                continue;
            gap = v - u;
            if (gap < s->least[k])
                s->at_least[k] = 0;
            s->least[k] = gap < s->least[k] ? gap : s->least[k];
            s->at_least[k] += gap == s->least[k];
            s->steps[k]++;
            s->most[k] = gap > s->most[k] ? gap : s->most[k];
        }
    }
    for (uint32_t k = 0; k < l->dims; k++)
        if (s->count[k] > 0)
            s->weight[k] /= s->count[k];
}

/* New dimensions: old[i] is what new dimension i was, and for rings of four the one that it is
 * joined with. */
typedef struct form {
    uint32_t dims, old[TOPOMAP_LATTICE_DIMS], with[TOPOMAP_LATTICE_DIMS];
} form;

static void reshape(topomap_lattice *l, const form *form)
{
    static const uint8_t gray[2][2] = {{0, 3}, {1, 2}};
    topomap_lattice was = *l;

    l->dims = form->dims;
    for (uint32_t i = 0; i < form->dims; i++) {
        l->size[i] = was.size[form->old[i]];
        l->kind[i] = was.kind[form->old[i]];
        if (form->with[i] != UINT32_MAX) {
            l->size[i] = 4;
            l->kind[i] = TOPOMAP_LATTICE_RING;
        }
    }
    for (uint32_t u = 0; u < l->ranks; u++) {
        uint32_t at[TOPOMAP_LATTICE_DIMS], cell = 0;

        if (l->cell[u] == UINT32_MAX)
            continue;
        topomap_lattice_at(&was, l->cell[u], at);
        for (uint32_t i = form->dims; i-- > 0;) {
            uint32_t x = at[form->old[i]];

            if (form->with[i] != UINT32_MAX)
                x = gray[x][at[form->with[i]]];
            cell = cell * l->size[i] + x;
        }
        l->cell[u] = cell;
    }
}

static int close_to(double a, double b)
{
    return fabs(a - b) <= 0.01 * (a + b);
}

/* Two pairs of the same weight are a ring of four; complete groups of two and three are lines. */
static void join_pairs(topomap_lattice *l, const survey *s, form *form)
{
    uint8_t joined[TOPOMAP_LATTICE_DIMS] = {0};

    form->dims = 0;
    for (uint32_t k = 0; k < l->dims; k++) {
        uint32_t with = UINT32_MAX;

        if (joined[k])
            continue;
        for (uint32_t j = k + 1; j < l->dims && with == UINT32_MAX && !l->diagonals; j++)
            if (l->size[k] == 2 && l->size[j] == 2 && !joined[j] &&
                l->kind[k] == TOPOMAP_LATTICE_PATH && l->kind[j] == TOPOMAP_LATTICE_PATH &&
                close_to(s->weight[k], s->weight[j]))
                with = j;
        if (with != UINT32_MAX)
            joined[with] = 1;
        form->old[form->dims] = k;
        form->with[form->dims++] = with;
    }
}

/* A periodic dimension of two has both messages on one edge. */
static void mark_double(topomap_lattice *l, const survey *s)
{
    for (uint32_t k = 0; k < l->dims; k++) {
        int twice = l->size[k] == 2 && l->kind[k] == TOPOMAP_LATTICE_PATH && l->dims > 1;

        for (uint32_t j = 0; j < l->dims && twice; j++)
            twice = j == k || (l->size[j] > 2 && l->kind[j] == TOPOMAP_LATTICE_RING &&
                               close_to(s->weight[k], 2 * s->weight[j]));
        if (twice)
            l->kind[k] = TOPOMAP_LATTICE_RING;
    }
}

static int is_lines(const topomap_lattice *l)
{
    int lines = 0;

    for (uint32_t k = 0; k < l->dims; k++) {
        if (l->kind[k] == TOPOMAP_LATTICE_CLIQUE && l->size[k] > 3)
            return 0;
        lines += l->kind[k] != TOPOMAP_LATTICE_COPIES;
    }
    return lines > 1;
}

/* Whether dimension a comes before b: by the stride of ranks where the graph was numbered along
 * its dimensions, else copies last, the longer first. */
static int before(const topomap_lattice *l, const survey *s, int numbered, uint32_t a, uint32_t b)
{
    if ((l->kind[a] == TOPOMAP_LATTICE_COPIES) != (l->kind[b] == TOPOMAP_LATTICE_COPIES))
        return l->kind[b] == TOPOMAP_LATTICE_COPIES;
    if (numbered)
        return s->least[a] < s->least[b];
    return l->size[a] != l->size[b] ? l->size[a] > l->size[b] : l->kind[a] < l->kind[b];
}

static int is_numbered(const topomap_lattice *l, const survey *s, uint32_t k)
{
    uint64_t span = l->kind[k] == TOPOMAP_LATTICE_PATH ? 1 : l->size[k] - 1;

    if (l->kind[k] == TOPOMAP_LATTICE_COPIES)
        return 1;
    if (l->kind[k] == TOPOMAP_LATTICE_RING && l->size[k] > 4 && /* the ranks' seam is elsewhere */
        s->at_least[k] * (l->size[k] - 1) < s->steps[k] * (l->size[k] - 2))
        return 0;
    return s->most[k] <= s->least[k] * span;
}

static void order(const topomap_lattice *l, const survey *s, form *form)
{
    int numbered = 1;

    form->dims = l->dims;
    for (uint32_t k = 0; k < l->dims; k++)
        numbered = numbered && is_numbered(l, s, k);
    for (uint32_t k = 0; k < l->dims; k++) {
        uint32_t i = k;

        for (; i > 0 && before(l, s, numbered, k, form->old[i - 1]); i--)
            form->old[i] = form->old[i - 1];
        form->old[i] = k;
        form->with[k] = UINT32_MAX;
    }
}

void topomap_lattice_tidy(topomap_lattice *l, const topomap_weights *w)
{
    survey s;
    form form;

    survey_take(l, w, &s);
    join_pairs(l, &s, &form);
    reshape(l, &form);
    if (is_lines(l))
        for (uint32_t k = 0; k < l->dims; k++)
            if (l->kind[k] == TOPOMAP_LATTICE_CLIQUE)
                l->kind[k] = l->size[k] == 3 ? TOPOMAP_LATTICE_RING : TOPOMAP_LATTICE_PATH;
    survey_take(l, w, &s);
    if (!l->diagonals)
        mark_double(l, &s);
    order(l, &s, &form);
    reshape(l, &form);
}
