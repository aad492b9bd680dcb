/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph of a step that is placed with a stored profile of its program. */
#ifndef TOPOMAP_PLANNER_PROFILE_H
#define TOPOMAP_PLANNER_PROFILE_H

#include "plugin/planner/request/request.h"

typedef struct planner_profile {
    topomap_graph *graph; /* the caller's; NULL: none, and the step stays as it is */
    int damaged;          /* the file is no graph of that many ranks, or of as many for each task */
    char line[480];       /* why there is none; or what its user should know, or "" */
    char detail[320];     /* for the explanation, or "" */
} planner_profile;

/** Reads the request's profile, which may have as many ranks for each task (node_tasks.h). One of another
 * size is taken for the pattern in it, where it has one in the order of its ranks
 * (topomap_graph_recognise), made for \p tasks ranks; the line tells how sure that is. Where the
 * program was profiled before, says whether its pattern changed. */
int planner_profile_open(const planner_request *request, uint32_t tasks, planner_profile *profile,
                         topomap_error *err);

#endif
