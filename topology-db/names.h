/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of hosts and switches: what they are looked up by, and their order. */
#ifndef TOPOMAP_DB_NAMES_H
#define TOPOMAP_DB_NAMES_H

#include <sqlite3.h>

#include "topomap/topomap.h"

enum { DB_KEY = 256 };

/** What hosts are looked up by: lower case, without the domain (an IPv4 address is kept whole).
 *  \param key  [DB_KEY]; a longer name is cut */
void db_host_key(const char *name, char *key);
/** Names in the order that people expect: node2 before node10, without case, then as bytes. */
int db_natural_order(const char *a, const char *b);

/** What a question may say of names: `ORDER BY name COLLATE human`, and peers(name): what it has
 *  in common with its peers, lower case without the domain, every number as '#'. */
int db_names_register(sqlite3 *file, topomap_error *err);

#endif
