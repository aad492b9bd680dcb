/* SPDX-License-Identifier: BSD-3-Clause */
/* How well coordinates explain a graph, and the form in which they are given. */
#include <math.h>
#include <string.h>

#include "graph/recognise/lattice.h"
#include "util/alloc.h"

/* Lines are seen in the edges alone, and uneven in some programs. That each rank talks to each
 * other is no pattern where it is a few of them that matter. */
#define LEAST_EVEN 0.4
#define LEAST_EVEN_GROUPS 0.6

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

uint32_t topomap_lattice_differ(const topomap_lattice *l, const uint32_t *a, const uint32_t *b)
{
    uint32_t differ = 0, cliques = 0;

    for (uint32_t k = 0; k < l->dims; k++) {
        if (a[k] == b[k])
            continue;
        if (!is_next(l, k, a[k], b[k]))
            return UINT32_MAX;
        cliques += l->kind[k] == TOPOMAP_LATTICE_CLIQUE;
        differ++;
    }
    return differ > 1 && cliques ? UINT32_MAX : differ;
}

uint32_t topomap_lattice_along(const topomap_lattice *l, const uint32_t *a, const uint32_t *b)
{
    uint32_t differ = topomap_lattice_differ(l, a, b);

    if (differ != 1)
        return differ == UINT32_MAX ? UINT32_MAX : l->dims;
    for (uint32_t k = 0;; k++)
        if (a[k] != b[k])
            return k;
}

