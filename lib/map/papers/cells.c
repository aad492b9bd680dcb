/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* qsort_r */
#include "map/papers/papers.h"
#include "util/sorted.h"

#include <stdlib.h>

enum { THIN = 16 };  /* places of the box for each node, above which floors are not kept */
enum { BUCKET = 4 }; /* nodes that are not divided further */

struct topomap_cells_branch {
    uint32_t most;  /* room of its roomiest node; 0: all full */
    uint32_t first; /* its lowest node */
};

/* A segment of `order`; its branches are numbered as in a binary heap. */
typedef struct segment {
    size_t branch;
    uint32_t lo, hi;
} segment;

typedef struct query {
    const topomap_cells *cells;
    uint32_t from[TOPOMAP_MACHINE_DIMS], length[TOPOMAP_MACHINE_DIMS]; /* length 0: one place */
    int by_room;
    uint32_t floor;           /* no free node is nearer than this */
    uint32_t gap, room, node; /* the best so far; node UINT32_MAX: none */
} query;

typedef struct axis {
    const topomap_machine *machine;
    uint32_t dim;
} axis;

static uint16_t coordinate(const axis *along, uint32_t node)
{
    return along->machine->coord[(size_t)node * along->machine->dims + along->dim];
}

TOPOMAP_COMPARE_BY(by_coordinate, const axis *along,
                   TOPOMAP_ORDER(coordinate(along, x), coordinate(along, y)))

static segment half(segment s, int upper)
{
    uint32_t middle = s.lo + (s.hi - s.lo) / 2;

    if (upper)
        return (segment){2 * s.branch + 2, middle, s.hi};
    return (segment){2 * s.branch + 1, s.lo, middle};
}

/* Around the nodes that have room: a box that is partly full must not look near. */
static void measure(topomap_cells *cells, segment s)
{
    const topomap_machine *m = cells->machine;
    uint16_t *low = cells->box + s.branch * 2 * m->dims, *high = low + m->dims;
    struct topomap_cells_branch *branch = &cells->branch[s.branch];

    *branch = (struct topomap_cells_branch){0, UINT32_MAX};
    for (uint32_t d = 0; d < m->dims; d++) {
        low[d] = UINT16_MAX;
        high[d] = 0;
    }
    for (uint32_t i = s.lo; i < s.hi; i++) {
        uint32_t node = cells->order[i];

        if (cells->room[node] == 0)
            continue;
        branch->most = cells->room[node] > branch->most ? cells->room[node] : branch->most;
        branch->first = node < branch->first ? node : branch->first;
        for (uint32_t d = 0; d < m->dims; d++) {
            uint16_t c = m->coord[(size_t)node * m->dims + d];

            low[d] = c < low[d] ? c : low[d];
            high[d] = c > high[d] ? c : high[d];
        }
    }
}

static void divide(topomap_cells *cells, segment s)
{
    const topomap_machine *m = cells->machine;
    const uint16_t *low = cells->box + s.branch * 2 * m->dims, *high = low + m->dims;
    axis by = {m, 0};

    measure(cells, s);
    if (s.hi - s.lo <= BUCKET)
        return;
    for (uint32_t d = 1; d < m->dims; d++)
        if (high[d] - low[d] > high[by.dim] - low[by.dim])
            by.dim = d;
    qsort_r(cells->order + s.lo, s.hi - s.lo, sizeof *cells->order, by_coordinate, &by);
    divide(cells, half(s, 0));
    divide(cells, half(s, 1));
}

/* Places in the machine's box, 0 where they are too many for its nodes. */
static size_t places(const topomap_machine *m)
{
    size_t count = 1;

    for (uint32_t d = 0; d < m->dims; d++) {
        count *= m->dim[d];
        if (count > (size_t)THIN * m->nodes)
            return 0;
    }
    return count;
}

int topomap_cells_init(topomap_cells *cells, const topomap_machine *machine, topomap_error *err)
{
    uint32_t n = machine->nodes;
    size_t branches = 2;

    while (branches < 2 * (size_t)n)
        branches *= 2;
    *cells = (topomap_cells){.machine = machine};
    cells->order = topomap_arena_alloc(&cells->memory, n, sizeof *cells->order, err);
    cells->position = topomap_arena_alloc(&cells->memory, n, sizeof *cells->position, err);
    cells->room = topomap_arena_alloc(&cells->memory, n, sizeof *cells->room, err);
    cells->branch = topomap_arena_alloc(&cells->memory, branches, sizeof *cells->branch, err);
    cells->box =
        topomap_arena_alloc(&cells->memory, branches, 2 * machine->dims * sizeof *cells->box, err);
    if (places(machine) > 0)
        cells->floor =
            topomap_arena_alloc(&cells->memory, places(machine), sizeof *cells->floor, err);
    if (cells->memory.is_short)
        return -1;
    for (uint32_t i = 0; i < n; i++) {
        cells->order[i] = i;
        cells->room[i] = topomap_node_slots(machine, i);
    }
    divide(cells, (segment){0, 0, n});
    for (uint32_t i = 0; i < n; i++)
        cells->position[cells->order[i]] = i;
    return 0;
}

void topomap_cells_clear(topomap_cells *cells)
{
    topomap_arena_clear(&cells->memory);
}

