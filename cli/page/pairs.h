/* SPDX-License-Identifier: BSD-3-Clause */
/* What a matrix of a page has to show to who looks closer. */
#ifndef TOPOMAP_CLI_PAGE_PAIRS_H
#define TOPOMAP_CLI_PAGE_PAIRS_H

#include "cli/page/page.h"

/** Each pair of ranks that communicates; json_null(): they are too many. NULL after a failure. */
json_t *page_pairs(const page_job *job, topomap_error *err);
/** Smaller cells than PAGE_CELLS a side; json_null() where too many of them are filled.
 *  \param place  [ranks] as topomap_matrix_make() has it */
json_t *page_finer(const topomap_graph *graph, const uint32_t *place, topomap_error *err);

#endif
