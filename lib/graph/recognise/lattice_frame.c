/* SPDX-License-Identifier: BSD-3-Clause */
/* The first vertex: its neighbours sorted into cliques, opposite pairs and single directions. */
#include <stdlib.h>
#include <string.h>

#include "graph/recognise/lattice.h"
#include "util/alloc.h"
#include "util/sorted.h"

enum { MOST_DEGREE = 8192, MOST_SINGLES = 64 };

typedef struct star {
    const topomap_rows *rows;
    uint32_t center, count;
    const uint32_t *neighbour; /* [count] */
    uint32_t *group;           /* [count] 0: single, else clique number; LEFT_OUT: noise */
    uint32_t *adjacent;        /* [count] neighbours that each is adjacent to */
    uint32_t groups;
    uint32_t *member; /* [count] scratch */
} star;

#define LEFT_OUT UINT32_MAX

uint32_t topomap_rows_common(const topomap_rows *rows, uint32_t a, uint32_t b, uint32_t skip,
                             uint32_t *common, uint32_t most)
{
    const uint32_t *p = rows->target + rows->offset[a], *p_end = rows->target + rows->offset[a + 1];
    const uint32_t *q = rows->target + rows->offset[b], *q_end = rows->target + rows->offset[b + 1];
    uint32_t count = 0;

    while (p < p_end && q < q_end && count < most) {
        uint32_t x = *p, y = *q;

        if (x == y && x != skip)
            common[count++] = x;
        p += x <= y;
        q += x >= y;
    }
    return count;
}

/* How many of the listed neighbours, of all without a list, neighbour i is adjacent to. Rows and
 * lists ascend, so that two of them are walked together; in a hub's row, one looks for the few. */
static uint32_t adjacent_among(const star *s, uint32_t i, const uint32_t *listed, uint32_t count)
{
    const topomap_rows *rows = s->rows;
    uint64_t e = rows->offset[s->neighbour[i]], end = rows->offset[s->neighbour[i] + 1];
    uint32_t met = 0;

    if ((end - e) / TOPOMAP_FRAME_HUB > count) {
        for (uint32_t j = 0; e < end && j < count; j++) {
            uint32_t w = s->neighbour[listed ? listed[j] : j];

            e = topomap_sorted_u32(rows->target, e, end, w);
            met += e < end && rows->target[e] == w;
        }
        return met;
    }
    for (uint32_t j = 0; e < end && j < count;) {
        uint32_t v = rows->target[e], w = s->neighbour[listed ? listed[j] : j];

        met += v == w;
        e += v <= w;
        j += v >= w;
    }
    return met;
}

/* Neighbour i and those adjacent to it that are in no group yet, in ascending order. */
static uint32_t find_members(star *s, uint32_t i)
{
    const topomap_rows *rows = s->rows;
    uint64_t e = rows->offset[s->neighbour[i]], end = rows->offset[s->neighbour[i] + 1];
    uint32_t count = 0;

    for (uint32_t j = 0; j < s->count; j++) {
        while (e < end && rows->target[e] < s->neighbour[j])
            e++;
        if (s->group[j] == 0 && (j == i || (e < end && rows->target[e] == s->neighbour[j])))
            s->member[count++] = j;
    }
    return count;
}

/* The clique around neighbour i: those adjacent to it, without those adjacent to less than half of
 * them. Returns its size, 0 where they are not nearly all adjacent to each other. */
static uint32_t gather(star *s, uint32_t i)
{
    uint32_t count = find_members(s, i), kept = 0;
    uint64_t inside = 0;

    for (uint32_t a = 0; a < count; a++) {
        uint32_t near = adjacent_among(s, s->member[a], s->member, count);

        if (2 * near < count - 1)
            continue;
        inside += near;
        s->group[s->member[a]] = s->groups + 1;
        kept++;
    }
    if (kept < 2 || 10 * inside < 9 * (uint64_t)kept * (kept - 1)) {
        for (uint32_t a = 0; a < count; a++)
            s->group[s->member[a]] = 0;
        return 0;
    }
    s->groups++;
    return kept;
}

/* Returns 0 where triangles are there but make no cliques. */
static int find_cliques(star *s)
{
    for (;;) {
        uint32_t best = UINT32_MAX;

        for (uint32_t i = 0; i < s->count; i++)
            if (s->group[i] == 0 && s->adjacent[i] > 0 &&
                (best == UINT32_MAX || s->adjacent[i] > s->adjacent[best]))
                best = i;
        if (best == UINT32_MAX)
            return 1;
        if (gather(s, best) == 0) {
            /* a stray triangle of a single */
            if (s->adjacent[best] > 2 || s->groups + 2 > TOPOMAP_LATTICE_DIMS)
                return 0;
            s->adjacent[best] = 0;
        } else if (s->groups > TOPOMAP_LATTICE_DIMS) {
            return 0;
        }
    }
}

