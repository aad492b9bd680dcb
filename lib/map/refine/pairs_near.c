/* SPDX-License-Identifier: BSD-3-Clause */
/* The neighbourhood N_C^d of VieM, section 3.3. Pairs are not stored: a vertex's partners are found
 * by a breadth-first search when it comes up. Vertices come in random order, partners in random
 * order. The paper ends after m failures in a row, m being the number of pairs: that is when every
 * pair has failed since the last swap. A pair whose price cannot have changed since it failed would
 * fail again, and is passed over: only a swap of a vertex or of one of its neighbours changes it.
 */
#include "map/refine/refine.h"
#include "util/alloc.h"

typedef struct near_search {
    topomap_pairs *pairs;
    topomap_random random;
    uint32_t depth;
    uint32_t *order; /* [n] */
    uint32_t *ball;  /* [n] breadth-first queue */
    uint32_t *seen;  /* [n] the round that met the vertex last */
    uint32_t round;
    uint64_t now;      /* counts turns and swaps */
    uint32_t *part;    /* [n] vertices of u's connected part */
    uint64_t vacated;  /* when a slot that nobody needs was last exchanged for another */
    uint64_t *touched; /* [n] when the vertex or a neighbour last moved */
    uint64_t *checked; /* [n] when the vertex's turn last began, 0: never */
} near_search;

/* Vertices within reach of u, without u: ball[1..return). Ends early where it has \p most. */
static uint32_t find_ball(near_search *s, uint32_t u, uint32_t depth, uint32_t most)
{
    const topomap_weights *w = &s->pairs->problem->weights;
    uint32_t begin = 0, end = 1;

    s->round++;
    s->seen[u] = s->round;
    s->ball[0] = u;
    for (uint32_t d = 0; d < depth && begin < end; d++) {
        uint32_t level_end = end;

        for (; begin < level_end && end < most; begin++) {
            uint32_t v = s->ball[begin];

            s->pairs->looks -= (int64_t)(w->offset[v + 1] - w->offset[v]);
            for (uint64_t e = w->offset[v]; e < w->offset[v + 1]; e++) {
                if (s->seen[w->target[e]] == s->round)
                    continue;
                s->seen[w->target[e]] = s->round;
                s->ball[end++] = w->target[e];
            }
        }
    }
    return end;
}

/* Fills part[]: how many vertices are connected with each. */
static void measure_parts(near_search *s, uint32_t n)
{
    for (uint32_t u = 0; u < n; u++) {
        uint32_t size;

        if (s->part[u])
            continue;
        size = find_ball(s, u, n, n);
        for (uint32_t i = 0; i < size; i++)
            s->part[s->ball[i]] = size;
    }
}

static void touch(near_search *s, uint32_t u)
{
    const topomap_weights *w = &s->pairs->problem->weights;

    s->touched[u] = s->now;
    for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
        s->touched[w->target[e]] = s->now;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static int try_pair(near_search *s, uint32_t u, uint32_t x)
{
    const topomap_weights *w = &s->pairs->problem->weights;
    uint64_t moved = later(s->touched[u], s->touched[x]);

    if (later(s->checked[x], s->checked[u]) > moved || !topomap_pairs_try(s->pairs, u, x))
        return 0;
    s->now++;
    touch(s, u);
    touch(s, x);
    if (w->offset[x] == w->offset[x + 1])
        s->vacated = s->now;
    return 1;
}

/* Slots that nobody needs: of alike ones one is enough. */
static int try_silent(near_search *s, uint32_t u)
{
    const topomap_pairs *pairs = s->pairs;
    uint32_t last = UINT32_MAX;
    int swapped = 0;

    for (uint32_t i = 0; i < pairs->silents; i++) {
        uint32_t x = pairs->silent[i], p = pairs->slot_of[x];

        if (last != UINT32_MAX && topomap_pairs_alike(pairs, p, pairs->slot_of[last]))
            continue;
        last = x;
        swapped |= try_pair(s, u, x);
    }
    return swapped;
}

/* One vertex's pairs; nonzero if a swap was made. */
static int take_turn(near_search *s, uint32_t u)
{
    uint32_t size = find_ball(s, u, s->depth, s->part[u]);
    uint64_t began = ++s->now;
    int swapped = 0;

    topomap_random_shuffle(&s->random, s->ball + 1, size - 1);
    for (uint32_t i = 1; i < size; i++)
        swapped |= try_pair(s, u, s->ball[i]);
    if (size > 1)
        swapped |= try_silent(s, u);
    s->checked[u] = began;
    return swapped;
}

static void search(near_search *s, uint32_t n)
{
    uint32_t quiet = 0; /* turns in a row without a swap */

    for (uint32_t i = 0; quiet < n; i = i + 1 < n ? i + 1 : 0) {
        uint32_t u = s->order[i];

        quiet++;
        if (s->checked[u] > later(s->touched[u], s->vacated))
            continue;
        if (topomap_pairs_over(s->pairs))
            return;
        if (take_turn(s, u))
            quiet = 0;
    }
}

int topomap_pairs_near(topomap_pairs *pairs, uint32_t depth, topomap_error *err)
{
    uint32_t n = pairs->problem->weights.vertices;
    near_search s = {.pairs = pairs, .depth = depth, .random = {pairs->problem->seed}};
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena memory = {0};

    s.order = topomap_arena_alloc(&memory, n, sizeof *s.order, err);
    s.ball = topomap_arena_alloc(&memory, n, sizeof *s.ball, err);
    s.seen = topomap_arena_alloc(&memory, n, sizeof *s.seen, err);
    s.part = topomap_arena_alloc(&memory, n, sizeof *s.part, err);
    s.touched = topomap_arena_alloc(&memory, n, sizeof *s.touched, err);
    s.checked = topomap_arena_alloc(&memory, n, sizeof *s.checked, err);
    if (memory.is_short)
        return -1;
    measure_parts(&s, n);
    for (uint32_t u = 0; u < n; u++)
        s.order[u] = u;
    topomap_random_shuffle(&s.random, s.order, n);
    search(&s, n);
    return 0;
}
