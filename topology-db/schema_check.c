/* SPDX-License-Identifier: BSD-3-Clause */
/* A database is somebody's file. Before anything in it is believed, SQLite is told to trust nothing
 * of its schema (sqlite.org/security.html, "Untrusted SQLite Database Files"), and the schema has
 * to be what topomap makes: a view or trigger that came with it would run in every statement of
 * ours. */
#include <string.h>

#include "topology-db/store.h"

/* Beyond what any database needs; a blob is one switch's routing table or walk. */
static const struct {
    int id, most;
} limits[] = {
    {SQLITE_LIMIT_LENGTH, 256 << 20},   {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
    {SQLITE_LIMIT_COLUMN, 100},         {SQLITE_LIMIT_EXPR_DEPTH, 100},
    {SQLITE_LIMIT_COMPOUND_SELECT, 50}, {SQLITE_LIMIT_FUNCTION_ARG, 20},
    {SQLITE_LIMIT_ATTACHED, 0},         {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
    {SQLITE_LIMIT_TRIGGER_DEPTH, 1},    {SQLITE_LIMIT_WORKER_THREADS, 0},
};

/* A version of SQLite that has not one of these yet says so, which is no error. */
static void distrust(sqlite3 *file)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(file, limits[i].id, limits[i].most);
    sqlite3_db_config(file, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(file, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_db_config(file, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
#ifdef SQLITE_DBCONFIG_ENABLE_VIEW
    sqlite3_db_config(file, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
#endif
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA
    sqlite3_db_config(file, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
#endif
}

/* Whether a statement of sqlite_master is one of db_schema's, which SQLite keeps as they were
 * written but for IF NOT EXISTS. */
static int is_ours(const char *sql)
{
    static const char create[] = "CREATE TABLE ", maybe[] = "CREATE TABLE IF NOT EXISTS ";
    const size_t length = strlen(sql);

    for (const char *at = db_schema, *end; (end = strchr(at, ';')); at = end + 1) {
        size_t size = (size_t)(end - at), from = 0;

        if (strncmp(at, maybe, sizeof maybe - 1) == 0) {
            from = sizeof create - 1;
            at += sizeof maybe - 1;
            size -= sizeof maybe - 1;
            if (strncmp(sql, create, from) != 0)
                continue;
        }
        if (length == from + size && memcmp(sql + from, at, size) == 0)
            return 1;
    }
    return 0;
}

static int refuse(const char *path, sqlite3_stmt *row, topomap_error *err)
{
    const char *type = (const char *)sqlite3_column_text(row, 0);
    const char *name = (const char *)sqlite3_column_text(row, 1);

    return topomap_error_set(err, TOPOMAP_EINPUT,
                             "%s: not as topomap makes its databases: the %.20s '%.60s' is other "
                             "than it should be; import the dumps into a new one",
                             path, type ? type : "row", name ? name : "");
}

int db_schema_check(const char *path, sqlite3 *file, topomap_error *err)
{
    DB_ROWS rows = {0};

    distrust(file);
    if (db_execute(file, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA temp_store=MEMORY;",
                   err))
        return -1;
    rows = db_ask(file, "SELECT type, name, sql FROM sqlite_master", err);
    while (db_next(&rows)) {
        const char *type = (const char *)sqlite3_column_text(rows.row, 0);
        const char *name = (const char *)sqlite3_column_text(rows.row, 1);
        const char *sql = (const char *)sqlite3_column_text(rows.row, 2);
        /* Of a UNIQUE or PRIMARY KEY that a table has, sqlite.org/fileformat2.html, 2.6. */
        int automatic = !sql && type && name && strcmp(type, "index") == 0 &&
                        strncmp(name, "sqlite_autoindex_", 17) == 0;

        if (!automatic && (!sql || !is_ours(sql))) {
            refuse(path, rows.row, err);
            return -1;
        }
    }
    return rows.result;
}
