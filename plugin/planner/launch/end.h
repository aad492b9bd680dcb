/* SPDX-License-Identifier: BSD-3-Clause */
/* What is to be done when a step has ended: "later" rows of its launch's reply, sent back. */
#ifndef TOPOMAP_PLANNER_END_H
#define TOPOMAP_PLANNER_END_H

#include "plugin/planner/launch/facts.h"

/** Does it all, and tells in the reply what is to be told. \return the reply's text, which ends
 * with free(); NULL: out of memory */
char *planner_end(const planner_facts *facts, size_t *size);

#endif
