/* SPDX-License-Identifier: BSD-3-Clause */
/* What a database was made from. */
#ifndef TOPOMAP_CLI_DB_SOURCES_H
#define TOPOMAP_CLI_DB_SOURCES_H

#include "cli/cli.h"
#include "topology-db/db.h"

/** `db show --sources`; returns an exit status. */
int cli_show_sources(const cli_call *call, topomap_db *db);

#endif
