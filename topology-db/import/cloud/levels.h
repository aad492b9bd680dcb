/* SPDX-License-Identifier: BSD-3-Clause */
/* What clouds tell of their networks: for each instance the parts of the network that it is in, one
 * inside the other. They tell no links and no rates. */
#pragma once

#include "topology-db/import/import.h"
#include "topology-db/import/lists/named_fabric.h"

enum { LEVELS_MOST = 8 };

/** Starts as all zeros. */
struct levels {
    topomap_fabric fabric;
    uint32_t *above; /* [fabric.vertices] the level that a vertex is in, or UINT32_MAX */
    size_t known, room;
    struct db_list domains; /* NVLink domains, where the source has some */
    struct db_list aliases; /* of instances that the batch system calls otherwise */
    struct db_list rows;    /* an importer's own, before they are added */
    size_t without, first_without;
};

/** An instance in \p count levels, the outermost first. One that is in none is counted, and left
 *  out. \p line  for messages */
int levels_add(struct levels *levels, struct db_import *import, const char *host,
               const char *const *level, int count, size_t line);
/** The instance's name in the batch system. */
int levels_alias(struct levels *levels, const char *host, const char *node, topomap_error *err);
/** The end of the file: joins what has nothing above it in one, called as the importer's name
 * begins. */
int levels_finish(struct db_import *import, void *levels);
void levels_clear(void *levels);

/** Writes them; another source of levels with one of these goes. */
int levels_write(struct db_import *import, void *levels);

/** Members that all importers with a struct levels as content have in common. */
#define LEVELS_IMPORTER                                                                            \
    .tables = {"vertex", "link", "alias", "clique"}, .size = sizeof(struct levels),                \
    .write = levels_write, .clear = levels_clear
