/* SPDX-License-Identifier: BSD-3-Clause */
/* `relieve`: swaps that take traffic off the most loaded links; whole nodes of equal size first,
 * then ranks. What stands against it is that a maximum has plateaus: where several links have it,
 * no single swap lowers it. So swaps are judged by a sum of high powers of the loads (loads.h),
 * which falls with each link that is relieved; the placement kept is the one of the lowest maximum,
 * of equals the one of the lowest mean. Swaps are looked for where they can help: one of the two
 * has an edge over a link that is loaded nearly as much as the worst. */
#define _GNU_SOURCE /* qsort_r */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/distance.h"
#include "machine/vicinity.h"
#include "map/links/loads.h"
#include "map/objective.h"
#include "map/problem.h"
#include "util/alloc.h"
#include "util/clock.h"

enum { KINDS = 7, TRIES = 3 * KINDS, HOT = 64, EDGES = 4096, NEAR = 64 };
#define ENOUGH 1e-9 /* a gain below this part is rounding */

/* Links looked at by all tries together, at most, by effort; and the parts of them up to the end of
 * the first descent and the annealing, and for the mean. */
static const struct {
    double links, each; /* in all, and for each vertex */
} budget[] = {{2e7, 4e4}, {2e8, 4e5}, {3e9, 4e6}};
#define FIRST 0.6
#define SETTLING 0.15
#define NODES 3 /* swaps of nodes get a third of it */

typedef struct edge {
    uint32_t u, v, next; /* u sends to v; next on the same link */
} edge;

typedef struct relief {
    topomap_problem *problem;
    const topomap_machine *machine;
    const topomap_network *network;
    topomap_shares *shares;
    topomap_vicinity vicinity;
    topomap_loads loads;
    int whole_nodes;     /* places are nodes, not slots */
    uint32_t *place_of;  /* [vertices] */
    uint32_t *vertex_at; /* [vertices] by place */
    uint32_t vertices;
    topomap_random random;
    uint64_t limit; /* of loads.looked */
    double potential;

    const topomap_objective *objective;
    double J, weight;        /* with a mix: of all ranks; potential by which 1 more of J counts */
    double priced, priced_J; /* what the swap priced last adds to the potential, and to J */

    uint32_t *best; /* [vertices] the best placement so far, and what it reaches */
    double best_value, best_max, best_sum, best_J;

    uint32_t hot[HOT], first[HOT], hots;
    uint8_t *hot_of; /* [links] 1 + its number among the hot ones */
    edge *edge;
    uint32_t edges;
} relief;

/* ---- Swaps ----------------------------------------------------------------------------------- */

static uint32_t node_of(const relief *r, uint32_t vertex)
{
    uint32_t place = r->place_of[vertex];

    return r->whole_nodes ? place : r->machine->node_of[place];
}

static uint32_t size_of(const relief *r, uint32_t node)
{
    return r->machine->slot_first[node + 1] - r->machine->slot_first[node];
}

/* Somebody on a node; UINT32_MAX where none there can change places with u. */
static uint32_t somebody(relief *r, uint32_t node, uint32_t u)
{
    uint32_t size = size_of(r, node), x;

    if (size == 0)
        return UINT32_MAX;
    if (r->whole_nodes)
        x = size == size_of(r, node_of(r, u)) ? r->vertex_at[node] : UINT32_MAX;
    else
        x = r->vertex_at[r->machine->slot_first[node] + topomap_random_below(&r->random, size)];
    return x == UINT32_MAX || r->loads.at[x] == r->loads.at[u] ? UINT32_MAX : x;
}

static uint32_t near(relief *r, uint32_t node)
{
    const topomap_vicinity *v = &r->vicinity;
    uint32_t count = v->node ? v->first[node + 1] - v->first[node] : 0;

    return count ? v->node[v->first[node] + topomap_random_below(&r->random, count)] : node;
}

/* Somebody who talks to somebody on u's node, on v's node if a few draws find one there: as in
 * Kernighan and Lin's pairs, either one is nearer to its own in the other's place. */
