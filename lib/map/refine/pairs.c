/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/refine/refine.h"

#include <math.h>
#include <stdlib.h>

#include "machine/closeness.h"
#include "machine/machine.h"
#include "map/problem.h"
#include "util/alloc.h"
#include "util/clock.h"

/* ---- Distances by comparing group numbers, without a matrix: VieM, section 3.4 --------------- */

int topomap_oracle_init(topomap_oracle *oracle, const topomap_machine *machine, topomap_error *err)
{
    topomap_closeness close;
    int bits;

    *oracle = (topomap_oracle){.machine = machine};
    if (machine->kind != TOPOMAP_MACHINE_TREE)
        return 0;
    if (topomap_closeness_init(&close, machine, TOPOMAP_CLOSE_SLOTS, 0, err))
        return -1;
    bits = close.how == TOPOMAP_CLOSE_BITS;
    if (bits) {
        oracle->code = topomap_alloc(machine->slots, sizeof *oracle->code, err);
        for (uint32_t i = 0; oracle->code && i < close.places; i++)
            oracle->code[close.slot[i]] = close.code[i];
        for (uint32_t bit = 1; bit < TOPOMAP_ORACLE_BITS; bit++)
            oracle->cost[bit] = topomap_nesting_at(machine, close.level_of[bit])->cost;
    }
    topomap_closeness_clear(&close);
    return bits && !oracle->code ? -1 : 0;
}

void topomap_oracle_clear(topomap_oracle *oracle)
{
    free(oracle->code);
    oracle->code = NULL;
}

static inline double distance(const topomap_oracle *o, uint32_t p, uint32_t q)
{
    return o->code ? o->cost[topomap_closeness_bit(o->code[p], o->code[q])]
                   : topomap_slot_distance(o->machine, p, q);
}

double topomap_pairs_distance(const topomap_pairs *pairs, uint32_t p, uint32_t q)
{
    return distance(&pairs->oracle, p, q);
}

/* Adds to \p sum the cost of u's edges at slot \p to, without the one to x, which keeps its cost;
 * stops early where the sum is past \p limit. */
static double cost_without(const topomap_pairs *s, uint32_t u, uint32_t to, uint32_t x, double sum,
                           double limit)
{
    const topomap_weights *w = &s->problem->weights;

    for (uint64_t e = w->offset[u]; e < w->offset[u + 1] && sum < limit; e++)
        if (w->target[e] != x)
            sum += (double)w->weight[e] * distance(&s->oracle, to, s->slot_of[w->target[e]]);
    return sum;
}

static double priced(const topomap_pairs *s, uint32_t u, uint32_t x, int to_the_end)
{
    uint32_t p = s->slot_of[u], q = s->slot_of[x];
    double now = s->gamma[u] + s->gamma[x] -
                 2 * (double)topomap_weights_between(&s->problem->weights, u, x) *
                     distance(&s->oracle, p, q);
    double limit = to_the_end ? INFINITY : now;
    double then = cost_without(s, u, q, x, 0.0, limit);

    return cost_without(s, x, p, u, then, limit) - now;
}

double topomap_pairs_delta(const topomap_pairs *s, uint32_t u, uint32_t x)
{
    return priced(s, u, x, 1);
}

static double delta_if_it_pays(const topomap_pairs *s, uint32_t u, uint32_t x)
{
    return priced(s, u, x, 0);
}

static void update_neighbours(topomap_pairs *s, uint32_t u, uint32_t from, uint32_t to)
{
    const topomap_weights *w = &s->problem->weights;

    for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++) {
        uint32_t v = w->target[e], at = s->slot_of[v];

        s->gamma[v] +=
            (double)w->weight[e] * (distance(&s->oracle, to, at) - distance(&s->oracle, from, at));
    }
}

void topomap_pairs_swap(topomap_pairs *s, uint32_t u, uint32_t x, double delta)
{
    uint32_t p = s->slot_of[u], q = s->slot_of[x];

    update_neighbours(s, u, p, q);
    update_neighbours(s, x, q, p);
    s->slot_of[u] = q;
    s->slot_of[x] = p;
    s->gamma[u] = cost_without(s, u, q, u, 0.0, INFINITY);
    s->gamma[x] = cost_without(s, x, p, x, 0.0, INFINITY);
    if (s->swapped)
        s->swapped(s->data, u, x, delta);
}

static int64_t degree(const topomap_pairs *s, uint32_t u)
{
    const topomap_weights *w = &s->problem->weights;

    return (int64_t)(w->offset[u + 1] - w->offset[u]);
}

