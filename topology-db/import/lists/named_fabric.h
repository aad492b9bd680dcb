/* SPDX-License-Identifier: BSD-3-Clause */
/* Fabrics whose sources name hosts and switches: lists of links into the database. */
#pragma once

#include "fabric/fabric.h"
#include "topology-db/import/import.h"

/** Lists a link of a class, or "". \p both: as if both its ends had listed it. */
int db_named_link(topomap_fabric *fabric, topomap_link link, const char *class, int both,
                  topomap_error *err);

/** Writes a matched list as the import's source. \p vertices [fabric->vertices] gets the ids in
 * table vertex; NULL: not wanted */
int db_named_write(struct db_import *import, const topomap_fabric *fabric, int64_t *vertices);
/** The same of a content that is a fabric, or begins with one: an importer's `write`. */
int db_named_write_content(struct db_import *import, void *fabric);
/** The same in place of other sources with one of its switches, which are older ones of the same
 *  fabric. \p importers  whose, as SQL lists them; \p has  as in db_forget_sharing(); NULL: looks
 *  in \p fabric */
int db_named_replace(struct db_import *import, const topomap_fabric *fabric, const char *importers,
                     int (*has)(const void *content, const char *name), const void *content);