static uint32_t counterpart(relief *r, uint32_t u, uint32_t v)
{
    const topomap_traffic_rows *rows = r->loads.rows;
    uint32_t here = node_of(r, u), there = node_of(r, v), found = UINT32_MAX;

    for (int i = 0; i < 4 && !r->whole_nodes; i++) {
        uint32_t slot =
            r->machine->slot_first[here] + topomap_random_below(&r->random, size_of(r, here));
        uint32_t w = r->vertex_at[slot], x;
        uint64_t degree = rows->offset[w + 1] - rows->offset[w];

        if (!degree)
            continue;
        x = rows->other[rows->offset[w] + topomap_random_below(&r->random, (uint32_t)degree)];
        if (r->loads.at[x] == r->loads.at[u])
            continue;
        found = x;
        if (node_of(r, x) == there)
            break;
    }
    return found;
}

/* Who might change places with u, so that its edge to v takes another way: somebody beside v,
 * around v, around u itself, beside another one that u talks to, or anywhere; or a counterpart. */
static uint32_t partner(relief *r, uint32_t u, uint32_t v, uint32_t kind)
{
    const topomap_traffic_rows *rows = r->loads.rows;
    uint64_t degree = rows->offset[u + 1] - rows->offset[u];
    uint32_t node = node_of(r, v);

    switch (kind % KINDS) {
    case 0:
        node = r->whole_nodes ? near(r, node) : node;
        break;
    case 1:
        node = near(r, node);
        break;
    case 2:
        node = near(r, node_of(r, u));
        break;
    case 3:
        if (degree)
            node = node_of(
                r,
                rows->other[rows->offset[u] + topomap_random_below(&r->random, (uint32_t)degree)]);
        node = r->whole_nodes ? near(r, node) : node;
        break;
    case 4:
    case 5:
        return counterpart(r, u, v);
    default:
        node = topomap_random_below(&r->random, r->machine->nodes);
    }
    return somebody(r, node, u);
}

static int is_over(relief *r)
{
    return r->loads.looked >= r->limit || topomap_problem_late(r->problem);
}

/* What is to be low: the maximum, or its mix with J. */
static double value(const relief *r)
{
    double max = topomap_maxima_max(&r->loads.load);

    return r->objective->share > 0 ? topomap_objective_mix(r->objective, r->J, max) : max;
}

static double distance(const relief *r, uint32_t p, uint32_t q)
{
    if (!r->whole_nodes)
        return topomap_slot_distance(r->machine, p, q);
    return p == q ? 0.0 : topomap_node_distance(r->machine, p, q);
}

/* What u's edges add to J at x's place; the one to x costs what it did. */
static double move_J(const relief *r, uint32_t u, uint32_t x)
{
    const topomap_traffic_rows *rows = r->loads.rows;
    uint32_t p = r->place_of[u], q = r->place_of[x];
    double sum = 0;

    for (uint64_t e = rows->offset[u]; e < rows->offset[u + 1]; e++) {
        uint32_t v = rows->other[e];

        if (v != x)
            sum += (rows->out[e] + rows->in[e]) *
                   (distance(r, q, r->place_of[v]) - distance(r, p, r->place_of[v]));
    }
    return sum;
}

/* What a swap adds to the potential; with a mix, what it adds to J counts as much as the mix has it
 * count: the maximum rises by about a power'th of what the potential does. */
static double price(relief *r, uint32_t u, uint32_t x)
{
    r->priced = topomap_loads_price(&r->loads, u, x);
    r->priced_J = r->objective->share > 0 ? move_J(r, u, x) + move_J(r, x, u) : 0;
    return r->priced + r->weight * r->priced_J;
}

static void keep(relief *r, double sum)
{
    r->best_value = value(r);
    r->best_J = r->J;
    r->best_max = topomap_maxima_max(&r->loads.load);
    r->best_sum = sum;
    memcpy(r->best, r->place_of, r->vertices * sizeof *r->best);
}

