/* SPDX-License-Identifier: BSD-3-Clause */
/* Placements that the caller knows beforehand (topomap_map_options.layout), and which of all is the
 * answer. */
#ifndef TOPOMAP_LAYOUTS_H
#define TOPOMAP_LAYOUTS_H

#include "map/objective.h"
#include "map/problem.h"

typedef struct topomap_known_layout {
    const char *name;  /* lent */
    uint32_t *slot_of; /* [slots] a permutation */
    topomap_score score;
    double seconds; /* CPU time */
} topomap_known_layout;

typedef struct topomap_layouts {
    size_t count;
    topomap_known_layout *row;
} topomap_layouts;

/** Scores those of the options that are candidates: they are told of in topomap_map_options. Where
 *  the time is up, the rest is left out.
 *  \param layouts  zero; ends with topomap_layouts_close(), after a failure too */
int topomap_layouts_open(const topomap_problem *problem, const topomap_map_options *options,
                         topomap_layouts *layouts, topomap_error *err);
void topomap_layouts_close(topomap_layouts *layouts);
/** Puts them behind the first of the mapping's candidates. */
int topomap_layouts_list(const topomap_layouts *layouts, topomap_mapping *mapping,
                         topomap_error *err);

/** Puts the best of what was found, the layouts and, by time, the baseline into \p mapping; of
 *  equals what was found stays. The search went by the most loaded links where the objective is
 *  time: here links are shared, as far as that is not too much work.
 *  \param found  the score of what is in \p mapping */
int topomap_settle(const topomap_problem *problem, const topomap_map_options *options,
                   const topomap_layouts *layouts, const topomap_score *found,
                   topomap_mapping *mapping, topomap_error *err);

#endif
