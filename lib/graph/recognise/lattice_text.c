/* SPDX-License-Identifier: BSD-3-Clause */
/* A lattice in the words of the pattern generator. */
#include <math.h>
#include <string.h>

#include "graph/patterns/patterns.h"
#include "graph/recognise/lattice.h"
#include "util/text.h"

enum { SCALED_DIMS = 6, GRID_DIMS = 8 };

typedef struct text {
    char *at;
    size_t room;
} text;

static uint32_t count_kind(const topomap_lattice *l, enum topomap_lattice_kind kind)
{
    uint32_t count = 0;

    for (uint32_t k = 0; k < l->dims; k++)
        count += l->kind[k] == kind;
    return count;
}

static void add_sizes(text *t, const topomap_lattice *l)
{
    for (uint32_t k = 0; k < l->dims; k++)
        topomap_text_append(t->at, t->room, "%s%u", k ? "x" : "", l->size[k]);
}

/* Neighbours in up to `reach` of the dimensions, and the point itself. */
static unsigned points_of(const topomap_lattice *l)
{
    unsigned points = 1, ways = 1;

    for (uint32_t d = 1; d <= l->reach; d++) {
        ways = ways * 2 * (l->dims - d + 1) / d;
        points += ways;
    }
    return points;
}

/* stencil2d to stencil4d and torus2d to torus6d have names of their own. */
static void add_grid(text *t, const topomap_lattice *l)
{
    uint32_t rings = count_kind(l, TOPOMAP_LATTICE_RING);
    int torus = rings == l->dims && l->reach == 1;

    topomap_text_append(t->at, t->room, torus ? "torus" : "stencil");
    if (l->dims <= (torus ? 6 : 4))
        topomap_text_append(t->at, t->room, "%ud", l->dims);
    topomap_text_append(t->at, t->room, ":");
    if (!torus)
        topomap_text_append(t->at, t->room, "%u:", points_of(l));
    add_sizes(t, l);
    if (rings == l->dims && !torus) {
        topomap_text_append(t->at, t->room, ",periodic");
    } else if (rings && !torus) {
        topomap_text_append(t->at, t->room, ",wrap=");
        for (uint32_t k = 0; k < l->dims; k++)
            if (l->kind[k] == TOPOMAP_LATTICE_RING)
                topomap_text_append(t->at, t->room, "%c", TOPOMAP_PATTERN_LETTERS[k]);
    }
}

static void add_product(text *t, const topomap_lattice *l)
{
    static const char *const word[] = {"path", "ring", "all", "copies"};

    topomap_text_append(t->at, t->room, "product:");
    for (uint32_t k = 0; k < l->dims; k++)
        topomap_text_append(t->at, t->room, "%s%s=%u", k ? "," : "", word[l->kind[k]], l->size[k]);
}

static void add_words(text *t, const topomap_lattice *l)
{
    uint32_t cliques = count_kind(l, TOPOMAP_LATTICE_CLIQUE);
    uint32_t copies = count_kind(l, TOPOMAP_LATTICE_COPIES);
    uint32_t rings = count_kind(l, TOPOMAP_LATTICE_RING), lines = l->dims - cliques - copies;

    if (l->dims == 1 && cliques)
        topomap_text_append(t->at, t->room, "alltoall:%u", l->size[0]);
    else if (l->dims == 1 && lines)
        topomap_text_append(t->at, t->room, "%s:%u", rings ? "ring" : "chain", l->size[0]);
    else if (cliques == 1 && copies == 1 && l->dims == 2)
        topomap_text_append(t->at, t->room, "alltoall:n=%u,group=%u", l->size[0] * l->size[1],
                            l->size[0]);
    else if (cliques == 2 && l->dims == 2) /* whose second size is the one that varies fastest */
        topomap_text_append(t->at, t->room, "fft:%ux%u", l->size[1], l->size[0]);
    else if (lines == l->dims && l->dims <= GRID_DIMS)
        add_grid(t, l);
    else
        add_product(t, l);
}

static int is_grid(const topomap_lattice *l)
{
    return count_kind(l, TOPOMAP_LATTICE_CLIQUE) + count_kind(l, TOPOMAP_LATTICE_COPIES) == 0;
}

typedef struct scaling {
    uint32_t dims, dim[SCALED_DIMS]; /* those that may change */
    double wanted[SCALED_DIMS];      /* logarithms of their sizes */
    uint64_t size[SCALED_DIMS], best[SCALED_DIMS];
    double least;
} scaling;

/* All ways to write `rest` as a product, those nearest to the wanted sizes kept. */
static void try_sizes(scaling *s, uint32_t k, uint64_t rest, double distance)
{
    if (distance >= s->least)
        return;
    if (k + 1 == s->dims) {
        double gap = log((double)rest) - s->wanted[k];

        s->size[k] = rest;
        if (distance + gap * gap < s->least) {
            s->least = distance + gap * gap;
            memcpy(s->best, s->size, sizeof s->best);
        }
        return;
    }
    for (uint64_t d = 1; d * d <= rest; d++)
        for (int far = 0; far < 2 && rest % d == 0; far++) {
            uint64_t x = far ? rest / d : d;
            double gap = log((double)x) - s->wanted[k];

            s->size[k] = x;
            try_sizes(s, k + 1, rest / x, distance + gap * gap);
        }
}

/* Groups keep their size as long as there is another dimension to scale. */
static int scale(topomap_lattice *l, uint64_t ranks, topomap_error *err)
{
    int groups_too = count_kind(l, TOPOMAP_LATTICE_CLIQUE) == l->dims;
    scaling s = {.least = INFINITY};
    uint64_t fixed = 1;
    double shift;

    for (uint32_t k = 0; k < l->dims; k++) {
        if ((l->kind[k] == TOPOMAP_LATTICE_CLIQUE && !groups_too) || s.dims == SCALED_DIMS)
            fixed *= l->size[k];
        else
            s.dim[s.dims++] = k;
    }
    if (ranks % fixed != 0)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "%llu ranks make no whole number of groups of %llu",
                                 (unsigned long long)ranks, (unsigned long long)fixed);
    shift = log((double)ranks / l->cells) / s.dims;
    for (uint32_t i = 0; i < s.dims; i++)
        s.wanted[i] = log(l->size[s.dim[i]]) + shift;
    try_sizes(&s, 0, ranks / fixed, 0);
    for (uint32_t i = 0; i < s.dims; i++)
        l->size[s.dim[i]] = (uint32_t)s.best[i];
    return 0;
}

int topomap_lattice_words(const topomap_lattice *lattice, uint64_t ranks, char *words, size_t room,
                          topomap_error *err)
{
    topomap_lattice l = *lattice;
    text t = {words, room};

    if (l.reach > 1 && (l.dims > GRID_DIMS || !is_grid(&l)))
        return topomap_error_set(err, TOPOMAP_EUSAGE, "no pattern has diagonals in %u dimensions",
                                 l.dims);
    if (ranks && scale(&l, ranks, err) != 0)
        return -1;
    *words = '\0';
    add_words(&t, &l);
    return 0;
}
