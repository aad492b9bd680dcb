/* SPDX-License-Identifier: BSD-3-Clause */
/* Places that are GPUs, where it makes a difference between nodes which NIC a task's GPU uses, or
 * what joins GPUs of several. */
#ifndef TOPOMAP_PLANNER_GPU_MACHINE_H
#define TOPOMAP_PLANNER_GPU_MACHINE_H

#include "plugin/planner/plan/inputs.h"

/** Takes a machine whose slots are GPUs for that of \p inputs, and notes which (slot_gpu), where
 * the step is on several nodes, no node has more tasks than GPUs, all GPUs are known and use
 * several rails or NVLink joins nodes. Else, and where it cannot be made, all stays as it is.
 * Bindings by slot stay, too: their slots are of the same nodes. */
void planner_gpu_machine_make(topomap_db *db, const topomap_db_allocation *allocation,
                              planner_inputs *inputs);

/** The slot that a node's k-th task has in Slurm's order: of the k-th of the slots' GPUs.
 *  \param slot  the node's k-th \return it, or \p slot where slots are no GPUs */
uint32_t planner_gpu_machine_slot(const planner_inputs *inputs, uint32_t slot);

#endif
