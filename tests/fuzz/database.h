/* SPDX-License-Identifier: BSD-3-Clause */
/* A database in memory, for targets that need one. */
#pragma once

#include "topology-db/import/import.h"

enum { FUZZ_SOURCE = 1000000 };

/** With this schema and what is in tests/data/db (TOPOMAP_SOURCE says where that is), and a class
 * of nodes. The same every time. */
sqlite3 *fuzz_database(const char *schema);
/** The row of a source, as import.c writes it. */
int fuzz_source(sqlite3 *file, const db_importer *importer, int64_t source);
