/* SPDX-License-Identifier: BSD-3-Clause */
/* The insides of an allocation's nodes: which core each slot starts on, how close slots are, and
 * which PUs each task gets. */
#ifndef TOPOMAP_DB_QUERY_NODE_LEVELS_H
#define TOPOMAP_DB_QUERY_NODE_LEVELS_H

#include "plan/bindings.h"
#include "topology-db/query/network.h"

/** Adds the levels inside nodes to a machine that has its frame only, and fills \p bindings (NULL:
 *  not wanted). \p places [allocation->nodes->count] */
int db_node_levels_add(topomap_db *db, const topomap_db_allocation *allocation,
                       const struct db_place *places, topomap_machine *machine,
                       topomap_bindings *bindings, topomap_error *err);

#endif
