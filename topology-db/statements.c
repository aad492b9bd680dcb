/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs SQL statements: binds parameters, steps through rows, and reports errors. */
#include <string.h>
#include <zstd.h>

#include "topology-db/store.h"
#include "util/alloc.h"
#include "util/safe_text.h"

/* What SQLite says of a file whose bytes are wrong. SQLITE_ERROR too: our statements fit our
 * schema, so a table or column that is missing is damage. */
static int is_damage(int code)
{
    static const int codes[] = {SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR,
                                SQLITE_FORMAT,  SQLITE_SCHEMA, SQLITE_MISMATCH};

    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i] == code)
            return 1;
    return 0;
}

int db_failed(sqlite3 *file, topomap_error *err)
{
    const char *name = sqlite3_db_filename(file, "main");

    if (is_damage(sqlite3_errcode(file) & 0xff))
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s: the topology database is damaged (%s): import the dumps into "
                                 "a new one",
                                 name ? name : "", sqlite3_errmsg(file));
    return topomap_error_set(
        err, TOPOMAP_ESYSTEM, "%s: topology database: %s%s", name ? name : "", sqlite3_errmsg(file),
        sqlite3_errcode(file) == SQLITE_FULL ? " (or larger than a file may get: ulimit -f)" : "");
}

int db_execute(sqlite3 *file, const char *sql, topomap_error *err)
{
    return sqlite3_exec(file, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : db_failed(file, err);
}

sqlite3_stmt *db_prepare(sqlite3 *file, const char *sql, topomap_error *err)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(file, sql, -1, &statement, NULL) != SQLITE_OK)
        db_failed(file, err);
    return statement;
}

int db_step(sqlite3_stmt *statement, topomap_error *err)
{
    int code = sqlite3_step(statement);

    if (code == SQLITE_ROW)
        return 1;
    return code == SQLITE_DONE ? 0 : db_failed(sqlite3_db_handle(statement), err);
}

int db_insert(sqlite3_stmt *statement, topomap_error *err)
{
    int result = db_step(statement, err);

    sqlite3_reset(statement);
    return result < 0 ? -1 : 0;
}

static void bind(sqlite3_stmt *statement, int column, const db_value *value)
{
    char line[1024];

    if (value->kind == DB_IS_NAME && value->text) {
        snprintf(line, sizeof line, "%s", value->text);
        topomap_safe_line(line, sizeof line);
        sqlite3_bind_text(statement, column, line, -1, SQLITE_TRANSIENT);
    } else if (value->kind == DB_IS_INT)
        sqlite3_bind_int64(statement, column, value->number);
    else if (value->kind == DB_IS_REAL)
        sqlite3_bind_double(statement, column, value->real);
    else if (value->kind == DB_IS_TEXT) /* which is NULL where there is none */
        sqlite3_bind_text(statement, column, value->text, -1, SQLITE_STATIC);
    else if (value->kind == DB_IS_BLOB)
        sqlite3_bind_blob64(statement, column, value->text, (uint64_t)value->number, SQLITE_STATIC);
    else
        sqlite3_bind_null(statement, column);
}

struct db_rows db_ask(sqlite3 *file, const char *sql, topomap_error *err)
{
    sqlite3_stmt *row = db_prepare(file, sql, err);

    return (struct db_rows){row, row ? 0 : -1, err};
}

struct db_rows db_ask_of(sqlite3 *file, const char *sql, const db_value *value, size_t values,
                         topomap_error *err)
{
    struct db_rows rows = db_ask(file, sql, err);

    for (size_t i = 0; rows.row && i < values; i++)
        bind(rows.row, (int)i + 1, &value[i]);
    return rows;
}

int db_next(struct db_rows *rows)
{
    int row = rows->row ? db_step(rows->row, rows->err) : 0;

    if (row > 0)
        return 1;
    if (rows->row)
        rows->result = row;
    db_end(rows);
    return 0;
}

void db_end(struct db_rows *rows)
{
    sqlite3_finalize(rows->row);
    rows->row = NULL;
}

int db_run_of(sqlite3 *file, const char *sql, const db_value *value, size_t values,
              topomap_error *err)
{
    DB_ROWS rows = db_ask_of(file, sql, value, values, err);

    db_next(&rows);
    return rows.result;
}

int db_put(sqlite3_stmt *statement, const db_value *value, size_t values, topomap_error *err)
{
    for (size_t i = 0; i < values; i++)
        bind(statement, (int)i + 1, &value[i]);
    return db_insert(statement, err);
}

int db_number(sqlite3 *file, const char *sql, int64_t otherwise, int64_t *number,
              topomap_error *err)
{
    DB_ROWS rows = db_ask(file, sql, err);
    int row = db_next(&rows);

    if (!rows.result)
        *number = row && !db_is_null(rows.row, 0) ? sqlite3_column_int64(rows.row, 0) : otherwise;
    return rows.result;
}

int db_has_table(sqlite3 *file, const char *table, int *there, topomap_error *err)
{
    DB_ROWS rows = DB_ASK(file, "SELECT 1 FROM sqlite_master WHERE name=?", err, DB_TEXT(table));

    *there = db_next(&rows);
    return rows.result;
}

struct db_rows db_ask_if(sqlite3 *file, const char *table, const char *sql, topomap_error *err)
{
    int there = 0, result = db_has_table(file, table, &there, err);

    return there ? db_ask(file, sql, err) : (struct db_rows){.result = result, .err = err};
}

void *db_pack(const void *bytes, size_t length, int level, size_t *size, topomap_error *err)
{
    size_t room = ZSTD_compressBound(length);
    TOPOMAP_FREED void *packed = topomap_alloc(room, 1, err);

    if (!packed)
        return NULL;
    *size = ZSTD_compress(packed, room, bytes, length, level);
    if (!ZSTD_isError(*size))
        return topomap_take(&packed);
    topomap_error_set(err, TOPOMAP_ESYSTEM, "cannot compress: %s", ZSTD_getErrorName(*size));
    return NULL;
}

const char *db_column_text(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);

    return text ? text : "";
}

char *db_column_copy(sqlite3_stmt *statement, int column, topomap_error *err)
{
    return topomap_strdup(db_column_text(statement, column), err);
}

int db_fact_text(sqlite3 *file, const char *name, char *text, size_t size, topomap_error *err)
{
    DB_ROWS rows = DB_ASK(file, "SELECT value FROM fact WHERE name=?", err, DB_TEXT(name));
    const char *value = db_next(&rows) ? (const char *)sqlite3_column_text(rows.row, 0) : NULL;

    if (!rows.result)
        snprintf(text, size, "%s", value ? value : "");
    return rows.result;
}

int db_put_fact(sqlite3 *file, const char *name, const char *text, int64_t number,
                topomap_error *err)
{
    return DB_RUN(file, "INSERT OR REPLACE INTO fact VALUES(?,?)", err, DB_TEXT(name),
                  text ? DB_TEXT(text) : DB_INT(number));
}
