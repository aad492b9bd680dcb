/* SPDX-License-Identifier: BSD-3-Clause */
/* Recursive coordinate bipartition of a grid and of the nodes at once. After Wu, Xiong, Lan
 * (HierTopoMap), Alg. 2: the nodes are cut along their longest extent, wrapping dimensions turned
 * so that their largest gap is at the seam; the grid, instead of by a partitioner, along the
 * dimension and in the direction that cost least where everything lies by now. */
#define _GNU_SOURCE /* qsort_r */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map/grid/grid.h"
#include "map/split/split.h"
#include "util/alloc.h"
#include "util/sorted.h"

typedef struct segment {
    uint32_t lo, hi;           /* nodes */
    uint32_t item_lo, item_hi; /* items */
} segment;

typedef struct halving {
    topomap_coarse *coarse;
    topomap_torus_seam turn; /* towards the present segment's nodes */
    uint32_t *nodes;
    const uint32_t *items_of;
    float *center; /* [items * dims] middle of the nodes where each item may still go */
    segment *queue;
    size_t head, tail, capacity;
    double doubt;
    topomap_random *random;
} halving;

TOPOMAP_COMPARE_BY(by_coordinate, const topomap_torus_seam *turn,
                   topomap_torus_seam_order(turn, x, y))

/* Middle of the nodes lo..hi-1, in the machine's own coordinates. */
static void find_center(const halving *h, uint32_t lo, uint32_t hi, float *center)
{
    const topomap_machine *m = h->turn.machine;

    for (uint32_t d = 0; d < m->dims; d++) {
        double sum = 0;

        for (uint32_t i = lo; i < hi; i++)
            sum += topomap_torus_seam_at(&h->turn, h->nodes[i], d);
        sum = sum / (hi - lo) + h->turn.origin[d];
        center[d] = (float)(sum >= m->dim[d] ? sum - m->dim[d] : sum);
    }
}

static double hops(const topomap_machine *m, const float *a, const float *b)
{
    double sum = 0;

    for (uint32_t d = 0; d < m->dims; d++) {
        double gap = fabs((double)a[d] - (double)b[d]);

        sum += m->wrap[d] && 2 * gap > m->dim[d] ? m->dim[d] - gap : gap;
    }
    return sum;
}

/* The cost of one half of the items at its place: edges to items outside the segment count by their
 * distance, edges to the other half by their weight alone. */
typedef struct pull {
    const halving *h;
    const float *here;    /* center of its place */
    uint32_t self, other; /* regions */
    double at_here, cut;
} pull;

static void add_pull(void *data, uint32_t item, double weight)
{
    pull *p = data;
    const topomap_machine *m = p->h->turn.machine;
    uint32_t region = p->h->coarse->region[item];
    const float *center = p->h->center + (size_t)item * m->dims;

    if (region == p->other)
        p->cut += weight;
    else if (region != p->self)
        p->at_here += weight * hops(m, center, p->here);
}

enum { FIRST = UINT32_MAX - 1, SECOND = UINT32_MAX };

/* Cost if the first `size` items of the segment go to one half and the others to the other. */
static double price(const halving *h, const segment *s, uint32_t size, const float *of_first,
                    const float *of_second)
{
    topomap_coarse *c = h->coarse;
    double sum = 0, cut = 0;

    for (uint32_t i = s->item_lo; i < s->item_hi; i++)
        c->region[c->item[i]] = i < s->item_lo + size ? FIRST : SECOND;
    for (uint32_t i = s->item_lo; i < s->item_hi; i++) {
        int first = i < s->item_lo + size;
        pull p = {.h = h,
                  .here = first ? of_first : of_second,
                  .self = first ? FIRST : SECOND,
                  .other = first ? SECOND : FIRST};

        topomap_coarse_around(c, c->item[i], add_pull, &p);
        sum += p.at_here;
        cut += p.cut;
    }
    return sum + 0.5 * cut * hops(h->turn.machine, of_first, of_second);
}

/* Rotates the items so that the last `count` come first. */
static void turn_items(topomap_coarse *c, const segment *s, uint32_t count)
{
    uint32_t all = s->item_hi - s->item_lo;

    memcpy(c->scratch, c->item + s->item_lo, all * sizeof *c->item);
    memcpy(c->item + s->item_lo, c->scratch + all - count, count * sizeof *c->item);
    memcpy(c->item + s->item_lo + count, c->scratch, (all - count) * sizeof *c->item);
}

