/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap_time_evaluate() in as much work as its caller has time for. */
#ifndef TOPOMAP_PREDICTION_H
#define TOPOMAP_PREDICTION_H

#include "topomap/time.h"
#include "watch/watch.h"

/** What the links carry, as topomap_congestion_evaluate() has it by the same model. */
typedef struct topomap_time_loads {
    double max, mean; /* bytes / capacity */
} topomap_time_loads;

/** Bytes a second that a rank copies from another one of its node, where nobody has measured that:
 * what the machine's kind tells (gpus:), else as \p costs have it, but no slower than what a node's
 * own links carry, or a pair that talks would be taken apart on the word of an assumption. */
double topomap_time_memory(const topomap_machine *machine, const topomap_time_costs *costs);

/** What a prediction goes by: \p given, or what topomap/time.h says of NULL and of a memory_rate of
 * 0. TOPOMAP_EUSAGE where it is out of range. */
int topomap_time_costs_take(const topomap_machine *machine, const topomap_time_costs *given,
                            topomap_time_costs *costs, topomap_error *err);

/**
 * \param model   "routes", "adaptive" or "exact": TOPOMAP_EINPUT where it does not lead everywhere;
 *                NULL: adaptive on dragonflies with detours (valiant=), else routes; exact where
 *                that does not
 * \param budget  of max-min sharing, links of flows to look at (metric/fluid.h); 0: the bound
 *                alone, by the most loaded link
 * \param loads   NULL, or out: of all phases, one after the other
 */
int topomap_time_predict(const topomap_graph *graph, const topomap_machine *machine,
                         const uint32_t *slot_of_rank, const topomap_time_costs *costs,
                         const char *model, uint64_t budget, topomap_time *time,
                         topomap_time_loads *loads, topomap_error *err);

/** topomap_time_evaluate(), and \p watch says how far it has come; NULL: nobody looks. */
int topomap_time_watched(const topomap_graph *graph, const topomap_machine *machine,
                         const uint32_t *slot_of_rank, const topomap_time_costs *costs,
                         topomap_watch *watch, topomap_time *time, topomap_error *err);

#endif
