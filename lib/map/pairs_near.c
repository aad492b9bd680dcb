/* SPDX-License-Identifier: BSD-3-Clause */
/* The neighbourhood N_C^d of VieM, section 3.3. Pairs are not stored: a vertex's partners are found
 * by a breadth-first search when it comes up. Vertices come in random order, partners in random
 * order. The paper ends after m failures in a row, m being the number of pairs: that is when every
 * pair has failed since the last swap. A pair whose price cannot have changed since it failed would
 * fail again, and is passed over: only a swap of a vertex or of one of its neighbours changes it.
 */
#include <stdlib.h>

#include "map/pairs.h"
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
    uint64_t *touched; /* [n] when the vertex or a neighbour last moved */
    uint64_t *checked; /* [n] when the vertex's turn last began, 0: never */
} near_search;

/* Vertices within reach of u, without u: ball[1..return). */
static uint32_t find_ball(near_search *s, uint32_t u)
{
    const topomap_weights *w = &s->pairs->problem->weights;
    uint32_t begin = 0, end = 1;

    s->round++;
    s->seen[u] = s->round;
    s->ball[0] = u;
    for (uint32_t d = 0; d < s->depth && begin < end; d++) {
        uint32_t level_end = end;

        for (; begin < level_end; begin++)
            for (uint64_t e = w->offset[s->ball[begin]]; e < w->offset[s->ball[begin] + 1]; e++) {
                uint32_t v = w->target[e];

                if (s->seen[v] == s->round)
                    continue;
                s->seen[v] = s->round;
                s->ball[end++] = v;
            }
    }
    return end;
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

/* One vertex's pairs; nonzero if a swap was made. */
static int take_turn(near_search *s, uint32_t u)
{
    uint32_t size = find_ball(s, u);
    uint64_t began = ++s->now;
    int swapped = 0;

    topomap_random_shuffle(&s->random, s->ball + 1, size - 1);
    for (uint32_t i = 1; i < size; i++) {
        uint32_t x = s->ball[i];
        uint64_t moved = later(s->touched[u], s->touched[x]);

        if (later(s->checked[x], s->checked[u]) > moved)
            continue;
        if (topomap_pairs_try(s->pairs, u, x)) {
            s->now++;
            touch(s, u);
            touch(s, x);
            swapped = 1;
        }
    }
    s->checked[u] = began;
    return swapped;
}

static void search(near_search *s, uint32_t n)
{
    uint32_t quiet = 0; /* turns in a row without a swap */

    for (uint32_t i = 0; quiet < n; i = i + 1 < n ? i + 1 : 0) {
        uint32_t u = s->order[i];

        quiet++;
        if (s->checked[u] > s->touched[u])
            continue;
        if (topomap_problem_late(s->pairs->problem))
            return;
        if (take_turn(s, u))
            quiet = 0;
    }
}

int topomap_pairs_near(topomap_pairs *pairs, uint32_t depth, topomap_error *err)
{
    uint32_t n = pairs->problem->weights.vertices;
    near_search s = {.pairs = pairs, .depth = depth, .random = {pairs->problem->seed}};
    int status = -1;

    s.order = topomap_alloc(n, sizeof *s.order, err);
    s.ball = topomap_alloc(n, sizeof *s.ball, err);
    s.seen = topomap_alloc(n, sizeof *s.seen, err);
    s.touched = topomap_alloc(n, sizeof *s.touched, err);
    s.checked = topomap_alloc(n, sizeof *s.checked, err);
    if (s.order && s.ball && s.seen && s.touched && s.checked) {
        for (uint32_t u = 0; u < n; u++)
            s.order[u] = u;
        topomap_random_shuffle(&s.random, s.order, n);
        search(&s, n);
        status = 0;
    }
    free(s.order);
    free(s.ball);
    free(s.seen);
    free(s.touched);
    free(s.checked);
    return status;
}
