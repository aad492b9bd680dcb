/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "map/auto/portfolio.h"
#include "map/objective.h"
#include "map/refine/refine.h"
#include "metric/metric.h"
#include "util/alloc.h"
#include "util/clock.h"

static int problem_init(topomap_problem *problem, const topomap_graph *graph,
                        const topomap_machine *machine, const topomap_map_options *options,
                        uint32_t **start, topomap_error *err)
{
    if (graph->ranks > machine->slots)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "the graph has %u ranks, the machine %u slots: give it more nodes "
                                 "or slots, or a graph of this job (a mesh in a file is divided: "
                                 "FILE,parts=%u)",
                                 graph->ranks, machine->slots, machine->slots);
    problem->machine = machine;
    problem->graph = graph;
    problem->ranks = graph->ranks;
    problem->load = graph->load;
    problem->effort = options->effort;
    problem->seed = options->seed;
    problem->inter_only = options->inter_only;
    if (options->seconds > 0)
        problem->deadline = topomap_clock_wall() + options->seconds;
    *start = topomap_alloc(machine->slots, sizeof **start, err);
    problem->work.scratch = topomap_alloc(machine->slots, sizeof(uint32_t), err);
    if (!*start || !problem->work.scratch)
        return -1;
    memset(problem->work.scratch, 0xff, machine->slots * sizeof(uint32_t));
    if (topomap_placement_fill("given", options->start, graph->ranks, machine->slots, *start,
                               err) != 0)
        return -1;
    problem->start = *start;
    return topomap_weights_of_messages(graph, machine->slots,
                                       topomap_message_bytes(graph, options->message_bytes),
                                       &problem->weights, err);
}

/* Routing tables with gaps: where the baseline meets one, all shortest paths stand in. */
static int score_start(topomap_problem *problem, const char *model, topomap_objective *objective,
                       topomap_score *score, topomap_error *err)
{
    if (topomap_problem_score(problem, problem->start, score, err))
        return -1;
    if (model || strcmp(objective->model, "routes") != 0 || !isinf(score->max))
        return 0;
    objective->model = "exact";
    return topomap_problem_score(problem, problem->start, score, err);
}

/* Of phases that overlap, the sum says too little of which map is the faster: they are followed
 * rank by rank where that is cheap enough for every candidate, as the baseline tells; and but for
 * a launch the sharing of links, too, where the most loaded link is not all. */
static int follow_ranks(topomap_problem *problem, int effort, topomap_objective *objective,
                        topomap_error *err)
{
    static const uint64_t budget[] = {200000, 5000000, 50000000};
    topomap_error why;
    topomap_time time;

    if (!objective->by_time || (effort == TOPOMAP_FAST && !topomap_graph_overlaps(problem->graph)))
        return 0;
    if (topomap_time_predict(problem->graph, problem->machine, problem->start, objective->costs,
                             objective->model, budget[effort], &time, NULL, &why))
        return why.code == TOPOMAP_ESYSTEM ? topomap_error_set(err, why.code, "%s", why.text) : 0;
    objective->budget = time.is_bound ? 0 : 2 * budget[effort];
    topomap_time_clear(&time);
    return 0;
}

/* \param score  out: the baseline's */
static int choose_objective(topomap_problem *problem, const topomap_map_options *options,
                            topomap_objective *objective, topomap_score *score, topomap_error *err)
{
    topomap_time_costs costs;

    /* A candidate whose time cannot be told is one of infinite time: nobody would say why. */
    if (options->time_costs &&
        topomap_time_costs_take(problem->machine, options->time_costs, &costs, err) != 0)
        return -1;
    if (options->objective == TOPOMAP_OBJECTIVE_J)
        return 0;
    if (options->mix < 0 || !(options->mix < 1))
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "the share of J in the mix is above 0 and below 1, not %g",
                                 options->mix);
    if (topomap_objective_open(problem->machine, options->objective, options->congestion_model,
                               objective, err))
        return -1;
    problem->objective = objective;
    objective->costs = options->time_costs;
    if (follow_ranks(problem, options->effort, objective, err) ||
        score_start(problem, options->congestion_model, objective, score, err))
        return -1;
    problem->start_score = score;
    objective->time0 = score->time;
    if (options->objective != TOPOMAP_OBJECTIVE_MIX)
        return 0;
    objective->share = options->mix > 0 ? options->mix : 0.5;
    objective->J0 = score->J;
    objective->max0 = score->max;
    score->mix = topomap_objective_mix(objective, score->J, score->max);
    return 0;
}

