/* SPDX-License-Identifier: BSD-3-Clause */
/* Fabrics whose sources name hosts and switches: lists of links into the database. */
#ifndef TOPOMAP_DB_NAMED_H
#define TOPOMAP_DB_NAMED_H

#include "fabric/links.h"
#include "topology-db/import/import.h"

/** Writes a joined list as the import's source. \p vertices [links->vertices] gets the ids in table
 *  vertex; NULL: not wanted */
int db_named_write(struct db_import *import, const topomap_links *links, int64_t *vertices,
                   topomap_error *err);

#endif
