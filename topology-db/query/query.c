/* SPDX-License-Identifier: BSD-3-Clause */
/* db show: hosts and the summary. */
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <time.h>

#include "topology-db/query/query.h"

/* ---- Summary ----------------------------------------------------------------------------- */

static int fact_number(sqlite3 *file, const char *name, uint64_t *number, topomap_error *err)
{
    char text[32];

    if (db_fact_text(file, name, text, sizeof text, err))
        return -1;
    *number = strtoull(text, NULL, 10);
    return 0;
}

int topomap_db_summarise(topomap_db *db, topomap_db_summary *summary, topomap_error *err)
{
    topomap_db_summary found = {0};
    const struct {
        const char *name;
        uint64_t *number;
    } counts[] = {
        {"hosts", &found.hosts},     {"switches", &found.switches},
        {"links", &found.links},     {"classes", &found.classes},
        {"subnets", &found.subnets}, {"unknown_adapters", &found.unknown_adapters},
        {"planes", &found.planes},
    };
    char confidence[32];
    int64_t partial;

    if (db_imported(db, err))
        return -1;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (fact_number(db->file, counts[i].name, counts[i].number, err))
            return -1;
    if (db_fact_text(db->file, "topology", found.topology, sizeof found.topology, err) ||
        db_fact_text(db->file, "evidence", found.evidence, sizeof found.evidence, err) ||
        db_fact_text(db->file, "confidence", confidence, sizeof confidence, err) ||
        db_number(db->file, "SELECT max(partial) FROM source", 0, &partial, err) ||
        topomap_db_slurm_order_of(db, NULL, &found.slurm, err))
        return -1;
    found.partial = partial != 0;
    found.confidence = strtod(confidence, NULL);
    *summary = found;
    return 0;
}

/* ---- Sources ----------------------------------------------------------------------------- */

int topomap_db_sources(topomap_db *db, int (*each)(const topomap_db_source *source, void *data),
                       void *data, topomap_error *err)
{
    DB_ROWS rows = {0};

    if (db_imported(db, err))
        return -1;
    rows = db_ask(db->file,
                  "SELECT importer, name, time, partial, warnings FROM source"
                  " ORDER BY importer, name",
                  err);
    while (db_next(&rows)) {
        const topomap_db_source source = {.importer = db_column_text(rows.row, 0),
                                          .name = db_column_text(rows.row, 1),
                                          .time = sqlite3_column_int64(rows.row, 2),
                                          .partial = sqlite3_column_int(rows.row, 3),
                                          .warnings = db_u64(rows.row, 4)};
        int result = each(&source, data);

        if (result)
            return result;
    }
    return rows.result;
}

/* ---- Counts ------------------------------------------------------------------------------ */

/* \param take  what of a row stands for what; texts are lent until the next one */
static int count_rows(topomap_db *db, const char *question,
                      topomap_db_count (*take)(sqlite3_stmt *row),
                      int (*each)(const topomap_db_count *count, void *data), void *data,
                      topomap_error *err)
{
    DB_ROWS rows = {0};

    if (db_imported(db, err))
        return -1;
    rows = db_ask(db->file, question, err);
    while (db_next(&rows)) {
        const topomap_db_count count = take(rows.row);
        int result = each(&count, data);

        if (result)
            return result;
    }
    return rows.result;
}

static topomap_db_count take_hosts(sqlite3_stmt *row)
{
    return (topomap_db_count){.status = db_column_text(row, 0),
                              .type = db_column_text(row, 1),
                              .class_name = db_column_text(row, 2),
                              .count = db_u64(row, 3)};
}

int topomap_db_count_hosts(topomap_db *db, int (*each)(const topomap_db_count *count, void *data),
                           void *data, topomap_error *err)
{
    return count_rows(db,
                      "SELECT status, type, coalesce(class.name, ''), count(*) FROM host"
                      " LEFT JOIN class ON class.id = host.class GROUP BY 1, 2, 3"
                      " ORDER BY 4 DESC, 1, 2, 3",
                      take_hosts, each, data, err);
}

static topomap_db_count take_links(sqlite3_stmt *row)
{
    return (topomap_db_count){.gbps = sqlite3_column_double(row, 0), .count = db_u64(row, 1)};
}

int topomap_db_count_links(topomap_db *db, int (*each)(const topomap_db_count *count, void *data),
                           void *data, topomap_error *err)
{
    return count_rows(db,
                      "SELECT link_mbps(width, speed, mbps) / 1000.0, count(*) FROM link"
                      " WHERE coalesce(state, 0) <> 1" /* IB_DOWN */
                      " GROUP BY 1 ORDER BY 1 DESC",
                      take_links, each, data, err);
}

/* ---- Hosts ------------------------------------------------------------------------------- */

static int show(sqlite3_stmt *statement, int (*each)(const topomap_db_host *host, void *data),
                void *data)
{
    topomap_db_host host = {.name = db_column_text(statement, 0),
                            .status = db_column_text(statement, 2),
                            .type = db_column_text(statement, 3),
                            .attached = db_column_text(statement, 5)};

    if (!db_is_null(statement, 1))
        host.class_name = db_column_text(statement, 1);
    if (!db_is_null(statement, 4))
        host.attached = db_column_text(statement, 4);
    return each(&host, data);
}

int topomap_db_hosts(topomap_db *db, const char *only,
                     int (*each)(const topomap_db_host *host, void *data), void *data,
                     topomap_error *err)
{
    static const char sql[] =
        "SELECT host.name, class.name, status, type, place,"
        " (SELECT group_concat(label, ',') FROM (SELECT DISTINCT switch.id, label FROM attach"
        "  JOIN switch ON switch.id = attach.switch WHERE attach.host = host.id"
        "  ORDER BY switch.id))"
        " FROM host LEFT JOIN class ON class.id = host.class"
        " WHERE ?1 = 0 OR host.id = ?1 ORDER BY host.id";
    DB_ROWS rows = {0};
    int64_t id;

    if (db_host_id(db, only, &id, err))
        return -1;
    rows = DB_ASK(db->file, sql, err, DB_INT(id));
    while (db_next(&rows)) {
        int result = show(rows.row, each, data);

        if (result)
            return result;
    }
    return rows.result;
}

/* ---- How old it is ---------------------------------------------------------------------- */

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
