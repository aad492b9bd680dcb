/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/costs.h"

#include <stdio.h>

#include "topology-db/ib_names.h"

static void link_mbps(sqlite3_context *context, int count, sqlite3_value **value)
{
    int64_t mbps = sqlite3_value_int64(value[2]);

    (void)count;
    sqlite3_result_int64(context, mbps ? mbps
                                       : ib_mbps((uint32_t)sqlite3_value_int(value[0]),
                                                 (uint32_t)sqlite3_value_int(value[1])));
}

static void link_class(sqlite3_context *context, int count, sqlite3_value **value)
{
    uint32_t width = (uint32_t)sqlite3_value_int(value[0]);
    uint32_t speed = (uint32_t)sqlite3_value_int(value[1]);
    int64_t mbps = sqlite3_value_int64(value[2]);
    const char *kind = (const char *)sqlite3_value_text(value[3]);
    char name[40] = "unknown";

    (void)count;
    if (kind && *kind)
        snprintf(name, sizeof name, "%s", kind);
    else if (mbps)
        snprintf(name, sizeof name, "%gG", (double)mbps / 1000.0);
    else if (width && speed && speed <= IB_SPEEDS)
        snprintf(name, sizeof name, "%ux%s", width, ib_speeds[speed].name);
    sqlite3_result_text(context, name, -1, SQLITE_TRANSIENT);
}

static void link_cost(sqlite3_context *context, int count, sqlite3_value **value)
{
    uint64_t reference = (uint64_t)sqlite3_value_int64(value[0]);
    uint64_t mbps = (uint64_t)sqlite3_value_int64(value[1]), cost = TOPOMAP_HOP;

    (void)count;
    if (reference && mbps)
        cost = (reference * TOPOMAP_HOP + mbps / 2) / mbps;
    sqlite3_result_int64(context, cost < 1                   ? 1
                                  : cost > TOPOMAP_COST_MOST ? TOPOMAP_COST_MOST
                                                             : (int64_t)cost);
}

int db_costs_register(sqlite3 *file, topomap_error *err)
{
    static const struct {
        const char *name;
        int arguments;
        void (*call)(sqlite3_context *context, int count, sqlite3_value **value);
    } functions[] = {
        {"link_mbps", 3, link_mbps}, {"link_class", 4, link_class}, {"link_cost", 2, link_cost}};

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (sqlite3_create_function(file, functions[i].name, functions[i].arguments,
                                    SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, functions[i].call,
                                    NULL, NULL) != SQLITE_OK)
            return db_failed(file, err);
    return 0;
}

int db_cost_measured(sqlite3 *file, const char *level, uint32_t *cost, topomap_error *err)
{
    struct db_rows rows = DB_ASK(file, "SELECT " DB_COST_MEASURED " FROM calibration WHERE level=?",
                                 err, DB_TEXT(level));

    *cost = db_next(&rows) ? (uint32_t)sqlite3_column_int64(rows.row, 0) : 0;
    db_end(&rows);
    return rows.result;
}
