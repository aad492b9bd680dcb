/* SPDX-License-Identifier: BSD-3-Clause */
/* Stencils with diagonals that are two ranks wide somewhere, or three and periodic: ranks across
 * have the same neighbours, so that nothing tells them apart. One of each set of twins is left, the
 * pattern of those is found, and the twins become its last dimensions. */
#include <stdlib.h>
#include <string.h>

#include "graph/recognise/lattice.h"
#include "util/alloc.h"
#include "util/random.h"

enum { MOST_TWINS = 27, ALIKE = 85 };

typedef struct twins {
    const topomap_weights *weights;
    uint32_t ranks;
    topomap_lattice_finder *find;
    uint32_t *set, *index; /* [ranks] which set, and which of it */
    uint32_t sets, size;
} twins;

static uint64_t mix(uint32_t v)
{
    topomap_random random = {v};

    return topomap_random_next(&random);
}

static int by_key(const void *a, const void *b)
{
    const uint64_t *p = a, *q = b;

    return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

/* Sets of one size, or none. */
static int find_sets(twins *t, topomap_error *err)
{
    const topomap_weights *w = t->weights;
    TOPOMAP_FREED uint64_t *pair = topomap_alloc(2 * (size_t)t->ranks, sizeof *pair, err);
    uint32_t run = 0;

    if (!pair)
        return -1;
    for (uint32_t u = 0; u < t->ranks; u++) {
        pair[2 * (size_t)u] = mix(u);
        pair[2 * (size_t)u + 1] = u;
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
            pair[2 * (size_t)u] += mix(w->target[e]);
    }
    qsort(pair, t->ranks, 2 * sizeof *pair, by_key);
    for (uint32_t i = 0; i < t->ranks; i++) {
        uint32_t u = (uint32_t)pair[2 * (size_t)i + 1];

        if (i && pair[2 * (size_t)i] != pair[2 * (size_t)i - 2]) {
            if (t->size && run != t->size) {
                t->size = 1;
                break;
            }
            t->size = run;
            run = 0;
            t->sets++;
        }
        t->set[u] = t->sets;
        t->index[u] = run++;
    }
    if (run != t->size || t->size < 2 || t->size > MOST_TWINS)
        t->size = 0;
    t->sets++;
    return 0;
}

/* With noise, twins have nearly all of their neighbours in common. */
static int find_similar(twins *t, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_groups_clear) topomap_groups g = {0};

    if (topomap_groups_open(t->weights, t->ranks, ALIKE, &g, err))
        return -1;
    if (g.count > 1 && !g.smaller && g.size <= MOST_TWINS &&
        (uint64_t)g.count * g.size == t->ranks) {
        memcpy(t->set, g.group, t->ranks * sizeof *t->set);
        memcpy(t->index, g.place, t->ranks * sizeof *t->index);
        t->sets = g.count;
        t->size = g.size;
    }
    return 0;
}

/* Puts the members of a set in the order of those of another. */
static void align_set(const twins *t, const uint32_t *like, uint32_t *member)
{
    for (uint32_t i = 0; i < t->size; i++) {
        uint32_t best = i, keep = member[i];
        uint64_t most = 0;

        for (uint32_t j = i; j < t->size; j++) {
            uint64_t weight = topomap_weights_between(t->weights, like[i], member[j]);

            if (weight > most) {
                most = weight;
                best = j;
            }
        }
        member[i] = member[best];
        member[best] = keep;
    }
}

/* Twins in the next set are numbered as those that they send most to: from one set on, over all. */
static int align(twins *t, topomap_error *err)
{
    const topomap_weights *w = t->weights;
    TOPOMAP_FREED uint32_t *queue = topomap_alloc(t->ranks, sizeof *queue, err);
    TOPOMAP_FREED uint32_t *member = topomap_alloc((size_t)t->sets * t->size, sizeof *member, err);
    TOPOMAP_FREED uint8_t *seen = topomap_alloc(t->sets, sizeof *seen, err);
    uint32_t count = 0;

    if (!queue || !member || !seen)
        return -1;
    for (uint32_t u = 0; u < t->ranks; u++)
        member[(size_t)t->set[u] * t->size + t->index[u]] = u;
    queue[count++] = 0;
    seen[0] = 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t s = queue[i], first = member[(size_t)s * t->size];

        for (uint64_t e = w->offset[first]; e < w->offset[first + 1]; e++) {
            uint32_t next = t->set[w->target[e]];

            if (seen[next])
                continue;
            seen[next] = 1;
            queue[count++] = next;
            align_set(t, member + (size_t)s * t->size, member + (size_t)next * t->size);
        }
    }
    for (uint32_t i = 0; i < t->sets * t->size; i++)
        t->index[member[i]] = i % t->size;
    return 0;
}

