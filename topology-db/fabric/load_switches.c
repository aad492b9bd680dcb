/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/fabric/load.h"

#include <string.h>

#include "util/alloc.h"

/* The same, looked for first where the one before was found and behind it. */
static uint32_t find_from(const topomap_switches *switches, int64_t id, uint32_t before)
{
    for (uint32_t i = before; i < switches->count && i - before < 2; i++)
        if (switches->id[i] == id)
            return i;
    return topomap_switches_find(switches, id);
}

static int load_ids(sqlite3 *file, int slurm, topomap_switches *switches, topomap_error *err)
{
    DB_ROWS rows = db_ask(file,
                          slurm ? "SELECT id FROM slurm_switch ORDER BY id"
                                : "SELECT id FROM switch ORDER BY id",
                          err);
    size_t room = 0;

    while (db_next(&rows)) {
        if (TOPOMAP_APPEND(switches->id, switches->count, room, err,
                           sqlite3_column_int64(rows.row, 0)))
            return -1;
    }
    return rows.result;
}

static int load_pairs(sqlite3 *file, int slurm, const topomap_switches *switches,
                      topomap_trunk **pairs, size_t *count, topomap_error *err)
{
    DB_ROWS rows = db_ask(file,
                          slurm ? "SELECT a, b, cost FROM slurm_trunk ORDER BY a, b"
                                : "SELECT a, b, cost FROM trunk ORDER BY a, b",
                          err);
    topomap_trunk before = {0};
    size_t room = 0;

    while (db_next(&rows)) {
        topomap_trunk pair = {find_from(switches, sqlite3_column_int64(rows.row, 0), before.a),
                              find_from(switches, sqlite3_column_int64(rows.row, 1), before.b),
                              db_u32(rows.row, 2)};

        if (pair.a == UINT32_MAX || pair.b == UINT32_MAX)
            continue;
        before = pair;
        if (topomap_grow(pairs, &room, *count + 1, sizeof **pairs, err))
            return -1;
        (*pairs)[(*count)++] = pair;
    }
    return rows.result;
}

int db_switches_load(sqlite3 *file, int slurm, topomap_switches *switches, topomap_error *err)
{
    TOPOMAP_FREED topomap_trunk *pairs = NULL;
    size_t count = 0;
    int result;

    memset(switches, 0, sizeof *switches);
    result = DB_STATUS(load_ids(file, slurm, switches, err) ||
                       load_pairs(file, slurm, switches, &pairs, &count, err) ||
                       topomap_switches_join(switches, pairs, count, err));
    if (result)
        topomap_switches_clear(switches);
    return result;
}
