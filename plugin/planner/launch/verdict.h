/* SPDX-License-Identifier: BSD-3-Clause */
/* What becomes of a launch, as it is found out: the reply of planner_launch(), row by row. */
#ifndef TOPOMAP_PLANNER_VERDICT_H
#define TOPOMAP_PLANNER_VERDICT_H

#include "plugin/planner/launch/facts.h"

typedef struct planner_verdict {
    const planner_facts *facts;
    policy_decision decision;
    int verbose;
    int gpus_near; /* Slurm may choose each task's GPUs by its CPUs (gres_conf.h) */
    int gpus_left; /* which GPU has which number on a node is not known (gres_conf.h) */
    FILE *out;     /* further rows of the reply */
    char *why;     /* the step is left alone: why; owned */
} planner_verdict;

/** A line for the user, or, without \p loud, for srun -v (with the user's option verbose, for
 *  everybody). */
void planner_tell(planner_verdict *verdict, int loud, const char *format, ...) TOPOMAP_PRINTF(3, 4);

/** The same for srun -v alone. */
void planner_tell_log(planner_verdict *verdict, const char *format, ...) TOPOMAP_PRINTF(2, 3);

/** Why the step is left as Slurm laid it out; without \p loud for srun -v only, and for a step that
 *  asked for an explanation. */
void planner_leave(planner_verdict *verdict, int loud, const char *why);

#endif
