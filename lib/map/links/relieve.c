/* SPDX-License-Identifier: BSD-3-Clause */
/* `relieve`: swaps that take traffic off the most loaded links; whole nodes of equal size first,
 * then ranks. What stands against it is that a maximum has plateaus: where several links have it,
 * no single swap lowers it. So swaps are judged by a sum of high powers of the loads (links.h),
 * which falls with each link that is relieved; the placement kept is the one of the lowest maximum,
 * of equals the one of the lowest mean. Swaps are looked for where they can help: one of the two
 * has an edge over a link that is loaded nearly as much as the worst. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map/problem.h"
#include "map/links/links.h"
#include "map/refine/refine.h"
#include "util/alloc.h"
#include "util/clock.h"

enum { NEAR = 64 }; /* nodes that are looked at around one */

/* Links looked at by all tries together, at most, by effort; and the parts of them up to the end of
 * the first descent and the annealing, and for the mean. */
static const struct {
    double links, each, each_aims; /* in all; for each vertex; and where the search aims */
} budget[] = {{4e6, 4e4, 4e4}, {2e8, 4e5, 1e6}, {3e9, 4e6, 3.8e6}};
#define FIRST 0.6
/* Of that, the first descent's: on dense graphs it would spend all of it on ever smaller gains, and
 * leave none for the annealing. */
#define DESCENT 0.5
#define BEFORE_AIM 0.2
#define AIM 0.75
#define SETTLING 0.15
#define NODES 3 /* swaps of nodes get a third of it */
#define HASTE 8 /* and in a launch of many ranks, all get an eighth */

/* ---- Annealing ------------------------------------------------------------------------------- */

/* An edge to try: half of the time one over a hot link, from either end. */
static int draw(relief *r, uint32_t *u, uint32_t *v)
{
    if (r->edges && topomap_random_below(&r->random, 2)) {
        const relief_edge *e = &r->edge[topomap_random_below(&r->random, r->edges)];
        int turned = (int)topomap_random_below(&r->random, 2);

        *u = turned ? e->v : e->u;
        *v = turned ? e->u : e->v;
        return 1;
    }
    *u = topomap_random_below(&r->random, r->vertices);
    *v = topomap_relief_other(r, *u);
    return *v != UINT32_MAX;
}

/* Metropolis's rule. */
static int accepts(relief *r, double delta, double heat)
{
    double luck = (double)(topomap_random_below(&r->random, 1 << 30) + 1) * 0x1p-30;

    return delta <= 0 || delta < -heat * log(luck);
}

/* By relative changes of the norm, which is near the maximum; or, \p aims, of what loads have above
 * the next lower one, in steps of that. */
static int anneal(relief *r, uint64_t limit, int aims, double from, double to)
{
    uint64_t start = r->looked, last = UINT64_MAX;
    double temperature = from;

    for (uint32_t step = 0; r->looked < limit; step++) {
        uint32_t u, v, x;
        double delta;

        if (step % 1024 == 0) {
            double done = (double)(r->looked - start) / (double)(limit - start);

            /* Where nothing was looked at, nobody has anybody to change places with. */
            if (topomap_problem_late(r->problem) || r->looked == last)
                break;
            last = r->looked;
            if (topomap_relief_max(r) <= 0)
                break;
            if (aims)
                topomap_relief_aim(r);
            else
                topomap_relief_rescale(r);
            if (topomap_relief_hot(r, topomap_relief_draw_phase(r), 0.9))
                return -1;
            temperature = from * pow(to / from, done);
        }
        x = draw(r, &u, &v) ? topomap_relief_partner(
                                  r, u, v, topomap_random_below(&r->random, TOPOMAP_RELIEF_KINDS))
                            : UINT32_MAX;
        if (x == UINT32_MAX)
            continue;
        delta = topomap_relief_price(r, u, x);
        if (accepts(r, delta, temperature * (aims ? r->step : r->norm)))
            topomap_relief_accept(r, u, x);
    }
    return topomap_relief_short(r) ? -1 : 0;
}

/* ---- One search ------------------------------------------------------------------------------ */

/* The best placement again. */
static int go_back(relief *r, unsigned power, double slope, topomap_error *err)
{
    memcpy(r->place_of, r->best, r->vertices * sizeof *r->best);
    r->J = r->best_J;
    return topomap_relief_load(r, power, slope, err);
}

/* Is what edges carry a few times the same, but for what hardly counts? Loads are few numbers
 * then, and many links are just below the maximum. */
static int is_even(const topomap_traffic_rows *rows)
{
    const double counts = 0.01, times = 8, apart = 0.01;
    uint64_t count = rows->offset[rows->vertices];
    double most = 0, least = INFINITY;

    for (uint64_t e = 0; e < count; e++)
        most = fmax(most, rows->out[e]);
    for (uint64_t e = 0; e < count; e++)
        if (rows->out[e] > counts * most)
            least = fmin(least, rows->out[e]);
    if (!(most <= times * least))
        return 0;
    for (uint64_t e = 0; e < count; e++)
        if (rows->out[e] > counts * most &&
            fabs(rows->out[e] - round(rows->out[e] / least) * least) > apart * least)
            return 0;
    return 1;
}

/* First the broad hills (a low power, and the mean counts), then, where that came to an end early,
 * out of the dip that it ended in, and at last the peaks. For the time, where loads are few
 * numbers, most of the search is aimed at the next lower one: in random graphs that is found after
 * a tenth of the swaps that powers take, or where these do not find it at all. Where bytes differ,
 * powers are better: links that stay just below the maximum make shared ones take longer; and where
 * vertices are so many that the search is cut short. */
