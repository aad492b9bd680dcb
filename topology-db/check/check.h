/* SPDX-License-Identifier: BSD-3-Clause */
/* Interface between check.c (the table of checks), the files of the checks, and finding.c
 * (functions that checks share). */
#pragma once

#include "topology-db/store.h"

struct db_check {
    topomap_db *db;
    sqlite3 *file;
    const topomap_db_check_options *options;
    const topomap_db_check_row *row;
    int64_t vertex[2]; /* of the link that the next finding is about; ports 0: of none */
    uint32_t port[2];
    int (*each)(const topomap_db_finding *finding, void *data);
    void *data;
    topomap_error *err;
};

/** One finding, at the check's severity, or as \p severity says; its result must be returned where
 *  it is not 0. */
#define db_found(check, ...) db_found_as(check, (check)->row->severity, __VA_ARGS__)
int db_found_as(struct db_check *check, enum topomap_db_severity severity, const char *format, ...)
    TOPOMAP_PRINTF(3, 4);
/** Whether what differs from the others is so often there that it was built so. */
int db_is_mixed(size_t fewer, size_t all);
/** A link's rate, "4xHDR" or "100 Gb/s". */
void db_put_rate(uint32_t width, uint32_t speed, uint32_t mbps, char *text, size_t size);
/** Checks return 0, or what db_found() did, or -1. */
typedef int db_check_run(struct db_check *check);
db_check_run db_check_degraded, db_check_rates, db_check_one_way, db_check_parts,
    db_check_unknown_nodes, db_check_other_hosts, db_check_unused_names, db_check_far_nics,
    db_check_gpu_links, db_check_nics_down, db_check_missing_cables, db_check_wrong_rails,
    db_check_nic_speeds;