/* Orders the items so that the first `size` go to the first half of the nodes. */
static void split_items(halving *h, const segment *s, uint32_t size, const float *of_first,
                        const float *of_second)
{
    topomap_coarse *c = h->coarse;
    uint32_t all = s->item_hi - s->item_lo, best_dim = 0;
    double least = INFINITY;
    int from_end = 0;

    for (uint32_t k = 0; k < c->dims; k++) {
        if (topomap_coarse_extent(c, s->item_lo, s->item_hi, k) < 2)
            continue;
        topomap_coarse_order(c, s->item_lo, s->item_hi, k);
        for (int end = 0; end < 2; end++) {
            double cost = end ? price(h, s, all - size, of_second, of_first)
                              : price(h, s, size, of_first, of_second);

            if (h->doubt > 0)
                cost *= 1 + h->doubt * topomap_random_below(h->random, 1000) / 1000.0;
            if (cost < least) {
                least = cost;
                best_dim = k;
                from_end = end;
            }
        }
    }
    topomap_coarse_order(c, s->item_lo, s->item_hi, best_dim);
    if (from_end)
        turn_items(c, s, size);
}

static int enqueue(halving *h, segment s, const float *center, topomap_error *err)
{
    const topomap_machine *m = h->turn.machine;

    for (uint32_t i = s.item_lo; i < s.item_hi; i++) {
        uint32_t item = h->coarse->item[i];

        h->coarse->region[item] = (uint32_t)h->tail;
        memcpy(h->center + (size_t)item * m->dims, center, m->dims * sizeof *center);
    }
    return TOPOMAP_APPEND(h->queue, h->tail, h->capacity, err, s);
}

static int halve(halving *h, segment s, topomap_error *err)
{
    float of_first[TOPOMAP_MACHINE_DIMS], of_second[TOPOMAP_MACHINE_DIMS];
    uint32_t middle = s.lo + (s.hi - s.lo) / 2, size = 0;

    if (s.hi - s.lo < 2 || s.item_lo == s.item_hi)
        return 0;
    topomap_torus_seam_towards(&h->turn, h->nodes + s.lo, s.hi - s.lo, NULL);
    qsort_r(h->nodes + s.lo, s.hi - s.lo, sizeof *h->nodes, by_coordinate, &h->turn);
    for (uint32_t i = s.lo; i < middle; i++)
        size += h->items_of[h->nodes[i]];
    find_center(h, s.lo, middle, of_first);
    find_center(h, middle, s.hi, of_second);
    split_items(h, &s, size, of_first, of_second);
    if (enqueue(h, (segment){s.lo, middle, s.item_lo, s.item_lo + size}, of_first, err) != 0)
        return -1;
    topomap_coarse_divide(h->coarse, s.item_lo, s.item_lo + size, s.item_hi, (uint32_t)h->tail);
    return enqueue(h, (segment){middle, s.hi, s.item_lo + size, s.item_hi}, of_second, err);
}

static int run(halving *h, uint32_t count, uint32_t *node, topomap_error *err)
{
    float center[TOPOMAP_MACHINE_DIMS] = {0};

    topomap_coarse_begin(h->coarse);
    if (enqueue(h, (segment){0, count, 0, h->coarse->items}, center, err) != 0)
        return -1;
    while (h->head < h->tail) {
        segment s = h->queue[h->head++];

        if (halve(h, s, err) != 0)
            return -1;
        for (uint32_t i = s.item_lo; s.hi - s.lo == 1 && i < s.item_hi; i++)
            node[h->coarse->item[i]] = h->nodes[s.lo];
    }
    return 0;
}

int topomap_halve_torus(topomap_coarse *coarse, const topomap_machine *machine, uint32_t *nodes,
                        uint32_t count, const uint32_t *items_of, double doubt,
                        topomap_random *random, uint32_t *node, topomap_error *err)
{
    halving h = {
        .coarse = coarse, .nodes = nodes, .items_of = items_of, .doubt = doubt, .random = random};
    int status = -1;

    h.center = topomap_alloc((size_t)coarse->items * machine->dims, sizeof *h.center, err);
    if (topomap_torus_seam_open(&h.turn, machine, 1, err) == 0 && h.center)
        status = run(&h, count, node, err);
    free(h.center);
    free(h.turn.seen);
    free(h.queue);
    return status;
}
