/* SPDX-License-Identifier: BSD-3-Clause */
/* What each link of a machine's network carries by a placement, all phases together: for pictures
 * and tables of links. */
#ifndef TOPOMAP_LINK_LOADS_H
#define TOPOMAP_LINK_LOADS_H

#include "fabric/network.h"
#include "topomap/topomap.h"

typedef struct topomap_link_loads topomap_link_loads;

/** By the model that topomap_congestion_evaluate() has by that name; NULL: by routes where the
 *  network has some that lead everywhere, else exact. Graph and machine are lent, as long as the
 *  loads live; \p slot_of [ranks] is not needed afterwards.
 *  \return 0 with *loads, which ends with topomap_link_loads_free(); -1: TOPOMAP_EUSAGE where the
 *  machine's links are not known, TOPOMAP_EINPUT where nodes that communicate are not joined */
int topomap_link_loads_new(const topomap_graph *graph, const topomap_machine *machine,
                           const uint32_t *slot_of, const char *model, topomap_link_loads **loads,
                           topomap_error *err);
void topomap_link_loads_free(topomap_link_loads *loads);

/** What topomap_congestion_evaluate() says of the same: the model, the unit of shares, how many
 *  directed links there are, the same ones for every placement on a machine. Lent. */
const topomap_congestion *topomap_link_loads_congestion(const topomap_link_loads *loads);
/** Bytes over the link / its capacity. */
double topomap_link_loads_share(const topomap_link_loads *loads, uint32_t link);
/** Whose links they are, lent with the loads. */
const topomap_network *topomap_link_loads_network(const topomap_link_loads *loads);
/** What a vertex of it is called; what does not fit is cut. */
void topomap_link_loads_vertex(const topomap_link_loads *loads, uint32_t vertex, char *text,
                               size_t size);
/** "leaf1 -> spine2"; what does not fit is cut. */
void topomap_link_loads_name(const topomap_link_loads *loads, uint32_t link, char *text,
                             size_t size);

/** Bytes of one rank to another over a link. */
typedef struct topomap_link_pair {
    uint32_t from, to;
    uint64_t bytes; /* 0: no pair */
} topomap_link_pair;
/** The pairs of ranks that have most of each of some links' bytes, most first, of equals the lower
 *  ranks; of all phases together. Where traffic does not go by routes there are none.
 *  \param link  [count] which
 *  \param pair  [count * each] out
 *  \param bytes [count] out: of all pairs over the link */
int topomap_link_loads_pairs(const topomap_link_loads *loads, const uint32_t *link, uint32_t count,
                             uint32_t each, topomap_link_pair *pair, double *bytes,
                             topomap_error *err);

#endif