/* Hops from a coordinate to the wanted interval. */
static uint32_t axis_gap(const query *q, uint32_t d, uint32_t c)
{
    const topomap_machine *m = q->cells->machine;
    uint32_t from = q->from[d], length = q->length[d], past;

    if (m->wrap[d]) {
        past = c >= from ? c - from : c + m->dim[d] - from;
        if (past <= length)
            return 0;
        return past - length < m->dim[d] - past ? past - length : m->dim[d] - past;
    }
    return c < from ? from - c : c > from + length ? c - from - length : 0;
}

static uint32_t node_gap(const query *q, uint32_t node)
{
    const topomap_machine *m = q->cells->machine;
    uint32_t gap = 0;

    for (uint32_t d = 0; d < m->dims; d++)
        gap += axis_gap(q, d, m->coord[(size_t)node * m->dims + d]);
    return gap;
}

/* No node of the branch is nearer than this. */
static uint32_t box_gap(const query *q, size_t branch)
{
    uint32_t dims = q->cells->machine->dims, gap = 0;
    const uint16_t *low = q->cells->box + branch * 2 * dims, *high = low + dims;

    for (uint32_t d = 0; d < dims; d++) {
        uint32_t a, b;

        if (q->from[d] >= low[d] && q->from[d] <= high[d])
            continue;
        a = axis_gap(q, d, low[d]);
        b = axis_gap(q, d, high[d]);
        gap += a < b ? a : b;
    }
    return gap;
}

static int beats(const query *q, uint32_t gap, uint32_t room, uint32_t node)
{
    if (room == 0)
        return 0;
    if (!q->by_room && q->node != UINT32_MAX && q->gap == q->floor)
        return 0;
    if (q->node == UINT32_MAX || gap != q->gap)
        return q->node == UINT32_MAX || gap < q->gap;
    if (q->by_room && room != q->room)
        return room > q->room;
    return node < q->node;
}

static void search(query *q, segment s)
{
    const topomap_cells *cells = q->cells;
    segment near = half(s, 0), far = half(s, 1);

    if (!beats(q, box_gap(q, s.branch), cells->branch[s.branch].most,
               cells->branch[s.branch].first))
        return;
    if (s.hi - s.lo > BUCKET) {
        int swap = box_gap(q, far.branch) < box_gap(q, near.branch);

        search(q, swap ? far : near);
        search(q, swap ? near : far);
        return;
    }
    for (uint32_t i = s.lo; i < s.hi; i++) {
        uint32_t node = cells->order[i], gap = node_gap(q, node);

        if (beats(q, gap, cells->room[node], node)) {
            q->gap = gap;
            q->room = cells->room[node];
            q->node = node;
        }
    }
}

/* A branch from its two halves; where one is full it says nothing. */
static void join(topomap_cells *cells, segment s)
{
    uint32_t dims = cells->machine->dims;
    struct topomap_cells_branch *branch = &cells->branch[s.branch];
    const struct topomap_cells_branch *a = &cells->branch[half(s, 0).branch];
    const struct topomap_cells_branch *b = &cells->branch[half(s, 1).branch];
    uint16_t *low = cells->box + s.branch * 2 * dims;
    const uint16_t *of_a = cells->box + half(s, 0).branch * 2 * dims;
    const uint16_t *of_b = cells->box + half(s, 1).branch * 2 * dims;

    branch->most = a->most > b->most ? a->most : b->most;
    branch->first = a->first < b->first ? a->first : b->first;
    for (uint32_t d = 0; d < dims; d++) {
        low[d] = of_a[d] < of_b[d] ? of_a[d] : of_b[d];
        low[dims + d] = of_a[dims + d] > of_b[dims + d] ? of_a[dims + d] : of_b[dims + d];
    }
}

/* A node has less room: the branches that hold it, from the leaf up. */
static void lessen(topomap_cells *cells, segment s, uint32_t position)
{
    segment lower = half(s, 0), upper = half(s, 1);

    if (s.hi - s.lo <= BUCKET) {
        measure(cells, s);
        return;
    }
    lessen(cells, position < lower.hi ? lower : upper, position);
    join(cells, s);
}

static uint32_t take(topomap_cells *cells, query *q)
{
    segment all = {0, 0, cells->machine->nodes};
    uint32_t slot;

    q->cells = cells;
    q->node = UINT32_MAX;
    search(q, all);
    if (q->node == UINT32_MAX)
        return UINT32_MAX;
    slot = cells->machine->slot_first[q->node + 1] - cells->room[q->node]--;
    lessen(cells, all, cells->position[q->node]);
    return slot;
}

uint32_t topomap_cells_next(topomap_cells *cells, const uint32_t *at)
{
    const topomap_machine *m = cells->machine;
    query q = {0};
    size_t place = 0;
    uint32_t slot;

    for (uint32_t d = m->dims; d-- > 0;) {
        q.from[d] = at[d];
        place = place * m->dim[d] + at[d];
    }
    if (cells->floor)
        q.floor = cells->floor[place];
    slot = take(cells, &q);
    if (cells->floor && slot != UINT32_MAX)
        cells->floor[place] = q.gap;
    return slot;
}

uint32_t topomap_cells_next_between(topomap_cells *cells, const uint32_t *a, const uint32_t *b)
{
    const topomap_machine *m = cells->machine;
    query q = {.by_room = 1};

    for (uint32_t d = 0; d < m->dims; d++) {
        uint32_t low = a[d] < b[d] ? a[d] : b[d], span = (a[d] < b[d] ? b[d] : a[d]) - low;
        int round = m->wrap[d] && m->dim[d] - span < span;

        q.from[d] = round ? low + span : low;
        q.length[d] = round ? m->dim[d] - span : span;
    }
    return take(cells, &q);
}
