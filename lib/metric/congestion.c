/* SPDX-License-Identifier: BSD-3-Clause */
#include "metric/metric.h"

#include <string.h>

#include "fabric/shapes.h"
#include "graph/graph.h"
#include "machine/machine.h"
#include "util/alloc.h"

struct message {
    double bytes, *load;
};

static int put(void *data, uint32_t link, double part)
{
    const struct message *message = data;

    message->load[link] += message->bytes * part;
    return 0;
}

/* Adds loads along minimal routes and detours, for dragonflies with detours (fabric/shapes.h). */
static int add_adaptive(const topomap_traffic *t, double *load, topomap_error *err)
{
    const topomap_graph *g = t->graph;

    if (!topomap_dragonfly_adaptive(t->network))
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "the model adaptive is for dragonfly: machines of three groups "
                                 "and more with valiant=, as in dragonfly:p=4,a=8,h=4,valiant=25; "
                                 "use routes, exact or fast");
    topomap_watch_stage(t->watch, "loads of links", "ranks", g->ranks);
    for (uint32_t u = 0; u < g->ranks; topomap_watch_at(t->watch, ++u))
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            struct message message = {(double)g->bytes[e], load};
            uint32_t from = t->vertex_of[u], to = t->vertex_of[g->target[e]];

            if (g->bytes[e] && from != to &&
                topomap_dragonfly_ways(t->network, from, t->node_of[g->target[e]], put, &message))
                return topomap_traffic_unreachable(t, from, to, err);
        }
    return 0;
}

/* A route that is longer than there are vertices goes round in circles. */
static int follow(const topomap_traffic *t, uint32_t from, uint32_t to, double bytes, double *load,
                  topomap_error *err)
{
    const topomap_network *n = t->network;
    uint32_t at = t->vertex_of[from], node = t->node_of[to], end = t->vertex_of[to];

    for (uint32_t steps = 0; at != end; steps++) {
        uint32_t link = topomap_network_next(n, at, node);

        if (link == UINT32_MAX || steps == n->vertices)
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "the routing tables have no route from rank %u's node to rank "
                                     "%u's (%s); use --congestion exact, or import the tables "
                                     "again",
                                     from, to, link == UINT32_MAX ? "it ends" : "it is a loop");
        load[link] += bytes;
        at = n->head[link];
    }
    return 0;
}

int topomap_congestion_routes(const topomap_traffic *t, double *load, topomap_error *err)
{
    const topomap_graph *g = t->graph;

    if (!topomap_network_routed(t->network))
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "no routing tables: import them (topomap db import lft), or use "
                                 "the model exact or fast");
    topomap_watch_stage(t->watch, "loads of links", "ranks", g->ranks);
    for (uint32_t u = 0; u < g->ranks; topomap_watch_at(t->watch, ++u))
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++)
            if (g->bytes[e] && t->vertex_of[u] != t->vertex_of[g->target[e]] &&
                follow(t, u, g->target[e], (double)g->bytes[e], load, err))
                return -1;
    return 0;
}

static const topomap_congestion_way models[] = {
    {{"exact", "all shortest paths, each path with the same share"}, topomap_congestion_exact},
    {{"fast", "one shortest path for each pair, the least loaded so far"}, topomap_congestion_fast},
    {{"routes", "the fabric's own routing tables"}, topomap_congestion_routes},
    {{"adaptive", "a dragonfly's minimal routes, and a share of detours (valiant=)"}, add_adaptive},
};
enum { MODELS = sizeof models / sizeof models[0] };

const topomap_congestion_info *topomap_congestion_row(size_t i)
{
    return i < MODELS ? &models[i].info : NULL;
}

const topomap_congestion_way *topomap_congestion_find(const char *name)
{
    size_t i = 0;

    while (i < MODELS && strcmp(models[i].info.name, name) != 0)
        i++;
    return i < MODELS ? &models[i] : NULL;
}

const char *topomap_congestion_usual(const topomap_network *network)
{
    return topomap_dragonfly_adaptive(network) ? "adaptive"
           : topomap_network_routed(network)   ? "routes"
                                               : "exact";
}

/* Shares that differ by less are equal: the first of them is the worst link. */
#define ROUNDING 1e-12

/* The most loaded link of one phase: adds its load to the maximum, and keeps the name of the most
 * loaded of all. Adds the loads to those of all phases. */
