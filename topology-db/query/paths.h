/* SPDX-License-Identifier: BSD-3-Clause */
/* The cables that a message between two hosts passes, by name and class. */
#ifndef TOPOMAP_DB_PATHS_H
#define TOPOMAP_DB_PATHS_H

#include "topology-db/db.h"

struct db_paths;

struct db_path {
    uint32_t hops;
    uint32_t *cable; /* [cables] from a to b; indices for the functions below */
    size_t cables, room;
    int complete; /* a cable for every hop; 0: the network has none (coordinates), or not all */
};

/** Loads all cables once; the handle must outlive it. */
int db_paths_open(topomap_db *db, struct db_paths **paths, topomap_error *err);
void db_paths_close(struct db_paths *paths);
/** As topomap_db_router_route(). Of parallel cables, where no routing table tells which, the one
 *  with the lowest port stands for all. \p path is reused; its cables end with free(). */
int db_paths_between(struct db_paths *paths, const char *a, const char *b, struct db_path *path,
                     topomap_error *err);

uint32_t db_paths_cables(const struct db_paths *paths);
/** "leaf1[3] - spine2[7]"; a host's end is its name. Cut where it does not fit. */
void db_paths_cable_name(const struct db_paths *paths, uint32_t cable, char *text, size_t size);
/** Whether it joins two switches. */
int db_paths_cable_trunk(const struct db_paths *paths, uint32_t cable);
/** The class' name ("4xEDR") in \p name [40], and its rate in Mb/s or 0. */
void db_paths_cable_class(const struct db_paths *paths, uint32_t cable, char *name, uint32_t *mbps);

#endif
