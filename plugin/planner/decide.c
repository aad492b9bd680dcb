/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/decide.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "util/alloc.h"

#define START "slurm" /* what the search calls Slurm's layout */

/* What one step needs on the way, so that one function can free it all. */
typedef struct work {
    const planner_request *request;
    topomap_machine *machine;
    topomap_bindings by_slot;
    topomap_graph *graph;
    uint32_t *start; /* [slots] Slurm's layout */
    topomap_mapping *mapping;
    topomap_cost before, after;
    topomap_congestion load[2]; /* before and after; model NULL: the objective is J */
    int congestion;             /* part of the objective, as long as it can be */
    char note[320];             /* what the user should know */
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

static void add_note(work *w, const char *format, ...)
{
    size_t used = strlen(w->note);
    va_list args;

    if (used && used + 2 < sizeof w->note)
        used += (size_t)snprintf(w->note + used, sizeof w->note - used, "; ");
    va_start(args, format);
    vsnprintf(w->note + used, sizeof w->note - used, format, args);
    va_end(args);
}

static void fall_back(work *w, const char *why)
{
    w->congestion = 0;
    add_note(w, "placed for J, not for congestion: %.160s", why);
}

static int open_machine(work *w, topomap_error *err)
{
    const planner_request *r = w->request;
    topomap_db_allocation allocation = {.nodes = &r->nodes,
                                        .tasks = r->tasks,
                                        .cpus_per_task = r->cpus_per_task,
                                        .bind = r->bind,
                                        .compact = r->compact};
    topomap_error why;
    topomap_db *db;
    int status;

    if (topomap_db_open(r->db, &db, err) != 0)
        return -1;
    status = topomap_db_machine(db, &allocation, &w->machine, &w->by_slot, err);
    if (status == 0 && w->congestion &&
        topomap_db_machine_links(db, &allocation, NULL, w->machine, &why) != 0)
        fall_back(w, why.text);
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
    add_note(w, "%s: ranks are taken to talk to their neighbours in rank order",
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
    if (topomap_graph_note(w->graph))
        add_note(w, "%.200s", topomap_graph_note(w->graph));
    if (ranks < tasks)
        add_note(w, "the graph has %u ranks, the step %u tasks: the rest is spread", ranks, tasks);
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

/* -1 where there is no way to go by congestion, and why is noted. */
static int search_congestion(work *w, topomap_map_options *options)
{
    topomap_error why;

    options->objective = w->request->objective;
    if (topomap_map(w->graph, w->machine, options, &w->mapping, &why) == 0 &&
        topomap_congestion_evaluate(w->graph, w->machine, w->mapping->slot_of_rank,
                                    w->mapping->congestion_model, &w->load[1], &why) == 0 &&
        topomap_congestion_evaluate(w->graph, w->machine, w->start, w->mapping->congestion_model,
                                    &w->load[0], &why) == 0)
        return 0;
    fall_back(w, why.text);
    return -1;
}

/* What the search reported of Slurm's layout; NULL where that was no candidate. */
static const topomap_candidate *start_candidate(const topomap_mapping *mapping)
{
    for (size_t i = 0; i < mapping->candidates; i++)
        if (strcmp(mapping->candidate[i].name, START) == 0)
            return &mapping->candidate[i];
    return NULL;
}

/* J alone is known from the search; levels and bounds are for who wants to read them. */
static int evaluate(work *w, topomap_error *err)
{
    const topomap_candidate *start = start_candidate(w->mapping);

    if (!w->request->explain && start) {
        w->before.J = start->J;
        w->after.J = w->mapping->J;
        return 0;
    }
    if (topomap_cost_evaluate(w->graph, w->machine, w->start, &w->before, err) != 0)
        return -1;
    return topomap_cost_evaluate(w->graph, w->machine, w->mapping->slot_of_rank, &w->after, err);
}

static int search(work *w, topomap_error *err)
{
    const planner_request *r = w->request;
    topomap_map_options options = {.effort = r->effort,
                                   .seed = r->seed,
                                   .seconds = r->seconds,
                                   .contiguous = r->contiguous,
                                   .start = w->start,
                                   .start_name = START};

    if (w->congestion && search_congestion(w, &options) != 0)
        topomap_mapping_free(w->mapping), w->mapping = NULL;
    options.objective = TOPOMAP_OBJECTIVE_J;
    if (!w->mapping && topomap_map(w->graph, w->machine, &options, &w->mapping, err) != 0)
        return -1;
    return evaluate(w, err);
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
                         &w->after, w->congestion ? w->load : NULL);
    if (fclose(out) != 0)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    return 0;
}

static void write_line(const work *w, planner_answer *answer)
{
    static const char *const objectives[] = {"J", "congestion", "mix"};
    char what[160];

    if (answer->applied)
        snprintf(what, sizeof what, "%u ranks on %zu nodes placed by %s, %s %.1f %% lower",
                 w->mapping->ranks, w->request->nodes.count, w->mapping->algorithm,
                 objectives[w->mapping->objective], answer->gain);
    else if (answer->gain > 0)
        snprintf(what, sizeof what,
                 "Slurm's layout stays: the best one found gains %.1f %%, min-gain is %.1f %%",
                 answer->gain, w->request->min_gain);
    else
        snprintf(what, sizeof what, "Slurm's layout stays: nothing better %s",
                 w->mapping->J <= w->mapping->bound * (1 + 1e-12) ? "exists" : "was found");
    answer->quiet = !*w->note;
    snprintf(answer->line, sizeof answer->line, "%s%s%s", w->note, *w->note ? "; " : "", what);
}

static int answer_with(work *w, planner_answer *answer, topomap_error *err)
{
    int bound;

    answer->gain = w->mapping->objective == TOPOMAP_OBJECTIVE_MIX
                       ? topomap_plan_gain(1, w->mapping->mix)
                   : w->congestion ? topomap_plan_gain_congestion(&w->load[0], &w->load[1])
                                   : topomap_plan_gain(w->before.J, w->after.J);
    answer->applied = answer->gain > 0 && answer->gain >= w->request->min_gain;
    write_line(w, answer);
    /* No gain means no change: the places inside the nodes stay Slurm's too, unless somebody said
     * what they are to be. */
    bound = answer->applied || w->request->places;
    if (topomap_plan_make(w->machine, answer->applied ? w->mapping->slot_of_rank : w->start,
                          bound ? &w->by_slot : NULL, &answer->plan, err) != 0)
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
    work w = {.request = request, .congestion = request->objective != TOPOMAP_OBJECTIVE_J};
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