/* After a row of swaps: the mean decides between equal maxima. */
static void compare(relief *r)
{
    double is = value(r), sum = topomap_loads_sum(&r->loads);

    if (is < r->best_value * (1 - ENOUGH) ||
        (is <= r->best_value * (1 + ENOUGH) && sum < r->best_sum * (1 - ENOUGH)))
        keep(r, sum);
}

/* The swap that was priced last. */
static void accept(relief *r, uint32_t u, uint32_t x)
{
    uint32_t place = r->place_of[u];

    topomap_loads_swap(&r->loads);
    r->potential += r->priced;
    r->J += r->priced_J;
    r->place_of[u] = r->place_of[x];
    r->place_of[x] = place;
    r->vertex_at[r->place_of[u]] = u;
    r->vertex_at[place] = x;
    if (value(r) < r->best_value * (1 - ENOUGH))
        keep(r, INFINITY);
}

static void rescale(relief *r)
{
    const topomap_objective *o = r->objective;
    double max = topomap_maxima_max(&r->loads.load);

    r->loads.scale = max > 0 ? max : 1;
    r->potential = topomap_loads_potential(&r->loads);
    if (o->share > 0)
        r->weight = max > 0 ? r->potential * r->loads.power * o->share / o->J0 /
                                  ((1 - o->share) * max / o->max0)
                            : 0;
}

/* ---- What is on the most loaded links -------------------------------------------------------- */

static int by_load(const void *a, const void *b, void *data)
{
    const relief *r = data;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    double p = topomap_maxima_get(&r->loads.load, x), q = topomap_maxima_get(&r->loads.load, y);

    return p < q ? 1 : p > q ? -1 : x < y ? -1 : x > y;
}

static void note_edge(relief *r, uint32_t u, uint32_t v, const topomap_way *way)
{
    for (uint32_t i = 0; i < way->links && r->edges < EDGES; i++) {
        uint32_t hot = r->hot_of[way->link[i]];

        if (!hot)
            continue;
        r->edge[r->edges] = (edge){u, v, r->first[hot - 1]};
        r->first[hot - 1] = r->edges++;
    }
}

/* Lists the hottest links and the edges over them. The scan begins anywhere, so that a full list
 * does not always hold the same ones. */
static int list_hot(relief *r, double part)
{
    const topomap_traffic_rows *rows = r->loads.rows;
    uint32_t begin = topomap_random_below(&r->random, r->vertices);

    for (uint32_t i = 0; i < r->hots; i++)
        r->hot_of[r->hot[i]] = 0;
    r->hots = topomap_maxima_above(&r->loads.load, topomap_maxima_max(&r->loads.load) * part, HOT,
                                   r->hot);
    qsort_r(r->hot, r->hots, sizeof *r->hot, by_load, r);
    for (uint32_t i = 0; i < r->hots; i++) {
        r->hot_of[r->hot[i]] = (uint8_t)(i + 1);
        r->first[i] = UINT32_MAX;
    }
    r->edges = 0;
    for (uint32_t i = 0; i < r->vertices && r->edges < EDGES; i++) {
        uint32_t u = (begin + i) % r->vertices;

        for (uint64_t e = rows->offset[u]; e < rows->offset[u + 1]; e++) {
            uint32_t v = rows->other[e];
            topomap_way way;

            if (!(rows->out[e] > 0) || r->loads.at[u] == r->loads.at[v])
                continue;
            if (topomap_shares_find(r->loads.shares, r->loads.at[u], r->loads.at[v], &way) < 0) {
                r->loads.is_short = 1;
                return -1;
            }
            r->loads.looked += way.looked;
            note_edge(r, u, v, &way);
        }
    }
    return 0;
}

/* ---- Descent --------------------------------------------------------------------------------- */

/* The best of some swaps of u, if it lowers the potential. */
static int improve(relief *r, uint32_t u, uint32_t v, uint32_t tries)
{
    uint32_t best = UINT32_MAX;
    double best_delta = -ENOUGH * r->potential;

    for (uint32_t i = 0; i < tries; i++) {
        uint32_t x = partner(r, u, v, i);
        double delta = x == UINT32_MAX ? 0 : price(r, u, x);

        if (delta < best_delta) {
            best_delta = delta;
            best = x;
        }
    }
    if (best == UINT32_MAX)
        return 0;
    (void)price(r, u, best);
    accept(r, u, best);
    return 1;
}

