/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap_time_evaluate() in as much work as its caller has time for. */
#ifndef TOPOMAP_PREDICTION_H
#define TOPOMAP_PREDICTION_H

#include "topomap/time.h"

/** \param budget  of max-min sharing, links of flows to look at (metric/fluid.h); 0: the bound
 * alone, by the most loaded link */
int topomap_time_predict(const topomap_graph *graph, const topomap_machine *machine,
                         const uint32_t *slot_of_rank, const topomap_time_costs *costs,
                         uint64_t budget, topomap_time *time, topomap_error *err);

#endif
