/* SPDX-License-Identifier: BSD-3-Clause */
/* What gres.conf tells of a site's GPUs. */
#ifndef TOPOMAP_PLANNER_GRES_CONF_H
#define TOPOMAP_PLANNER_GRES_CONF_H

enum {
    /** Some node's files (File=) are not in the order of their numbers: Slurm's index of a GPU is
     * its place in gres.conf, and the database's follows bus ids, as the numbers of /dev/nvidia0
     * and the like do. */
    PLANNER_GRES_REORDERS = 1,
    /** Slurm may know which CPUs are next to GPUs (Cores=, AutoDetect=), and then chooses the GPUs
     *  of a task by its CPUs (_get_single_usable_gres() since 23.02, _get_gres_per_task() since
     *  23.11, in src/interfaces/gres.c). */
    PLANNER_GRES_CORES = 2
};

/** Returns these flags of the gres.conf \p path. If it cannot be read, it may exist on the
 *  nodes alone (configless Slurm): returns PLANNER_GRES_CORES. */
int planner_gres_flags(const char *path);

/** The one beside slurm.conf, which SLURM_CONF names. \param path [size] out */
void planner_gres_path(char *path, unsigned long size);

#endif
