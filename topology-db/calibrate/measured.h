/* SPDX-License-Identifier: BSD-3-Clause */
/* What topomap-measure wrote (contrib/measure/README.md has the format). */
#ifndef TOPOMAP_DB_MEASURED_H
#define TOPOMAP_DB_MEASURED_H

#include "topomap/topomap.h"

enum db_measured_kind { DB_MEASURED_PAIR, DB_MEASURED_INSIDE, DB_MEASURED_LOADED };

struct db_measurement {
    enum db_measured_kind kind;
    uint32_t from, to; /* of name[]; inside: a node, and a level */
    double hops;       /* or -1 */
    double size;       /* bytes */
    double us;         /* one way */
};

struct db_measured {
    char **name; /* in order of first appearance */
    uint32_t names;
    struct db_measurement *row;
    size_t rows;
};

/** Reads a file: plain, xz or zstd. Ends with db_measured_clear(), also after a failure. */
int db_measured_read(const char *path, struct db_measured *measured, topomap_error *err);
void db_measured_clear(struct db_measured *measured);

#endif
