/* SPDX-License-Identifier: BSD-3-Clause */
#include "metric/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "util/alloc.h"

enum { ADAPTER = 1, ROUTER };
enum { PATIENCE = 1000000000 }; /* of topomap_time_evaluate(): some seconds */

struct prediction {
    topomap_arena memory;
    topomap_traffic traffic;
    topomap_time_costs costs;
    const uint32_t *slot_of;
    int assumed; /* no rate is known */
    double rate; /* bytes a second of capacity 1 */
    const topomap_congestion_way *way;
    uint64_t budget;      /* of max-min sharing, for each phase */
    topomap_watch *watch; /* or NULL */
    topomap_time_loads loads;
    const char *model;  /* NULL: as can be */
    double *load;       /* [links] bytes */
    uint8_t *of_node;   /* [vertices] some node's adapter, and no router */
    double *copied;     /* [ranks] bytes from ranks of the same node */
    uint64_t *messages; /* [ranks] sent and received */
};

/* A node's adapter has links to switches alone: what is joined to another node, as a torus's router
 * is, routes for others. */
static void mark_nodes(struct prediction *p)
{
    const topomap_network *n = p->traffic.network;

    if (p->traffic.grid)
        return;
    for (uint32_t i = 0; i < n->nodes; i++)
        p->of_node[n->vertex_of[i]] = ADAPTER;
    for (uint32_t v = 0; v < n->vertices; v++)
        for (uint32_t link = n->first[v]; p->of_node[v] && link < n->first[v + 1]; link++)
            if (p->of_node[n->head[link]])
                p->of_node[v] = ROUTER;
    for (uint32_t v = 0; v < n->vertices; v++)
        p->of_node[v] = p->of_node[v] == ADAPTER;
}

static int open_prediction(struct prediction *p, const topomap_graph *graph,
                           const topomap_machine *machine, topomap_error *err)
{
    const topomap_network *n;

    if (topomap_traffic_open(graph, machine, p->slot_of, &p->traffic, err))
        return -1;
    n = p->traffic.network;
    p->assumed = strcmp(n->unit, "s") != 0;
    p->rate = p->assumed ? p->costs.rate : 1.0;
    p->load = topomap_arena_alloc(&p->memory, n->links, sizeof *p->load, err);
    p->of_node = topomap_arena_alloc(&p->memory, n->vertices, sizeof *p->of_node, err);
    p->copied = topomap_arena_alloc(&p->memory, graph->ranks, sizeof *p->copied, err);
    p->messages = topomap_arena_alloc(&p->memory, graph->ranks, sizeof *p->messages, err);
    if (p->memory.is_short)
        return -1;
    mark_nodes(p);
    p->way = topomap_congestion_find(p->model ? p->model : topomap_congestion_usual(n));
    return 0;
}

/* ---- The parts --------------------------------------------------------------------------- */

struct part {
    double seconds;
    uint32_t at, to; /* a link; a rank; two ranks */
};

static void most(struct part *part, double seconds, uint32_t at, uint32_t to)
{
    if (seconds > part->seconds)
        *part = (struct part){seconds, at, to};
}

static void measure_links(struct prediction *p, struct part *links, struct part *adapters)
{
    const topomap_network *n = p->traffic.network;
    double max = 0, sum = 0;

    for (uint32_t v = 0; v < n->vertices; v++)
        for (uint32_t link = n->first[v]; link < n->first[v + 1]; link++) {
            double load = p->load[link] / n->capacity[link];

            if (!(load > 0))
                continue;
            max = load > max ? load : max;
            sum += load;
            most(p->of_node[v] || p->of_node[n->head[link]] ? adapters : links, load / p->rate,
                 link, 0);
        }
    p->loads.max += max;
    p->loads.mean += n->links ? sum / n->links : 0;
}

/* What ranks do, and what pairs of them wait for. */
static void measure_ranks(struct prediction *p, struct part *memory, struct part *overhead,
                          struct part *latency)
{
    const topomap_graph *g = p->traffic.graph;
    const uint32_t *node_of = p->traffic.node_of;

    memset(p->copied, 0, g->ranks * sizeof *p->copied);
    memset(p->messages, 0, g->ranks * sizeof *p->messages);
    for (uint32_t u = 0; u < g->ranks; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            uint32_t v = g->target[e];
            uint64_t messages = topomap_graph_arc_messages(g, e);

            if (!g->bytes[e] && !messages)
                continue;
            messages = messages ? messages : 1;
            p->messages[u] += messages;
            p->messages[v] += messages;
            if (node_of[u] == node_of[v])
                p->copied[v] += (double)g->bytes[e];
            else
                most(latency,
                     p->costs.latency +
                         p->costs.hop_latency *
                             topomap_machine_hops(p->traffic.machine, p->slot_of[u], p->slot_of[v]),
                     u, v);
        }
    for (uint32_t r = 0; r < g->ranks; r++) {
        most(memory, p->copied[r] / p->costs.memory_rate, r, 0);
        most(overhead, (double)p->messages[r] * p->costs.overhead, r, 0);
    }
}