static int search(relief *r, topomap_error *err)
{
    enum topomap_effort effort = r->problem->effort;
    int is_short = budget[effort].each * r->vertices > budget[effort].links;
    int aims = r->objective->by_time && effort > TOPOMAP_FAST && r->phases == 1 && !is_short &&
               is_even(r->rows);
    double links = fmin(budget[effort].links,
                        (aims ? budget[effort].each_aims : budget[effort].each) * r->vertices) /
                   (r->whole_nodes ? NODES : 1) /
                   (topomap_problem_is_hasty(r->problem) ? HASTE : 1);
    double first = (aims ? BEFORE_AIM : FIRST) * links, last = (1 - SETTLING) * links;
    int status;

    topomap_relief_keep(r, topomap_relief_sum(r));
    r->limit = (uint64_t)(is_short || r->whole_nodes ? first : DESCENT * first);
    status = go_back(r, 8, 1e-3, err) || topomap_relief_descend(r) || go_back(r, 16, 1e-3, err) ||
                     anneal(r, (uint64_t)first, 0, 0.02, 0.0005) ||
                     (aims && (go_back(r, 1, 0.01, err) ||
                               anneal(r, (uint64_t)(AIM * links), 1, 0.5, 0.02)))
                 ? -1
                 : 0;
    r->limit = (uint64_t)last;
    if (status == 0)
        status = go_back(r, 64, 1e-7, err) ? -1 : topomap_relief_descend(r);
    r->limit = (uint64_t)links;
    if (status == 0)
        status = go_back(r, 64, 1e-4, err) ? -1 : topomap_relief_settle(r);
    if (topomap_relief_short(r))
        status = topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    return status;
}

/* Relieves a placement of ranks, or of whole nodes' ranks.
 * \param base      what all searches have in common
 * \param block_of  [ranks] the node of each, or NULL */
static int run(const relief *base, const uint32_t *block_of, uint32_t vertices, uint32_t *place_of,
               topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena memory = {0};
    TOPOMAP_CLEANUP(topomap_relief_close) relief r = *base;

    r.vertices = vertices;
    r.whole_nodes = block_of != NULL;
    r.place_of = place_of;
    r.vertex_at = topomap_arena_alloc(&memory, vertices, sizeof *r.vertex_at, err);
    r.at = topomap_arena_alloc(&memory, vertices, sizeof *r.at, err);
    r.best = topomap_arena_alloc(&memory, vertices, sizeof *r.best, err);
    r.hot_of = topomap_arena_alloc(&memory, r.network->links, 1, err);
    r.edge = topomap_arena_alloc(&memory, TOPOMAP_RELIEF_EDGES, sizeof *r.edge, err);
    if (memory.is_short || topomap_relief_open(&r, block_of, err) ||
        topomap_relief_load(&r, 1, 0, err) || search(&r, err))
        return -1;
    memcpy(place_of, r.best, vertices * sizeof *place_of);
    return 0;
}

/* ---- Nodes, then ranks ----------------------------------------------------------------------- */

static int run_nodes(const relief *base, uint32_t *slot_of, topomap_error *err)
{
    const topomap_machine *m = base->machine;
    const topomap_problem *problem = base->problem;
    TOPOMAP_FREED uint32_t *node_of = topomap_alloc(problem->ranks, sizeof *node_of, err);
    TOPOMAP_FREED uint32_t *node_to = topomap_alloc(m->nodes, sizeof *node_to, err);

    if (!node_of || !node_to)
        return -1;
    for (uint32_t r = 0; r < problem->ranks; r++)
        node_of[r] = m->node_of[slot_of[r]];
    topomap_identity(node_to, m->nodes);
    if (run(base, node_of, m->nodes, node_to, err))
        return -1;
    topomap_moves_nodes(m, node_to, slot_of);
    return 0;
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
    if (o->share > 0)
        base.weight = o->share / o->J0 / ((1 - o->share) / o->max0);
    base.J = topomap_problem_cost(problem, slot_of);
    status = topomap_vicinity_build(m, NEAR, &base.vicinity, err) ||
                     topomap_shares_new(m, o->network, o->model, 0, &base.shares, err) ||
                     ((nodes_only || m->slots > m->nodes) && run_nodes(&base, slot_of, err))
                 ? -1
                 : 0;
    base.J = topomap_problem_cost(problem, slot_of);
    if (status == 0 && !nodes_only)
        status = run(&base, NULL, m->slots, slot_of, err);
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
    TOPOMAP_CLEANUP(topomap_objective_close) topomap_objective own = {0};
    const topomap_objective *objective = problem->objective ? problem->objective : &own;
    const topomap_machine *m = problem->machine;
    int is_hasty = topomap_problem_is_hasty(problem);
    int nodes_only = is_hasty && problem->work.lattice && problem->work.lattice->dims;

    if ((!problem->objective &&
         topomap_objective_open(m, TOPOMAP_OBJECTIVE_CONGESTION, NULL, &own, err)) ||
        (m->nodes > 1 && relieve(problem, objective, nodes_only, slot_of, err)))
        return -1;
    problem->found.phase_seconds[TOPOMAP_PHASE_REFINE] += topomap_clock_cpu() - before;
    return problem->inter_only || is_hasty ? 0 : topomap_map_cores(problem, slot_of, err);
}

const topomap_algorithm_impl topomap_algorithm_relieve = {
    .row = {"relieve", "topomap", "refine", FITS_LINKED,
            "swaps that take traffic off the most loaded links: lowers the maximum congestion"},
    .run = map_relieve,
};
