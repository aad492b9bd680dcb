/* SPDX-License-Identifier: BSD-3-Clause */
/* Slingshot's topology tool: the table of 'show fabric', one row a port:
 *
 *   | x3000c0r41j11p0 | fabric | x3000c0r42j18 | unknown | 10 | True | Fabric | Local | ... |
 * BS_200G |
 *
 * dst is the peer's jack without its port, so that a pair of jacks tells how many links there are
 * between them, not which port meets which. A switch is the name before the jack. Nodes are taken
 * from edge rows that have a host name. */
#pragma once

#include "fabric/fabric.h"
#include "topology-db/import/import.h"

/** Whether the file is such a table. What else Slingshot's tools print is refused by name. */
int db_slingshot_look(struct db_import *import, int *is_table);
/** Reads it; links that are down are left out. */
int db_slingshot_read(struct db_import *import, topomap_fabric *fabric);