static uint32_t relieve_link(relief *r, uint32_t i)
{
    uint32_t done = 0;

    for (uint32_t e = r->first[i]; e != UINT32_MAX && !is_over(r); e = r->edge[e].next) {
        done += (uint32_t)improve(r, r->edge[e].u, r->edge[e].v, TRIES);
        done += (uint32_t)improve(r, r->edge[e].v, r->edge[e].u, TRIES);
    }
    return done;
}

/* Rounds over the links close to the maximum, farther below it when nothing more is found. */
static int descend(relief *r)
{
    static const double parts[] = {0.95, 0.8, 0.5};
    size_t part = 0;

    while (part < sizeof parts / sizeof *parts && !is_over(r)) {
        uint32_t done = 0;

        rescale(r);
        if (topomap_maxima_max(&r->loads.load) <= 0)
            return 0;
        if (list_hot(r, parts[part]))
            return -1;
        for (uint32_t i = 0; i < r->hots && !is_over(r); i++)
            done += relieve_link(r, i);
        compare(r);
        part = done ? 0 : part + 1;
    }
    return r->loads.is_short ? -1 : 0;
}

/* The mean, without touching the maximum: swaps of all ranks that talk, not only of those on the
 * most loaded links. */
static int settle(relief *r)
{
    const topomap_traffic_rows *rows = r->loads.rows;
    uint32_t idle = 0, begin = topomap_random_below(&r->random, r->vertices);
    double limit = r->best_max * (1 + ENOUGH);

    for (uint32_t i = 0; idle < r->vertices && !is_over(r); i++) {
        uint32_t u = (begin + i) % r->vertices, best = UINT32_MAX;
        uint64_t degree = rows->offset[u + 1] - rows->offset[u];
        double best_delta = -1e-12 * r->potential;

        for (uint32_t k = 0; k < 16 && degree; k++) {
            uint32_t v =
                rows->other[rows->offset[u] + topomap_random_below(&r->random, (uint32_t)degree)];
            uint32_t x = partner(r, u, v, k % 2 ? 4 : k / 2 % 3);
            double delta = x == UINT32_MAX ? 0 : price(r, u, x);

            if (delta < best_delta && r->loads.peak <= limit) {
                best_delta = delta;
                best = x;
            }
        }
        idle = best == UINT32_MAX ? idle + 1 : 0;
        if (best != UINT32_MAX) {
            (void)price(r, u, best);
            accept(r, u, best);
        }
    }
    compare(r);
    return r->loads.is_short ? -1 : 0;
}

/* ---- Annealing ------------------------------------------------------------------------------- */

/* An edge to try: half of the time one over a hot link, from either end. */
static int draw(relief *r, uint32_t *u, uint32_t *v)
{
    const topomap_traffic_rows *rows = r->loads.rows;
    uint64_t degree;

    if (r->edges && topomap_random_below(&r->random, 2)) {
        const edge *e = &r->edge[topomap_random_below(&r->random, r->edges)];
        int turned = (int)topomap_random_below(&r->random, 2);

        *u = turned ? e->v : e->u;
        *v = turned ? e->u : e->v;
        return 1;
    }
    *u = topomap_random_below(&r->random, r->vertices);
    degree = rows->offset[*u + 1] - rows->offset[*u];
    if (degree)
        *v = rows->other[rows->offset[*u] + topomap_random_below(&r->random, (uint32_t)degree)];
    return degree > 0;
}

/* Metropolis's rule, of relative changes of the power mean of the loads, which is near the maximum.
 */
static int accepts(relief *r, double delta, double temperature)
{
    double luck = (double)(topomap_random_below(&r->random, 1 << 30) + 1) * 0x1p-30;

    return delta <= 0 || log1p(delta / r->potential) / r->loads.power < -temperature * log(luck);
}