static int choose_level(topomap_problem *problem, const topomap_map_options *options,
                        topomap_level *level, topomap_error *err)
{
    int asked = topomap_attempt_names(options->algorithm, "level"), status;

    if ((options->balance <= 0 && !asked) || options->contiguous || options->together)
        return 0;
    status =
        topomap_level_open(problem, options->balance > 0 ? options->balance : 0.05, level, err);
    if (status > 0)
        problem->level = level;
    return status < 0 ? -1 : 0;
}

static void problem_clear(topomap_problem *problem)
{
    topomap_weights_clear(&problem->weights);
    if (problem->work.lattice)
        topomap_lattice_clear(problem->work.lattice);
    free(problem->work.lattice);
    free(problem->work.scratch);
}

/* The algorithms that the caller names. */
static int run_name(portfolio *p, const char *name, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_attempt_clear) topomap_attempt attempt = {0};

    topomap_portfolio_prepare(&attempt, name, NULL, p->problem->seed, 1.0);
    topomap_attempt_run(&attempt, p->problem, p->problem->work.scratch, 0);
    return topomap_portfolio_consider(p, name, &attempt, err);
}

/* Runs options->algorithm; "auto" is every candidate that suits the machine and the effort.
 * \param score  out: of the placement */
static int run_portfolio(topomap_problem *problem, const topomap_map_options *options,
                         topomap_mapping *mapping, topomap_score *score, topomap_error *err)
{
    portfolio p = {.problem = problem, .options = options, .mapping = mapping};
    int is_auto = topomap_portfolio_is_auto(options), status;

    mapping->congestion_model = problem->objective ? problem->objective->model : NULL;
    if (problem->objective) {
        p.near = topomap_alloc(problem->weights.vertices, sizeof *p.near, err);
        if (!p.near)
            return -1;
    }
    if (is_auto && problem->objective)
        status = topomap_portfolio_links(&p, err);
    else if (is_auto)
        status = topomap_portfolio_auto(&p, err);
    else
        status = run_name(&p, options->algorithm, err);
    *score = p.score;
    free(p.near);
    return status;
}

static int map(const topomap_graph *graph, const topomap_machine *machine,
               const topomap_map_options *options, topomap_watch *watch, topomap_mapping **out,
               topomap_error *err)
{
    TOPOMAP_CLEANUP(problem_clear) topomap_problem problem = {.watch = watch, .map = topomap_map};
    TOPOMAP_MAPPING_FREED topomap_mapping *mapping = topomap_alloc(1, sizeof *mapping, err);
    TOPOMAP_CLEANUP(topomap_objective_close) topomap_objective objective = {0};
    topomap_score start_score, found = {0};
    TOPOMAP_CLEANUP(topomap_layouts_close) topomap_layouts layouts = {0};
    TOPOMAP_CLEANUP(topomap_level_close) topomap_level level = {0};
    TOPOMAP_FREED uint32_t *start = NULL;

    if (!mapping || problem_init(&problem, graph, machine, options, &start, err) ||
        choose_objective(&problem, options, &objective, &start_score, err) ||
        choose_level(&problem, options, &level, err) ||
        topomap_layouts_open(&problem, options, &layouts, err))
        return -1;
    mapping->ranks = graph->ranks;
    mapping->objective = options->objective;
    mapping->time_before = objective.time0;
    mapping->message_bytes = (double)topomap_message_bytes(graph, options->message_bytes);
    mapping->J_before = topomap_problem_cost(&problem, problem.start);
    mapping->slot_of_rank = topomap_alloc(machine->slots, sizeof(uint32_t), err);
    if (!mapping->slot_of_rank ||
        (options->contiguous ? topomap_contiguous_run(&problem, options, mapping, &found, err)
         : options->together ? topomap_together_run(&problem, options, mapping, err)
                             : run_portfolio(&problem, options, mapping, &found, err)) ||
        (options->pin && topomap_pin_run(&problem, options, mapping, err)) ||
        topomap_settle(&problem, options, &layouts, &found, mapping, err) ||
        topomap_layouts_list(&layouts, mapping, err))
        return -1;
    for (int phase = 0; phase < TOPOMAP_PHASES; phase++)
        mapping->phase_seconds[phase] += problem.found.phase_seconds[phase];
    *out = topomap_take(&mapping);
    return 0;
}

