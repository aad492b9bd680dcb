/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph of switches, as a reader loads it. */
#ifndef TOPOMAP_DB_SWITCHES_H
#define TOPOMAP_DB_SWITCHES_H

#include "fabric/switches.h"
#include "topology-db/store.h"

/** Costs are those of costs.h. Ends with topomap_switches_clear().
 *  \param slurm  those of Slurm's topology file in place of the fabric's */
int db_switches_load(sqlite3 *file, int slurm, topomap_switches *switches, topomap_error *err);

#endif
