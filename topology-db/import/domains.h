/* SPDX-License-Identifier: BSD-3-Clause */
/* NVLink domains of nodes, for the importers that know some. */
#ifndef TOPOMAP_DB_IMPORT_DOMAINS_H
#define TOPOMAP_DB_IMPORT_DOMAINS_H

#include "topology-db/import/import.h"
#include "topology-db/functions.h"

enum { DB_DOMAIN = 128 };

/** A row of a list of them. */
struct db_domain {
    char key[DB_KEY], node[DB_KEY], domain[DB_DOMAIN];
    size_t line;
};

int db_domains_add(struct db_list *list, const char *node, const char *domain, size_t line,
                   topomap_error *err);
/** Sorts them by node, each node once; a node in two domains is an error. */
int db_domains_check(struct db_import *import, struct db_list *list, topomap_error *err);
/** Into table clique. */
int db_domains_write(struct db_import *import, const struct db_list *list, topomap_error *err);

#endif