static int anneal(relief *r, uint64_t limit, double from, double to)
{
    uint64_t start = r->loads.looked, last = UINT64_MAX;
    double temperature = from;

    for (uint32_t step = 0; r->loads.looked < limit; step++) {
        uint32_t u, v, x;
        double delta;

        if (step % 1024 == 0) {
            double done = (double)(r->loads.looked - start) / (double)(limit - start);

            /* Where nothing was looked at, nobody has anybody to change places with. */
            if (topomap_problem_late(r->problem) || r->loads.looked == last)
                break;
            last = r->loads.looked;
            rescale(r);
            if (topomap_maxima_max(&r->loads.load) <= 0)
                break;
            if (list_hot(r, 0.9))
                return -1;
            temperature = from * pow(to / from, done);
        }
        x = draw(r, &u, &v) ? partner(r, u, v, topomap_random_below(&r->random, KINDS))
                            : UINT32_MAX;
        if (x == UINT32_MAX)
            continue;
        delta = price(r, u, x);
        if (accepts(r, delta, temperature))
            accept(r, u, x);
    }
    return r->loads.is_short ? -1 : 0;
}

/* ---- One search ------------------------------------------------------------------------------ */

/* Loads of a placement, free of rounding. */
static int load(relief *r, const topomap_traffic_rows *rows, uint32_t *at, topomap_error *err)
{
    const topomap_machine *m = r->machine;

    for (uint32_t v = 0; v < r->vertices; v++) {
        uint32_t place = r->place_of[v];

        r->vertex_at[place] = v;
        at[v] = r->network->vertex_of[r->whole_nodes ? place : m->node_of[place]];
    }
    return topomap_loads_init(&r->loads, r->shares, r->network, rows, at, err);
}

/* The best placement again. */
static int go_back(relief *r, unsigned power, double slope, topomap_error *err)
{
    const topomap_traffic_rows *rows = r->loads.rows;
    uint32_t *at = r->loads.at;
    uint64_t looked = r->loads.looked;

    memcpy(r->place_of, r->best, r->vertices * sizeof *r->best);
    r->J = r->best_J;
    topomap_loads_clear(&r->loads);
    if (load(r, rows, at, err))
        return -1;
    r->loads.looked = looked;
    r->loads.power = power;
    r->loads.slope = slope;
    rescale(r);
    return 0;
}

/* First the broad hills (a low power, and the mean counts), then, where that came to an end early,
 * out of the dip that it ended in, and at last the peaks. */
static int search(relief *r, topomap_error *err)
{
    double links =
        fmin(budget[r->problem->effort].links, budget[r->problem->effort].each * r->vertices) /
        (r->whole_nodes ? NODES : 1);
    double first = FIRST * links, last = (1 - SETTLING) * links;
    int status;

    keep(r, topomap_loads_sum(&r->loads));
    r->limit = (uint64_t)first;
    status = go_back(r, 8, 1e-3, err) ? -1 : descend(r);
    if (status == 0)
        status = go_back(r, 16, 1e-3, err) ? -1 : anneal(r, (uint64_t)first, 0.02, 0.0005);
    r->limit = (uint64_t)last;
    if (status == 0)
        status = go_back(r, 64, 1e-7, err) ? -1 : descend(r);
    r->limit = (uint64_t)links;
    if (status == 0)
        status = go_back(r, 64, 1e-4, err) ? -1 : settle(r);
    if (r->loads.is_short)
        status = topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    return status;
}

/* Relieves a placement of vertices that graph is the traffic of.
 * \param base  what all searches have in common */
