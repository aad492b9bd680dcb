/* SPDX-License-Identifier: BSD-3-Clause */
/* When the database last said something else: an import that brings what was there leaves the time.
 * What it says is a sum of its rows' hashes, so that neither ids nor the order of imports count. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/derive/derive.h"
#include "util/hash64.h"

/* Without ids, sources and what is counted anew at every look (table traffic). */
static const char *const contents[] = {
    "SELECT name, status, type, place, (SELECT shape FROM class WHERE class.id = host.class)"
    " FROM host",
    "SELECT a.guid, a.text, a.subnet, aport, b.guid, b.text, bport, width, speed, mbps, link.kind,"
    " state FROM link JOIN vertex AS a ON a.id = link.a JOIN vertex AS b ON b.id = link.b",
    "SELECT vertex.guid, vertex.text, number, state FROM port JOIN vertex ON vertex.id = vertex",
    "SELECT label, place FROM switch",
    "SELECT guid, lids, ports FROM lft",
    "SELECT level, ns FROM calibration",
    "SELECT level, latency, rate FROM level_time",
    "SELECT t.name, u.name, (SELECT name FROM slurm_unit AS c WHERE c.id = child), host, position"
    " FROM slurm_member JOIN slurm_unit AS u ON u.id = unit"
    " JOIN slurm_topology AS t ON t.id = topology",
    "SELECT name, value FROM slurm_setting",
    "SELECT name, text FROM host_devices JOIN host ON host.id = host"
    " JOIN device_set ON device_set.id = devices",
    "SELECT key, bus, uuid, state FROM own_device",
    "SELECT name, domain FROM host_domain JOIN host ON host.id = host",
};

static uint64_t hash_row(sqlite3_stmt *row, uint64_t table)
{
    uint64_t hash[3] = {table, 0, 0};

    for (int i = 0; i < sqlite3_column_count(row); i++) {
        /* In this order: bytes of what the blob is (sqlite.org/c3ref/column_blob.html). */
        const void *blob = sqlite3_column_blob(row, i);
        size_t size = (size_t)sqlite3_column_bytes(row, i);

        hash[1] = (uint64_t)sqlite3_column_type(row, i);
        hash[2] = blob ? topomap_hash64_all(blob, size) : 0;
        hash[0] = topomap_hash64_all(hash, sizeof hash);
    }
    return hash[0];
}

static int hash_contents(sqlite3 *file, uint64_t *sum, topomap_error *err)
{
    *sum = 0;
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        DB_ROWS rows = db_ask(file, contents[i], err);

        while (db_next(&rows))
            *sum += hash_row(rows.row, i);
        if (rows.result)
            return -1;
    }
    return 0;
}

int db_change_read(sqlite3 *file, struct db_change *change, topomap_error *err)
{
    char changed[32];

    if (db_fact_text(file, "contents", change->contents, sizeof change->contents, err) ||
        db_fact_text(file, "changed", changed, sizeof changed, err))
        return -1;
    change->time = strtoll(changed, NULL, 10);
    return 0;
}

int db_change_write(sqlite3 *file, const struct db_change *before, topomap_error *err)
{
    char contents_now[sizeof before->contents];
    int64_t changed = before->time;
    uint64_t sum;

    if (hash_contents(file, &sum, err))
        return -1;
    snprintf(contents_now, sizeof contents_now, "%016" PRIx64, sum);
    if ((strcmp(contents_now, before->contents) != 0 || !changed) &&
        db_number(file, "SELECT max(time) FROM source", 0, &changed, err))
        return -1;
    return db_put_fact(file, "contents", contents_now, 0, err) ||
                   db_put_fact(file, "changed", NULL, changed, err)
               ? -1
               : 0;
}
