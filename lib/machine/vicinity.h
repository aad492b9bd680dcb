/* SPDX-License-Identifier: BSD-3-Clause */
/* For each node, the nodes close to it: where a search looks for partners to swap with. */
#ifndef TOPOMAP_VICINITY_H
#define TOPOMAP_VICINITY_H

#include "machine/machine.h"

typedef struct topomap_vicinity {
    uint32_t *first; /* [nodes + 1] */
    uint32_t *node;  /* [first[nodes]] ascending for each node; the node itself is left out */
} topomap_vicinity;

/** Torus: nodes at most one hop away. Tree: nodes of the innermost group that holds more than one
 *  node. Matrix: nodes of the same site, or of the nearest one. At most \p limit for a node. */
int topomap_vicinity_build(const topomap_machine *machine, uint32_t limit,
                           topomap_vicinity *vicinity, topomap_error *err);
void topomap_vicinity_clear(topomap_vicinity *vicinity);

#endif