static int run(const relief *base, const topomap_graph *graph, uint32_t vertices, int whole_nodes,
               uint32_t *place_of, topomap_error *err)
{
    relief r = *base;
    topomap_traffic_rows rows = {0};
    uint32_t *at = topomap_alloc(vertices, sizeof *at, err);
    int status = -1;

    r.vertices = vertices;
    r.whole_nodes = whole_nodes;
    r.place_of = place_of;
    r.vertex_at = topomap_alloc(vertices, sizeof *r.vertex_at, err);
    r.best = topomap_alloc(vertices, sizeof *r.best, err);
    r.hot_of = topomap_alloc(r.network->links, 1, err);
    r.edge = topomap_alloc(EDGES, sizeof *r.edge, err);
    if (at && r.vertex_at && r.best && r.hot_of && r.edge &&
        topomap_traffic_rows_new(graph, vertices, &rows, err) == 0) {
        status = load(&r, &rows, at, err) ? -1 : search(&r, err);
        if (status == 0)
            memcpy(place_of, r.best, vertices * sizeof *place_of);
        topomap_loads_clear(&r.loads);
    }
    topomap_traffic_rows_clear(&rows);
    free(at);
    free(r.vertex_at);
    free(r.best);
    free(r.hot_of);
    free(r.edge);
    return status;
}

/* ---- Nodes, then ranks ----------------------------------------------------------------------- */

static int run_nodes(const relief *base, uint32_t *slot_of, topomap_error *err)
{
    const topomap_machine *m = base->machine;
    const topomap_problem *problem = base->problem;
    uint32_t *node_of = topomap_alloc(problem->ranks, sizeof *node_of, err);
    uint32_t *node_to = topomap_alloc(m->nodes, sizeof *node_to, err);
    topomap_graph *blocks = NULL;
    int status = node_of && node_to ? 0 : -1;

    for (uint32_t r = 0; status == 0 && r < problem->ranks; r++)
        node_of[r] = m->node_of[slot_of[r]];
    for (uint32_t i = 0; status == 0 && i < m->nodes; i++)
        node_to[i] = i;
    if (status == 0)
        status = topomap_graph_blocks(problem->graph, node_of, m->nodes, &blocks, err);
    if (status == 0)
        status = run(base, blocks, m->nodes, 1, node_to, err);
    for (uint32_t v = 0; status == 0 && v < m->slots; v++) {
        uint32_t node = m->node_of[slot_of[v]];

        slot_of[v] = m->slot_first[node_to[node]] + (slot_of[v] - m->slot_first[node]);
    }
    topomap_graph_free(blocks);
    free(node_of);
    free(node_to);
    return status;
}

static int relieve(topomap_problem *problem, const topomap_objective *o, int nodes_only,
                   uint32_t *slot_of, topomap_error *err)
{
    const topomap_machine *m = problem->machine;
    relief base = {.problem = problem,
                   .machine = m,
                   .network = o->network,
                   .objective = o,
                   .random = {problem->seed}};
    int status;

    if (o->share > 0 && !(o->J0 > 0 && o->max0 > 0 && isfinite(o->max0)))
        return 0; /* what is 0 already, or cannot be measured, gives the other nothing to go by */
    base.J = topomap_problem_cost(problem, slot_of);
    status = topomap_vicinity_build(m, NEAR, &base.vicinity, err);
    if (status == 0)
        status = topomap_shares_new(m, o->network, o->model, 0, &base.shares, err);
    if (status == 0 && (nodes_only || m->slots > m->nodes))
        status = run_nodes(&base, slot_of, err);
    base.J = topomap_problem_cost(problem, slot_of);
    if (status == 0 && !nodes_only)
        status = run(&base, problem->graph, m->slots, 0, slot_of, err);
    topomap_shares_free(base.shares);
    topomap_vicinity_clear(&base.vicinity);
    return status;
}

int topomap_map_relieve_nodes(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    return problem->machine->nodes > 1 ? relieve(problem, problem->objective, 1, slot_of, err) : 0;
}

int topomap_map_relieve(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    double before = topomap_clock_cpu();
    topomap_objective own = {0};
    int status = 0;

    if (!problem->objective)
        status = topomap_objective_open(problem->machine, NULL, &own, err);
    if (status == 0 && problem->machine->nodes > 1)
        status = relieve(problem, problem->objective ? problem->objective : &own, 0, slot_of, err);
    topomap_objective_close(&own);
    problem->phase_seconds[TOPOMAP_PHASE_REFINE] += topomap_clock_cpu() - before;
    if (status == 0 && !problem->inter_only)
        status = topomap_map_cores(problem, slot_of, err);
    return status;
}
