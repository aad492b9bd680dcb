/* SPDX-License-Identifier: BSD-3-Clause */
/* `relieve`: swaps that take traffic off the most loaded links; whole nodes of equal size first,
 * then ranks. What stands against it is that a maximum has plateaus: where several links have it,
 * no single swap lowers it. So swaps are judged by a sum of high powers of the loads (loads.h),
 * which falls with each link that is relieved; the placement kept is the one of the lowest maximum,
 * of equals the one of the lowest mean. Swaps are looked for where they can help: one of the two
 * has an edge over a link that is loaded nearly as much as the worst. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map/algorithm.h"
#include "map/links/relief.h"
#include "map/refine/moves.h"
#include "util/arena.h"
#include "util/clock.h"

enum { NEAR = 64 }; /* nodes that are looked at around one */

/* Links looked at by all tries together, at most, by effort; and the parts of them up to the end of
 * the first descent and the annealing, and for the mean. */
static const struct {
    double links, each; /* in all, and for each vertex */
} budget[] = {{2e7, 4e4}, {2e8, 4e5}, {3e9, 4e6}};
#define FIRST 0.6
#define SETTLING 0.15
#define NODES 3 /* swaps of nodes get a third of it */

/* ---- Annealing ------------------------------------------------------------------------------- */

/* An edge to try: half of the time one over a hot link, from either end. */
static int draw(relief *r, uint32_t *u, uint32_t *v)
{
    const topomap_traffic_rows *rows = r->loads.rows;
    uint64_t degree;

    if (r->edges && topomap_random_below(&r->random, 2)) {
        const relief_edge *e = &r->edge[topomap_random_below(&r->random, r->edges)];
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
            topomap_relief_rescale(r);
            if (topomap_maxima_max(&r->loads.load) <= 0)
                break;
            if (topomap_relief_hot(r, 0.9))
                return -1;
            temperature = from * pow(to / from, done);
        }
        x = draw(r, &u, &v) ? topomap_relief_partner(
                                  r, u, v, topomap_random_below(&r->random, TOPOMAP_RELIEF_KINDS))
                            : UINT32_MAX;
        if (x == UINT32_MAX)
            continue;
        delta = topomap_relief_price(r, u, x);
        if (accepts(r, delta, temperature))
            topomap_relief_accept(r, u, x);
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
    topomap_relief_rescale(r);
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

    topomap_relief_keep(r, topomap_loads_sum(&r->loads));
    r->limit = (uint64_t)first;
    status = go_back(r, 8, 1e-3, err) ? -1 : topomap_relief_descend(r);
    if (status == 0)
        status = go_back(r, 16, 1e-3, err) ? -1 : anneal(r, (uint64_t)first, 0.02, 0.0005);
    r->limit = (uint64_t)last;
    if (status == 0)
        status = go_back(r, 64, 1e-7, err) ? -1 : topomap_relief_descend(r);
    r->limit = (uint64_t)links;
    if (status == 0)
        status = go_back(r, 64, 1e-4, err) ? -1 : topomap_relief_settle(r);
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
    topomap_arena memory = {0};
    uint32_t *at = topomap_arena_alloc(&memory, vertices, sizeof *at, err);
    int status = -1;

    r.vertices = vertices;
    r.whole_nodes = whole_nodes;
    r.place_of = place_of;
    r.vertex_at = topomap_arena_alloc(&memory, vertices, sizeof *r.vertex_at, err);
    r.best = topomap_arena_alloc(&memory, vertices, sizeof *r.best, err);
    r.hot_of = topomap_arena_alloc(&memory, r.network->links, 1, err);
    r.edge = topomap_arena_alloc(&memory, TOPOMAP_RELIEF_EDGES, sizeof *r.edge, err);
    if (!memory.is_short && topomap_traffic_rows_new(graph, vertices, &rows, err) == 0) {
        status = load(&r, &rows, at, err) ? -1 : search(&r, err);
        if (status == 0)
            memcpy(place_of, r.best, vertices * sizeof *place_of);
        topomap_loads_clear(&r.loads);
    }
    topomap_traffic_rows_clear(&rows);
    topomap_arena_clear(&memory);
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
    if (status == 0)
        topomap_moves_nodes(m, node_to, slot_of);
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

static int map_relieve(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    double before = topomap_clock_cpu();
    topomap_objective own = {0};
    int status = 0;

    if (!problem->objective)
        status = topomap_objective_open(problem->machine, NULL, &own, err);
    if (status == 0 && problem->machine->nodes > 1)
        status = relieve(problem, problem->objective ? problem->objective : &own, 0, slot_of, err);
    topomap_objective_close(&own);
    problem->found.phase_seconds[TOPOMAP_PHASE_REFINE] += topomap_clock_cpu() - before;
    if (status == 0 && !problem->inter_only)
        status = topomap_map_cores(problem, slot_of, err);
    return status;
}

const topomap_algorithm_impl topomap_algorithm_relieve = {
    .row = {"relieve", "topomap", "refine", FITS_LINKED,
            "swaps that take traffic off the most loaded links: lowers the maximum congestion"},
    .run = map_relieve,
};
