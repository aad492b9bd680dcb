/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices of nodes, for the importers that know some. */
#ifndef TOPOMAP_DB_IMPORT_DEVICES_H
#define TOPOMAP_DB_IMPORT_DEVICES_H

#include "machine/devices.h"
#include "topology-db/import/import.h"

/** Writes what the import says of the devices of some nodes. \p text  as machine/devices.h has it
 */
int db_devices_write(struct db_import *import, const char *text, const topomap_names *nodes,
                     topomap_error *err);
/** What is one node's alone. \p uuid  or NULL; \p state  1, 0, or -1: not known */
int db_devices_own(struct db_import *import, const char *node, uint64_t bus, const char *uuid,
                   int state, topomap_error *err);

/** A file of devices of one node's kind, for --nodes: what such an importer reads and writes. */
struct db_devices_file {
    topomap_devices devices;
    topomap_names nodes;
};
/** The nodes of --nodes; without, an error that asks for it. */
int db_devices_nodes(struct db_import *import, struct db_devices_file *file, topomap_error *err);
int db_devices_write_file(struct db_import *import, void *content, topomap_error *err);
void db_devices_free_file(void *content);

#endif
