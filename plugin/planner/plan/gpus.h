/* SPDX-License-Identifier: BSD-3-Clause */
/* Which GPUs a step has on its nodes, where its tasks see all of them. */
#ifndef TOPOMAP_PLANNER_GPUS_H
#define TOPOMAP_PLANNER_GPUS_H

#include "plugin/planner/request/request.h"
#include "topology-db/query/devices.h"

typedef struct planner_gpus {
    topomap_db_device_classes devices; /* owned: what the next three see of them */
    topomap_db_device_classes known;   /* nodes 0: no node has GPUs, or nobody goes by them */
    topomap_db_device_classes counted; /* the same, and where tasks=node asks just how many */
    topomap_db_device_classes
        all;           /* for nic= and keep=: the same, whether a node has GPUs or not */
    topomap_cores job; /* that the job has, as scontrol told; nodes 0: not known, all of them */
    int none;          /* the job has none, or the step is to be left alone */
    int bound;         /* Slurm binds each task to its own, and they are wanted */
} planner_gpus;

/** Whether tasks are to be next to GPUs: somebody said so, or nobody said what they are to be bound
 *  to. */
int planner_gpus_are_wanted(const planner_request *request);

/** Reads what the database knows, and what the request says.
 *  \param gpus  ends with planner_gpus_clear(), after a failure, too */
int planner_gpus_open(topomap_db *db, const planner_request *request, planner_gpus *gpus,
                      topomap_error *err);
void planner_gpus_clear(planner_gpus *gpus);

/** Whether somebody is to be asked which GPUs the job has. */
int planner_gpus_ask(const planner_request *request, const planner_gpus *gpus);
/** Reads them from what scontrol has printed; what it does not tell is not known. */
int planner_gpus_read(const planner_request *request, const char *text, planner_gpus *gpus,
                      topomap_error *err);
/** The same as a reply has it, "0-3(x2)" or "none", which the key `gpus` of a request reads; NULL:
 *  scontrol was not asked, or did not tell. Ends with free(). */
char *planner_gpus_format(const planner_gpus *gpus, topomap_error *err);

/** The GPUs that the step has of a node and that are known, by Slurm's indices, ascending, which
 *  are those of planner_gpus_devices(): both go by bus ids.
 *  \return how many; 0: none, or not just which */
uint32_t planner_gpus_of(const planner_request *request, const planner_gpus *gpus, uint32_t node,
                         uint32_t gpu[TOPOMAP_DEVICES_MOST]);
const topomap_devices *planner_gpus_devices(const planner_gpus *gpus, uint32_t node);

#endif
