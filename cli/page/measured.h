/* SPDX-License-Identifier: BSD-3-Clause */
/* The measured time in a page's headline. */
#ifndef TOPOMAP_CLI_PAGE_MEASURED_H
#define TOPOMAP_CLI_PAGE_MEASURED_H

#include <jansson.h>

#include "plugin/planner/request/request.h"
#include "plugin/store/run.h"

/** What the store has of the profile that the launch was placed with: of runs on as many nodes.
 *  \return 1; 0: nothing, or the store is not this user's */
int page_measured(const planner_request *request, store_comparison *found);
/** The figure: medians, null of a layout without runs. */
json_t *page_measured_json(const store_comparison *times);

#endif
