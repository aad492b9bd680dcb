/* SPDX-License-Identifier: BSD-3-Clause */
/* `cycles`: cyclic exchanges of up to seven ranks, then of whole groups' ranks. A rank goes to the
 * best place next to a partner of its own, whoever was there does the same, and so on: an ejection
 * chain (Glover, Discrete Applied Mathematics 65, 1996) in the variable depth of Lin and Kernighan
 * (Operations Research 21, 1973), of which the best prefix stays. What it ends in, no exchange of
 * two betters, nor one of more that begins with a move next to a partner. Cyclic exchanges for
 * quadratic assignment: Ahuja, Jha, Orlin, Sharma, INFORMS J. on Computing 19, 2007. */
#include <math.h>
#include <string.h>

#include "map/problem.h"
#include "map/refine/refine.h"
#include "util/alloc.h"
#include "util/clock.h"

enum {
    DEPTH = 6,
    PARTNERS = 32, /* of one rank whose surroundings are looked at */
    AROUND = 16,   /* places around one of them */
};

/* Edges looked at for each rank, at most, and in all: dense graphs take long. */
static const struct {
    double each, all;
} budget[] = {
    [TOPOMAP_FAST] = {4e3, 2e7}, [TOPOMAP_DEFAULT] = {4e4, 1e8}, [TOPOMAP_STRONG] = {8e5, 1.5e9}};

typedef struct cycles {
    topomap_anneal *a;
    const topomap_problem *problem;
    topomap_ring ring;
    uint32_t *left, *priced; /* [places], [vertices] stamps */
    uint32_t chains, steps;
    double edges;
} cycles;

typedef struct partner {
    uint32_t vertex;
    double delta;
} partner;

static void price(cycles *c, uint32_t hand, uint32_t place, partner *best)
{
    topomap_anneal *a = c->a;
    const topomap_closeness *close = a->close;
    uint32_t x = a->at[place];
    double delta;

    if (x == hand || c->left[place] == c->chains || c->priced[x] == c->steps ||
        (close->shape && close->shape[place] != close->shape[a->place[hand]]))
        return;
    c->priced[x] = c->steps;
    c->edges +=
        8.0 + (double)(a->offset[hand + 1] - a->offset[hand] + a->offset[x + 1] - a->offset[x]);
    delta = topomap_anneal_delta(a, hand, x);
    if (best->vertex == UINT32_MAX || delta < best->delta)
        *best = (partner){x, delta};
}

static void price_range(cycles *c, uint32_t hand, uint32_t lo, uint32_t hi, uint32_t middle,
                        partner *best)
{
    if (hi - lo > AROUND) {
        lo = middle - lo > AROUND / 2 ? middle - AROUND / 2 : lo;
        hi = hi - lo > AROUND ? lo + AROUND : hi;
    }
    for (uint32_t place = lo; place < hi; place++)
        price(c, hand, place, best);
}

/* The innermost group that a partner is in, or, where places are nodes, those close to its own. */
static void price_around(cycles *c, uint32_t hand, uint32_t place, partner *best)
{
    const topomap_closeness *close = c->a->close;
    uint32_t node;

    price(c, hand, place, best);
    if (close->levels) {
        uint32_t group = close->group[0][place];

        price_range(c, hand, close->start[0][group], close->start[0][group + 1], place, best);
    }
    if (!close->near_first)
        return;
    node = close->machine->node_of[close->slot[close->first[place]]];
    for (uint32_t i = close->near_first[node];
         i < close->near_first[node + 1] && i - close->near_first[node] < AROUND / 2; i++) {
        uint32_t near = close->near_node[i];

        if (close->node_first[near] < close->node_first[near + 1])
            price(c, hand, close->node_first[near], best);
    }
}

static partner best_partner(cycles *c, uint32_t hand)
{
    topomap_anneal *a = c->a;
    uint64_t first = a->offset[hand], degree = a->offset[hand + 1] - first;
    uint64_t skip = degree > PARTNERS ? topomap_random_next(&a->random) % degree : 0;
    partner best = {UINT32_MAX, 0};

    c->steps++;
    for (uint64_t i = 0; i < degree && i < PARTNERS; i++)
        price_around(c, hand, a->place[a->arc[first + (skip + i) % degree].target], &best);
    return best;
}

