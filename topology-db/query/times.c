/* SPDX-License-Identifier: BSD-3-Clause */
/* How old a database is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "topology-db/query/query.h"

int topomap_db_times_of(topomap_db *db, topomap_db_times *times, topomap_error *err)
{
    topomap_db_times found = {0};
    char changed[32];
    DB_ROWS rows = {0};

    if (db_imported(db, err) ||
        db_fact_text(db->file, "changed", changed, sizeof changed, err) /* "": an older database */)
        return -1;
    found.changed = strtoll(changed, NULL, 10);
    rows = db_ask(db->file, "SELECT count(*), min(time), max(time) FROM source", err);
    if (db_next(&rows)) {
        found.sources = db_u64(rows.row, 0);
        found.oldest = sqlite3_column_int64(rows.row, 1);
        found.newest = sqlite3_column_int64(rows.row, 2);
    }
    if (rows.result)
        return -1;
    *times = found;
    return 0;
}

void topomap_db_date_put(int64_t seconds, char text[32])
{
    time_t when = (time_t)seconds;
    struct tm parts;

    if (!gmtime_r(&when, &parts) || !strftime(text, 32, "%Y-%m-%d %H:%M", &parts))
        snprintf(text, 32, "?");
}

void topomap_db_times_put(const topomap_db_times *times, char *text, size_t size)
{
    char oldest[32], newest[32], changed[32], since[64] = "";
    int one;

    if (!times->sources) {
        snprintf(text, size, "nothing is imported");
        return;
    }
    topomap_db_date_put(times->oldest, oldest);
    topomap_db_date_put(times->newest, newest);
    one = strcmp(oldest, newest) == 0;
    topomap_db_date_put(times->changed, changed);
    if (times->changed)
        snprintf(since, sizeof since, ", the same since %s", changed);
    snprintf(text, size, "imported %s%s%s%s UTC", oldest, one ? "" : " to ", one ? "" : newest,
             since);
}
