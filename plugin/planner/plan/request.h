/* SPDX-License-Identifier: BSD-3-Clause */
/* What the plugin asks (protocol.md, "Request"). */
#ifndef TOPOMAP_REQUEST_H
#define TOPOMAP_REQUEST_H

#include "topology-db/db.h"
#include "util/hostlist.h"

/** What the graph is, where it is no user's own: a stored profile of the program, at this size or
 * at another. */
enum planner_profile_kind { PLANNER_PROFILE_NONE, PLANNER_PROFILE_EXACT, PLANNER_PROFILE_SCALE };

typedef struct planner_request {
    uint32_t job, step;
    char *db, *graph; /* graph NULL: none was named */
    char *capacity;   /* what other jobs take of the links, or NULL */
    topomap_names nodes;
    uint32_t *tasks;     /* [nodes.count] */
    uint32_t *first;     /* [nodes.count + 1] sums of tasks */
    uint32_t *layout;    /* [first[nodes.count]] Slurm's own task ids, node by node */
    topomap_cores cores; /* that the job has; nodes 0: not known */
    uint32_t *job_cpus;  /* [nodes.count] that the job has of each; NULL: not known */
    char *scontrol;      /* whom to ask for the cores, or NULL */
    double scontrol_seconds;
    /* Who asks it, with what; NULL: who has the request (cores.h). */
    char *(*ask)(void *with, const char *commands, topomap_error *err);
    void *ask_with;
    uint32_t cpus_per_task, threads_per_core; /* threads 0: all */
    enum topomap_bind bind;
    enum topomap_objective_kind objective;
    double mix; /* of J in the objective mix; 0: half */
    enum topomap_effort effort;
    int compact, contiguous;
    int places; /* somebody said how tasks are to be placed inside nodes */
    uint64_t seed;
    double seconds, min_gain;
    int explain, record;
    enum planner_profile_kind profile;
    char *profiled;        /* "PROGRAM, N ranks", or NULL */
    char *profiled_before; /* the profile before this one, or NULL */
} planner_request;

/** Reads the first line. \p kind 1: a request, which planner_request_rest() reads; 2: what srun
 * knows of a launch, which planner_facts_read() reads. */
int planner_request_kind(FILE *in, int *kind, topomap_error *err);
int planner_request_rest(FILE *in, planner_request *request, topomap_error *err);
/** Reads a whole request from \p in; anything that is not one is TOPOMAP_EINPUT with its line. */
int planner_request_read(FILE *in, planner_request *request, topomap_error *err);
void planner_request_clear(planner_request *request);

#endif
