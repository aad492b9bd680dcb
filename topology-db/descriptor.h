/* SPDX-License-Identifier: BSD-3-Clause */
/* SQLite on a file that we have open, and on nothing else. SQLite itself opens files by name, and
 * beside each of them a journal by a name that anybody can foresee; here it has one descriptor, and
 * what else it asks for is not there and cannot be made. */
#pragma once

#include <sqlite3.h>

#include "topomap/topomap.h"

/** Opens the database in \p fd, which stays the caller's and has to outlive it. \p path is for
 *  messages. What is read must not change meanwhile; nobody else may write what is written to. */
int db_descriptor_open(const char *path, int fd, int writable, sqlite3 **file, topomap_error *err);
