/* SPDX-License-Identifier: BSD-3-Clause */
/* The order in which Slurm gives tasks to the nodes of a step: what decides it (`scontrol show
 * config`), and what it is by the topology. */
#ifndef TOPOMAP_DB_SLURM_ORDER_H
#define TOPOMAP_DB_SLURM_ORDER_H

#include "topology-db/store.h"

/** Where a node is in Slurm's topology. */
struct slurm_place {
    uint32_t unit;     /* row of the table of units; UINT32_MAX: nowhere */
    uint32_t position; /* in a ring or torus */
};

/** A leaf switch, block, ring or torus in the order of the file. */
struct slurm_order_unit {
    int64_t id;
    uint32_t index;  /* among those that count: leaf switches, blocks, rings, toruses */
    uint32_t dim[3]; /* of a torus */
    uint32_t nodes;  /* that the file gives it */
};

/** Ranks as Slurm 26.05 computes them, lower first; nodes of one rank stay in node-index order.
 *  \param kind   as in the database: tree, block, ring, torus3d, flat
 *  \param place  [count] of the job's nodes
 *  \param rank   [count] out */
int slurm_ranks(const char *kind, const struct slurm_order_unit *unit, size_t units,
                const struct slurm_place *place, size_t count, uint64_t *rank, topomap_error *err);

/** What slurm-config and slurm-topology put into the table slurm_setting; the table is made where
 *  an earlier topomap did not. */
int slurm_put_setting(sqlite3 *file, int64_t source, const char *name, const char *value,
                      topomap_error *err);
/** "" where it is not there. */
int slurm_get_setting(sqlite3 *file, const char *name, char *text, size_t size, topomap_error *err);

#endif