static void name_part(const struct prediction *p, int is_link, const struct part *part, char *text,
                      size_t size)
{
    if (is_link)
        topomap_link_name(p->traffic.network, part->at, text, size);
    else
        snprintf(text, size, "rank %u", part->at);
}

/* The waiting is one part, the longest of the others the other. \p shared  of all flows, max-min */
static void conclude(const struct prediction *p, topomap_time_phase *phase, const struct part *link,
                     const struct part *adapter, const struct part *memory,
                     const struct part *overhead, const struct part *latency, double shared)
{
    const struct part *node = adapter->seconds >= memory->seconds ? adapter : memory;
    double flow = fmax(fmax(link->seconds, node->seconds), overhead->seconds);

    if (shared <= flow * (1 + TOPOMAP_FLUID_PART)) /* that is how exact it is */
        shared = 0;
    *phase = (topomap_time_phase){.seconds = fmax(flow, shared) + latency->seconds,
                                  .link = link->seconds,
                                  .node = node->seconds,
                                  .overhead = overhead->seconds,
                                  .latency = latency->seconds,
                                  .bound_by = ""};
    if (phase->seconds == 0)
        return;
    if (latency->seconds > flow) {
        phase->bound_by = "latency";
        snprintf(phase->where, sizeof phase->where, "rank %u -> rank %u", latency->at, latency->to);
    } else if (flow == link->seconds || flow == node->seconds) {
        int of_link = flow == link->seconds;

        phase->bound_by = of_link ? "link" : "node";
        name_part(p, of_link || node == adapter, of_link ? link : node, phase->where,
                  sizeof phase->where);
    } else {
        phase->bound_by = "latency";
        name_part(p, 0, overhead, phase->where, sizeof phase->where);
    }
}

/* Tables that do not lead everywhere are not gone by. */
static int add_loads(struct prediction *p, topomap_error *err)
{
    const topomap_network *n = p->traffic.network;
    topomap_error why;

    memset(p->load, 0, n->links * sizeof *p->load);
    if (p->way->add(&p->traffic, p->load, &why) == 0)
        return 0;
    if (p->model || p->way->add == topomap_congestion_exact || why.code != TOPOMAP_EINPUT)
        return topomap_error_set(err, why.code, "%s", why.text);
    return 1;
}

/* \param is_bound  set where max-min sharing was not looked at */
static int predict_phase(struct prediction *p, topomap_time_phase *phase, int *is_bound,
                         topomap_error *err)
{
    struct part link = {0}, adapter = {0}, memory = {0}, overhead = {0}, latency = {0};
    double shared = 0;
    int status = add_loads(p, err), over = 1;

    if (status)
        return status;
    if (p->budget && p->way->add == topomap_congestion_routes)
        over = topomap_fluid(&p->traffic, p->rate, p->budget, &shared, err);
    if (over < 0)
        return -1;
    *is_bound |= over;
    measure_links(p, &link, &adapter);
    measure_ranks(p, &memory, &overhead, &latency);
    conclude(p, phase, &link, &adapter, &memory, &overhead, &latency, over ? 0 : shared);
    return 0;
}

/* Phases [begin, end), which ranks pass each at its own time: the sum where that is too much work.
 */
static int predict_overlap(const struct prediction *p, uint32_t begin, uint32_t end,
                           topomap_time *time, topomap_error *err)
{
    uint32_t phases = end - begin;
    double sum = 0, seconds;
    int status = 0;

    for (uint32_t k = begin; k < end; k++)
        sum += time->phase[k].seconds;
    seconds = sum;
    if (phases > 1 && sum > 0 && !time->is_bound) {
        topomap_overlap of = {.traffic = &p->traffic,
                              .phase = p->traffic.graph->phase + begin,
                              .phases = phases,
                              .costs = &p->costs,
                              .rate = p->rate,
                              .slack = TOPOMAP_FLUID_PART * sum / phases,
                              .budget = p->budget * phases};

        status = topomap_overlap_predict(&of, &seconds, err);
        time->is_bound |= status > 0;
    }
    time->seconds += status ? sum : seconds;
    return status < 0 ? -1 : 0;
}

static int sum_up(const struct prediction *p, topomap_time *time, topomap_error *err)
{
    const topomap_graph *graph = p->traffic.graph;

    time->seconds = 0;
    for (uint32_t begin = 0, end; begin < time->phases; begin = end) {
        for (end = begin + 1; end < time->phases && !graph->phase[end]->barrier;)
            end++;
        if (predict_overlap(p, begin, end, time, err))
            return -1;
    }
    return 0;
}

