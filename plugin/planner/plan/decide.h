/* SPDX-License-Identifier: BSD-3-Clause */
/* From a request to an answer. */
#ifndef TOPOMAP_DECIDE_H
#define TOPOMAP_DECIDE_H

#include "plan/plan.h"
#include "plugin/planner/request/request.h"

typedef struct planner_answer {
    int applied;     /* zero: Slurm's layout stays */
    int left;        /* there is no graph to place by: line and damaged are all of the answer */
    int damaged;     /* the stored profile is to go */
    int quiet;       /* the line is a summary, for verbose only */
    char line[800];  /* for the user, may be empty */
    double gain;     /* percent of the objective */
    double searched; /* seconds */
    topomap_plan plan;
    char *bindings;   /* encoded, or NULL */
    char *cores;      /* that the job has, as scontrol told, or NULL */
    char *gpus;       /* likewise */
    char *nics;       /* for the nodes (plan/nics.h), or NULL */
    char detail[400]; /* about them, may be empty */
    char *explain;    /* or NULL */
    size_t explain_size;
} planner_answer;

/** How a search is to go, as it is asked for; the baseline is not among it. Texts are lent. */
topomap_map_options planner_options(const topomap_request *asked);

/** Plans a step. Where the links are not known, or ranks that talk are not joined, the objective
 *  congestion becomes J, and the line says so. Slurm's own layout is the baseline; where nothing is
 * better by at least min-gain percent, the answer is not applied and the line says so. */
int planner_decide(const planner_request *request, planner_answer *answer, topomap_error *err);
void planner_answer_clear(planner_answer *answer);

#endif
