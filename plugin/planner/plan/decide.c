/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "map/auto/portfolio.h"
#include "plan/bindings.h"
#include "plan/plan.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/safe_text.h"

#define START "slurm" /* what the search calls Slurm's layout */

/* Percent that a layout by a stored profile must gain where nobody has said how much. By less than
 * that two layouts are alike to the prediction, which knows neither the order of messages nor a
 * program's waiting, and the one that people know stays: NAS is, placed for 0.7 %, ran 1.06 times
 * as long. Who names a graph has asked for what it tells. */
#define PROFILE_GAIN 1.0

/* What one step needs on the way, so that one function can free it all. */
typedef struct work {
    planner_inputs in;
    planner_constraints together;
    int forced; /* Slurm's layout has not what keep= and pin= ask for, and could be had */
    topomap_mapping *mapping;
    topomap_cost before, after;
    topomap_congestion load[2]; /* before and after; model NULL: the objective is J */
    double gpu_gain;            /* percent of bytes times cost between GPUs of a node */
    uint32_t gpu_nodes;         /* whose tasks are bound next to their GPUs */
    planner_nics nics;
} work;

static void work_clear(work *w)
{
    planner_inputs_clear(&w->in);
    planner_constraints_clear(&w->together);
    planner_nics_clear(&w->nics);
    topomap_mapping_free(w->mapping);
    topomap_cost_clear(&w->before);
    topomap_cost_clear(&w->after);
}

/* -1 where there is no way to go by congestion, and why is noted. */
static int search_congestion(work *w, const topomap_map_options *options)
{
    topomap_error why;

    if (topomap_map_watched(w->in.graph, w->in.machine, options, w->in.request->watch, &w->mapping,
                            &why) != 0) {
        planner_inputs_fall_back(&w->in, why.text);
        return -1;
    }
    /* For who reads the explanation, and for what is gained where that hangs on them. */
    if ((!w->in.request->asked.explain && w->in.objective != TOPOMAP_OBJECTIVE_CONGESTION) ||
        (topomap_congestion_evaluate(w->in.graph, w->in.machine, w->mapping->slot_of_rank,
                                     w->mapping->congestion_model, &w->load[1], &why) == 0 &&
         topomap_congestion_evaluate(w->in.graph, w->in.machine, w->in.start,
                                     w->mapping->congestion_model, &w->load[0], &why) == 0))
        return 0;
    planner_inputs_fall_back(&w->in, why.text);
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

    if (!w->in.request->asked.explain && start) {
        w->before.J = start->J;
        w->after.J = w->mapping->J;
        return 0;
    }
    if (topomap_cost_evaluate(w->in.graph, w->in.machine, w->in.start, &w->before, err) != 0)
        return -1;
    return topomap_cost_evaluate(w->in.graph, w->in.machine, w->mapping->slot_of_rank, &w->after,
                                 err);
}

topomap_map_options planner_options(const topomap_request *asked)
{
    return (topomap_map_options){.size = sizeof(topomap_map_options),
                                 .algorithm = asked->algorithm,
                                 .effort = (enum topomap_effort)asked->effort,
                                 .mix = asked->objective.mix,
                                 .congestion_model = asked->congestion,
                                 .balance = asked->balance,
                                 .seed = asked->seed,
                                 .seconds = asked->seconds,
                                 .threads = asked->threads,
                                 .contiguous = asked->contiguous,
                                 .inter_only = !asked->intra};
}

static int search(work *w, planner_answer *answer, topomap_error *err)
{
    double started = topomap_clock_wall();
    topomap_map_options options = planner_options(&w->in.request->asked);

    planner_objective_costs(&w->in.request->asked, w->in.graph, &w->in.costs);
    options.objective = w->in.objective;
    options.message_bytes =
        planner_message_bytes(&w->in.request->asked, options.objective, w->in.message_bytes);
    options.time_costs = &w->in.costs;
    options.start = w->in.start;
    options.start_name = START;
    options.layout = w->in.layouts.row;
    options.layouts = w->in.layouts.count;
    if (planner_constraints_open(&w->in.request->asked, w->in.graph,
                                 &(planner_constraints_fold){w->in.unfolded, w->in.fold},
                                 w->in.machine, &w->together, &options, err) != 0)
        return -1;
    if (w->in.objective != TOPOMAP_OBJECTIVE_J && search_congestion(w, &options) != 0)
        topomap_mapping_free(w->mapping), w->mapping = NULL;
    options.objective = TOPOMAP_OBJECTIVE_J;
    options.message_bytes =
        planner_message_bytes(&w->in.request->asked, options.objective, w->in.message_bytes);
    options.mix = 0;
    if (!w->mapping && topomap_map_watched(w->in.graph, w->in.machine, &options,
                                           w->in.request->watch, &w->mapping, err) != 0)
        return -1;
    planner_objective_settle(&w->in.request->asked, w->mapping);
    planner_constraints_check(&w->together, &options, w->mapping, w->in.machine);
    if (*w->together.line)
        planner_inputs_note(&w->in, "%s", w->together.line);
    w->forced =
        !planner_constraints_holds(&w->together, &options, w->mapping, w->in.machine, w->in.start);
    answer->searched = topomap_clock_wall() - started;
    return evaluate(w, err);
}