static void add_up(const topomap_network *network, const double *load, double *all, double *most,
                   topomap_congestion *congestion)
{
    uint32_t worst = UINT32_MAX;
    double max = 0.0;

    for (uint32_t link = 0; link < network->links; link++) {
        double share = load[link] / network->capacity[link];

        all[link] += load[link];
        if (share > max * (1 + ROUNDING))
            worst = link;
        max = share > max ? share : max;
    }
    congestion->max += max;
    if (max > *most) {
        *most = max;
        topomap_link_name(network, worst, congestion->worst, sizeof congestion->worst);
    }
}

static void sum_up(const topomap_network *network, const double *all,
                   topomap_congestion *congestion)
{
    double sum = 0.0;

    for (uint32_t link = 0; link < network->links; link++) {
        sum += all[link] / network->capacity[link];
        congestion->used += all[link] > 0.0;
    }
    congestion->links = network->links;
    congestion->unit = network->unit;
    congestion->mean = network->links ? sum / network->links : 0.0;
}

/* Phases do not meet on the links: each has its own loads, and takes as long as its most loaded
 * link. */
static int evaluate_phases(const topomap_traffic *traffic, const topomap_congestion_way *way,
                           double *all, topomap_congestion *congestion, topomap_error *err)
{
    const topomap_graph *graph = traffic->graph;
    uint32_t links = traffic->network->links, phases = graph->phases ? graph->phases : 1;
    TOPOMAP_FREED double *load = topomap_alloc(links, sizeof *load, err);
    topomap_congestion made = {.model = way->info.name};
    topomap_traffic phase = *traffic;
    double most = 0.0;

    if (!load)
        return -1;
    if (phases > 1) { /* how far one is says nothing */
        phase.watch = NULL;
        topomap_watch_stage(traffic->watch, "loads of links", "phases", phases);
    }
    for (uint32_t k = 0; k < phases; k++) {
        if (phases > 1)
            topomap_watch_at(traffic->watch, k);
        phase.graph = graph->phases ? graph->phase[k] : graph;
        memset(load, 0, links * sizeof *load);
        if (way->add(&phase, load, err))
            return -1;
        add_up(traffic->network, load, all, &most, &made);
    }
    sum_up(traffic->network, all, &made);
    *congestion = made;
    return 0;
}

static const topomap_congestion_way *named(const char *name, topomap_error *err)
{
    const topomap_congestion_way *way = topomap_congestion_find(name);

    if (!way)
        topomap_error_set(err, TOPOMAP_EUSAGE,
                          "no model of congestion '%s'; there are exact, fast, routes and adaptive",
                          name);
    return way;
}

/* Tables that do not lead everywhere are not gone by unless they are named. */
static int evaluate_usual(topomap_traffic *traffic, double *all, topomap_congestion *congestion,
                          topomap_error *err)
{
    const topomap_congestion_way *way =
        topomap_congestion_find(topomap_congestion_usual(traffic->network));
    topomap_error why;

    if (evaluate_phases(traffic, way, all, congestion, &why) == 0)
        return 0;
    if (way->add == topomap_congestion_exact || why.code != TOPOMAP_EINPUT)
        return topomap_error_set(err, why.code, "%s", why.text);
    memset(all, 0, traffic->network->links * sizeof *all);
    return evaluate_phases(traffic, topomap_congestion_find("exact"), all, congestion, err);
}

int topomap_congestion_measure(topomap_traffic *traffic, const char *model, double *all,
                               topomap_congestion *congestion, topomap_error *err)
{
    const topomap_congestion_way *way;

    if (!model)
        return evaluate_usual(traffic, all, congestion, err);
    way = named(model, err);
    return way ? evaluate_phases(traffic, way, all, congestion, err) : -1;
}

int topomap_congestion_evaluate(const topomap_graph *graph, const topomap_machine *machine,
                                const uint32_t *slot_of_rank, const char *model,
                                topomap_congestion *congestion, topomap_error *err)
{
    return topomap_congestion_watched(graph, machine, slot_of_rank, model, NULL, congestion, err);
}

int topomap_congestion_watched(const topomap_graph *graph, const topomap_machine *machine,
                               const uint32_t *slot_of_rank, const char *model,
                               topomap_watch *watch, topomap_congestion *congestion,
                               topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_traffic_close) topomap_traffic traffic = {0};
    TOPOMAP_FREED double *all = NULL;

    if ((model && !named(model, err)) ||
        topomap_traffic_open(graph, machine, slot_of_rank, &traffic, err))
        return -1;
    traffic.watch = watch;
    all = topomap_alloc(traffic.network->links, sizeof *all, err);
    return all ? topomap_congestion_measure(&traffic, model, all, congestion, err) : -1;
}
