/* SPDX-License-Identifier: BSD-3-Clause */
/* What an importer is: it reads a file into memory of its own, without the database; then it writes
 * what it read, inside the transaction that import.c has begun. One importer a file, one row each
 * in import.c's table. */
#ifndef TOPOMAP_DB_IMPORT_H
#define TOPOMAP_DB_IMPORT_H

#include "topology-db/store.h"

struct db_import {
    const char *path;                         /* as the caller gave it, for messages */
    const char *name;                         /* of the source, in the database */
    const topomap_db_import_options *options; /* never NULL */
    topomap_db_report *report;
    topomap_input *input; /* while reading */
    sqlite3 *file;        /* while writing */
    int64_t source;       /* while writing: its row */
};

typedef struct db_importer {
    topomap_db_importer_row row;
    int singleton; /* one such source in a database: another file takes its place */
    int (*read)(struct db_import *import, void **content, topomap_error *err);
    int (*write)(struct db_import *import, void *content, topomap_error *err);
    void (*free)(void *content);
} db_importer;

/** Row \p i of the registry; NULL after the last. */
const db_importer *db_importer_at(size_t i);

/** Value of an option that the importer's row lists; NULL where it was not given. */
const char *db_option(const struct db_import *import, const char *name);

/** Counts a warning and keeps the first one. \p line 0: of the whole file. */
void db_warn(struct db_import *import, size_t line, const char *format, ...) TOPOMAP_PRINTF(3, 4);

/** Removes a source with all that it said. */
int db_forget_source(sqlite3 *file, int64_t source, topomap_error *err);

/** Removes other sources that speak of the same things, for sources that are known by their file's
 *  name but are dumped anew under another one. \param names  SQL that gives (source, name) of all
 *  such sources, this one included \param has  whether this import has a name; a source with one
 *  that it has goes */
int db_forget_sharing(const struct db_import *import, const char *names,
                      int (*has)(const void *content, const char *name), const void *content,
                      topomap_error *err);

extern const db_importer db_ibnetdiscover, db_ibdiagnet, db_opensm_lst, db_xtprocadmin,
    db_xtdb2proc, db_hwloc, db_host_map;
extern const db_importer db_cray_links, db_links, db_myrinet_links, db_coordinates, db_bluegene,
    db_slurm_topology, db_slurm_config, db_calibration, db_lft;

#endif
