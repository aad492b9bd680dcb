/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of other tools that look as if they could be imported. */
#ifndef TOPOMAP_DB_FOREIGN_H
#define TOPOMAP_DB_FOREIGN_H

#include "topomap/topomap.h"

/** After an importer refused a file: where it is known what the file is, \p err says that instead,
 *  and what to do. */
void db_foreign_explain(const char *path, topomap_error *err);

#endif
