/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_MAP_NODE_PRICE_H
#define TOPOMAP_MAP_NODE_PRICE_H

#include "machine/machine.h"
#include "util/arena.h"

/** What it costs a node to talk to many others at once: the sum of weight times distance, for all
 *  nodes of a torus, mesh or matrix together. On a torus distances add up over the dimensions, so
 *  that the weights of each plane are enough; on a matrix those of each site are. */
typedef struct topomap_node_price {
    const topomap_machine *machine;
    topomap_arena memory;
    uint32_t points;                          /* planes of all dimensions, or sites */
    uint32_t first[TOPOMAP_MACHINE_DIMS + 1]; /* of the planes of a dimension */
    double *weight, *price;                   /* [points] */
    double *sum;                              /* [points + 1] scratch */
    double total;                             /* of the weights */
    double base;                              /* torus: what all of it costs without a hop */
} topomap_node_price;

/** Without weights. The machine is no tree. */
int topomap_node_price_init(topomap_node_price *field, const topomap_machine *machine,
                            topomap_error *err);
void topomap_node_price_clear(topomap_node_price *field);

void topomap_node_price_add(topomap_node_price *field, uint32_t node, double weight);
/** Prices what was added since the last time. O(planes), or O(sites) for each site with weight. */
void topomap_node_price_price(topomap_node_price *field);
/** Cost of a node, as priced; its own weight counts as that of another node at its place. */
double topomap_node_price_cost(const topomap_node_price *field, uint32_t node);
/** What its own weight was counted as, a unit. */
double topomap_node_price_own(const topomap_node_price *field, uint32_t node);

#endif