static int check_numbers(const topomap_map_options *options, topomap_error *err)
{
    const struct {
        const char *field, *none; /* what 0 is */
        double value;
    } number[] = {{"seconds", "no limit", options->seconds},
                  {"balance", "loads do not count", options->balance},
                  {"message_bytes", "messages weigh nothing", options->message_bytes}};

    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if (!(number[i].value >= 0))
            return topomap_error_set(err, TOPOMAP_EUSAGE,
                                     "topomap_map_options.%s: 0 (%s) or more is expected, not %g",
                                     number[i].field, number[i].none, number[i].value);
    return 0;
}

/* Tables are looked up by what is an enum, and a limit that is no number is never reached. */
static int check_options(const topomap_graph *graph, const topomap_machine *machine,
                         const topomap_map_options *options, topomap_error *err)
{
    if ((unsigned)options->effort > TOPOMAP_STRONG)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "topomap_map_options.effort: TOPOMAP_FAST, TOPOMAP_DEFAULT or "
                                 "TOPOMAP_STRONG is expected, not %u",
                                 (unsigned)options->effort);
    if ((unsigned)options->objective > TOPOMAP_OBJECTIVE_TIME)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "topomap_map_options.objective: one of enum "
                                 "topomap_objective_kind is expected (TOPOMAP_OBJECTIVE_J to "
                                 "TOPOMAP_OBJECTIVE_TIME), not %u",
                                 (unsigned)options->objective);
    if (check_numbers(options, err) != 0)
        return -1;
    if (options->contiguous && (options->together || options->pin))
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "contiguous excludes groups that stay together, and pins");
    if (options->pin && (options->pin_rank >= graph->ranks || options->pin_node >= machine->nodes))
        return topomap_error_set(
            err, TOPOMAP_EUSAGE, "a pin of rank %u to node %u; there are %u ranks, %u nodes",
            options->pin_rank, options->pin_node, graph->ranks, machine->nodes);
    return 0;
}

int topomap_map(const topomap_graph *graph, const topomap_machine *machine,
                const topomap_map_options *options, topomap_mapping **out, topomap_error *err)
{
    return topomap_map_watched(graph, machine, options, NULL, out, err);
}

int topomap_map_watched(const topomap_graph *graph, const topomap_machine *machine,
                        const topomap_map_options *given, topomap_watch *watch,
                        topomap_mapping **out, topomap_error *err)
{
    topomap_map_options options = {.effort = TOPOMAP_DEFAULT};
    size_t least = offsetof(topomap_map_options, pin_node) + sizeof options.pin_node;

    if (given &&
        topomap_sized_copy(&options, sizeof options, least, given, "topomap_map_options", err))
        return -1;
    if (check_options(graph, machine, &options, err) != 0)
        return -1;
    return map(graph, machine, &options, watch, out, err);
}

void topomap_mapping_free(topomap_mapping *mapping)
{
    if (!mapping)
        return;
    free(mapping->slot_of_rank);
    free(mapping->candidate);
    free(mapping);
}
