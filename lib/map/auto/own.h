/* SPDX-License-Identifier: BSD-3-Clause */
/* Algorithms of the caller's own (topomap/extend.h). */
#ifndef TOPOMAP_MAP_AUTO_OWN_H
#define TOPOMAP_MAP_AUTO_OWN_H

#include "map/problem.h"

/** TOPOMAP_EUSAGE where one of them is not what it has to be. \param own  [count] */
int topomap_own_check(const topomap_own_algorithm *own, size_t count, topomap_error *err);
/** The one of that name [length], or NULL. */
const topomap_own_algorithm *topomap_own_find(const topomap_problem *problem, const char *name,
                                              size_t length);
/** Runs it, and looks whether a placement has come of it.
 *  \param parameters  nonzero: some stand behind its name
 *  \param first       nonzero: there is nothing to refine yet but the baseline
 *  \param slot_of     [slots] in: the placement so far, unless \p first; out: a permutation */
int topomap_own_run(const topomap_own_algorithm *own, topomap_problem *problem, int parameters,
                    int first, uint32_t *slot_of, topomap_error *err);

#endif