/* The edges between sets, as many as join their members. */
static int count_between(const twins *t, topomap_graph **graph, topomap_error *err)
{
    const topomap_weights *w = t->weights;
    TOPOMAP_CLEANUP(topomap_arcs_clear) topomap_arcs arcs = {0};

    for (uint32_t u = 0; u < t->ranks; u++)
        for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++) {
            uint32_t v = w->target[e];

            if (t->set[u] < t->set[v] &&
                topomap_arcs_add(&arcs, t->set[u], t->set[v], 1, 0, err) != 0)
                return -1;
        }
    return topomap_arcs_take(&arcs, t->sets, graph, err);
}

/* The graph between sets, each edge of weight 1: those that half of the members have. */
static int quotient(const twins *t, topomap_graph **graph, topomap_error *err)
{
    TOPOMAP_GRAPH_FREED topomap_graph *all = NULL;
    TOPOMAP_CLEANUP(topomap_arcs_clear) topomap_arcs arcs = {0};

    if (count_between(t, &all, err) != 0)
        return -1;
    for (uint32_t s = 0; s < t->sets; s++)
        for (uint64_t e = all->offset[s]; e < all->offset[s + 1]; e++)
            if (2 * all->bytes[e] >= (uint64_t)t->size * t->size &&
                topomap_arcs_add(&arcs, s, all->target[e], 1, 0, err))
                return -1;
    return topomap_arcs_take(&arcs, t->sets, graph, err);
}

/* Twos and threes of the twins as dimensions behind the others; 0 where there are other factors. */
static int unfold(const twins *t, topomap_lattice *l)
{
    uint32_t left = t->size, cells = l->cells;

    for (uint32_t p = 3; p > 1; p--)
        for (; left % p == 0; left /= p) {
            if (l->dims == TOPOMAP_LATTICE_DIMS)
                return 0;
            l->kind[l->dims] = p == 3 ? TOPOMAP_LATTICE_RING : TOPOMAP_LATTICE_PATH;
            l->size[l->dims++] = p;
            l->cells *= p;
        }
    for (uint32_t u = 0; u < t->ranks && left == 1; u++)
        l->cell[u] += t->index[u] * cells;
    return left == 1;
}

static int spread(const twins *t, topomap_lattice *l, topomap_error *err)
{
    uint32_t *cell = topomap_alloc(t->ranks, sizeof *cell, err);

    if (!cell)
        return -1;
    for (uint32_t u = 0; u < t->ranks; u++)
        cell[u] = l->cell[t->set[u]];
    free(l->cell);
    l->cell = cell;
    l->ranks = t->ranks;
    for (uint32_t u = 0; u < t->ranks; u++)
        if (cell[u] == UINT32_MAX)
            return 0;
    return unfold(t, l);
}

static int run(twins *t, topomap_lattice *lattice, topomap_error *err)
{
    TOPOMAP_GRAPH_FREED topomap_graph *graph = NULL;
    TOPOMAP_CLEANUP(topomap_weights_clear) topomap_weights weights = {0};
    int status;

    if (find_sets(t, err) != 0 || (!t->size && find_similar(t, err) != 0))
        return -1;
    if (!t->size)
        return 0;
    if (align(t, err) != 0 || quotient(t, &graph, err) != 0 ||
        topomap_weights_new(graph, t->sets, &weights, err) != 0 ||
        t->find(&weights, t->sets, lattice, err) != 0)
        return -1;
    status = lattice->dims ? spread(t, lattice, err) : 0;
    if (status == 1) {
        topomap_lattice_fit(lattice, t->weights);
        if (topomap_lattice_weigh(lattice, t->weights, err))
            return -1;
    }
    return status;
}

int topomap_lattice_twins(const topomap_weights *weights, uint32_t ranks,
                          topomap_lattice_finder *find, topomap_lattice *lattice,
                          topomap_error *err)
{
    TOPOMAP_FREED uint32_t *set = topomap_alloc(ranks, sizeof *set, err);
    TOPOMAP_FREED uint32_t *index = topomap_alloc(ranks, sizeof *index, err);
    twins t = {.weights = weights, .ranks = ranks, .find = find, .set = set, .index = index};
    TOPOMAP_CLEANUP(topomap_lattice_clear) topomap_lattice found = {0};
    int status = set && index ? run(&t, &found, err) : -1;

    if (status != 1 || !topomap_lattice_holds(&found))
        return status < 0 ? -1 : 0;
    topomap_lattice_clear(lattice);
    *lattice = found;
    found.cell = NULL;
    return 1;
}
