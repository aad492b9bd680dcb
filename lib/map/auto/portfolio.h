/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_PORTFOLIO_H
#define TOPOMAP_PORTFOLIO_H

#include "map/objective.h"
#include "map/problem.h"

/** Is nobody's algorithm named? */
int topomap_portfolio_is_auto(const topomap_map_options *options);

/** Runs options->algorithm ("auto": every candidate that suits the machine and the effort) and
 *  keeps the placement of least J; ties go to the earlier candidate, the baseline first.
 *  mapping->slot_of_rank is [slots] here; the rest of the mapping is filled.
 *  \param score  out: of that placement */
int topomap_portfolio_run(topomap_problem *problem, const topomap_map_options *options,
                          topomap_mapping *mapping, topomap_score *score, topomap_error *err);

/** Only blocks move: the ranks in order are cut into blocks as large as the nodes, and it is sought
 *  which node gets which block. options->algorithm maps the graph between blocks to the nodes; then
 *  nodes of equal size change their blocks, and ranks their slots inside their node. The baseline
 *  is a candidate where it is contiguous itself. Fills the mapping as topomap_portfolio_run(). */
int topomap_contiguous_run(topomap_problem *problem, const topomap_map_options *options,
                           topomap_mapping *mapping, topomap_score *score, topomap_error *err);
/** \return whether the ranks of each node are consecutive, or -1.
 *  \param slot_of  [slots] */
int topomap_contiguous_is(const topomap_machine *machine, const uint32_t *slot_of,
                          topomap_error *err);

/** The caller's placement of the ranks, made a permutation of all slots: the slots that it leaves
 *  empty go to the padding vertices, in order. TOPOMAP_EINPUT where it is no placement.
 *  \param name     for the error
 *  \param slot_of  [ranks], or NULL: rank r on slot r
 *  \param full     [slots] out */
int topomap_placement_fill(const char *name, const uint32_t *slot_of, uint32_t ranks,
                           uint32_t slots, uint32_t *full, topomap_error *err);

/** Groups of ranks stay together (options->together). options->algorithm maps the graph between
 *  groups to the places that nodes have for them; then ranks change places inside a node, or what
 *  they are to stay on. The baseline is a candidate where it keeps them. Fills the mapping as
 *  topomap_portfolio_run(). */
int topomap_together_run(topomap_problem *problem, const topomap_map_options *options,
                         topomap_mapping *mapping, topomap_error *err);

/** Nonzero where there is such a level on this machine: options->together_level. */
int topomap_together_has_level(const topomap_machine *machine, const char *level);
/** The most that divides \p ranks and the slots of each group of nodes of a level above nodes; 0:
 * there is no such level. */
uint32_t topomap_together_common(const topomap_machine *machine, const char *level, uint32_t ranks);
/** Nonzero where a placement keeps groups, or each \p piece ranks of one in their order, together
 * on a level that there is. \param group, slot_of  [ranks] */
int topomap_together_keeps(const topomap_machine *machine, const char *level, const uint32_t *group,
                           uint32_t ranks, uint32_t piece, const uint32_t *slot_of);

/** Brings options->pin_rank to options->pin_node where it is not: of what leaves all else as it is
 *  as far as possible (two nodes change their ranks, or two groups of nodes do; a torus is laid
 *  onto itself; or two ranks change places, or two pieces that stay together) what costs least. Of
 *  "auto" that is refined by swaps that hold the rank, where it costs something, and is never worse
 *  than the baseline where that has the rank there, and keeps together what is to be. The rank
 *  stays where it is where nothing of that can be. */
int topomap_pin_run(topomap_problem *problem, const topomap_map_options *options,
                    topomap_mapping *mapping, topomap_error *err);

/** Reorders ranks inside each node so that they ascend with the slots. */
int topomap_problem_sort_inside(const topomap_problem *problem, uint32_t *slot_of,
                                topomap_error *err);

#endif
