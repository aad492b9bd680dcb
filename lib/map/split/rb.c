/* SPDX-License-Identifier: BSD-3-Clause */
/* Recursive coordinate bipartition: Wu, Xiong, Lan (HierTopoMap), Alg. 2, section 3.1.2. The
 * allocated nodes are cut at the median of their longest extent, the graph into the same two
 * sizes, and so on. `rb` is the paper's and ignores wraparound. `rb-wrap` is ours: before
 * measuring, each wrapping dimension is rotated so that its largest empty gap lies at the seam,
 * and the halves of the graph are oriented towards the neighbours they have outside. */
#define _GNU_SOURCE /* qsort_r */
#include <stdlib.h>
#include <string.h>

#include "map/parameters.h"
#include "map/split/gap.h"
#include "map/split/recursion.h"
#include "util/alloc.h"

typedef struct rb_splitter {
    const topomap_machine *machine;
    int sees_wrap;
    uint32_t shift[TOPOMAP_MACHINE_DIMS]; /* coordinate that becomes 0 */
    uint32_t order[TOPOMAP_MACHINE_DIMS]; /* dimensions, the cut one first */
    uint8_t *seen;                        /* [largest dimension] scratch */
} rb_splitter;

static uint32_t rotated(const rb_splitter *rb, uint32_t node, uint32_t d)
{
    const topomap_machine *m = rb->machine;
    uint32_t c = m->coord[(size_t)node * m->dims + d];

    return c >= rb->shift[d] ? c - rb->shift[d] : c + m->dim[d] - rb->shift[d];
}

/* The coordinate after the largest run of coordinates without a node. */
static uint32_t after_gap(rb_splitter *rb, const uint32_t *slots, uint32_t count, uint32_t d)
{
    const topomap_machine *m = rb->machine;
    uint32_t length = m->dim[d];

    memset(rb->seen, 0, length);
    for (uint32_t i = 0; i < count; i++)
        rb->seen[m->coord[(size_t)m->node_of[slots[i]] * m->dims + d]] = 1;
    return topomap_gap_end(rb->seen, length);
}

/* Longest extent first, ties by dimension; the others follow in order. */
static void choose_cut(rb_splitter *rb, const uint32_t *slots, uint32_t count)
{
    const topomap_machine *m = rb->machine;
    uint32_t longest = 0, cut = 0, next = 1;

    for (uint32_t d = 0; d < m->dims; d++) {
        uint32_t low = UINT32_MAX, high = 0;

        rb->shift[d] = rb->sees_wrap && m->wrap[d] ? after_gap(rb, slots, count, d) : 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t c = rotated(rb, m->node_of[slots[i]], d);

            low = c < low ? c : low;
            high = c > high ? c : high;
        }
        if (high - low + 1 > longest) {
            longest = high - low + 1;
            cut = d;
        }
    }
    rb->order[0] = cut;
    for (uint32_t d = 0; d < m->dims; d++)
        if (d != cut)
            rb->order[next++] = d;
}

static int by_coordinate(const void *a, const void *b, void *data)
{
    const rb_splitter *rb = data;
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    uint32_t node_p = rb->machine->node_of[p], node_q = rb->machine->node_of[q];

    if (node_p == node_q)
        return (p > q) - (p < q);
    for (uint32_t i = 0; i < rb->machine->dims; i++) {
        uint32_t cp = rotated(rb, node_p, rb->order[i]), cq = rotated(rb, node_q, rb->order[i]);

        if (cp != cq)
            return cp < cq ? -1 : 1;
    }
    return node_p < node_q ? -1 : 1;
}

static int split(void *data, uint32_t where, uint32_t *slots, uint32_t count, topomap_split *parts,
                 topomap_error *err)
{
    rb_splitter *rb = data;
    const topomap_machine *m = rb->machine;
    uint32_t half = 0;

    (void)where;
    if (m->node_of[slots[0]] == m->node_of[slots[count - 1]])
        return topomap_split_inside(m, slots, count, parts, err);
    choose_cut(rb, slots, count);
    qsort_r(slots, count, sizeof *slots, by_coordinate, rb);
    /* The median, moved to the nearest border between two nodes. */
    for (uint32_t i = 1; i < count; i++)
        if (m->node_of[slots[i]] != m->node_of[slots[i - 1]] &&
            (half == 0 || abs((int)(2 * i) - (int)count) < abs((int)(2 * half) - (int)count)))
            half = i;
    if (topomap_split_add(parts, half, 0, err) != 0)
        return -1;
    return topomap_split_add(parts, count - half, 0, err);
}

/* \p self->variant: whether it sees wraparound. */
static int map_rb(const topomap_algorithm_impl *self, topomap_problem *problem, uint32_t *slot_of,
                  topomap_error *err)
{
    rb_splitter rb = {.machine = problem->machine, .sees_wrap = self->variant};
    topomap_splitter splitter = {.data = &rb, .split = split, .orient = self->variant};
    int status;

    rb.seen = topomap_alloc(UINT16_MAX + 1, 1, err);
    if (!rb.seen)
        return -1;
    if (topomap_parameter_number(problem, "grouped", 0))
        status = topomap_grouped_map(problem, &splitter, slot_of, err);
    else
        status = topomap_recursion_map(problem, &splitter, slot_of, err);
    free(rb.seen);
    return status;
}

const topomap_algorithm_impl topomap_algorithm_rb = {
    .row = {"rb", BY_WU ", Alg. 2", "construct", "torus,mesh",
            "recursive coordinate bipartition as published: wraparound ignored"},
    .on = TOPOMAP_ON_TORUS,
    .parameters = topomap_parameters_grouped,
    .run_family = map_rb,
};

const topomap_algorithm_impl topomap_algorithm_rb_wrap = {
    .row = {"rb-wrap", "topomap, after " BY_WU, "construct", "torus,mesh",
            "recursive coordinate bipartition that sees wraparound and orients its halves"},
    .on = TOPOMAP_ON_TORUS,
    .parameters = topomap_parameters_grouped,
    .run_family = map_rb,
    .variant = 1,
};
