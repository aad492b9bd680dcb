/* SPDX-License-Identifier: BSD-3-Clause */
/* The reply's text (protocol.md, "Reply"). */
#ifndef TOPOMAP_PLANNER_ANSWER_H
#define TOPOMAP_PLANNER_ANSWER_H

#include "plugin/planner/plan/decide.h"

/** Plans the step and tells the result, a failure too. \p size without the NUL at its end. NULL:
 * out of memory. Ends with free(). */
char *planner_answer_text(const planner_request *request, size_t *size);
/** Ends a reply: closes \p out, an open_memstream() of \p text and \p size, and adds the line with
 *  the checksum of everything before it. NULL: out of memory. Ends with free(). */
char *planner_answer_seal(FILE *out, char **text, size_t *size);
/** The same of a request that is none. */
char *planner_failure_text(topomap_error *err, size_t *size);

#endif
