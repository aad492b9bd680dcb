/* SPDX-License-Identifier: BSD-3-Clause */
/* What comes of attempts: the list of candidates, and the best of them. */
#include "map/problem.h"
#include "map/auto/portfolio.h"

#include <string.h>

#include "util/alloc.h"

static int report(portfolio *p, const char *name, const topomap_score *score, double seconds,
                  topomap_error *err)
{
    topomap_mapping *mapping = p->mapping;
    topomap_candidate *candidate;

    if (topomap_grow(&mapping->candidate, &p->capacity, mapping->candidates + 1, sizeof *candidate,
                     err) != 0)
        return -1;
    candidate = &mapping->candidate[mapping->candidates++];
    snprintf(candidate->name, sizeof candidate->name, "%s", name);
    candidate->J = score->J;
    candidate->congestion = score->max;
    candidate->mix = score->mix;
    candidate->time = score->time;
    candidate->seconds = seconds;
    return 0;
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
        mapping->J = score->J;
        mapping->congestion = score->max;
        mapping->mix = score->mix;
        mapping->time = score->time;
        snprintf(mapping->algorithm, sizeof mapping->algorithm, "%s", name);
        memcpy(mapping->slot_of_rank, slot_of, bytes);
    }
    return report(p, name, score, seconds, err);
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
    const char *name = p->options->start_name;
    topomap_score score;

    if (p->problem->start_score && !p->problem->level)
        score = *p->problem->start_score;
    else if (topomap_problem_score(p->problem, p->problem->start, &score, err) != 0)
        return -1;
    p->known.J = score.J;
    return topomap_portfolio_keep(p, name ? name : "identity", p->problem->start, &score, 0.0, err);
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