int topomap_walk_next(topomap_walk *w)
{
    const topomap_lattice *l = w->lattice;

    for (; w->u < l->ranks; w->u++) {
        uint64_t end = w->offset[w->u + 1];

        if (l->cell[w->u] == UINT32_MAX)
            w->next = end;
        else if (w->next == w->offset[w->u])
            topomap_lattice_at(l, l->cell[w->u], w->a);
        while (w->next < end) {
            w->arc = w->next++;
            w->v = w->target[w->arc];
            if (l->cell[w->v] == UINT32_MAX || (w->upwards && w->v < w->u))
                continue;
            topomap_lattice_at(l, l->cell[w->v], w->b);
            return 1;
        }
    }
    return 0;
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

/* Pairs that differ in d dimensions, for each d: coefficients of a product over dimensions. */
static void count_expected(const topomap_lattice *l, double *pairs)
{
    memset(pairs, 0, (TOPOMAP_LATTICE_DIMS + 1) * sizeof *pairs);
    pairs[0] = 1;
    for (uint32_t k = 0; k < l->dims; k++)
        for (uint32_t d = k + 1;; d--) {
            pairs[d] *= l->size[k];
            if (d == 0)
                break;
            pairs[d] += pairs[d - 1] * 2 * pairs_along(l->kind[k], l->size[k]);
        }
    for (uint32_t d = 0; d <= l->dims; d++)
        pairs[d] /= 2;
}

/* The graph's edges by the number of dimensions in which their ends differ. */
static void count_edges(const topomap_lattice *l, const topomap_weights *w, double *count)
{
    topomap_walk walk = {l, w->offset, w->target, .upwards = 1};

    memset(count, 0, (TOPOMAP_LATTICE_DIMS + 1) * sizeof *count);
    while (topomap_walk_next(&walk)) {
        uint32_t differ = topomap_lattice_differ(l, walk.a, walk.b);

        if (differ != UINT32_MAX)
            count[differ]++;
    }
}

void topomap_lattice_fit(topomap_lattice *l, const topomap_weights *w)
{
    double count[TOPOMAP_LATTICE_DIMS + 1], expected[TOPOMAP_LATTICE_DIMS + 1];
    double edges = (double)(w->offset[l->ranks] / 2), best = -1, met = 0, wanted = 0;

    count_edges(l, w, count);
    count_expected(l, expected);
    l->explained = l->present = 0;
    for (uint32_t d = 1; d <= l->dims; d++) {
        met += count[d];
        wanted += expected[d];
        if (met / (edges + wanted - met) <= best)
            continue;
        best = met / (edges + wanted - met);
        l->reach = d;
        l->explained = edges > 0 ? met / edges : 0;
        l->present = wanted > 0 ? met / wanted : 0;
    }
}

/* By the dimensions that edges go along, as bits; of more than 8 by their number. */
enum { MOST_BITS = 8, CLASSES = 1 << MOST_BITS };

/* \param a  coordinates of the one end */
static uint32_t class_of(const topomap_lattice *l, const uint32_t *a, uint32_t v)
{
    uint32_t b[TOPOMAP_LATTICE_DIMS], differ, first = 0, bits = 0;

    if (l->cell[v] == UINT32_MAX)
        return CLASSES;
    topomap_lattice_at(l, l->cell[v], b);
    differ = topomap_lattice_differ(l, a, b);
    if (differ == UINT32_MAX || differ > l->reach)
        return CLASSES;
    while (a[first] == b[first])
        first++;
    if (l->dims > MOST_BITS)
        return differ > 1 ? TOPOMAP_LATTICE_DIMS + differ : first;
    for (uint32_t k = first; k < l->dims; k++)
        bits |= (uint32_t)(a[k] != b[k]) << k;
    return bits;
}

static void find_classes(const topomap_lattice *l, const topomap_weights *w, uint16_t *class)
{
    for (uint32_t u = 0; u < l->ranks; u++) {
        uint32_t a[TOPOMAP_LATTICE_DIMS];

        if (l->cell[u] != UINT32_MAX)
            topomap_lattice_at(l, l->cell[u], a);
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
            class[e] =
                (uint16_t)(l->cell[u] == UINT32_MAX ? CLASSES : class_of(l, a, w->target[e]));
    }
}

int topomap_lattice_weigh(topomap_lattice *l, const topomap_weights *w, topomap_error *err)
{
    double count[CLASSES + 1] = {0}, mean[CLASSES + 1] = {0}, all = 0, left = 0;
    uint64_t arcs = w->offset[l->ranks];
    TOPOMAP_FREED uint16_t *class = topomap_alloc(arcs, sizeof *class, err);

    if (!class)
        return -1;
    find_classes(l, w, class);
    for (uint64_t e = 0; e < arcs; e++) {
        count[class[e]]++;
        mean[class[e]] += (double)w->weight[e];
        all += (double)w->weight[e];
    }
    for (uint32_t c = 0; c < CLASSES; c++)
        mean[c] /= count[c] > 0 ? count[c] : 1;
    mean[CLASSES] = 0;
    for (uint64_t e = 0; e < arcs; e++) {
        double weight = (double)w->weight[e], alike = mean[class[e]];

        left += weight < alike ? weight : alike;
    }
    l->even = all > 0 ? left / all : 1;
    return 0;
}

int topomap_lattice_holds(const topomap_lattice *l)
{
    double even = LEAST_EVEN;

    for (uint32_t k = 0; k < l->dims; k++)
        if (l->kind[k] == TOPOMAP_LATTICE_CLIQUE)
            even = LEAST_EVEN_GROUPS;
    return l->explained >= TOPOMAP_LATTICE_LEAST && l->present >= TOPOMAP_LATTICE_LEAST &&
           l->even >= even;
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
    topomap_walk walk = {l, w->offset, w->target, .upwards = 1};

    memset(s, 0, sizeof *s);
    memset(s->least, 0xff, sizeof s->least);
    while (topomap_walk_next(&walk)) {
        uint32_t k = topomap_lattice_along(l, walk.a, walk.b), gap = walk.v - walk.u;

        if (k >= l->dims)
            continue;
        s->count[k]++;
        s->weight[k] += (double)w->weight[walk.arc];
        if (l->kind[k] != TOPOMAP_LATTICE_CLIQUE && walk.a[k] + 1 != walk.b[k] &&
            walk.b[k] + 1 != walk.a[k])
            continue;
        if (gap < s->least[k])
            s->at_least[k] = 0;
        s->least[k] = gap < s->least[k] ? gap : s->least[k];
        s->at_least[k] += gap == s->least[k];
        s->steps[k]++;
        s->most[k] = gap > s->most[k] ? gap : s->most[k];
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

/* Edges by the pair of dimensions of two in which alone their ends differ. */
static double count_diagonals(const topomap_lattice *l, const topomap_weights *w,
                              double count[TOPOMAP_LATTICE_DIMS][TOPOMAP_LATTICE_DIMS])
{
    topomap_walk walk = {l, w->offset, w->target, .upwards = 1};
    double all = 0;

    while (topomap_walk_next(&walk)) {
        uint32_t differ = 0, pair[2] = {0, 0};

        for (uint32_t k = 0; k < l->dims; k++)
            if (walk.a[k] != walk.b[k] && differ++ < 2)
                pair[differ - 1] = k;
        all += differ > 1;
        if (differ == 2)
            count[pair[0]][pair[1]]++;
    }
    return all;
}

static int is_pair(const topomap_lattice *l, uint32_t k)
{
    return l->size[k] == 2 && l->kind[k] == TOPOMAP_LATTICE_PATH;
}

typedef struct joints {
    uint8_t may[TOPOMAP_LATTICE_DIMS][TOPOMAP_LATTICE_DIMS]; /* be joined, the first below */
} joints;

/* Rings of four of dimensions of two, each with the first that it may be joined with. */
static void join_pairs(const topomap_lattice *l, const joints *joints, form *form)
{
    uint8_t joined[TOPOMAP_LATTICE_DIMS] = {0};

    form->dims = 0;
    for (uint32_t k = 0; k < l->dims; k++) {
        uint32_t with = UINT32_MAX;

        if (joined[k])
            continue;
        for (uint32_t j = k + 1; j < l->dims && with == UINT32_MAX; j++)
            if (is_pair(l, k) && is_pair(l, j) && !joined[j] && joints->may[k][j])
                with = j;
        if (with != UINT32_MAX)
            joined[with] = 1;
        form->old[form->dims] = k;
        form->with[form->dims++] = with;
    }
}

void topomap_lattice_rings_of_four(topomap_lattice *l, const topomap_weights *w)
{
    double count[TOPOMAP_LATTICE_DIMS][TOPOMAP_LATTICE_DIMS] = {{0}};
    joints joints;
    uint32_t twos = 0;
    form form;

    for (uint32_t k = 0; k < l->dims; k++)
        twos += is_pair(l, k);
    if (twos < 2 || 4 * count_diagonals(l, w, count) < (double)w->offset[l->ranks] / 2)
        return;
    for (uint32_t k = 0; k < l->dims; k++)
        for (uint32_t j = k + 1; j < l->dims; j++)
            joints.may[k][j] = count[k][j] < 0.2 * l->cells / 2;
    join_pairs(l, &joints, &form);
    reshape(l, &form);
}

void topomap_lattice_close_rings(topomap_lattice *l, const topomap_weights *w)
{
    topomap_walk walk = {.lattice = l, .offset = w->offset, .target = w->target};
    double seam[TOPOMAP_LATTICE_DIMS] = {0};

    while (topomap_walk_next(&walk)) {
        uint32_t differ = 0, last = 0;

        for (uint32_t k = 0; k < l->dims; k++)
            if (walk.a[k] != walk.b[k]) {
                differ++;
                last = k;
            }
        if (differ == 1 && walk.a[last] == 0 && walk.b[last] + 1 == l->size[last])
            seam[last]++;
    }
    for (uint32_t k = 0; k < l->dims; k++)
        if (l->kind[k] == TOPOMAP_LATTICE_PATH && l->size[k] > 2 &&
            3 * seam[k] * l->size[k] >= 2 * (double)l->cells)
            l->kind[k] = TOPOMAP_LATTICE_RING;
}

static int close_to(double a, double b)
{
    return fabs(a - b) <= 0.01 * (a + b);
}

/* A periodic dimension of two has both messages on one edge. */
static int is_double(const topomap_lattice *l, const survey *s, uint32_t k)
{
    if (!is_pair(l, k) || l->reach > 1)
        return 0;
    for (uint32_t j = 0; j < l->dims; j++)
        if (close_to(s->weight[k], 2 * s->weight[j]))
            return 1;
    return 0;
}

/* Other pairs of the same weight are rings of four. */
static void find_joints(const topomap_lattice *l, const survey *s, joints *joints)
{
    for (uint32_t k = 0; k < l->dims; k++)
        for (uint32_t j = k + 1; j < l->dims; j++)
            joints->may[k][j] =
                l->reach == 1 && !is_double(l, s, k) && close_to(s->weight[k], s->weight[j]);
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

int topomap_lattice_tidy(topomap_lattice *l, const topomap_weights *w)
{
    int changed = 0;
    joints joints = {0};
    survey s;
    form form;

    survey_take(l, w, &s);
    find_joints(l, &s, &joints);
    join_pairs(l, &joints, &form);
    if (form.dims < l->dims) {
        reshape(l, &form);
        changed = 1;
    }
    if (is_lines(l))
        for (uint32_t k = 0; k < l->dims; k++)
            if (l->kind[k] == TOPOMAP_LATTICE_CLIQUE) {
                l->kind[k] = l->size[k] == 3 ? TOPOMAP_LATTICE_RING : TOPOMAP_LATTICE_PATH;
                changed = 1;
            }
    if (changed)
        survey_take(l, w, &s);
    for (uint32_t k = 0; k < l->dims; k++)
        if (is_double(l, &s, k)) {
            l->kind[k] = TOPOMAP_LATTICE_RING;
            changed = 1;
        }
    order(l, &s, &form);
    reshape(l, &form);
    return changed;
}