static void wake(cycles *c, uint32_t v)
{
    topomap_ring_put(&c->ring, v);
    for (uint64_t e = c->a->offset[v]; e < c->a->offset[v + 1]; e++)
        topomap_ring_put(&c->ring, c->a->arc[e].target);
}

/* Who is at the place of u leaves it, again and again: each time the two exchanged are priced
 * exactly, so that a prefix is worth the sum of its parts. */
static void chain(cycles *c, uint32_t u)
{
    topomap_anneal *a = c->a;
    uint32_t home = a->place[u], went[DEPTH], length = 0, keep = 0;
    double sum = 0, least = 0;

    c->chains++;
    c->left[home] = c->chains;
    while (length < DEPTH) {
        uint32_t hand = a->at[home];
        partner best = best_partner(c, hand);

        if (best.vertex == UINT32_MAX)
            break;
        went[length++] = a->place[best.vertex];
        c->left[went[length - 1]] = c->chains;
        topomap_anneal_swap(a, hand, best.vertex);
        sum += best.delta;
        if (sum < least - 1e-6 * fabs(best.delta)) {
            least = sum;
            keep = length;
        }
    }
    while (length > keep)
        topomap_anneal_swap(a, a->at[home], a->at[went[--length]]);
    if (keep == 0)
        return;
    wake(c, a->at[home]);
    for (uint32_t i = 0; i < keep; i++)
        wake(c, a->at[went[i]]);
}

static int search(topomap_anneal *a, const topomap_problem *problem, topomap_error *err)
{
    uint32_t n = a->vertices;
    cycles c = {.a = a, .problem = problem};
    double most = fmin(budget[problem->effort].each * n, budget[problem->effort].all);

    c.left = topomap_arena_alloc(&a->memory, n, sizeof *c.left, err);
    c.priced = topomap_arena_alloc(&a->memory, n, sizeof *c.priced, err);
    if (topomap_ring_open(&c.ring, n, &a->random, &a->memory, err))
        return -1;
    for (uint32_t looked = 1; c.ring.count && c.edges < most; looked++) {
        if (looked % 64 == 0 && topomap_problem_late(problem))
            break;
        chain(&c, topomap_ring_take(&c.ring));
    }
    return 0;
}

static int on_level(topomap_problem *problem, int level, uint32_t *slot_of, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_closeness_clear) topomap_closeness close = {0};
    TOPOMAP_CLEANUP(topomap_anneal_clear) topomap_anneal state = {0};

    if (topomap_closeness_init(&close, problem->machine, level, TOPOMAP_CLOSE_NODES, err))
        return -1;
    if (close.places <= 1 || (level >= 0 && close.places >= problem->machine->slots))
        return 0;
    if (topomap_anneal_init(&state, problem, &close, slot_of, err) || search(&state, problem, err))
        return -1;
    topomap_anneal_store(&state, slot_of, problem->work.scratch);
    return 0;
}

static int map_cycles(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    double before = topomap_clock_cpu(), cost = topomap_problem_cost(problem, slot_of);
    uint32_t n = problem->weights.vertices;
    TOPOMAP_FREED uint32_t *keep = topomap_alloc(n, sizeof *keep, err);

    if (!keep)
        return -1;
    memcpy(keep, slot_of, n * sizeof *keep);
    for (int l = (int)topomap_closeness_levels(problem->machine);
         problem->weights.offset[n] > 0 && l-- > TOPOMAP_CLOSE_SLOTS;)
        if (on_level(problem, l, slot_of, err))
            return -1;
    /* Weights are floats in the search: what it adds up may be a rounding off. */
    if (topomap_problem_cost(problem, slot_of) > cost)
        memcpy(slot_of, keep, n * sizeof *keep);
    problem->found.phase_seconds[TOPOMAP_PHASE_REFINE] += topomap_clock_cpu() - before;
    return 0;
}

const topomap_algorithm_impl topomap_algorithm_cycles = {
    .row =
        {"cycles", "topomap, ejection chains after Glover", "refine", FITS_ALL,
         "cyclic exchanges of up to seven groups, then ranks, each next to a partner of its own"},
    .run = map_cycles,
};
