/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/links/links.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map/refine/refine.h"

/* ---- Loads of phases --------------------------------------------------------------------- */

/* Limits of phases that have loads of their own, and of loads in all. Beyond these, one phase that
 * is the sum of all is used. */
enum { PHASES_MOST = 64, LOADS_MOST = 1 << 21 };

/* Makes the rows of ranks, or of whole blocks of them if there is block_of. */
static int open_rows(const relief *r, const topomap_graph *graph, const uint32_t *block_of,
                     topomap_traffic_rows *rows, topomap_error *err)
{
    TOPOMAP_GRAPH_FREED topomap_graph *blocks = NULL;

    if (block_of && topomap_graph_blocks(graph, block_of, r->vertices, &blocks, err))
        return -1;
    return topomap_traffic_rows_new(block_of ? blocks : graph, r->vertices, rows, err);
}

int topomap_relief_open(relief *r, const uint32_t *block_of, topomap_error *err)
{
    const topomap_graph *graph = r->problem->graph;
    int is_one = graph->phases < 2 || graph->phases > PHASES_MOST ||
                 (uint64_t)graph->phases * r->network->links > LOADS_MOST;

    r->phases = is_one ? 1 : graph->phases;
    r->phase = topomap_alloc(r->phases, sizeof *r->phase, err);
    if (!r->phase)
        return -1;
    for (uint32_t k = 0; k < r->phases; k++)
        if (open_rows(r, is_one ? graph : graph->phase[k], block_of, &r->phase[k].rows, err))
            return -1;
    r->rows = is_one ? &r->phase[0].rows : &r->all;
    return is_one ? 0 : open_rows(r, graph, block_of, &r->all, err);
}

void topomap_relief_close(relief *r)
{
    for (uint32_t k = 0; r->phase && k < r->phases; k++) {
        topomap_loads_clear(&r->phase[k].loads);
        topomap_traffic_rows_clear(&r->phase[k].rows);
    }
    topomap_traffic_rows_clear(&r->all);
    free(r->phase);
    r->phase = NULL;
}

static void measure_norm(relief *r, relief_phase *phase)
{
    phase->norm = phase->loads.scale * pow(phase->potential, 1.0 / r->power);
}

void topomap_relief_rescale(relief *r)
{
    r->norm = 0;
    for (uint32_t k = 0; k < r->phases; k++) {
        relief_phase *phase = &r->phase[k];
        double max = topomap_maxima_max(&phase->loads.load);

        phase->loads.scale = max > 0 ? max : 1;
        phase->potential = topomap_loads_potential(&phase->loads);
        measure_norm(r, phase);
        r->norm += phase->norm;
    }
}

int topomap_relief_load(relief *r, unsigned power, double slope, topomap_error *err)
{
    const topomap_machine *m = r->machine;

    for (uint32_t v = 0; v < r->vertices; v++) {
        uint32_t place = r->place_of[v];

        r->vertex_at[place] = v;
        r->at[v] = r->network->vertex_of[r->whole_nodes ? place : m->node_of[place]];
    }
    for (uint32_t k = 0; k < r->phases; k++) {
        relief_phase *phase = &r->phase[k];

        if (phase->loads.network ? topomap_loads_restart(&phase->loads, err)
                                 : topomap_loads_init(&phase->loads, r->shares, r->network,
                                                      &phase->rows, r->at, &r->looked, err))
            return -1;
        phase->loads.power = power;
        phase->loads.slope = slope;
    }
    r->power = power;
    topomap_relief_rescale(r);
    return 0;
}

double topomap_relief_max(const relief *r)
{
    double sum = 0;

    for (uint32_t k = 0; k < r->phases; k++)
        sum += topomap_maxima_max(&r->phase[k].loads.load);
    return sum;
}

double topomap_relief_peak(const relief *r)
{
    double sum = 0;

    for (uint32_t k = 0; k < r->phases; k++)
        sum += fmax(topomap_maxima_max(&r->phase[k].loads.load), r->phase[k].loads.peak);
    return sum;
}

double topomap_relief_sum(const relief *r)
{
    double sum = 0;

    for (uint32_t k = 0; k < r->phases; k++)
        sum += topomap_loads_sum(&r->phase[k].loads);
    return sum;
}

int topomap_relief_short(const relief *r)
{
    int is_short = 0;

    for (uint32_t k = 0; k < r->phases; k++)
        is_short |= r->phase[k].loads.is_short;
    return is_short;
}

uint32_t topomap_relief_draw_phase(relief *r)
{
    uint32_t k = 0;
    double luck;

    if (r->phases == 1)
        return 0;
    luck = topomap_relief_max(r) * topomap_random_below(&r->random, 1 << 30) * 0x1p-30;
    for (; k + 1 < r->phases; k++) {
        luck -= topomap_maxima_max(&r->phase[k].loads.load);
        if (luck < 0)
            break;
    }
    return k;
}

/* ---- Partners ----------------------------------------------------------------------------- */

static uint32_t node_of(const relief *r, uint32_t vertex)
{
    uint32_t place = r->place_of[vertex];

    return r->whole_nodes ? place : r->machine->node_of[place];
}

/* Somebody on a node; UINT32_MAX where none there can change places with u. */
static uint32_t somebody(relief *r, uint32_t node, uint32_t u)
{
    uint32_t size = topomap_node_slots(r->machine, node), x;

    if (size == 0)
        return UINT32_MAX;
    if (r->whole_nodes)
        x = size == topomap_node_slots(r->machine, node_of(r, u)) ? r->vertex_at[node] : UINT32_MAX;
    else
        x = r->vertex_at[r->machine->slot_first[node] + topomap_random_below(&r->random, size)];
    return x == UINT32_MAX || r->at[x] == r->at[u] ? UINT32_MAX : x;
}

