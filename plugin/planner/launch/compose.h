/* SPDX-License-Identifier: BSD-3-Clause */
/* From what srun knows, and what user and site want, to the request that a plan is made of, and
 * that a record keeps. */
#ifndef TOPOMAP_PLANNER_COMPOSE_H
#define TOPOMAP_PLANNER_COMPOSE_H

#include "plugin/planner/launch/verdict.h"

/** Whether tasks are to be bound. */
int planner_compose_bind(const planner_verdict *verdict);

/** The text; NULL and \p err on failure. Ends with free().
 *  \param profile  further lines, or "" */
char *planner_compose(const planner_verdict *verdict, const char *profile, topomap_error *err);

#endif
