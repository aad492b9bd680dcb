/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/refine/refine.h"

static inline double distance(const topomap_swap *s, uint32_t p, uint32_t q)
{
    return topomap_moves_distance(s->machine, s->whole_nodes, p, q);
}

static double cost_at(const topomap_swap *s, uint32_t u, uint32_t place)
{
    const topomap_weights *w = s->weights;
    double sum = 0.0;

    for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
        sum += (double)w->weight[e] * distance(s, place, s->place_of[w->target[e]]);
    return sum;
}

int topomap_swap_open(topomap_swap *s, topomap_error *err)
{
    uint32_t n = s->weights->vertices;

    s->vertex_at = topomap_arena_alloc(&s->memory, n, sizeof *s->vertex_at, err);
    s->gamma = topomap_arena_alloc(&s->memory, n, sizeof *s->gamma, err);
    for (uint32_t v = 0; !s->memory.is_short && v < n; v++) {
        s->vertex_at[s->place_of[v]] = v;
        s->gamma[v] = cost_at(s, v, s->place_of[v]);
    }
    return s->memory.is_short ? -1 : 0;
}

/* Cost of u's edges at x's place, while x is at u's: the edge u-x costs what it did. */
static double cost_after(const topomap_swap *s, uint32_t u, uint32_t x)
{
    const topomap_weights *w = s->weights;
    uint32_t p = s->place_of[u], q = s->place_of[x];
    double sum = 0.0;

    for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
        sum += (double)w->weight[e] *
               distance(s, q, w->target[e] == x ? p : s->place_of[w->target[e]]);
    return sum;
}

double topomap_swap_delta(const topomap_swap *s, uint32_t u, uint32_t x)
{
    return cost_after(s, u, x) - s->gamma[u] + cost_after(s, x, u) - s->gamma[x];
}

static void update_neighbours(topomap_swap *s, uint32_t u, uint32_t from, uint32_t to)
{
    const topomap_weights *w = s->weights;

    for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++) {
        uint32_t v = w->target[e];

        s->gamma[v] += (double)w->weight[e] *
                       (distance(s, to, s->place_of[v]) - distance(s, from, s->place_of[v]));
    }
}

void topomap_swap_apply(topomap_swap *s, uint32_t u, uint32_t x)
{
    uint32_t p = s->place_of[u], q = s->place_of[x];

    update_neighbours(s, u, p, q);
    update_neighbours(s, x, q, p);
    topomap_moves_exchange(s->place_of, s->vertex_at, u, x);
    s->gamma[u] = cost_at(s, u, q);
    s->gamma[x] = cost_at(s, x, p);
}

enum {
    MANY_EDGES = 64, /* from how many on it pays to ask whether two vertices are twins */
    DENSE = 1448,    /* edges at which an evaluation counts twice; beyond, the more the square of
                        them, so that all evaluations together cost no more on denser graphs */
};

typedef struct search {
    topomap_swap *swap;
    topomap_twins *twins;
    topomap_ring ring; /* of vertices to look at */
    uint32_t *tried;   /* [places] the round in which a place was priced last */
    uint32_t round;
    uint32_t u, best;
    double best_delta;
} search;

static uint64_t degree(const topomap_weights *w, uint32_t u)
{
    return w->offset[u + 1] - w->offset[u];
}

static void price(search *q, uint32_t place)
{
    topomap_swap *s = q->swap;
    uint32_t x = s->vertex_at[place];
    uint64_t edges = degree(s->weights, q->u) + degree(s->weights, x), cost;
    double delta;

    if (q->tried[place] == q->round || x == q->u || s->evaluations == 0)
        return;
    if (s->held && (x == *s->held || q->u == *s->held))
        return;
    q->tried[place] = q->round;
    if (s->whole_nodes) {
        const uint32_t *first = s->machine->slot_first;
        uint32_t own = s->place_of[q->u];

        if (first[place + 1] - first[place] != first[own + 1] - first[own])
            return;
    }
    if (s->node_load &&
        !topomap_level_allows(s->problem, s->node_load, q->u, x, s->place_of[q->u], place))
        return;
    cost = 1 + edges * edges / (DENSE * DENSE);
    s->evaluations -= cost < s->evaluations ? cost : s->evaluations;
    if (edges > MANY_EDGES && topomap_twins_are(q->twins, q->u, x))
        return;
    delta = topomap_swap_delta(s, q->u, x);
    if (delta < q->best_delta || (delta == q->best_delta && q->best != UINT32_MAX && x < q->best)) {
        q->best_delta = delta;
        q->best = x;
    }
}

