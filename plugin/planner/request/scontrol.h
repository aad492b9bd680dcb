/* SPDX-License-Identifier: BSD-3-Clause */
/* What scontrol prints of a job and of nodes (`scontrol -a -d -o`, 22.05 to 26.05), given
 * `show job ID` and `show node LIST` on its standard input. */
#ifndef TOPOMAP_PLANNER_SCONTROL_H
#define TOPOMAP_PLANNER_SCONTROL_H

#include "util/cores.h"
#include "util/hostlist.h"

/** How Slurm counts a node: `show node`. */
typedef struct planner_slurm_node {
    uint32_t cores;   /**< sockets times cores of a socket; 0: scontrol does not say */
    uint32_t threads; /**< of a core, by slurm.conf, which need not be the hardware's */
} planner_slurm_node;

/** Reads the record of node \p name in \p text. Where there is none, scontrol was not shown the
 *  nodes (PrivateData=nodes), and counts one thread a core in CPU_IDs, too: {0, 1}. */
planner_slurm_node planner_scontrol_node(const char *text, const char *name);

/** Where the job's CPUs are, as `show job` prints them: "Nodes=n[1-2] CPU_IDs=0-3 Mem=0 GRES=". */
typedef struct planner_slurm_job {
    topomap_names names; /**< in the job's order */
    const char **cpus;   /**< [names.count] into the text, each to the next blank */
    const char **gres;   /**< [names.count] likewise; "" where there is none */
} planner_slurm_job;

/** Reads the record of job \p id in \p text, which has all components and members with a
 *  heterogeneous job's or an array's number. TOPOMAP_EINPUT where there is none, or none with
 *  cores. \p job  ends with planner_slurm_job_clear() */
int planner_scontrol_job(const char *text, uint32_t id, planner_slurm_job *job, topomap_error *err);
void planner_slurm_job_clear(planner_slurm_job *job);

/** CPU_IDs as Slurm's cores: "0-3,8-9" with two threads is 0, 1, 4. A core has all of its threads
 *  there or none.
 *  \param cores    how many the node has
 *  \param core     [cores] filled, ascending
 *  \param count    how many were filled
 *  \return -1: the text is no such list of this node */
int planner_scontrol_cores(const char *cpus, uint32_t threads, uint32_t cores, uint32_t *core,
                           uint32_t *count);

/** The GPUs in such a "gpu:a100:2(IDX:0-1),gpu:v100:1(IDX:3),nic:1", ascending.
 *  \param gpu  [room] \return 0, or -1: it has GPUs, but not which, or more than there is room */
int planner_scontrol_gpus(const char *gres, uint32_t *gpu, uint32_t room, uint32_t *count);

#endif