/* Whether the caller's time or the looks are used up. */
static int is_over(const topomap_pairs *s)
{
    return s->looks < 0 || topomap_problem_late(s->problem);
}

int topomap_pairs_try(topomap_pairs *s, uint32_t u, uint32_t x)
{
    double delta;

    s->looks -= 1;
    if (s->looks < 0 || topomap_twins_are(&s->twins, u, x))
        return 0;
    s->looks -= degree(s, u) + degree(s, x);
    delta = s->delta(s, u, x);
    if (delta >= -1e-9 * (s->gamma[u] + s->gamma[x]))
        return 0;
    /* Gammas carry rounding errors of neighbours' heaviest edges. What those alone pretend to gain
     * does not count, or the search would not end. */
    s->gamma[u] = cost_without(s, u, s->slot_of[u], u, 0.0, INFINITY);
    s->gamma[x] = cost_without(s, x, s->slot_of[x], x, 0.0, INFINITY);
    delta = s->delta(s, u, x);
    if (delta >= -1e-9 * (s->gamma[u] + s->gamma[x]))
        return 0;
    topomap_pairs_swap(s, u, x, delta);
    return 1;
}

/* The vertices without edges, in the order of their slots. */
static int find_silent(topomap_pairs *s, topomap_error *err)
{
    uint32_t n = s->problem->weights.vertices;
    TOPOMAP_FREED uint32_t *vertex_at = topomap_alloc(n, sizeof *vertex_at, err);

    s->silent = topomap_alloc(n, sizeof *s->silent, err);
    if (!vertex_at || !s->silent)
        return -1;
    for (uint32_t v = 0; v < n; v++)
        vertex_at[s->slot_of[v]] = v;
    for (uint32_t p = 0; p < n; p++)
        if (degree(s, vertex_at[p]) == 0)
            s->silent[s->silents++] = vertex_at[p];
    return 0;
}

int topomap_pairs_init(topomap_pairs *s, topomap_problem *problem, uint32_t *slot_of,
                       topomap_error *err)
{
    uint32_t n = problem->weights.vertices;

    *s = (topomap_pairs){
        .problem = problem, .slot_of = slot_of, .delta = delta_if_it_pays, .looks = INT64_MAX};
    s->gamma = topomap_alloc(n, sizeof *s->gamma, err);
    if (!s->gamma || topomap_oracle_init(&s->oracle, problem->machine, err) != 0 ||
        topomap_twins_init(&s->twins, &problem->weights, err) != 0 || find_silent(s, err) != 0) {
        topomap_pairs_clear(s);
        return -1;
    }
    for (uint32_t u = 0; u < n; u++)
        s->gamma[u] = cost_without(s, u, slot_of[u], u, 0.0, INFINITY);
    return 0;
}

void topomap_pairs_clear(topomap_pairs *s)
{
    topomap_oracle_clear(&s->oracle);
    topomap_twins_clear(&s->twins);
    free(s->gamma);
    free(s->silent);
    s->gamma = NULL;
    s->silent = NULL;
}

/* Whether two slots see all others, and each other, at the same distances. */
static int are_alike(const topomap_pairs *s, uint32_t p, uint32_t q)
{
    const topomap_machine *m = s->problem->machine;

    return m->node_of[p] == m->node_of[q] && m->inner[0].group[p] == m->inner[0].group[q];
}

/* ---- All pairs, or those of blocks ----------------------------------------------------------- */

/* Tries u against a run of vertices; those that cannot change J are passed over. Returns 1 where
 * a swap was made, counting the failures since. */
static void try_run(topomap_pairs *s, uint32_t u, uint32_t from, uint32_t to, uint64_t *failures)
{
    for (uint32_t x = from; x < to; x++)
        if (!are_alike(s, s->slot_of[u], s->slot_of[x]) && topomap_pairs_try(s, u, x))
            *failures = 0;
        else
            ++*failures;
}

/* Of alike slots one is enough. */
static void try_silent_run(topomap_pairs *s, uint32_t u, uint64_t *failures)
{
    uint32_t last = UINT32_MAX;

    for (uint32_t i = 0; i < s->silents; i++) {
        uint32_t x = s->silent[i], p = s->slot_of[x];

        ++*failures;
        if (x == u || (last != UINT32_MAX && are_alike(s, p, s->slot_of[last])))
            continue;
        last = x;
        if (!are_alike(s, s->slot_of[u], p) && topomap_pairs_try(s, u, x))
            *failures = 0;
    }
}

