/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/decide.h"

#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "util/alloc.h"

/* What one step needs on the way, so that one function can free it all. */
typedef struct work {
    const planner_request *request;
    topomap_machine *machine;
    topomap_bindings by_slot;
    topomap_graph *graph;
    uint32_t *start; /* [slots] Slurm's layout */
    topomap_mapping *mapping;
    topomap_cost before, after;
    char note[256]; /* what the user should know about the graph */
} work;

static void work_clear(work *w)
{
    topomap_machine_free(w->machine);
    topomap_bindings_clear(&w->by_slot);
    topomap_graph_free(w->graph);
    free(w->start);
    topomap_mapping_free(w->mapping);
    topomap_cost_clear(&w->before);
    topomap_cost_clear(&w->after);
}

static int open_machine(work *w, topomap_error *err)
{
    const planner_request *r = w->request;
    topomap_db_allocation allocation = {
        .nodes = &r->nodes, .tasks = r->tasks, .cpus_per_task = r->cpus_per_task, .bind = r->bind};
    topomap_db *db;
    int status;

    if (topomap_db_open(r->db, &db, err) != 0)
        return -1;
    status = topomap_db_machine(db, &allocation, &w->machine, &w->by_slot, err);
    topomap_db_close(db);
    w->by_slot.job = r->job;
    w->by_slot.step = r->step;
    return status;
}

/* The graph that was named; without one, ranks talk to their neighbours in rank order. */
static const char *graph_of(work *w, char *chain, size_t size, uint32_t tasks)
{
    const char *named = w->request->graph;

    if (named && strcmp(named, "auto") != 0)
        return named;
    snprintf(w->note, sizeof w->note,
             "%s: ranks are taken to talk to their neighbours in rank order",
             named ? "no profile of this program is stored"
                   : "no communication graph was named (--topomap=FILE or a pattern)");
    snprintf(chain, size, "chain:%u", tasks);
    return chain;
}

static int open_graph(work *w, topomap_error *err)
{
    uint32_t tasks = topomap_machine_slots(w->machine), ranks;
    char chain[32];
    const char *what = graph_of(w, chain, sizeof chain, tasks);

    if (topomap_graph_read_within(what, tasks, &w->graph, err) != 0)
        return -1;
    ranks = topomap_graph_ranks(w->graph);
    if (ranks > tasks)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%.300s: the graph has %u ranks, the step only %u tasks", what,
                                 ranks, tasks);
    if (ranks < tasks)
        snprintf(w->note, sizeof w->note,
                 "the graph has %u ranks, the step %u tasks: the rest is spread", ranks, tasks);
    return 0;
}

/* Task layout[first[i] + k] runs as the k-th of node i: on its k-th slot. */
static int open_start(work *w, topomap_error *err)
{
    uint32_t slots = topomap_machine_slots(w->machine);

    w->start = topomap_alloc(slots, sizeof *w->start, err);
    for (uint32_t s = 0; w->start && s < slots; s++)
        w->start[w->request->layout[s]] = s;
    return w->start ? 0 : -1;
}

static int search(work *w, topomap_error *err)
{
    const planner_request *r = w->request;
    topomap_map_options options = {.effort = r->effort,
                                   .seed = r->seed,
                                   .seconds = r->seconds,
                                   .start = w->start,
                                   .start_name = "slurm"};

    if (topomap_map(w->graph, w->machine, &options, &w->mapping, err) != 0 ||
        topomap_cost_evaluate(w->graph, w->machine, w->start, &w->before, err) != 0)
        return -1;
    return topomap_cost_evaluate(w->graph, w->machine, w->mapping->slot_of_rank, &w->after, err);
}

static int write_explanation(const work *w, planner_answer *answer, topomap_error *err)
{
    FILE *out = open_memstream(&answer->explain, &answer->explain_size);

    if (!out)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    if (*w->note)
        fprintf(out, "topomap: %s\n", w->note);
    if (!answer->applied)
        fprintf(out, "topomap: %s\n", answer->line);
    topomap_plan_explain(out, w->machine, &answer->plan, w->mapping, "Slurm's layout", &w->before,
                         &w->after);
    if (fclose(out) != 0)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    return 0;
}

static void write_line(const work *w, planner_answer *answer)
{
    char what[160];

    if (answer->applied)
        snprintf(what, sizeof what, "%u ranks on %zu nodes placed by %s, J %.1f %% lower",
                 w->mapping->ranks, w->request->nodes.count, w->mapping->algorithm, answer->gain);
    else if (answer->gain > 0)
        snprintf(what, sizeof what,
                 "Slurm's layout stays: the best one found gains %.1f %%, min-gain is %.1f %%",
                 answer->gain, w->request->min_gain);
    else
        snprintf(what, sizeof what, "Slurm's layout stays: nothing better was found");
    answer->quiet = !*w->note;
    snprintf(answer->line, sizeof answer->line, "%s%s%s", w->note, *w->note ? "; " : "", what);
}

static int answer_with(work *w, planner_answer *answer, topomap_error *err)
{
    answer->gain = topomap_plan_gain(w->before.J, w->after.J);
    answer->applied = answer->gain > 0 && answer->gain >= w->request->min_gain;
    write_line(w, answer);
    /* No gain means no change: the places inside the nodes stay Slurm's too. */
    if (topomap_plan_make(w->machine, answer->applied ? w->mapping->slot_of_rank : w->start,
                          answer->applied ? &w->by_slot : NULL, &answer->plan, err) != 0)
        return -1;
    if (answer->plan.bindings.nodes && w->request->bind != TOPOMAP_BIND_NONE) {
        answer->bindings = topomap_bindings_encode(&answer->plan.bindings, err);
        if (!answer->bindings)
            return -1;
    }
    return w->request->explain ? write_explanation(w, answer, err) : 0;
}

int planner_decide(const planner_request *request, planner_answer *answer, topomap_error *err)
{
    work w = {.request = request};
    planner_answer made = {0};
    int status = -1;

    if (open_machine(&w, err) == 0 && open_graph(&w, err) == 0 && open_start(&w, err) == 0 &&
        search(&w, err) == 0)
        status = answer_with(&w, &made, err);
    work_clear(&w);
    if (status == 0)
        *answer = made;
    else
        planner_answer_clear(&made);
    return status;
}

void planner_answer_clear(planner_answer *answer)
{
    topomap_plan_clear(&answer->plan);
    free(answer->bindings);
    free(answer->explain);
    *answer = (planner_answer){0};
}
