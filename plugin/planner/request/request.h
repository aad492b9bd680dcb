/* SPDX-License-Identifier: BSD-3-Clause */
/* What the plugin asks (protocol.md, "Request"). */
#ifndef TOPOMAP_PLANNER_REQUEST_H
#define TOPOMAP_PLANNER_REQUEST_H

#include "request/request.h"
#include "topology-db/db.h"
#include "util/hostlist.h"
#include "watch/watch.h"

/** What the graph is, where it is no user's own: a stored profile of the program, at this size or
 * at another. */
enum planner_profile_kind { PLANNER_PROFILE_NONE, PLANNER_PROFILE_EXACT, PLANNER_PROFILE_SCALE };

/** What is asked, and what its texts say. */
typedef struct planner_request {
    topomap_request asked;
    topomap_names nodes;
    uint32_t *tasks;     /* [nodes.count] */
    uint32_t *first;     /* [nodes.count + 1] sums of tasks */
    uint32_t *layout;    /* [first[nodes.count]] Slurm's own task ids, node by node */
    topomap_cores cores; /* that the job has; nodes 0: not known */
    uint32_t *job_cpus;  /* [nodes.count] that the job has of each; NULL: not known */
    /* Who asks scontrol, with what; NULL: who has the request (cores.h). */
    char *(*ask)(void *with, const char *commands, topomap_error *err);
    void *ask_with;
    topomap_watch *watch; /* says how far the plan has come; NULL: nobody looks */
} planner_request;

/** Nonzero where somebody said how tasks are to be placed inside nodes, or wants the NICs next to
 * them. */
int planner_request_places(const planner_request *request);

/** Reads the first line. \p kind 1: a request, which planner_request_rest() reads; 2: what srun
 * knows of a launch, which planner_facts_read() reads. */
int planner_request_kind(FILE *in, int *kind, topomap_error *err);
/** Takes a line, which it may change, and its number. \return 0, or -1: \p err */
typedef int planner_line_taker(void *with, size_t number, char *line, topomap_error *err);
/** Reads what follows the first line, up to "end". */
int planner_request_lines(FILE *in, planner_line_taker *take, void *with, topomap_error *err);
int planner_request_rest(FILE *in, planner_request *request, topomap_error *err);
/** Reads a whole request from \p in; anything that is not one is TOPOMAP_EINPUT with its line. */
int planner_request_read(FILE *in, planner_request *request, topomap_error *err);
void planner_request_clear(planner_request *request);

#endif
