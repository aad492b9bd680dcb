/* SPDX-License-Identifier: BSD-3-Clause */
#include "metric/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"

#define NO_FLOW UINT32_MAX

/* What is sent without asking whether there is room for it: MPICH's and Open MPI's limit over TCP,
 * and SMPI's (smpi/send-is-detached-thresh). */
enum { EAGER = 65536 };

struct message {
    uint32_t from, to, phase, flow;
    uint8_t there; /* how many of its ranks have begun its phase */
    uint64_t bytes, count;
};

struct rank {
    uint32_t phase, waits_for; /* messages of it that have not arrived */
    double done;               /* when its overheads will be over */
    double copied;             /* when what it has copied until now will be there */
    double latency;
};

struct run {
    const topomap_overlap *of;
    topomap_flows flows;
    topomap_arena arena;
    struct message *message;
    uint32_t messages;
    uint32_t *of_flow; /* [flows] its message */
    uint64_t *first;   /* [phases * ranks + 1] of_rank[first[i] .. first[i + 1]): a rank's messages
                          of a phase */
    uint32_t *of_rank; /* [2 * messages] */
    uint32_t *ended;   /* [flows] */
    struct rank *rank; /* [ranks] */
    topomap_heap due;  /* ranks that will have ended a phase, messages that will have arrived */
    double now;
};

enum { RANK, MESSAGE };

/* ---- What there is ------------------------------------------------------------------------- */

static int add_message(struct run *run, uint32_t phase, uint32_t u, uint64_t e, topomap_error *err)
{
    const topomap_graph *g = run->of->phase[phase];
    const topomap_traffic *t = run->of->traffic;
    uint64_t count = topomap_graph_arc_messages(g, e);
    uint32_t v = g->target[e];
    struct message *m;

    if (!g->bytes[e] && !count)
        return 0;
    m = &run->message[run->messages++];
    *m = (struct message){u, v, phase, NO_FLOW, 0, g->bytes[e], count ? count : 1};
    if (!g->bytes[e] || t->vertex_of[u] == t->vertex_of[v])
        return 0;
    m->flow = run->flows.count;
    run->of_flow[m->flow] = run->messages - 1;
    return topomap_flows_add(&run->flows, t, u, v, g->bytes[e], err);
}

static void list_by_rank(struct run *run)
{
    uint32_t ranks = run->of->traffic->graph->ranks;
    uint64_t *at = run->first + 1; /* until it is filled, one further on */

    for (uint32_t i = 0; i < run->messages; i++) {
        const struct message *m = &run->message[i];

        at[(size_t)m->phase * ranks + m->from + 1]++;
        at[(size_t)m->phase * ranks + m->to + 1]++;
    }
    for (size_t i = 0; i < (size_t)run->of->phases * ranks; i++)
        at[i + 1] += at[i];
    for (uint32_t i = 0; i < run->messages; i++) {
        const struct message *m = &run->message[i];

        run->of_rank[at[(size_t)m->phase * ranks + m->from]++] = i;
        run->of_rank[at[(size_t)m->phase * ranks + m->to]++] = i;
    }
}

static int open_run(struct run *run, topomap_error *err)
{
    const topomap_overlap *of = run->of;
    uint32_t ranks = of->traffic->graph->ranks;
    uint64_t arcs = 0;

    for (uint32_t k = 0; k < of->phases; k++)
        arcs += of->phase[k]->arcs;
    if (arcs > of->budget / TOPOMAP_FLUID_EVENTS || arcs >= NO_FLOW)
        return 1;
    run->message = topomap_arena_alloc(&run->arena, arcs, sizeof *run->message, err);
    run->of_flow = topomap_arena_alloc(&run->arena, arcs, sizeof *run->of_flow, err);
    run->ended = topomap_arena_alloc(&run->arena, arcs, sizeof *run->ended, err);
    run->of_rank = topomap_arena_alloc(&run->arena, 2 * arcs, sizeof *run->of_rank, err);
    run->rank = topomap_arena_alloc(&run->arena, ranks, sizeof *run->rank, err);
    run->first =
        topomap_arena_alloc(&run->arena, (size_t)of->phases * ranks + 2, sizeof *run->first, err);
    if (run->arena.is_short ||
        topomap_flows_open(&run->flows, of->traffic->network, of->rate, arcs, of->budget, err))
        return -1;
    for (uint32_t k = 0; k < of->phases; k++)
        for (uint32_t u = 0; u < ranks; u++)
            for (uint64_t e = of->phase[k]->offset[u]; e < of->phase[k]->offset[u + 1]; e++)
                if (add_message(run, k, u, e, err))
                    return -1;
    list_by_rank(run);
    if (run->flows.links > of->budget / TOPOMAP_FLUID_EVENTS)
        return 1;
    return topomap_flows_ready(&run->flows, err);
}

/* ---- What happens -------------------------------------------------------------------------- */