static double least_gain(const work *w)
{
    double said = w->in.request->asked.min_gain;

    return said > 0 || w->in.request->asked.stored == PLANNER_PROFILE_NONE ? said : PROFILE_GAIN;
}

/* How far the groups of a training job are spread. */
static int write_spread(FILE *out, const work *w, topomap_error *err)
{
    topomap_spread before, after;

    if (topomap_spread_measure(w->in.graph, w->in.machine, w->in.start, &before, err) != 0 ||
        topomap_spread_measure(w->in.graph, w->in.machine, w->mapping->slot_of_rank, &after, err) !=
            0)
        return -1;
    topomap_spread_print(out, &before, "Slurm's layout", &after);
    return 0;
}

static int put_explanation(FILE *out, const work *w, const planner_answer *answer,
                           topomap_error *err)
{
    if (!answer->applied) /* the note is part of it */
        fprintf(out, "topomap: %s\n", answer->line);
    else if (*w->in.note)
        fprintf(out, "topomap: %s\n", w->in.note);
    if (*w->in.detail)
        fprintf(out, "topomap: %s\n", w->in.detail);
    if (*w->in.cores_detail)
        fprintf(out, "topomap: %s\n", w->in.cores_detail);
    if (w->in.objective == TOPOMAP_OBJECTIVE_TIME && w->in.costs.latency > 0 &&
        w->in.measured & TOPOMAP_DB_LATENCY)
        fprintf(out, "topomap: latencies as measured: %.4g us from node to node, %.4g us a hop\n",
                w->in.costs.latency * 1e6, w->in.costs.hop_latency * 1e6);
    topomap_plan_explain(out, w->in.machine, &answer->plan, w->mapping, !answer->applied,
                         "Slurm's layout", &w->before, &w->after,
                         w->in.objective != TOPOMAP_OBJECTIVE_J ? w->load : NULL);
    if (w->nics.told)
        fputs(w->nics.told, out);
    if (write_spread(out, w, err) != 0)
        return -1;
    if (w->load[1].model)
        planner_inputs_print_routes(&w->in, w->load[1].model, out);
    if (w->mapping->objective == TOPOMAP_OBJECTIVE_TIME)
        planner_time_print(w->in.graph, w->in.machine, w->mapping, &w->in.costs,
                           w->in.measured & TOPOMAP_DB_RATE ? "measured" : "assumed", out);
    if (*w->in.age)
        fprintf(out, "topomap: database: %s\n", w->in.age);
    return 0;
}

/* A reply has the explanation's size, so what shows it must not change it: it is made safe here. */
static int write_explanation(const work *w, planner_answer *answer, topomap_error *err)
{
    FILE *text = open_memstream(&answer->explain, &answer->explain_size);
    FILE *out = text ? topomap_safe_stream(text) : NULL;
    int status = out ? put_explanation(out, w, answer, err) : 0;
    int failed = !out || fclose(out) != 0;

    if ((text && fclose(text) != 0) || failed)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    return status;
}

static void write_line(const work *w, planner_answer *answer)
{
    char what[160], gpus[64] = "";

    if (w->gpu_gain >= 0.05 && answer->plan.bindings.nodes)
        snprintf(gpus, sizeof gpus, "; GPUs %.1f %% nearer to each other", w->gpu_gain);
    else if (w->gpu_nodes && answer->plan.bindings.nodes)
        snprintf(gpus, sizeof gpus, "; tasks are next to their GPUs");
    if (answer->applied && answer->gain < 0)
        snprintf(what, sizeof what,
                 "%u ranks on %zu nodes placed by %s, as asked, though %s is %.1f %% higher",
                 w->mapping->ranks, w->in.request->nodes.count, w->mapping->algorithm,
                 topomap_plan_figure(w->mapping, 1), -answer->gain);
    else if (answer->applied)
        snprintf(what, sizeof what, "%u ranks on %zu nodes placed by %s, %s %.1f %% lower",
                 w->mapping->ranks, w->in.request->nodes.count, w->mapping->algorithm,
                 topomap_plan_figure(w->mapping, 1), answer->gain);
    else if (answer->gain > 0 && w->in.request->asked.min_gain > 0)
        snprintf(what, sizeof what,
                 "Slurm's layout stays: the best one found gains %.1f %%, min-gain is %.1f %%",
                 answer->gain, w->in.request->asked.min_gain);
    else if (answer->gain > 0)
        snprintf(what, sizeof what,
                 "Slurm's layout stays: the best one found gains %.1f %%, and of a profile less "
                 "than %.0f %% tells nothing",
                 answer->gain, PROFILE_GAIN);
    else
        snprintf(what, sizeof what, "Slurm's layout stays: nothing better %s",
                 w->mapping->J <= w->mapping->bound * (1 + 1e-12) ? "exists" : "was found");
    answer->quiet = !*w->in.note;
    snprintf(answer->line, sizeof answer->line, "%s%s%s%s", w->in.note, *w->in.note ? "; " : "",
             what, gpus);
}

