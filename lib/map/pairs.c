/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/pairs.h"

#include <math.h>
#include <stdlib.h>

#include "machine/distance.h"
#include "util/alloc.h"
#include "util/clock.h"

static inline double distance(const topomap_oracle *o, uint32_t p, uint32_t q)
{
    uint64_t differ;

    if (!o->code)
        return topomap_slot_distance(o->machine, p, q);
    differ = o->code[p] ^ o->code[q];
    return differ ? o->cost[63 - __builtin_clzll(differ)] : 0.0;
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

static double shared_weight(const topomap_weights *w, uint32_t u, uint32_t x)
{
    uint64_t lo, hi;

    if (w->offset[u + 1] - w->offset[u] > w->offset[x + 1] - w->offset[x]) {
        uint32_t keep = u;

        u = x;
        x = keep;
    }
    lo = w->offset[u];
    hi = w->offset[u + 1];
    while (lo < hi) {
        uint64_t mid = lo + (hi - lo) / 2;

        if (w->target[mid] < x)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < w->offset[u + 1] && w->target[lo] == x ? (double)w->weight[lo] : 0.0;
}

static double priced(const topomap_pairs *s, uint32_t u, uint32_t x, int to_the_end)
{
    uint32_t p = s->slot_of[u], q = s->slot_of[x];
    double now = s->gamma[u] + s->gamma[x] -
                 2 * shared_weight(&s->problem->weights, u, x) * distance(&s->oracle, p, q);
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

int topomap_pairs_try(topomap_pairs *s, uint32_t u, uint32_t x)
{
    double delta = s->delta(s, u, x);

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

int topomap_pairs_init(topomap_pairs *s, topomap_problem *problem, uint32_t *slot_of,
                       topomap_error *err)
{
    uint32_t n = problem->weights.vertices;

    *s = (topomap_pairs){.problem = problem, .slot_of = slot_of, .delta = delta_if_it_pays};
    if (topomap_oracle_init(&s->oracle, problem->machine, err) != 0)
        return -1;
    s->gamma = topomap_alloc(n, sizeof *s->gamma, err);
    if (!s->gamma) {
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
    free(s->gamma);
    s->gamma = NULL;
}

/* N_p leaves out pairs that cannot change J: two slots of one innermost group see all others, and
 * each other, at the same distances. */
static int alike(const topomap_machine *m, uint32_t p, uint32_t q)
{
    return m->node_of[p] == m->node_of[q] && m->inner[0].group[p] == m->inner[0].group[q];
}

int topomap_pairs_cyclic(topomap_pairs *s, uint32_t block, topomap_error *err)
{
    uint32_t n = s->problem->weights.vertices, width = block ? block : n;
    uint64_t failures = 0, pairs = 0;

    (void)err;
    for (uint32_t lo = 0; lo < n; lo += width) {
        uint64_t members = n - lo < width ? n - lo : width;

        pairs += members * (members - 1) / 2;
    }
    while (failures < pairs)
        for (uint32_t u = 0; u < n && failures < pairs; u++) {
            uint32_t end = n - u > width - u % width ? u + (width - u % width) : n;

            if (topomap_problem_late(s->problem))
                return 0;
            for (uint32_t x = u + 1; x < end && failures < pairs; x++) {
                if (!alike(s->problem->machine, s->slot_of[u], s->slot_of[x]) &&
                    topomap_pairs_try(s, u, x))
                    failures = 0;
                else
                    failures++;
            }
        }
    return 0;
}

enum { NP_BLOCK = 64 };

static int refine(topomap_problem *problem, uint32_t *slot_of, uint32_t depth, uint32_t block,
                  topomap_error *err)
{
    double before = topomap_clock_cpu();
    topomap_pairs s;
    int status = topomap_pairs_init(&s, problem, slot_of, err);

    if (status != 0)
        return -1;
    status = depth ? topomap_pairs_near(&s, depth, err) : topomap_pairs_cyclic(&s, block, err);
    topomap_pairs_clear(&s);
    problem->phase_seconds[TOPOMAP_PHASE_REFINE] += topomap_clock_cpu() - before;
    return status;
}

int topomap_map_n2(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    return refine(problem, slot_of, 0, 0, err);
}

int topomap_map_np(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    return refine(problem, slot_of, 0, NP_BLOCK, err);
}

int topomap_map_nc1(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    return refine(problem, slot_of, 1, 0, err);
}

int topomap_map_nc2(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    return refine(problem, slot_of, 2, 0, err);
}

int topomap_map_nc10(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    return refine(problem, slot_of, 10, 0, err);
}
