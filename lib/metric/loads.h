/* SPDX-License-Identifier: BSD-3-Clause */
/* What each link of a machine's network carries by a placement, all phases together: for pictures
 * and tables of links. */
#ifndef TOPOMAP_LOADS_H
#define TOPOMAP_LOADS_H

#include "topomap/topomap.h"

typedef struct topomap_loads topomap_loads;

/** By the model that topomap_congestion_evaluate() has by that name; NULL: by routes where the
 *  network has some that lead everywhere, else exact. Graph and machine are lent, as long as the
 *  loads live; \p slot_of [ranks] is not needed afterwards.
 *  \return 0 with *loads, which ends with topomap_loads_free(); -1: TOPOMAP_EUSAGE where the
 *  machine's links are not known, TOPOMAP_EINPUT where nodes that communicate are not joined */
int topomap_loads_new(const topomap_graph *graph, const topomap_machine *machine,
                      const uint32_t *slot_of, const char *model, topomap_loads **loads,
                      topomap_error *err);
void topomap_loads_free(topomap_loads *loads);

/** The name of the model; static. */
const char *topomap_loads_model(const topomap_loads *loads);
/** Of the shares: "bytes" or "s"; static. */
const char *topomap_loads_unit(const topomap_loads *loads);
/** Directed links, the same ones for every placement on a machine. */
uint32_t topomap_loads_links(const topomap_loads *loads);
/** Bytes over the link / its capacity. */
double topomap_loads_share(const topomap_loads *loads, uint32_t link);
/** "leaf1 -> spine2"; what does not fit is cut. */
void topomap_loads_name(const topomap_loads *loads, uint32_t link, char *text, size_t size);

#endif
