/* SPDX-License-Identifier: BSD-3-Clause */
/* What Slurm's layout of an allocation is on this site. */
#ifndef TOPOMAP_CLI_ORDER_H
#define TOPOMAP_CLI_ORDER_H

#include "cli/cli.h"
#include "topology-db/db.h"

typedef struct cli_order {
    uint32_t *slot_of; /* [tasks] slots are numbered node by node; NULL: task t on slot t */
    const char *name;  /* what the report calls the layout */
} cli_order;

/** Goes by --slurm-order, else by the database; the job's nodes are those of --job-nodes, else of
 *  the job that this runs in. */
int cli_order_make(const cli_call *call, topomap_db *db, const topomap_names *nodes,
                   const uint32_t *tasks, cli_order *order, topomap_error *err);

/** "topology" or "node-index". */
const char *cli_order_word(const topomap_db_slurm_order *order);

/** The way out where a topology.yaml may say otherwise. */
#define CLI_ORDER_UNSURE                                                                           \
    "a topology.yaml beside slurm.conf overrides TopologyPlugin and is not imported: `topomap db " \
    "import slurm-topology topology.yaml`; where there is none: `topomap db import slurm-config "  \
    "FILE --option topology.yaml=none`"

#endif