static void price_node(search *q, uint32_t node, uint32_t center, uint32_t reach)
{
    const topomap_machine *m = q->swap->machine;
    uint32_t lo = m->slot_first[node], hi = m->slot_first[node + 1];

    /* Outwards from the neighbour's slot: slots of one node are in tree order. */
    for (uint32_t step = 0; reach > 0 && step < hi - lo; step++) {
        if (center + step < hi) {
            price(q, center + step);
            reach--;
        }
        if (step && reach && center >= lo + step) {
            price(q, center - step);
            reach--;
        }
    }
}

static void price_around(search *q, uint32_t place)
{
    const topomap_swap *s = q->swap;
    const topomap_vicinity *v = s->vicinity;
    uint32_t node = s->whole_nodes ? place : s->machine->node_of[place];

    if (s->whole_nodes)
        price(q, place);
    else
        price_node(q, node, place, s->reach);
    for (uint32_t i = v->first[node]; v->node && i < v->first[node + 1]; i++) {
        uint32_t other = v->node[i];

        if (i - v->first[node] >= s->reach)
            break;
        if (s->whole_nodes)
            price(q, other);
        else if (topomap_node_slots(s->machine, other))
            price_node(q, other, s->machine->slot_first[other], s->reach / 4 + 1);
    }
}

static void look_at(search *q, uint32_t u)
{
    topomap_swap *s = q->swap;
    const topomap_weights *w = s->weights;
    uint64_t degree = w->offset[u + 1] - w->offset[u];

    q->u = u;
    q->round++;
    q->best = UINT32_MAX;
    q->best_delta = 0.0;
    /* A vertex that talks to everybody has nowhere better to go than its heaviest partners. */
    for (uint64_t e = w->offset[u]; e < w->offset[u + 1] && e - w->offset[u] < 64; e++) {
        uint32_t v = w->target[e];

        price_around(q, s->place_of[v]);
        if (degree > 16)
            continue;
        for (uint64_t f = w->offset[v]; f < w->offset[v + 1] && f - w->offset[v] < s->reach; f++)
            price(q, s->place_of[w->target[f]]);
    }
    if (q->best == UINT32_MAX || q->best_delta > -1e-9 * (s->gamma[u] + s->gamma[q->best]))
        return;
    if (s->node_load)
        topomap_level_exchange(s->problem, s->node_load, u, q->best, s->place_of[u],
                               s->place_of[q->best]);
    topomap_swap_apply(s, u, q->best);
    topomap_ring_put(&q->ring, u);
    topomap_ring_put(&q->ring, q->best);
    for (uint64_t e = w->offset[u]; e < w->offset[u + 1]; e++)
        topomap_ring_put(&q->ring, w->target[e]);
    for (uint64_t e = w->offset[q->best]; e < w->offset[q->best + 1]; e++)
        topomap_ring_put(&q->ring, w->target[e]);
}

int topomap_swap_run(topomap_swap *s, uint64_t seed, topomap_error *err)
{
    uint32_t n = s->weights->vertices, looked = 0;
    topomap_random random = {seed};
    TOPOMAP_CLEANUP(topomap_twins_clear) topomap_twins twins = {0};
    search q = {.swap = s, .twins = &twins};

    q.tried = topomap_arena_alloc(&s->memory, n, sizeof *q.tried, err);
    if (topomap_ring_open(&q.ring, n, &random, &s->memory, err) ||
        topomap_twins_init(&twins, s->weights, err))
        return -1;
    while (q.ring.count && s->evaluations) {
        if (++looked % 256 == 0 && topomap_problem_late(s->problem))
            break;
        look_at(&q, topomap_ring_take(&q.ring));
    }
    return 0;
}
