/* SPDX-License-Identifier: BSD-3-Clause */
/** \file
 * \brief Predicted communication time of a placement.
 *
 * The model, phase by phase (topomap_graph_phases(); a graph without phases is one), all of a
 * phase's messages being under way at once:
 *
 *   seconds = the longest of
 *               link      the bytes over any link between switches or routers / its rate
 *               node      the bytes over any link of a node / its rate, or what any rank receives
 *                         from ranks of its own node / the memory's rate
 *               overhead  the messages that any rank sends and receives * a message's overhead
 *             + the largest latency of any pair: base + hops * a hop's
 *
 * Messages go by the routes that the fabric takes (routing tables, D-mod-K, dimension order,
 * minimal routing) where these are known, else over all shortest paths with equal shares. With
 * links that are shared fairly (max-min) one exchange mostly takes just as long as its most loaded
 * link, since all flows over that link end together; by routes, sharing is followed until the last
 * flow ends, and where that is later it counts.
 *
 * Where no barrier divides phases a rank goes on to the next one when its own part of one has
 * ended, so that ranks are in different phases at a time: by routes, and where that is not too much
 * work, all are followed together. A message then flows from when both of its ranks have come to
 * its phase; who sends 64 KiB or less at a time does not wait for its end (MPI libraries' eager
 * protocol). The whole may be less than the phases' sum, or more where messages of several phases
 * meet on a link. Phases of profiles have barriers (collectives) between them: their sum is the
 * whole. Overheads and latencies are those of LogGP
 * (Alexandrov, Ionescu, Schauser & Scheiman, SPAA 1995): o at both ends, L once, G as the links'
 * rates.
 */
#ifndef TOPOMAP_TIME_H
#define TOPOMAP_TIME_H

#include <topomap/topomap.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What is not known of the machine; begin with TOPOMAP_TIME_COSTS. */
typedef struct topomap_time_costs {
    size_t size;        /**< sizeof(topomap_time_costs), as in topomap_map_options */
    double rate;        /**< bytes a second of each cable, where no cable's rate is known */
    double latency;     /**< seconds from one node to another, the hops' apart */
    double hop_latency; /**< seconds a hop */
    double overhead;    /**< seconds that a rank spends on each message that it sends or receives */
    double memory_rate; /**< bytes a second that a rank copies from another one of its node; 0: as
                             without costs (topomap_time_evaluate()) */
} topomap_time_costs;

/** 100 Gb/s, 1 us, 0.1 us, 0.2 us, 10 GB/s: a host's adapter and a switch of 2020, and one core. */
#define TOPOMAP_TIME_COSTS                                                                         \
    {                                                                                              \
        sizeof(topomap_time_costs), 12.5e9, 1e-6, 1e-7, 2e-7, 1e10                                 \
    }

/** One phase. */
typedef struct topomap_time_phase {
    double seconds;
    double link, node, overhead, latency; /**< the parts of the sum above, in seconds */
    const char *bound_by; /**< "link", "node" or "latency" (which overheads are part of): the part
                               that has most of the seconds; "" where nothing is sent. Static */
    char where[128]; /**< "leaf1 -> spine2", "node7 -> leaf1", "rank 3", "rank 3 -> rank 9"; the
                          first of equals */
} topomap_time_phase;

typedef struct topomap_time {
    double seconds; /**< of all phases: their sum where barriers divide them, else rank by rank */
    uint32_t phases;
    topomap_time_phase *phase; /**< [phases] each by itself */
    const char *model; /**< which ways messages take: a topomap_congestion_row(), "adaptive",
                          "routes" or "exact"; static */
    int is_bound;      /**< nonzero: the sharing of links was not followed (no routes, adaptive, too
                            many messages): seconds are those of the most loaded links, no more */
    int rates_assumed; /**< nonzero: no cable's rate is known, and costs->rate is that of all */
} topomap_time;

/** Predicts how long a placement's communication takes.
 *  \param slot_of_rank  [ranks of the graph]
 *  \param costs         NULL: TOPOMAP_TIME_COSTS, but a memory_rate no slower than what a node's
 *                       own links carry, and for GPUs (gpus:) that of NVLink or PCI. A
 *                       memory_rate of 0 is likewise; another rate of 0 and what is negative or no
 *                       number is TOPOMAP_EUSAGE
 *  \param time          ends with topomap_time_clear()
 *  Fails with TOPOMAP_EUSAGE where the machine's links are not known (trees and matrices), and with
 *  TOPOMAP_EINPUT where nodes that communicate are not joined. Deterministic; threads may share
 *  graph and machine. By routes O(arcs * hops) for each time at which some messages end, some
 *  seconds at most. */
TOPOMAP_PUBLIC int topomap_time_evaluate(const topomap_graph *graph, const topomap_machine *machine,
                                         const uint32_t *slot_of_rank,
                                         const topomap_time_costs *costs, topomap_time *time,
                                         topomap_error *err);
/** Frees what it owns (not the struct). */
TOPOMAP_PUBLIC void topomap_time_clear(topomap_time *time);

#ifdef __cplusplus
}
#endif
#endif
