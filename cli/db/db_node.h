/* SPDX-License-Identifier: BSD-3-Clause */
/* What `topomap db show NODE` says of a node's inside. */
#pragma once

#include <jansson.h>

#include "topology-db/db.h"

/** As text, or, where \p host is not NULL, into it. */
int cli_db_node(topomap_db *db, const char *node, json_t *host, topomap_error *err);
