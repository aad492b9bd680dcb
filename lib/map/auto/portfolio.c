/* SPDX-License-Identifier: BSD-3-Clause */
/* The results of attempts: the list of candidates, and the best of them. */
#include "map/problem.h"
#include "map/auto/portfolio.h"

#include <math.h>
#include <string.h>

#include "map/refine/refine.h"
#include "util/alloc.h"
#include "util/clock.h"

void topomap_mapping_put(topomap_mapping *mapping, const topomap_problem *problem, const char *name,
                         const uint32_t *slot_of, const topomap_score *score)
{
    mapping->J = score->J;
    mapping->congestion = score->max;
    mapping->mix = score->mix;
    mapping->time = score->time;
    snprintf(mapping->algorithm, sizeof mapping->algorithm, "%s", name);
    memcpy(mapping->slot_of_rank, slot_of, problem->weights.vertices * sizeof *slot_of);
}

topomap_candidate topomap_candidate_of(const char *name, const topomap_score *score, double seconds)
{
    topomap_candidate candidate = {.J = score->J,
                                   .congestion = score->max,
                                   .mix = score->mix,
                                   .time = score->time,
                                   .seconds = seconds};

    snprintf(candidate.name, sizeof candidate.name, "%s", name);
    return candidate;
}

const char *topomap_start_name(const topomap_map_options *options)
{
    return options->start_name ? options->start_name : "identity";
}

int topomap_portfolio_keep(portfolio *p, const char *name, const uint32_t *slot_of,
                           const topomap_score *score, double seconds, topomap_error *err)
{
    topomap_mapping *mapping = p->mapping;
    size_t bytes = p->problem->weights.vertices * sizeof *slot_of;

    if (p->near && (mapping->candidates == 0 || score->J < p->near_score.J)) {
        p->near_score = *score;
        snprintf(p->near_name, sizeof p->near_name, "%s", name);
        memcpy(p->near, slot_of, bytes);
    }
    if (mapping->candidates == 0 ||
        (p->problem->objective || p->problem->level ? topomap_score_better(score, &p->score)
                                                    : score->J < mapping->J)) {
        p->score = *score;
        topomap_mapping_put(mapping, p->problem, name, slot_of, score);
    }
    return TOPOMAP_APPEND(mapping->candidate, mapping->candidates, p->capacity, err,
                          topomap_candidate_of(name, score, seconds));
}

int topomap_portfolio_try(portfolio *p, const char *name, const uint32_t *slot_of, double started,
                          topomap_error *err)
{
    topomap_score score;

    if (topomap_problem_score(p->problem, slot_of, &score, err))
        return -1;
    return topomap_portfolio_keep(p, name, slot_of, &score, topomap_clock_cpu() - started, err);
}

int topomap_portfolio_map_blocks(portfolio *p, const uint32_t *block_of, uint32_t blocks,
                                 const topomap_machine *view, topomap_map_options options,
                                 topomap_mapping **found, topomap_error *err)
{
    topomap_problem *problem = p->problem;
    TOPOMAP_GRAPH_FREED topomap_graph *graph = NULL;

    if (topomap_graph_blocks(problem->graph, block_of, blocks, &graph, err))
        return -1;
    options.contiguous = 0;
    options.inter_only = 0;
    options.start = NULL;
    options.start_name = "block";
    options.layouts = 0;
    if (problem->deadline > 0)
        options.seconds = fmax(problem->deadline - topomap_clock_wall(), 1e-3);
    if (problem->map(graph, view, &options, found, err))
        return -1;
    for (int phase = 0; phase < TOPOMAP_PHASES; phase++)
        problem->found.phase_seconds[phase] += (*found)->phase_seconds[phase];
    return 0;
}