static int expect(struct run *run, double when, uint32_t what, uint32_t kind, topomap_error *err)
{
    return topomap_heap_push(&run->due, (topomap_keyed){topomap_keyed_number(when), what, kind},
                             err);
}

static double next_due(const struct run *run)
{
    double when = INFINITY;

    if (run->due.count)
        memcpy(&when, &run->due.at[0].key, sizeof when);
    return when;
}

static int is_eager(const struct message *m)
{
    return m->bytes / m->count <= EAGER;
}

static int stop_waiting(struct run *run, uint32_t r, topomap_error *err)
{
    struct rank *rank = &run->rank[r];

    if (--rank->waits_for)
        return 0;
    return expect(run, fmax(rank->done, run->now) + rank->latency, r, RANK, err);
}

static int arrive(struct run *run, uint32_t message, topomap_error *err)
{
    const struct message *m = &run->message[message];

    if (!is_eager(m) && stop_waiting(run, m->from, err))
        return -1;
    return stop_waiting(run, m->to, err);
}

/* One of its two ranks has come to its phase. A rank copies one after the other. */
static int meet(struct run *run, uint32_t message, topomap_error *err)
{
    struct message *m = &run->message[message];
    struct rank *to = &run->rank[m->to];

    if (++m->there < 2)
        return 0;
    if (m->flow != NO_FLOW) {
        topomap_flows_begin(&run->flows, m->flow);
        return 0;
    }
    to->copied = fmax(to->copied, run->now) + (double)m->bytes / run->of->costs->memory_rate;
    return expect(run, to->copied, message, MESSAGE, err);
}

static double latency_of(const struct run *run, const struct message *m)
{
    const topomap_traffic *t = run->of->traffic;
    const topomap_time_costs *costs = run->of->costs;

    if (t->node_of[m->from] == t->node_of[m->to])
        return 0;
    return costs->latency + costs->hop_latency * topomap_machine_hops(t->machine,
                                                                      t->slot_of[m->from],
                                                                      t->slot_of[m->to]);
}

/* Of the phases from its present one on, the first in which a rank has something to do. */
static int begin_phase(struct run *run, uint32_t r, topomap_error *err)
{
    struct rank *rank = &run->rank[r];
    uint32_t ranks = run->of->traffic->graph->ranks;
    const uint64_t *first = run->first + r;
    double count = 0;

    while (rank->phase < run->of->phases &&
           first[(size_t)rank->phase * ranks] == first[(size_t)rank->phase * ranks + 1])
        rank->phase++;
    if (rank->phase == run->of->phases)
        return 0;
    first += (size_t)rank->phase * ranks;
    rank->waits_for = 1; /* for what follows here */
    rank->latency = 0;
    for (uint64_t i = first[0]; i < first[1]; i++) {
        const struct message *m = &run->message[run->of_rank[i]];

        count += (double)m->count;
        if (m->from == r && is_eager(m))
            continue;
        rank->waits_for++;
        rank->latency = fmax(rank->latency, latency_of(run, m));
    }
    rank->done = run->now + count * run->of->costs->overhead;
    for (uint64_t i = first[0]; i < first[1]; i++)
        if (meet(run, run->of_rank[i], err))
            return -1;
    return stop_waiting(run, r, err);
}

static int do_what_is_due(struct run *run, topomap_error *err)
{
    while (next_due(run) <= run->now + run->of->slack) {
        topomap_keyed due;

        run->now = fmax(run->now, next_due(run));
        due = topomap_heap_pop(&run->due);
        if (due.b == RANK)
            run->rank[due.a].phase++;
        if (due.b == RANK ? begin_phase(run, due.a, err) : arrive(run, due.a, err))
            return -1;
    }
    return 0;
}

static int step(struct run *run, topomap_error *err)
{
    int status = topomap_flows_share(&run->flows, err);
    double seconds;
    uint32_t ended;

    if (status)
        return status;
    seconds = fmin(topomap_flows_next(&run->flows), next_due(run) - run->now);
    run->now += seconds;
    ended = topomap_flows_advance(&run->flows, seconds, run->of->slack, run->ended);
    for (uint32_t i = 0; i < ended; i++)
        if (arrive(run, run->of_flow[run->ended[i]], err))
            return -1;
    return do_what_is_due(run, err);
}

int topomap_overlap_predict(const topomap_overlap *of, double *seconds, topomap_error *err)
{
    struct run run = {.of = of};
    int status = open_run(&run, err);

    for (uint32_t r = 0; status == 0 && r < of->traffic->graph->ranks; r++)
        status = begin_phase(&run, r, err);
    if (status == 0)
        status = do_what_is_due(&run, err);
    while (status == 0 && (run.flows.flows || run.due.count))
        status = step(&run, err);
    *seconds = run.now;
    topomap_flows_clear(&run.flows);
    topomap_arena_clear(&run.arena);
    free(run.due.at);
    return status;
}
