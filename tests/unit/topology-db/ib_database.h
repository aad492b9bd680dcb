/* SPDX-License-Identifier: BSD-3-Clause */
/* A database of a test's own, and what it says of InfiniBand as text. */
#ifndef TESTS_UNIT_IB_DATABASE_H
#define TESTS_UNIT_IB_DATABASE_H

#include "topology-db/db.h"

/** Why the last import failed. */
extern topomap_error ib_err;

/** Path of the database, which is not there yet; lent until the program ends. */
const char *ib_fresh(void);
/** Whether it was imported; otherwise ib_err says why, and it must be the input's fault. */
int ib_try_import(const char *db_path, const char *importer, const char *path, const char *nodes,
                  topomap_db_report *report);
topomap_db_report ib_import(const char *db_path, const char *importer, const char *path);
/** The import into a fresh database must fail with a text that begins with the path and has
 *  \p part. */
void ib_refused(const char *importer, const char *path, const char *part);
topomap_db_summary ib_summary(const char *db_path);
/** "HOST@SWITCHES HOST@SWITCHES ", lent until the next call. */
const char *ib_hosts(const char *db_path);
/** A host's ports, or (NULL) those of unknown hosts, lent likewise: "GUID:PORT SWITCH[PORT] 4xEDR
 * rail R plane P; " or "GUID:PORT down; ". */
const char *ib_ports(const char *db_path, const char *node);

#endif