int topomap_portfolio_swap_inside(topomap_problem *problem, uint32_t groups, const uint32_t *first,
                                  const uint32_t *slot, uint32_t most, uint32_t *slot_of,
                                  topomap_error *err)
{
    static const uint32_t rounds[] = {
        [TOPOMAP_FAST] = 2, [TOPOMAP_DEFAULT] = 10, [TOPOMAP_STRONG] = 100};
    uint32_t slots = problem->machine->slots;
    TOPOMAP_FREED uint32_t *vertex_at = topomap_alloc(slots, sizeof *vertex_at, err);
    TOPOMAP_FREED uint32_t *vertex = topomap_alloc(slots, sizeof *vertex, err);
    topomap_pairs pairs;

    if (!vertex_at || !vertex || topomap_pairs_init(&pairs, problem, slot_of, err))
        return -1;
    for (uint32_t v = 0; v < slots; v++)
        vertex_at[slot_of[v]] = v;
    for (uint32_t i = 0; i < slots; i++)
        vertex[i] = vertex_at[slot ? slot[i] : i];
    for (uint32_t g = 0; g < groups; g++) {
        int better = 1;

        for (uint32_t round = 0; better && round < rounds[problem->effort]; round++) {
            uint32_t tried = 0;

            better = 0;
            for (uint32_t i = first[g];
                 i < first[g + 1] && tried < most && !topomap_problem_late(problem); i++)
                for (uint32_t k = i + 1; k < first[g + 1]; k++, tried++)
                    better |= topomap_pairs_try(&pairs, vertex[i], vertex[k]);
        }
    }
    topomap_pairs_clear(&pairs);
    return 0;
}

void topomap_machine_of_nodes(const topomap_machine *m, uint32_t *slot_first, uint32_t *node_of,
                              topomap_machine *view)
{
    *view = *m;
    view->slots = slot_first[m->nodes];
    view->slot_first = slot_first;
    view->node_of = node_of;
    view->inner_levels = 1;
    view->inner[0] = m->inner[m->inner_levels - 1];
    view->inner[0].group = node_of;
}

int topomap_portfolio_consider(portfolio *p, const char *name, const topomap_attempt *attempt,
                               topomap_error *err)
{
    if (attempt->status != 0) {
        *err = attempt->err;
        return -1;
    }
    for (int phase = 0; phase < TOPOMAP_PHASES; phase++)
        p->mapping->phase_seconds[phase] += attempt->found.phase_seconds[phase];
    p->flawless |= attempt->found.flawless;
    p->straight |= attempt->found.straight;
    p->doubtful |= attempt->found.doubtful;
    return topomap_portfolio_keep(p, name, attempt->slot_of, &attempt->score, attempt->seconds,
                                  err);
}

int topomap_portfolio_baseline(portfolio *p, topomap_error *err)
{
    topomap_score score;

    if (p->problem->start_score && !p->problem->level)
        score = *p->problem->start_score;
    else if (topomap_problem_score(p->problem, p->problem->start, &score, err) != 0)
        return -1;
    p->known.J = score.J;
    return topomap_portfolio_keep(p, topomap_start_name(p->options), p->problem->start, &score, 0.0,
                                  err);
}

topomap_attempt *topomap_portfolio_prepare(topomap_attempt *attempt, const char *words,
                                           const uint32_t *from, uint64_t seed, double patience)
{
    if (attempt->state != TOPOMAP_ATTEMPT_NONE)
        return attempt;
    attempt->words = words;
    attempt->from = from;
    attempt->seed = seed;
    attempt->patience = patience;
    attempt->state = TOPOMAP_ATTEMPT_WAITING;
    return attempt;
}

int topomap_portfolio_is_optimal(const portfolio *p)
{
    return !p->problem->objective && !p->problem->level &&
           p->mapping->J <= p->mapping->bound * (1 + 1e-12);
}

int topomap_portfolio_worth_trying(const portfolio *p, const topomap_attempt *attempt)
{
    if (topomap_portfolio_is_optimal(p))
        return 0;
    return p->mapping->candidates < 2 || attempt->state == TOPOMAP_ATTEMPT_DONE ||
           !topomap_problem_late(p->problem);
}

int topomap_portfolio_take(portfolio *p, const char *name, topomap_attempt *attempt,
                           topomap_error *err)
{
    topomap_worker_pool_take(&p->crew, attempt);
    topomap_worker_pool_wake(&p->crew);
    attempt->taken = 1;
    return topomap_portfolio_consider(p, name, attempt, err);
}

int topomap_portfolio_is_auto(const topomap_map_options *options)
{
    return !options->algorithm || strcmp(options->algorithm, "auto") == 0;
}

const topomap_algorithm_impl topomap_algorithm_auto = {
    .row = {"auto", "topomap", "portfolio", FITS_ALL,
            "the best of what suits the machine; Slurm's layouts are always candidates"},
};