/* Where tasks have GPUs, the inside of nodes is ours though the layout stays Slurm's: which CPUs
 * and which other GPUs are next to a task's no layout tells. */
static int order_gpus(work *w, planner_answer *answer, int *bound, topomap_error *err)
{
    planner_gpu_order order;
    int status = planner_gpu_order_make(&w->in, &answer->plan, &order, err);

    w->gpu_gain = topomap_plan_gain(order.before, order.after);
    w->gpu_nodes = order.bound;
    if (order.bound || (w->gpu_gain > 0 && w->gpu_gain >= w->in.request->asked.min_gain))
        *bound = 1;
    return status;
}

/* Nonzero if options request a placement inside nodes, or the NICs next to tasks. */
static int places_inside(const topomap_request *asked)
{
    return topomap_request_has(asked, TOPOMAP_REQUEST_BIND) ||
           topomap_request_has(asked, TOPOMAP_REQUEST_INSIDE) || asked->nic != TOPOMAP_NIC_OFF;
}

static int make_plan(work *w, planner_answer *answer, topomap_error *err)
{
    /* No gain means no change: the places inside the nodes stay Slurm's too, unless options
     * request another. */
    int bound = answer->applied || places_inside(&w->in.request->asked);
    int wanted = bound || w->in.gpus.known.nodes;

    if (topomap_plan_make(w->in.machine, answer->applied ? w->mapping->slot_of_rank : w->in.start,
                          wanted ? &w->in.by_slot : NULL, &answer->plan, err) != 0 ||
        order_gpus(w, answer, &bound, err) != 0)
        return -1;
    if (!bound)
        topomap_bindings_clear(&answer->plan.bindings);
    return planner_gpu_tasks(&w->in, &answer->plan.bindings, &answer->plan, err);
}

static int answer_with(work *w, planner_answer *answer, topomap_error *err)
{
    answer->gain = topomap_plan_gain_of(w->mapping, w->before.J, w->after.J,
                                        w->in.objective != TOPOMAP_OBJECTIVE_J ? w->load : NULL);
    answer->cores = w->in.told;
    w->in.told = NULL;
    answer->gpus = planner_gpus_format(&w->in.gpus, err);
    snprintf(answer->detail, sizeof answer->detail, "%s", w->in.cores_detail);
    answer->applied = w->forced || (answer->gain > 0 && answer->gain >= least_gain(w));
    if (make_plan(w, answer, err) != 0)
        return -1;
    write_line(w, answer);
    if (answer->plan.bindings.nodes && w->in.request->asked.bind != TOPOMAP_BIND_NONE) {
        answer->bindings = topomap_bindings_encode(&answer->plan.bindings, err);
        if (!answer->bindings)
            return -1;
    }
    if (planner_nics_make(&w->in, &answer->plan, answer->plan.gpu, &w->nics, err))
        return -1;
    answer->nics = w->nics.text;
    w->nics.text = NULL;
    return w->in.request->asked.explain ? write_explanation(w, answer, err) : 0;
}

/* There is nothing to place by. */
static void leave(const work *w, planner_answer *answer)
{
    answer->left = 1;
    answer->damaged = w->in.damaged;
    snprintf(answer->line, sizeof answer->line, "%s; Slurm's layout stays", w->in.note);
}

int planner_decide(const planner_request *request, planner_answer *answer, topomap_error *err)
{
    TOPOMAP_CLEANUP(work_clear) work w = {0};
    planner_answer made = {0};

    if (planner_inputs_open(request, &w.in, err) != 0 ||
        (w.in.graph && (search(&w, &made, err) != 0 || answer_with(&w, &made, err) != 0))) {
        planner_answer_clear(&made);
        return -1;
    }
    if (!w.in.graph)
        leave(&w, &made);
    *answer = made;
    return 0;
}

void planner_answer_clear(planner_answer *answer)
{
    topomap_plan_clear(&answer->plan);
    free(answer->bindings);
    free(answer->explain);
    free(answer->cores);
    free(answer->gpus);
    free(answer->nics);
    *answer = (planner_answer){0};
}
