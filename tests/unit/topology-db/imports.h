/* SPDX-License-Identifier: BSD-3-Clause */
/* Imports into a database of a test's own. */
#ifndef TESTS_UNIT_IMPORTS_H
#define TESTS_UNIT_IMPORTS_H

#include "topology-db/db.h"

/** Path of the database, which is not there yet; lent. */
const char *db_fresh(void);
void db_import_with(const char *db_path, const char *importer, const char *path,
                    const topomap_db_import_options *options, topomap_db_report *report);
topomap_db_report db_import(const char *db_path, const char *importer, const char *path);
topomap_db_summary db_summary(const char *db_path);
/** "HOST@PLACE(STATUS) ...", lent until the next call; one of them appended to a text. */
const char *db_hosts(const char *db_path);
int db_add_host(const topomap_db_host *host, void *text);
/** The import must fail with EINPUT and a text that has \p part; no file is made. */
void db_refused(const char *importer, const char *path, const char *part);

#endif
