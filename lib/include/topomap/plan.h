/* SPDX-License-Identifier: BSD-3-Clause */
/** \file
 * \brief The result for a step: which tasks each node gets, and which CPUs each task.
 *
 * A node belongs to a class (nodes with the same inside). The class lists its cores in hwloc's
 * logical order, which is also Slurm's abstract core numbering (socket by socket), with the OS PU
 * numbers of each. A task gets a set of places; a place is one core (all its PUs) or one PU.
 * Where tasks have GPUs, a node may have an order of them: program after program takes the GPU of
 * its local id (SLURM_LOCALID), and that is then another than by Slurm's order.
 * The conventions of topomap/topomap.h hold. */
#ifndef TOPOMAP_PLAN_H
#define TOPOMAP_PLAN_H

#include <topomap/topomap.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct topomap_bindings_class {
    uint32_t cores;
    uint32_t *pu_first; /**< [cores + 1] */
    uint32_t *pu_os;    /**< [pu_first[cores]] */
} topomap_bindings_class;

typedef struct topomap_bindings {
    uint32_t job, step; /**< a plan for another job or step must not be applied */
    uint32_t classes;
    topomap_bindings_class *node_class; /**< [classes] */
    uint32_t nodes;                     /**< of the step, in the step's node order */
    uint32_t *class_of;                 /**< [nodes], UINT32_MAX: tasks are not bound there */
    uint32_t *task_first;               /**< [nodes + 1] tasks of node i, by local id, are
                                           task_first[i] .. task_first[i+1] */
    uint32_t *pu_start;                 /**< [task_first[nodes] + 1] */
    uint32_t *pu;        /**< [pu_start[last]] OS PU numbers of each task, ascending, non-empty for
                            nodes with a class */
    uint32_t *gpu_first; /**< [nodes + 1] or NULL: no node has an order. The order of node i is that
                            of gpu_first[i] .. gpu_first[i+1], none: Slurm's stays */
    uint32_t *gpu;       /**< [gpu_first[last]] all GPUs that the step has of the node, by Slurm's
                            index there (gres.conf), ascending */
    uint32_t *gpu_place; /**< [gpu_first[last]] which of the node's list stands k-th, from 0. All
                            where they are: each task has one of them among those that Slurm gives
                            it, and the CPUs of the k-th task are those of the task that has the
                            k-th GPU */
    uint8_t *gpu_amd;    /**< [nodes] where gpu_first is there: the node's GPUs are AMD's */
} topomap_bindings;

/** Frees what the bindings own (not the struct) and zeroes it. */
TOPOMAP_PUBLIC void topomap_bindings_clear(topomap_bindings *bindings);

typedef struct topomap_plan {
    uint32_t nodes, tasks;
    uint32_t *first;           /**< [nodes + 1] */
    uint32_t *task;            /**< [tasks] of node i, ascending: task[first[i] .. first[i+1]) */
    uint32_t *slot;            /**< [tasks] the slot of each of them */
    topomap_bindings bindings; /**< of each of them, in the same order; .nodes 0: none */
    uint32_t *gpu;             /**< [tasks] that each of them takes, by Slurm's index on its node;
                                  UINT32_MAX: none, or not known. NULL: of all */
    uint32_t *nic;             /**< [tasks] that this GPU uses, an index of nic_name; UINT32_MAX
                                  likewise. NULL where gpu is */
    uint32_t nics;             /**< names, of all nodes together */
    char (*nic_name)[32];      /**< [nics] "hsn0", "mlx5_1" */
} topomap_plan;

/** \param slot_of_task  [slots of the machine] a permutation: a plan places every slot's task
 *  \param by_slot       bindings of the slots in slot order (copied, reordered), or NULL
 *  The caller owns the plan; topomap_plan_clear() ends it.
 *  Fails with TOPOMAP_EUSAGE where a slot does not exist or has two tasks. */
TOPOMAP_PUBLIC int topomap_plan_make(const topomap_machine *machine, const uint32_t *slot_of_task,
                                     const topomap_bindings *by_slot, topomap_plan *plan,
                                     topomap_error *err);
/** Frees what the plan owns (not the struct) and zeroes it. */
TOPOMAP_PUBLIC void topomap_plan_clear(topomap_plan *plan);

/** "0,2,5-7;1,3-4": the tasks of each node as ranges, nodes separated by ';'. A node without tasks
 *  has an empty text. NULL on failure; ends with free(). */
TOPOMAP_PUBLIC char *topomap_layout_format(uint32_t nodes, const uint32_t *first,
                                           const uint32_t *task, topomap_error *err);
/** Reads such a text: [nodes] groups, group i with first[i+1] - first[i] tasks, ascending; the
 *  whole a permutation of 0..first[nodes]-1. Anything else is TOPOMAP_EINPUT.
 *  \param task [first[nodes]] filled */
TOPOMAP_PUBLIC int topomap_layout_parse(const char *text, uint32_t nodes, const uint32_t *first,
                                        uint32_t *task, topomap_error *err);

/** A text for people: what changed by level, who won, one line a node.
 *  \param before,after  costs of the two layouts; \p before_name is "Slurm's layout" or so
 *  \param load           [2] congestion before and after, by the mapping's model; or NULL
 *  \param mapping       what the search reported
 *  \param kept          nonzero: the layout stays as it was, and `after` is what was found
 *  Appends to \p out. */
TOPOMAP_PUBLIC void topomap_plan_explain(FILE *out, const topomap_machine *machine,
                                         const topomap_plan *plan, const topomap_mapping *mapping,
                                         int kept, const char *before_name,
                                         const topomap_cost *before, const topomap_cost *after,
                                         const topomap_congestion *load);

#ifdef __cplusplus
}
#endif
#endif
