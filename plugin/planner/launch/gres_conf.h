/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether Slurm counts GPUs as the database does. */
#ifndef TOPOMAP_PLANNER_GRES_CONF_H
#define TOPOMAP_PLANNER_GRES_CONF_H

/** Slurm's index of a GPU is its place in gres.conf, the database's goes by bus ids, as the numbers
 * of /dev/nvidia0 and the like do. \param path  a gres.conf; none, or one that cannot be read, has
 * no order of its own \return nonzero: some node's files (File=) are not in the order of their
 * numbers */
int planner_gres_reorders(const char *path);

/** The one beside slurm.conf, which SLURM_CONF names. \param path [size] out */
void planner_gres_path(char *path, unsigned long size);

#endif
