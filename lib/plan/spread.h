/* SPDX-License-Identifier: BSD-3-Clause */
/* How far the groups of a training job are spread: tensor, pipeline, data, context and expert
 * parallel ranks over nodes, and over what there is above nodes. */
#ifndef TOPOMAP_PLAN_SPREAD_H
#define TOPOMAP_PLAN_SPREAD_H

#include <stdio.h>

#include "topomap/topomap.h"

enum { TOPOMAP_SPREAD_KINDS = 5, TOPOMAP_SPREAD_LEVELS = 4 };

/** Over how many parts of a level a group is spread. */
typedef struct topomap_spread_level {
    const char *name; /**< "node", "leaf", or a tree's own; lent by the machine, or static */
    double mean;
    uint32_t most;
} topomap_spread_level;

typedef struct topomap_spread_kind {
    const char *name; /**< "tp", ..; static */
    uint32_t groups, size;
    topomap_spread_level level[TOPOMAP_SPREAD_LEVELS];
} topomap_spread_kind;

typedef struct topomap_spread {
    uint32_t kinds, levels;
    topomap_spread_kind kind[TOPOMAP_SPREAD_KINDS]; /**< those of more than one rank a group */
} topomap_spread;

/** No kinds where the graph is not of the pattern parallel:, whose groups alone are known.
 *  \param slot_of  [ranks] \return -1 where memory is short */
int topomap_spread_measure(const topomap_graph *graph, const topomap_machine *machine,
                           const uint32_t *slot_of, topomap_spread *spread, topomap_error *err);
/** Lines for people; nothing where there are no kinds. \param after  NULL: there is one placement
 */
void topomap_spread_print(FILE *out, const topomap_spread *before, const char *before_name,
                          const topomap_spread *after);

#endif