static uint32_t squares(const star *s, uint32_t i, uint32_t j)
{
    uint32_t common[2];

    return topomap_rows_common(s->rows, s->neighbour[i], s->neighbour[j], s->center, common, 2);
}

/* Leaves out the singles that close no square with half of the others. */
static uint32_t leave_out_noise(star *s)
{
    uint32_t kept = 0, singles = 0;

    for (uint32_t i = 0; i < s->count; i++)
        singles += s->group[i] == 0;
    if (singles > MOST_SINGLES)
        return UINT32_MAX;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t score = 0;

        s->adjacent[i] = 0;
        if (s->group[i] != 0)
            continue;
        for (uint32_t j = 0; j < s->count; j++)
            score += j != i && squares(s, i, j) == 1;
        s->adjacent[i] = 2 * score + 2 < s->count;
    }
    for (uint32_t i = 0; i < s->count; i++)
        if (s->group[i] == 0) {
            if (s->adjacent[i])
                s->group[i] = LEFT_OUT;
            else
                kept++;
        }
    return kept;
}

/* The single opposite i, itself if there is none, LEFT_OUT where there are several or i closes
 * two squares with another. */
static uint32_t opposite(const star *s, uint32_t i)
{
    uint32_t found = i;

    for (uint32_t j = 0; j < s->count; j++) {
        uint32_t closed;

        if (j == i || s->group[j] != 0)
            continue;
        closed = squares(s, i, j);
        if (closed == 1)
            continue;
        if (closed > 1 || found != i)
            return LEFT_OUT;
        found = j;
    }
    return found;
}

static int add_slots(topomap_frame *frame, enum topomap_lattice_kind kind, const uint32_t *vertex,
                     uint32_t count)
{
    if (frame->dims == TOPOMAP_LATTICE_DIMS)
        return 0;
    frame->kind[frame->dims] = (uint8_t)kind;
    frame->first[frame->dims++] = frame->slots;
    for (uint32_t i = 0; i < count; i++)
        frame->seed[frame->slots++] = vertex[i];
    frame->first[frame->dims] = frame->slots;
    return 1;
}

static int fill_frame(star *s, topomap_frame *frame)
{
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t line[2] = {TOPOMAP_LATTICE_NONE, s->neighbour[i]}, other;

        if (s->group[i] != 0)
            continue;
        other = opposite(s, i);
        if (other == LEFT_OUT || (other != i && opposite(s, other) != i))
            return 0;
        if (other < i)
            continue;
        if (other != i)
            line[0] = s->neighbour[other];
        if (!add_slots(frame, TOPOMAP_LATTICE_PATH, line, 2))
            return 0;
    }
    for (uint32_t g = 1; g <= s->groups; g++) {
        uint32_t members = 0;

        s->member[members++] = s->center;
        for (uint32_t i = 0; i < s->count; i++)
            if (s->group[i] == g)
                s->member[members++] = s->neighbour[i];
        if (!add_slots(frame, TOPOMAP_LATTICE_CLIQUE, s->member, members))
            return 0;
    }
    return frame->dims > 0;
}

int topomap_frame_at(const topomap_rows *rows, uint32_t vertex, topomap_frame *frame,
                     topomap_error *err)
{
    uint64_t degree = rows->offset[vertex + 1] - rows->offset[vertex];
    star s = {.rows = rows, .center = vertex, .count = (uint32_t)degree};
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena memory = {0};
    int found = -1;

    memset(frame, 0, sizeof *frame);
    if (degree == 0 || degree > MOST_DEGREE)
        return 0;
    s.neighbour = rows->target + rows->offset[vertex];
    s.group = topomap_arena_alloc(&memory, s.count, sizeof *s.group, err);
    s.adjacent = topomap_arena_alloc(&memory, s.count, sizeof *s.adjacent, err);
    s.member = topomap_arena_alloc(&memory, (size_t)s.count + 1, sizeof *s.member, err);
    frame->seed =
        topomap_alloc(2 * (size_t)s.count + TOPOMAP_LATTICE_DIMS, sizeof *frame->seed, err);
    if (!memory.is_short && frame->seed) {
        for (uint32_t i = 0; i < s.count; i++)
            s.adjacent[i] = adjacent_among(&s, i, NULL, s.count);
        found = find_cliques(&s) && leave_out_noise(&s) <= MOST_SINGLES && fill_frame(&s, frame);
    }
    if (found != 1)
        topomap_frame_clear(frame);
    return found;
}

void topomap_frame_clear(topomap_frame *frame)
{
    free(frame->seed);
    memset(frame, 0, sizeof *frame);
}
