/* SPDX-License-Identifier: BSD-3-Clause */
/* A job whose planner has missed its deadline once does not wait for another: its further steps are
 * left as Slurm lays them out. */
#ifndef TOPOMAP_PLUGIN_SRUN_BREAKER_H
#define TOPOMAP_PLUGIN_SRUN_BREAKER_H

#include <stdint.h>

/** For the steps of this user's job that are started on this machine. 0 is no job: its srun is the
 * only one. */
void plugin_breaker_trip(uint32_t job);
int plugin_breaker_is_tripped(uint32_t job);

#endif
