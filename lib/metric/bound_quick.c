/* SPDX-License-Identifier: BSD-3-Clause */
/* The bound of bound.c in a launch's time: rings of the machine as a whole, not of each node. */
#include "metric/metric.h"

#include <math.h>
#include <stdlib.h>

#include "util/alloc.h"
#include "util/sorted.h"

static int add(topomap_shells *s, double distance, double slots, topomap_error *err)
{
    return TOPOMAP_APPEND(s->shell, s->count, s->capacity, err, (topomap_shell){distance, slots});
}

/* Members of the largest group; `weight` (or NULL: 1 each) of each member. */
static double largest(const uint32_t *group, uint32_t members, const uint32_t *first, double *sum,
                      uint32_t groups)
{
    double most = 0;

    for (uint32_t g = 0; g < groups; g++)
        sum[g] = 0;
    for (uint32_t i = 0; i < members; i++) {
        sum[group[i]] += first ? first[i + 1] - first[i] : 1;
        most = fmax(most, sum[group[i]]);
    }
    return most;
}

static double largest_node(const topomap_machine *m)
{
    double most = 0;

    for (uint32_t i = 0; i < m->nodes; i++)
        most = fmax(most, topomap_node_slots(m, i));
    return most;
}

static int add_nested(const topomap_machine *m, topomap_shells *s, topomap_error *err)
{
    TOPOMAP_FREED double *sum = topomap_alloc((size_t)m->slots + m->nodes, sizeof *sum, err);
    uint32_t ids = m->nodes > m->slots ? m->nodes : m->slots;

    if (!sum)
        return -1;
    for (uint32_t l = 0; l < m->inner_levels; l++)
        if (add(s, m->inner[l].cost, largest(m->inner[l].group, m->slots, NULL, sum, m->slots) - 1,
                err))
            return -1;
    for (uint32_t l = 0; m->kind == TOPOMAP_MACHINE_TREE && l < m->outer_levels; l++)
        if (add(s, m->outer[l].cost,
                largest(m->outer[l].group, m->nodes, m->slot_first, sum, ids) - 1, err))
            return -1;
    return 0;
}

/* Coordinates of one dimension that are `gap` from one of them, at most. */
static double at_gap(const topomap_machine *m, uint32_t d, uint32_t gap)
{
    if (gap == 0)
        return 1;
    if (m->wrap[d])
        return 2 * gap > m->dim[d] ? 0 : 2 * gap == m->dim[d] ? 1 : 2;
    return 2 * gap < m->dim[d] ? 2 : gap < m->dim[d] ? 1 : 0;
}

/* Nodes of the whole torus or mesh by their hops from one of them: the product, dimension by
 * dimension. */
static int add_torus(const topomap_machine *m, topomap_shells *s, topomap_error *err)
{
    uint32_t most = 1;
    TOPOMAP_FREED double *nodes = NULL, *next = NULL;
    double within = 0;

    for (uint32_t d = 0; d < m->dims; d++)
        most += m->dim[d];
    nodes = topomap_alloc(most, sizeof *nodes, err);
    next = topomap_alloc(most, sizeof *next, err);
    if (!nodes || !next)
        return -1;
    nodes[0] = 1;
    for (uint32_t d = 0; d < m->dims; d++) {
        for (uint32_t h = 0; h < most; h++) {
            next[h] = 0;
            for (uint32_t gap = 0; gap <= h && gap < m->dim[d]; gap++)
                next[h] += nodes[h - gap] * at_gap(m, d, gap);
        }
        TOPOMAP_SWAP(nodes, next);
    }
    for (uint32_t h = 0; h < most; h++) {
        within += nodes[h];
        if (h > 0 && add(s, m->base + m->hop_cost * h, within * largest_node(m) - 1, err))
            return -1;
    }
    return 0;
}

