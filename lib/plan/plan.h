/* SPDX-License-Identifier: BSD-3-Clause */
/* A plan inside topomap; what a plan is: topomap/plan.h. */
#pragma once

#include <stdio.h>

#include "topomap/plan.h"
#include "topomap/topomap.h"

/* ---- plan ---------------------------------------------------------------------- */

/** Percent by which a cost fell from \p before to \p after; 0 where before is 0. */
double topomap_plan_gain(double before, double after);
/** The same by the objective that a mapping was made for; J as its search went by it, which may
 *  count messages.
 *  \param J_before, J_after  by bytes alone
 *  \param load  [2] before and after; NULL: by J, whatever was asked for */
double topomap_plan_gain_of(const topomap_mapping *mapping, double J_before, double J_after,
                            const topomap_congestion *load);
/** "J", "congestion", "mix" or "time"; static. */
const char *topomap_plan_objective(enum topomap_objective_kind objective);
/** What topomap_plan_gain_of() is a gain of, for people; static. \param links  zero: of J */
const char *topomap_plan_figure(const topomap_mapping *mapping, int links);
/** The CPUs of the plan's i-th task, of this node: its own in the plan's bindings, or where CPUs go
 *  by the GPUs that Slurm gives tasks (topomap_bindings.gpu_place) those of its GPU.
 *  \param pu  lent \return how many; 0: Slurm decides on them */
uint32_t topomap_plan_cpus(const topomap_plan *plan, uint32_t node, uint32_t i,
                           const uint32_t **pu);

/* ---- spread -------------------------------------------------------------------- */
/* How far the groups of a training job are spread: tensor, pipeline, data, context and expert
 * parallel ranks over nodes, and over what there is above nodes. */

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
