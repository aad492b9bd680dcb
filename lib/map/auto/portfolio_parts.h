/* SPDX-License-Identifier: BSD-3-Clause */
/* What the portfolio's files share. */
#ifndef TOPOMAP_PORTFOLIO_PARTS_H
#define TOPOMAP_PORTFOLIO_PARTS_H

#include "map/auto/worker_pool.h"

struct portfolio_row;

/** What decides which attempt is next: by what has been taken, or, ahead of that, by what is done.
 */
typedef struct portfolio_known {
    double J;    /* the least of the baseline and of constructions, before any refinement */
    int pays;    /* the last time for refining was worth it */
    int starts;  /* another start is worth it, too */
    int all;     /* all constructions are done */
    int refines; /* rows are refined, too */
} portfolio_known;

typedef struct portfolio {
    topomap_problem *problem;
    const topomap_map_options *options;
    topomap_mapping *mapping;
    size_t capacity;
    topomap_score score;   /* of the best so far */
    portfolio_known known; /* by what has been taken */
    int recognised;
    double most; /* J if all bytes went the longest way of a hierarchy; 0: it is none */
    int flawless, straight, doubtful; /* said by boxes */
    double recognising; /* seconds, of which the first candidate that goes by it tells */
    topomap_worker_pool crew;
    struct portfolio_row *row; /* of each candidate of the table */
    topomap_attempt *ahead;    /* with an objective: what may be begun, in order */
    size_t aheads;
    uint32_t *near; /* [slots] of the lowest J so far, with an objective; else NULL */
    topomap_score near_score;
    char near_name[64];
} portfolio;

/** Makes an attempt ready, where it is not yet: the words, lent, on a placement or NULL. */
topomap_attempt *topomap_portfolio_prepare(topomap_attempt *attempt, const char *words,
                                           const uint32_t *from, uint64_t seed, double patience);
/** One is tried however late it is: on a busy machine the time may be up before. What a thread has
 *  found by then counts, too. */
int topomap_portfolio_worth_trying(const portfolio *p, const topomap_attempt *attempt);
/** Sees that an attempt gets done, and keeps the better placement. */
int topomap_portfolio_take(portfolio *p, const char *name, topomap_attempt *attempt,
                           topomap_error *err);
/** Keeps the better placement of an attempt that is done. */
int topomap_portfolio_consider(portfolio *p, const char *name, const topomap_attempt *attempt,
                               topomap_error *err);
/** Lists a placement as a candidate, and keeps it where it is better. */
int topomap_portfolio_keep(portfolio *p, const char *name, const uint32_t *slot_of,
                           const topomap_score *score, double seconds, topomap_error *err);
/** The first candidate. */
int topomap_portfolio_baseline(portfolio *p, topomap_error *err);
/** Has the optimum been found? Only J has a bound. */
int topomap_portfolio_is_optimal(const portfolio *p);
/** The candidates for J. */
int topomap_portfolio_auto(portfolio *p, topomap_error *err);
/** With an objective that knows the links: those first, then what relieves the links. */
int topomap_portfolio_links(portfolio *p, topomap_error *err);

#endif
