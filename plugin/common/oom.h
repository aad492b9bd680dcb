/* SPDX-License-Identifier: BSD-3-Clause */
/* Who ends where memory does. */
#ifndef TOPOMAP_PLUGIN_COMMON_OOM_H
#define TOPOMAP_PLUGIN_COMMON_OOM_H

/** Makes this process, and what it starts, the first that the kernel ends where a control group or
 *  the machine has no memory left: a job can do without topomap, not without its program. What
 *  slurmstepd starts would be the last otherwise (-1000 is slurmstepd's own, STEPD_OOM_ADJ in
 *  Slurm's slurmstepd/mgr.c 22.05 to 26.05). Where the kernel refuses, nothing changes. */
void plugin_oom_first(void);

#endif
