/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs of nodes in the rounds of a tournament (method 2 of Lindgren's thesis needs up to twice as
 * many): no node is in two pairs at once, but links may be shared. A sample is some of the rounds,
 * of nodes in random order. */
#include <stdio.h>
#include <unistd.h>

#include "measure.h"
#include "util/alloc.h"
#include "util/random.h"
#include "util/tournament.h"

struct plan {
    uint32_t *player; /* [nodes] node of each player */
    uint32_t *place;  /* [nodes] the inverse */
    uint32_t *round;  /* [rounds] which of them are played, in order */
    uint32_t rounds;
    uint32_t left; /* pairs still to measure */
    topomap_arena arrays;
};

static void plan_clear(struct plan *plan)
{
    topomap_arena_clear(&plan->arrays);
}

/* The same on all ranks. */
static int plan_make(const struct measure_options *options, uint32_t nodes, struct plan *plan,
                     topomap_error *err)
{
    topomap_random random = {options->seed};
    uint32_t all = topomap_tournament_rounds(nodes), pairs = nodes / 2;
    int sample = options->rounds || options->pairs;

    *plan = (struct plan){.rounds = all, .left = UINT32_MAX};
    plan->player = topomap_arena_alloc(&plan->arrays, nodes, sizeof *plan->player, err);
    plan->place = topomap_arena_alloc(&plan->arrays, nodes, sizeof *plan->place, err);
    plan->round = topomap_arena_alloc(&plan->arrays, all, sizeof *plan->round, err);
    if (plan->arrays.is_short)
        return -1;
    for (uint32_t i = 0; i < nodes; i++)
        plan->player[i] = i;
    for (uint32_t i = 0; i < all; i++)
        plan->round[i] = i;
    if (sample) {
        topomap_random_shuffle(&random, plan->player, nodes);
        topomap_random_shuffle(&random, plan->round, all);
    }
    for (uint32_t i = 0; i < nodes; i++)
        plan->place[plan->player[i]] = i;
    if (options->rounds && options->rounds < plan->rounds)
        plan->rounds = options->rounds;
    if (options->pairs && pairs) {
        uint32_t needed = (uint32_t)(((uint64_t)options->pairs + pairs - 1) / pairs);

        plan->rounds = needed < plan->rounds ? needed : plan->rounds;
        plan->left = options->pairs;
    }
    return 0;
}

/* One pair's sizes, on both of its ranks; only the one that began keeps them. */
static int play(const struct measure_options *options, const struct measure_job *job,
                uint32_t partner, struct measure_rows *rows, topomap_error *err)
{
    int other = job->first[partner], failed = 0;

    for (int s = 0; s < options->sizes; s++) {
        double us = measure_pingpong(options, job, other, options->size[s]);

        if (!failed && job->rank < other)
            failed = measure_add(rows, MEASURE_PAIR, job->node[job->rank], partner, -1,
                                 options->size[s], us, err);
    }
    return failed;
}

/* Pairs of a round in the order of their lower player; the last round of a sample may be cut. */
static int play_round(const struct measure_options *options, const struct measure_job *job,
                      struct plan *plan, uint32_t round, struct measure_rows *rows,
                      topomap_error *err)
{
    uint32_t own = job->node[job->rank];
    int failed = 0;

    for (uint32_t p = 0; p < job->nodes; p++) {
        uint32_t q = topomap_tournament_partner(job->nodes, round, p), a, b;

        if (q == TOPOMAP_TOURNAMENT_BYE || q < p || !plan->left)
            continue;
        plan->left--;
        a = plan->player[p];
        b = plan->player[q];
        if (job->local[job->rank] == 0 && (own == a || own == b))
            failed |= play(options, job, own == a ? b : a, rows, err);
        if (options->alone)
            measure_wait();
    }
    if (!options->alone)
        measure_wait();
    return failed;
}

/* On a terminal, from two seconds on, rank 0 says how many rounds are done; nothing of it stays.
 * The clock is looked at between rounds only. */
static void show_progress(const struct measure_job *job, uint32_t done, uint32_t rounds,
                          double began, double *shown)
{
    const double first = 2, every = 0.25;
    double now = MPI_Wtime(), seconds = now - began;

    if (job->rank != 0 || !isatty(STDERR_FILENO))
        return;
    if (done == rounds) {
        fputs(*shown > 0 ? "\r\033[K" : "", stderr);
    } else if (done && seconds >= first && now - *shown >= every) {
        fprintf(stderr, "\r\033[Ktopomap-measure: round %u of %u, %.2g rounds/s, about %.0f s left",
                done, rounds, done / seconds, seconds / done * (rounds - done));
        *shown = now;
    }
    fflush(stderr);
}

int measure_between(const struct measure_options *options, const struct measure_job *job,
                    struct measure_rows *rows, topomap_error *err)
{
    double began, shown = 0;
    TOPOMAP_CLEANUP(plan_clear) struct plan plan = {.rounds = 0};
    int failed = plan_make(options, job->nodes, &plan, err);

    if (measure_agree(failed, err))
        return -1;
    measure_wait();
    began = MPI_Wtime();
    for (uint32_t i = 0; i < plan.rounds; i++) {
        failed |= play_round(options, job, &plan, plan.round[i], rows, err);
        show_progress(job, i + 1, plan.rounds, began, &shown);
    }
    return measure_agree(failed, err);
}