static int predict(struct prediction *p, topomap_time *time, topomap_error *err)
{
    const topomap_graph *graph = p->traffic.graph;
    int status = 0;

    time->is_bound = 0;
    p->loads = (topomap_time_loads){0};
    p->traffic.watch = time->phases == 1 ? p->watch : NULL;
    if (time->phases > 1)
        topomap_watch_stage(p->watch, "prediction", "phases", time->phases);
    for (uint32_t k = 0; status == 0 && k < time->phases; k++) {
        if (time->phases > 1)
            topomap_watch_at(p->watch, k);
        p->traffic.graph = graph->phases ? graph->phase[k] : graph;
        status = predict_phase(p, &time->phase[k], &time->is_bound, err);
    }
    p->traffic.graph = graph;
    if (status == 0)
        return sum_up(p, time, err);
    if (status < 0)
        return -1;
    p->way = topomap_congestion_find("exact");
    return predict(p, time, err);
}

/* Of all cables of an adapter, of a router's, which others' traffic shares, the fastest. */
static double leaves(const topomap_network *n, const uint8_t *is_node, uint32_t vertex)
{
    double sum = 0, most = 0;

    for (uint32_t link = n->first[vertex]; link < n->first[vertex + 1]; link++)
        if (isfinite(n->capacity[link]) && is_node[n->head[link]])
            most = fmax(most, n->capacity[link]);
        else if (isfinite(n->capacity[link]))
            sum += n->capacity[link];
    return fmax(sum, most);
}

double topomap_time_memory(const topomap_machine *machine, const topomap_time_costs *costs)
{
    const topomap_network *n = machine->network;
    TOPOMAP_FREED uint8_t *is_node = n ? calloc(n->vertices, 1) : NULL;
    double most = 0;

    if (machine->memory_rate > 0 || !is_node)
        return machine->memory_rate > 0 ? machine->memory_rate
                                        : fmax(costs->memory_rate, costs->rate);
    for (uint32_t i = 0; i < n->nodes; i++)
        is_node[n->vertex_of[i]] = 1;
    for (uint32_t i = 0; i < n->nodes; i++)
        most = fmax(most, leaves(n, is_node, n->vertex_of[i]));
    return fmax(costs->memory_rate, strcmp(n->unit, "s") ? most * costs->rate : most);
}

int topomap_time_costs_take(const topomap_machine *machine, const topomap_time_costs *given,
                            topomap_time_costs *costs, topomap_error *err)
{
    const topomap_time_costs usual = TOPOMAP_TIME_COSTS;

    *costs = usual;
    if (given &&
        topomap_sized_copy(costs, sizeof *costs, sizeof *costs, given, "topomap_time_costs", err))
        return -1;
    if (!given || costs->memory_rate == 0) {
        costs->memory_rate = usual.memory_rate;
        costs->memory_rate = topomap_time_memory(machine, costs);
    }
    if (!(costs->rate > 0) || !(costs->memory_rate > 0) || !(costs->latency >= 0) ||
        !(costs->hop_latency >= 0) || !(costs->overhead >= 0))
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "costs of time: rates above 0 (memory_rate 0: what the machine "
                                 "tells) and latencies of 0 and more are expected");
    return 0;
}

/* Takes what is asked from \p p. */
static int predict_all(struct prediction *p, const topomap_graph *graph,
                       const topomap_machine *machine, const topomap_time_costs *costs,
                       topomap_time *time, topomap_time_loads *loads, topomap_error *err)
{
    topomap_time made = {.phases = graph->phases ? graph->phases : 1};
    int status;

    if (topomap_time_costs_take(machine, costs, &p->costs, err))
        return -1;
    made.phase = topomap_alloc(made.phases, sizeof *made.phase, err);
    status = !made.phase || open_prediction(p, graph, machine, err) || predict(p, &made, err);
    topomap_traffic_close(&p->traffic);
    topomap_arena_clear(&p->memory);
    if (status) {
        free(made.phase);
        return -1;
    }
    made.model = p->way->info.name;
    made.rates_assumed = p->assumed;
    *time = made;
    if (loads)
        *loads = p->loads;
    return 0;
}

int topomap_time_predict(const topomap_graph *graph, const topomap_machine *machine,
                         const uint32_t *slot_of_rank, const topomap_time_costs *costs,
                         const char *model, uint64_t budget, topomap_time *time,
                         topomap_time_loads *loads, topomap_error *err)
{
    struct prediction p = {.slot_of = slot_of_rank, .budget = budget, .model = model};

    return predict_all(&p, graph, machine, costs, time, loads, err);
}

int topomap_time_watched(const topomap_graph *graph, const topomap_machine *machine,
                         const uint32_t *slot_of_rank, const topomap_time_costs *costs,
                         topomap_watch *watch, topomap_time *time, topomap_error *err)
{
    struct prediction p = {.slot_of = slot_of_rank, .budget = PATIENCE, .watch = watch};

    return predict_all(&p, graph, machine, costs, time, NULL, err);
}

int topomap_time_evaluate(const topomap_graph *graph, const topomap_machine *machine,
                          const uint32_t *slot_of_rank, const topomap_time_costs *costs,
                          topomap_time *time, topomap_error *err)
{
    return topomap_time_watched(graph, machine, slot_of_rank, costs, NULL, time, err);
}

void topomap_time_clear(topomap_time *time)
{
    free(time->phase);
    time->phase = NULL;
}
