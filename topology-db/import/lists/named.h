/* SPDX-License-Identifier: BSD-3-Clause */
/* Fabrics whose sources name hosts and switches: lists of links into the database. */
#pragma once

#include "fabric/fabric.h"
#include "topology-db/import/import.h"

/** Writes a matched list as the import's source. \p vertices [fabric->vertices] gets the ids in
 * table vertex; NULL: not wanted */
int db_named_write(struct db_import *import, const topomap_fabric *fabric, int64_t *vertices,
                   topomap_error *err);