static uint32_t near(relief *r, uint32_t node)
{
    const topomap_vicinity *v = &r->vicinity;
    uint32_t count = v->node ? v->first[node + 1] - v->first[node] : 0;

    return count ? v->node[v->first[node] + topomap_random_below(&r->random, count)] : node;
}

uint32_t topomap_relief_other(relief *r, uint32_t u)
{
    const topomap_traffic_rows *rows = r->rows;
    uint64_t first = rows->offset[u], degree = rows->offset[u + 1] - first;

    return degree ? rows->other[first + topomap_random_below(&r->random, (uint32_t)degree)]
                  : UINT32_MAX;
}

/* Somebody who talks to somebody on u's node, on v's node if a few draws find one there: as in
 * Kernighan and Lin's pairs, either one is nearer to its own in the other's place. */
static uint32_t counterpart(relief *r, uint32_t u, uint32_t v)
{
    uint32_t here = node_of(r, u), there = node_of(r, v), found = UINT32_MAX;

    for (int i = 0; i < 4 && !r->whole_nodes; i++) {
        uint32_t slot = r->machine->slot_first[here] +
                        topomap_random_below(&r->random, topomap_node_slots(r->machine, here));
        uint32_t x = topomap_relief_other(r, r->vertex_at[slot]);

        if (x == UINT32_MAX || r->at[x] == r->at[u])
            continue;
        found = x;
        if (node_of(r, x) == there)
            break;
    }
    return found;
}

/* Who might change places with u, so that its edge to v takes another way: somebody beside v,
 * around v, around u itself, beside another one that u talks to, or anywhere; or a counterpart. */
uint32_t topomap_relief_partner(relief *r, uint32_t u, uint32_t v, uint32_t kind)
{
    uint32_t node = node_of(r, v), other;

    switch (kind % TOPOMAP_RELIEF_KINDS) {
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
        other = topomap_relief_other(r, u);
        node = other == UINT32_MAX ? node : node_of(r, other);
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

/* ---- Swaps --------------------------------------------------------------------------------- */

int topomap_relief_over(relief *r)
{
    return r->looked >= r->limit || topomap_problem_late(r->problem);
}

/* What is to be low: the maximum, or its mix with J. */
static double value(const relief *r)
{
    double max = topomap_relief_max(r);

    return r->objective->share > 0 ? topomap_objective_mix(r->objective, r->J, max) : max;
}

static double distance(const relief *r, uint32_t p, uint32_t q)
{
    return topomap_moves_distance(r->machine, r->whole_nodes, p, q);
}

/* What u's edges add to J at x's place; the one to x costs what it did. */
static double move_J(const relief *r, uint32_t u, uint32_t x)
{
    const topomap_traffic_rows *rows = r->rows;
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

/* With a mix, what a swap adds to J counts as much as the mix has it count. */
double topomap_relief_price(relief *r, uint32_t u, uint32_t x)
{
    r->priced = 0;
    for (uint32_t k = 0; k < r->phases; k++) {
        relief_phase *phase = &r->phase[k];

        phase->priced = topomap_loads_price(&phase->loads, u, x);
        if (isinf(phase->priced))
            return INFINITY;
        if (phase->loads.count && phase->potential > 0)
            r->priced += phase->norm * expm1(log1p(phase->priced / phase->potential) / r->power);
    }
    r->priced_J = r->objective->share > 0 ? move_J(r, u, x) + move_J(r, x, u) : 0;
    return r->priced + r->weight * r->priced_J;
}

void topomap_relief_keep(relief *r, double sum)
{
    r->best_value = value(r);
    r->best_J = r->J;
    r->best_max = topomap_relief_max(r);
    r->best_sum = sum;
    memcpy(r->best, r->place_of, r->vertices * sizeof *r->best);
}

/* After a row of swaps: the mean decides between equal maxima. */
void topomap_relief_compare(relief *r)
{
    double is = value(r), sum = topomap_relief_sum(r);

    if (is < r->best_value * (1 - ENOUGH) ||
        (is <= r->best_value * (1 + ENOUGH) && sum < r->best_sum * (1 - ENOUGH)))
        topomap_relief_keep(r, sum);
}

/* The swap that was priced last. */
void topomap_relief_accept(relief *r, uint32_t u, uint32_t x)
{
    for (uint32_t k = 0; k < r->phases; k++) {
        relief_phase *phase = &r->phase[k];

        if (!phase->loads.count)
            continue;
        topomap_loads_swap(&phase->loads);
        phase->potential += phase->priced;
        measure_norm(r, phase);
    }
    TOPOMAP_SWAP(r->at[u], r->at[x]);
    r->norm += r->priced;
    r->J += r->priced_J;
    topomap_moves_exchange(r->place_of, r->vertex_at, u, x);
    if (value(r) < r->best_value * (1 - ENOUGH))
        topomap_relief_keep(r, INFINITY);
}

void topomap_relief_aim(relief *r)
{
    const double nearest = 0.97, farthest = 0.5;
    relief_phase *phase = &r->phase[0];
    topomap_loads *loads = &phase->loads;
    double aim = farthest * r->best_max;

    for (uint32_t link = 0; link < r->network->links; link++) {
        double load = topomap_maxima_get(&loads->load, link);

        if (load > aim && load <= nearest * r->best_max)
            aim = load;
    }
    r->step = r->best_max - aim;
    loads->scale = r->best_max;
    loads->floor = aim / r->best_max;
    phase->potential = topomap_loads_potential(loads);
    measure_norm(r, phase);
    r->norm = phase->norm;
}
