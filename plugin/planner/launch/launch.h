/* SPDX-License-Identifier: BSD-3-Clause */
/* One launch, from what srun knows to what it is to do (protocol.md, "Request of a launch"). */
#ifndef TOPOMAP_PLANNER_LAUNCH_H
#define TOPOMAP_PLANNER_LAUNCH_H

#include "plugin/planner/launch/facts.h"

/** The answer to a request: the reply's text, which ends with free(), or NULL and \p err. */
typedef char *planner_answerer(const char *request, size_t *size, topomap_error *err);

/** Reads the request and plans it. */
planner_answerer planner_launch_answer;

/** Makes a graph's relative path an absolute one: it is meant where it was written (a job's in the
 *  job's folder, PLUGIN_ENV_JOB_FOLDER), and a record is read elsewhere. What is no existing file
 *  stays as it is: a pattern, a word, or a mistake that its reader names.
 *  \return 0, or -1: no memory */
int planner_launch_make_absolute(policy_settings *settings);

/** Plans the step of \p facts and tells the result, a failure too.
 *  \param answer  planner_launch_answer(), but in tests
 *  \param wait  called when more time is wanted than plugstack.conf's deadline: seconds of the
 *               search, which somebody has named
 *  \param size  without the NUL at its end
 *  \return the reply's text, which ends with free(); NULL: out of memory */
char *planner_launch(const planner_facts *facts, planner_answerer *answer,
                     void (*wait)(double seconds), size_t *size);

#endif
