/* SPDX-License-Identifier: BSD-3-Clause */
/* The result for a step: which tasks each node gets, and which CPUs each task. */
#ifndef TOPOMAP_PLAN_H
#define TOPOMAP_PLAN_H

#include "plan/bindings.h"
#include "topomap/topomap.h"

typedef struct topomap_plan {
    uint32_t nodes, tasks;
    uint32_t *first;           /* [nodes + 1] */
    uint32_t *task;            /* [tasks] of node i, ascending: task[first[i] .. first[i+1]) */
    uint32_t *slot;            /* [tasks] the slot of each of them */
    topomap_bindings bindings; /* of each of them, in the same order; .nodes 0: none */
} topomap_plan;

/** \param slot_of_task  [slots of the machine] a permutation: a plan places every slot's task
 *  \param by_slot       bindings of the slots in slot order (copied, reordered), or NULL
 *  The caller owns the plan; topomap_plan_clear() ends it. */
int topomap_plan_make(const topomap_machine *machine, const uint32_t *slot_of_task,
                      const topomap_bindings *by_slot, topomap_plan *plan, topomap_error *err);
void topomap_plan_clear(topomap_plan *plan);

/** "0,2,5-7;1,3-4": the tasks of each node as ranges, nodes separated by ';'. A node without tasks
 *  has an empty text. NULL on failure; ends with free(). */
char *topomap_layout_format(uint32_t nodes, const uint32_t *first, const uint32_t *task,
                            topomap_error *err);
/** Reads such a text: [nodes] groups, group i with first[i+1] - first[i] tasks, ascending; the
 *  whole a permutation of 0..first[nodes]-1. Anything else is TOPOMAP_EINPUT.
 *  \param task [first[nodes]] filled */
int topomap_layout_parse(const char *text, uint32_t nodes, const uint32_t *first, uint32_t *task,
                         topomap_error *err);

/** A text for people: what changed by level, who won, one line a node.
 *  \param before,after  costs of the two layouts; \p before_name is "Slurm's layout" or so
 *  \param load           [2] congestion before and after, by the mapping's model; or NULL
 *  \param mapping       what the search reported
 *  \param kept          nonzero: the layout stays as it was, and `after` is what was found
 *  Appends to \p out. */
void topomap_plan_explain(FILE *out, const topomap_machine *machine, const topomap_plan *plan,
                          const topomap_mapping *mapping, int kept, const char *before_name,
                          const topomap_cost *before, const topomap_cost *after,
                          const topomap_congestion *load);

/** Percent by which a cost fell from \p before to \p after; 0 where before is 0. */
double topomap_plan_gain(double before, double after);
/** The same of congestion: of the maximum, or of the mean where the maximum is as it was. */
double topomap_plan_gain_congestion(const topomap_congestion *before,
                                    const topomap_congestion *after);

#endif
