/* SPDX-License-Identifier: BSD-3-Clause */
/* One candidate of the portfolio: some words of the registry run on a problem of its own. */
#ifndef TOPOMAP_ATTEMPT_H
#define TOPOMAP_ATTEMPT_H

#include "map/objective.h"
#include "map/problem.h"

enum topomap_attempt_state {
    TOPOMAP_ATTEMPT_NONE,
    TOPOMAP_ATTEMPT_WAITING,
    TOPOMAP_ATTEMPT_RUNNING,
    TOPOMAP_ATTEMPT_DONE,
};

typedef struct topomap_attempt {
    enum topomap_attempt_state state;
    const char *words;    /* lent: "tree", "tree+np,block=8"; after a placement "anneal" */
    const uint32_t *from; /* [slots] lent: the placement that the words refine; NULL: none */
    uint64_t seed;
    double patience;
    atomic_int cancel; /* nonzero: its result is not wanted any more */
    int taken;         /* the portfolio has considered what came of it */

    /* What came of it, where it is done. */
    int status;
    topomap_error err;
    uint32_t *slot_of; /* [slots] owned */
    topomap_score score;
    double seconds; /* of this thread's CPU time */
    topomap_findings found;
} topomap_attempt;

/** \return nonzero where one of the words is this algorithm, whatever stands after its commas.
 *  \param words  as "affn,coordinates=FILE+swap", or NULL */
int topomap_attempt_names(const char *words, const char *name);
/** Runs an attempt on a copy of the problem. The state is not touched.
 *  Deterministic for its words, seed, patience and placement. The pattern of the graph, where it is
 *  looked for, is kept in \p problem: threads that share one must have it found before.
 *  \param scratch  [slots] this thread's own, as in topomap_problem
 *  \param is_auto  nonzero: the word "refine" lowers J, whatever the objective */
void topomap_attempt_run(topomap_attempt *attempt, topomap_problem *problem, uint32_t *scratch,
                         int is_auto);
/** Frees what an attempt owns; it is then as before the first use. */
void topomap_attempt_clear(topomap_attempt *attempt);

#endif
