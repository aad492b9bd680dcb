/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_PLUGIN_HELPER_DECODE_H
#define TOPOMAP_PLUGIN_HELPER_DECODE_H

#include "plugin/helper/adapters.h"
#include "plugin/helper/answer.h"
#include "plugin/helper/question.h"

/** Decodes bindings for the node that is asked about, within what the step may have. What is not
 *  for this step and its node is no plan and worth no word.
 *  \param answer  says whether there is a plan, or why not
 *  \param memory  where the plan's arrays lie, in their order; ends with free() */
void node_plan_decode(const node_question *question, const char *text, size_t size,
                      node_answer *answer, void **memory);

/** The same of NICs: of those that are not listed none is named, and why_not_named has the first.
 *  \param memory  where their text lies; ends with free() */
void node_nics_decode(const node_question *question, const node_adapters *adapters,
                      node_answer *answer, char **memory);

#endif
