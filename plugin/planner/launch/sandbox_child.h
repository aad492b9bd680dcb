/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers a request in a child process with the reader's sandbox (plugin/sandbox): the child reads
 * the database and the graph, which others have made, and writes the answer to a pipe. Its parent
 * asks scontrol and writes files. */
#ifndef TOPOMAP_PLANNER_SANDBOX_CHILD_H
#define TOPOMAP_PLANNER_SANDBOX_CHILD_H

#include "plugin/planner/request/request.h"

/** planner_answer_text() in such a process; where none can be made, in this one.
 *  \return the reply's text, which ends with free(); NULL: out of memory */
char *planner_sandboxed_answer(const planner_request *request, size_t *size);

#endif
