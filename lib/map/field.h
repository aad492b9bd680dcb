/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_FIELD_H
#define TOPOMAP_FIELD_H

#include "machine/machine.h"
#include "util/arena.h"

/** What it costs a node to talk to many others at once: the sum of weight times distance, for all
 *  nodes of a torus, mesh or matrix together. On a torus distances add up over the dimensions, so
 *  that the weights of each plane are enough; on a matrix those of each site are. */
typedef struct topomap_field {
    const topomap_machine *machine;
    topomap_arena memory;
    uint32_t points;                          /* planes of all dimensions, or sites */
    uint32_t first[TOPOMAP_MACHINE_DIMS + 1]; /* of the planes of a dimension */
    double *weight, *price;                   /* [points] */
    double *sum;                              /* [points + 1] scratch */
    double total;                             /* of the weights */
    double base;                              /* torus: what all of it costs without a hop */
} topomap_field;

/** Without weights. The machine is no tree. */
int topomap_field_init(topomap_field *field, const topomap_machine *machine, topomap_error *err);
void topomap_field_clear(topomap_field *field);

void topomap_field_add(topomap_field *field, uint32_t node, double weight);
/** Prices what was added since the last time. O(planes), or O(sites) for each site with weight. */
void topomap_field_price(topomap_field *field);
/** Cost of a node, as priced; its own weight counts as that of another node at its place. */
double topomap_field_cost(const topomap_field *field, uint32_t node);
/** What its own weight was counted as, a unit. */
double topomap_field_own(const topomap_field *field, uint32_t node);

#endif
