/* SPDX-License-Identifier: BSD-3-Clause */
/* A request's answer from a process that can do no harm (cage.h): it reads the database and the
 * graph, which others have made, and says what is to be said. Who has started it asks scontrol, and
 * writes files. */
#ifndef TOPOMAP_PLANNER_CAGED_H
#define TOPOMAP_PLANNER_CAGED_H

#include "plugin/planner/request/request.h"

/** planner_answer_text() in such a process; where none can be made, in this one.
 *  \return the reply's text, which ends with free(); NULL: out of memory */
char *planner_caged_answer(const planner_request *request, size_t *size);

#endif