/* N_p also leaves out pairs that cannot change J. */
int topomap_pairs_cyclic(topomap_pairs *s, uint32_t block, topomap_error *err)
{
    uint32_t n = s->problem->weights.vertices, width = block ? block : n;
    uint64_t failures = 0, pairs = 0;

    (void)err;
    for (uint32_t lo = 0; lo < n; lo += width) {
        uint64_t members = n - lo < width ? n - lo : width;

        pairs += members * (members - 1) / 2;
    }
    if (width < n)
        pairs += (uint64_t)s->silents * n;
    while (failures < pairs)
        for (uint32_t u = 0; u < n && failures < pairs; u++) {
            uint32_t end = n - u > width - u % width ? u + (width - u % width) : n;

            if (is_over(s))
                return 0;
            try_run(s, u, u + 1, end, &failures);
            if (width < n)
                try_silent_run(s, u, &failures);
        }
    return 0;
}

/* ---- Pairs that are near in the graph ------------------------------------------------------- */

/* The neighbourhood N_C^d of VieM, section 3.3. Pairs are not stored: a vertex's partners are found
 * by a breadth-first search when it comes up. Vertices come in random order, partners in random
 * order. The paper ends after m failures in a row, m being the number of pairs: that is when every
 * pair has failed since the last swap. A pair whose price cannot have changed since it failed would
 * fail again, and is passed over: only a swap of a vertex or of one of its neighbours changes it.
 */

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

        if (last != UINT32_MAX && are_alike(pairs, p, pairs->slot_of[last]))
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
        if (is_over(s->pairs))
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
    topomap_identity(s.order, n);
    topomap_random_shuffle(&s.random, s.order, n);
    search(&s, n);
    return 0;
}

/* ---- The algorithms -------------------------------------------------------------------------- */

/* A search on a sparse graph ends by itself long before these are used up. On a dense one, where a
 * sweep over all pairs is O(edges * vertices), they end it in time proportional to its size. */
static int64_t allowed_looks(const topomap_problem *problem)
{
    static const int64_t each[] = {
        [TOPOMAP_FAST] = 1 << 17, [TOPOMAP_DEFAULT] = 1 << 19, [TOPOMAP_STRONG] = 1 << 23};
    const topomap_weights *w = &problem->weights;

    return each[problem->effort] * w->vertices + 64 * (int64_t)w->offset[w->vertices];
}

enum { NP = -1, N2, NP_BLOCK = 64 };

/* \p self->variant: how far apart in the graph they are; N2, NP: all pairs, those of blocks. */
static int refine(const topomap_algorithm_impl *self, topomap_problem *problem, uint32_t *slot_of,
                  topomap_error *err)
{
    double before = topomap_clock_cpu();
    uint64_t block = self->variant == NP ? topomap_parameter_number(problem, "block", NP_BLOCK) : 0;
    TOPOMAP_CLEANUP(topomap_pairs_clear) topomap_pairs s = {0};

    if (topomap_pairs_init(&s, problem, slot_of, err))
        return -1;
    s.looks = allowed_looks(problem);
    if (self->variant > 0 ? topomap_pairs_near(&s, (uint32_t)self->variant, err)
                          : topomap_pairs_cyclic(&s, (uint32_t)block, err))
        return -1;
    problem->found.phase_seconds[TOPOMAP_PHASE_REFINE] += topomap_clock_cpu() - before;
    return 0;
}

static const topomap_parameter blocks[] = {
    {"block", "N", "ranks of a block (default 64)", 2, UINT32_MAX},
    {NULL, NULL, NULL, 0, 0},
};

/* Defines an algorithm: its symbol, the section of the paper, its help, N2, NP or the distance of
 * its pairs in the graph, and its parameters. */
#define PAIRS(symbol, section, help, which, words)                                                 \
    const topomap_algorithm_impl topomap_algorithm_##symbol = {                                    \
        .row = {#symbol, BY_VIEM ", " section, "refine", FITS_ALL, help},                          \
        .parameters = words,                                                                       \
        .run_family = refine,                                                                      \
        .variant = which,                                                                          \
    }

PAIRS(n2, "2 and 3.2", "swaps of all pairs of ranks, in cyclic order", N2, NULL);

PAIRS(np, "2 and 3.2", "swaps of pairs inside blocks of consecutive ranks, in cyclic order", NP,
      blocks);

PAIRS(nc1, "3.3", "swaps of pairs that communicate, in random order", 1, NULL);

PAIRS(nc2, "3.3", "swaps of pairs at most 2 apart in the communication graph, in random order", 2,
      NULL);

PAIRS(nc10, "3.3", "swaps of pairs at most 10 apart in the communication graph, in random order",
      10, NULL);
