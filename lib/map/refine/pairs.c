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
    double now =
        s->gamma[u] + s->gamma[x] -
        2 * (double)topomap_twins_weight(&s->problem->weights, u, x) * distance(&s->oracle, p, q);
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

int topomap_pairs_over(const topomap_pairs *s)
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

int topomap_pairs_alike(const topomap_pairs *s, uint32_t p, uint32_t q)
{
    const topomap_machine *m = s->problem->machine;

    return m->node_of[p] == m->node_of[q] && m->inner[0].group[p] == m->inner[0].group[q];
}

/* Tries u against a run of vertices; those that cannot change J are passed over. Returns 1 where
 * a swap was made, counting the failures since. */
static void try_run(topomap_pairs *s, uint32_t u, uint32_t from, uint32_t to, uint64_t *failures)
{
    for (uint32_t x = from; x < to; x++)
        if (!topomap_pairs_alike(s, s->slot_of[u], s->slot_of[x]) && topomap_pairs_try(s, u, x))
            *failures = 0;
        else
            ++*failures;
}

/* Of alike slots one is enough. */
static void try_silent(topomap_pairs *s, uint32_t u, uint64_t *failures)
{
    uint32_t last = UINT32_MAX;

    for (uint32_t i = 0; i < s->silents; i++) {
        uint32_t x = s->silent[i], p = s->slot_of[x];

        ++*failures;
        if (x == u || (last != UINT32_MAX && topomap_pairs_alike(s, p, s->slot_of[last])))
            continue;
        last = x;
        if (!topomap_pairs_alike(s, s->slot_of[u], p) && topomap_pairs_try(s, u, x))
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

            if (topomap_pairs_over(s))
                return 0;
            try_run(s, u, u + 1, end, &failures);
            if (width < n)
                try_silent(s, u, &failures);
        }
    return 0;
}

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
    topomap_pairs s;
    int status = topomap_pairs_init(&s, problem, slot_of, err);

    if (status != 0)
        return -1;
    s.looks = allowed_looks(problem);
    status = self->variant > 0 ? topomap_pairs_near(&s, (uint32_t)self->variant, err)
                               : topomap_pairs_cyclic(&s, (uint32_t)block, err);
    topomap_pairs_clear(&s);
    problem->found.phase_seconds[TOPOMAP_PHASE_REFINE] += topomap_clock_cpu() - before;
    return status;
}

static const topomap_parameter blocks[] = {
    {"block", "N", "ranks of a block (default 64)", 2, UINT32_MAX},
    {NULL, NULL, NULL, 0, 0},
};

/* One of them: its symbol, section and help, the pairs that it swaps and its parameters. */
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