/* Nodes of one site, then all the others as if they were as close as the closest. */
static int add_matrix(const topomap_machine *m, topomap_shells *s, topomap_error *err)
{
    double *sum = topomap_alloc(m->sites, sizeof *sum, err), inside = INFINITY, outside = INFINITY;
    double most = 0;
    int shared = 0; /* a site's own cost counts where it has several nodes */

    if (!sum)
        return -1;
    for (uint32_t i = 0; i < m->nodes; i++) {
        shared |= sum[m->site_of[i]] > 0;
        sum[m->site_of[i]] += topomap_node_slots(m, i);
        most = fmax(most, sum[m->site_of[i]]);
    }
    for (uint32_t a = 0; a < m->sites; a++)
        for (uint32_t b = a; b < m->sites; b++) {
            double cost = (double)m->site_cost[(size_t)a * m->sites + b];

            if (a == b)
                inside = fmin(inside, cost);
            else
                outside = fmin(outside, cost);
        }
    free(sum);
    if (shared && add(s, inside, most - 1, err) != 0)
        return -1;
    return m->sites > 1 ? add(s, outside, m->slots - 1.0, err) : 0;
}

/* Ascending, and what is closer for less of a group is: within a distance are at most the slots of
 * the largest group with a level that close. */
static void make_monotone(topomap_shells *s, double slots)
{
    for (size_t i = 1; i < s->count; i++) {
        topomap_shell now = s->shell[i];
        size_t k = i;

        for (; k > 0 && s->shell[k - 1].distance > now.distance; k--)
            s->shell[k] = s->shell[k - 1];
        s->shell[k] = now;
    }
    for (size_t i = 1; i < s->count; i++)
        s->shell[i].slots = fmax(s->shell[i].slots, s->shell[i - 1].slots);
    if (s->count)
        s->shell[s->count - 1].slots = fmax(s->shell[s->count - 1].slots, slots);
}

TOPOMAP_COMPARE(heaviest_first, double, TOPOMAP_ORDER(*y, *x), 0)

/* The row's weights, heaviest first, on the closest slots. */
static double row_cost(const topomap_weights *w, uint32_t u, const topomap_shells *s,
                       double *weight)
{
    uint64_t first = w->offset[u], degree = w->offset[u + 1] - first;
    double sum = 0;
    size_t at = 0;
    int even = 1;

    for (uint64_t i = 0; i < degree; i++) {
        weight[i] = (double)w->weight[first + i];
        even = even && weight[i] == weight[0];
    }
    if (!even)
        qsort(weight, degree, sizeof *weight, heaviest_first);
    for (uint64_t i = 0; i < degree; i++) {
        while (at + 1 < s->count && (double)i >= s->shell[at].slots)
            at++;
        sum += weight[i] * s->shell[at].distance;
    }
    return sum;
}

int topomap_shells_cost(const topomap_weights *w, const topomap_shells *s, double *bound,
                        topomap_error *err)
{
    uint64_t most = 1;
    double *weight, sum = 0;

    for (uint32_t u = 0; u < w->vertices; u++)
        most = w->offset[u + 1] - w->offset[u] > most ? w->offset[u + 1] - w->offset[u] : most;
    weight = topomap_alloc(most, sizeof *weight, err);
    for (uint32_t u = 0; weight && s->count && u < w->vertices; u++)
        sum += row_cost(w, u, s, weight);
    *bound = sum / 2;
    free(weight);
    return weight ? 0 : -1;
}

int topomap_bound_quick(const topomap_weights *w, const topomap_machine *m, double *bound,
                        topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_shells_clear) topomap_shells s = {0};

    if (add_nested(m, &s, err) || (m->kind == TOPOMAP_MACHINE_TORUS && add_torus(m, &s, err)) ||
        (m->kind == TOPOMAP_MACHINE_MATRIX && add_matrix(m, &s, err)))
        return -1;
    make_monotone(&s, m->slots);
    return topomap_shells_cost(w, &s, bound, err);
}
