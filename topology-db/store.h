/* SPDX-License-Identifier: BSD-3-Clause */
/* The database's own parts, for topology-db/ only: the file, and how it is replaced.
 *
 * A database file is never changed in place. A writer makes a copy beside it (util/output.h),
 * changes that in one transaction, and renames it over FILE. So a reader needs no lock and writes
 * nothing, even on a read-only or network file system, and sees one import or the other, never
 * half; a killed writer leaves FILE as it was. SQLite has the descriptors of the two files and no
 * way to another (descriptor.h).
 *
 * store.c opens files, writer.c writes them, statements.c runs SQL in them. */
#pragma once

#include <sqlite3.h>

#include "topology-db/db.h"
#include "util/input.h"
#include "util/output.h"
#include "util/sorted.h"

enum {
    DB_APPLICATION = 0x544d4150, /* "TMAP" */
    DB_SCHEMA = 1,
};

struct topomap_db {
    char *path;    /* for reading: with symbolic links resolved */
    sqlite3 *file; /* open for reading, or NULL: there is no file yet */
    int fd;        /* of that file, else -1 */
    int writable;
    void *lent; /* what the last topomap_db_hosts() lent out */
};

struct db_writer {
    topomap_db *db;
    sqlite3 *file; /* the copy, inside a transaction */
    topomap_publish *copy;
    int lock; /* on the file that is copied, or -1 */
};

/** 0, or -1 where there is no file: nothing has been imported yet. */
int db_imported(const topomap_db *db, topomap_error *err);
/** Opens the file that has the database's name now: 1 it is open, 0 there is none, -1 failure. */
int db_reopen(topomap_db *db, topomap_error *err);

/** Makes the copy and begins. Fails where another import runs. */
int db_writer_begin(topomap_db *db, struct db_writer *writer, topomap_error *err);
/** Ends the writer: commits and puts the copy in place or, where \p result is not 0, forgets the
 *  copy. Returns -1 then and on failure: the database is as it was. */
int db_writer_end(struct db_writer *writer, int result, topomap_error *err);

/** Runs statements without results. */
int db_execute(sqlite3 *file, const char *sql, topomap_error *err);
/** NULL on failure; ends with sqlite3_finalize(). */
sqlite3_stmt *db_prepare(sqlite3 *file, const char *sql, topomap_error *err);
/** What a function returns that has failed, or has not: -1 or 0. */
#define DB_STATUS(failed) ((failed) ? -1 : 0)

/** Type of a local statement, `DB_STATEMENT *insert = db_prepare(...)`: it ends with its scope. */
#define DB_STATEMENT __attribute__((cleanup(db_finalize_local))) sqlite3_stmt
static inline void db_finalize_local(sqlite3_stmt **statement)
{
    sqlite3_finalize(*statement);
}
/** 1: a row, 0: no more, -1: failure. */
int db_step(sqlite3_stmt *statement, topomap_error *err);
/** Runs a statement that gives no row and makes it ready for the next. */
int db_insert(sqlite3_stmt *statement, topomap_error *err);
/** The same with the values of its parameters, in order: `DB_PUT(insert, err, DB_INT(id),
 *  DB_TEXT(name))`. A text of NULL is SQL's NULL. */
#define DB_PUT(statement, err, ...)                                                                \
    db_put(statement, (const db_value[]){__VA_ARGS__},                                             \
           sizeof((const db_value[]){__VA_ARGS__}) / sizeof(db_value), err)
#define DB_INT(value) ((db_value){.kind = DB_IS_INT, .number = (int64_t)(value)})
#define DB_REAL(value) ((db_value){.kind = DB_IS_REAL, .real = (value)})
#define DB_TEXT(value) ((db_value){.kind = DB_IS_TEXT, .text = (value)})
#define DB_BLOB(value, size) ((db_value){.kind = DB_IS_BLOB, .number = (size), .text = (value)})
/* Where there is none, the value is not looked at. */
#define DB_INT_IF(there, value)                                                                    \
    ((db_value){.kind = (there) ? DB_IS_INT : DB_IS_NULL, .number = (there) ? (int64_t)(value) : 0})
#define DB_REAL_IF(there, value)                                                                   \
    ((db_value){.kind = (there) ? DB_IS_REAL : DB_IS_NULL, .real = (value)})
/* A name from an imported file, stored as topomap_safe_line() escapes it. */
#define DB_NAME(value) ((db_value){.kind = DB_IS_NAME, .text = (value)})
#define DB_TEXT_IF(there, value) ((db_value){.kind = DB_IS_TEXT, .text = (there) ? (value) : NULL})
typedef struct db_value {
    enum { DB_IS_NULL, DB_IS_INT, DB_IS_REAL, DB_IS_TEXT, DB_IS_NAME, DB_IS_BLOB } kind;
    int64_t number;
    double real;
    const char *text;
} db_value;
int db_put(sqlite3_stmt *statement, const db_value *value, size_t values, topomap_error *err);

/** A question's rows, one after the other: `while (db_next(&rows))` looks at rows.row; then it is
 *  ended, and rows.result says how. */
struct db_rows {
    sqlite3_stmt *row; /* NULL: ended */
    int result;        /* 0, or -1: failed */
    topomap_error *err;
};
struct db_rows db_ask(sqlite3 *file, const char *sql, topomap_error *err);
/** The same of a table that earlier versions did not make: no row where it is not there. */
struct db_rows db_ask_if(sqlite3 *file, const char *table, const char *sql, topomap_error *err);
/** With the values of its parameters, in order; texts must stay until it is ended. */
#define DB_ASK(file, sql, err, ...)                                                                \
    db_ask_of(file, sql, (const db_value[]){__VA_ARGS__},                                          \
              sizeof((const db_value[]){__VA_ARGS__}) / sizeof(db_value), err)
struct db_rows db_ask_of(sqlite3 *file, const char *sql, const db_value *value, size_t values,
                         topomap_error *err);
/** Runs one statement that gives no row, once. */
#define DB_RUN(file, sql, err, ...)                                                                \
    db_run_of(file, sql, (const db_value[]){__VA_ARGS__},                                          \
              sizeof((const db_value[]){__VA_ARGS__}) / sizeof(db_value), err)
int db_run_of(sqlite3 *file, const char *sql, const db_value *value, size_t values,
              topomap_error *err);
/** Nonzero: there is another. */
int db_next(struct db_rows *rows);
/** Ends it where it is not. */
void db_end(struct db_rows *rows);
/** Type of a local question, `DB_ROWS rows = db_ask(...)`: it ends with its scope. */
#define DB_ROWS __attribute__((cleanup(db_end))) struct db_rows
/** The first column of the first row, or \p otherwise where there is none. */
int db_number(sqlite3 *file, const char *sql, int64_t otherwise, int64_t *number,
              topomap_error *err);
/** Fills \p err with what SQLite says. Returns -1. */
int db_failed(sqlite3 *file, topomap_error *err);

/** Whether an open database has a table that earlier versions did not make. */
int db_has_table(sqlite3 *file, const char *table, int *there, topomap_error *err);

/** A column as a number. */
static inline uint32_t db_u32(sqlite3_stmt *row, int column)
{
    return (uint32_t)sqlite3_column_int64(row, column);
}
static inline uint64_t db_u64(sqlite3_stmt *row, int column)
{
    return (uint64_t)sqlite3_column_int64(row, column);
}
static inline int db_is_null(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL;
}
/** Compresses \p length bytes for a BLOB by zstd's \p level. Returns them, \p size bytes that end
 *  with free(), or NULL with \p err set. */
void *db_pack(const void *bytes, size_t length, int level, size_t *size, topomap_error *err);

/** A column as text, "" for NULL; lent. */
const char *db_column_text(sqlite3_stmt *statement, int column);
/** A copy of it; NULL where memory is short. */
char *db_column_copy(sqlite3_stmt *statement, int column, topomap_error *err);

/** Text of the derived fact \p name, lent until \p statement's next use; see derive.h. */
int db_fact_text(sqlite3 *file, const char *name, char *text, size_t size, topomap_error *err);
/** Writes a fact of the derived views; \p text NULL: the number. */
int db_put_fact(sqlite3 *file, const char *name, const char *text, int64_t number,
                topomap_error *err);

extern const char db_schema[];
/** Makes SQLite trust nothing in an open file, and refuses one whose schema is not ours; tables
 * that are missing show when they are asked for. */
int db_schema_check(const char *path, sqlite3 *file, topomap_error *err);

/** What decides Slurm's order of nodes (slurm_config.c): version, plugin, topology, select_type,
 *  select of `scontrol show config`; topology.yaml ("none" or ""), as who imported that said;
 *  format ("conf" or "yaml") of the topology file. What is not there is "". Databases of version
 *  0.1.0's first form lack the table until the next import; readers look whether it is there. */
#define DB_SLURM_SETTING                                                                           \
    "CREATE TABLE IF NOT EXISTS slurm_setting(name TEXT PRIMARY KEY, source INTEGER NOT NULL,"     \
    " value TEXT NOT NULL) WITHOUT ROWID;"

/** The class (link.kind) of what joins a level to the one above it: no cable. Sources that tell who
 *  is near whom and nothing of cables and rates (clouds, Slingshot's addresses) have such links,
 * and a vertex of unknown type where a level has no switch. */
#define DB_LEVEL "level"
/** Switches that a source of levels tells of: no cable of theirs is known. */
#define DB_LEVEL_ENDS                                                                              \
    "(SELECT a FROM link WHERE kind = '" DB_LEVEL "' UNION"                                        \
    " SELECT b FROM link WHERE kind = '" DB_LEVEL "')"

/** What was measured, where some was imported (importers counters and calibration). Older databases
 *  lack these tables likewise.
 *  traffic: bytes a second that a port sends and receives, of which NULL is not known. The port is
 *  that of an adapter or switch with this node or port GUID, or with this LID.
 *  level_time: seconds and bytes a second of a level of table calibration; a rate of NULL was not
 *  told apart from the latency. */
#define DB_MEASUREMENTS                                                                            \
    "CREATE TABLE IF NOT EXISTS traffic(source INTEGER NOT NULL, guid INTEGER, lid INTEGER,"       \
    " port INTEGER NOT NULL, sent REAL, received REAL);"                                           \
    "CREATE TABLE IF NOT EXISTS level_time(level TEXT PRIMARY KEY, source INTEGER NOT NULL,"       \
    " latency REAL NOT NULL, rate REAL) WITHOUT ROWID;"

/** How fabrics are routed; older databases lack these tables likewise.
 *  routing: how a source's switches route. An engine of OpenSM (lib/fabric/opensm) that the import
 *  named; or, if they share traffic among all shortest paths, "adaptive", "ecmp" or an engine of
 *  adaptive routing ("ar_updn").
 *  predicted_lft, derived: tables as in lft, of the switches of InfiniBand subnets without imported
 *  tables. */
#define DB_ROUTING                                                                                 \
    "CREATE TABLE IF NOT EXISTS routing(source INTEGER PRIMARY KEY, engine TEXT NOT NULL);"        \
    "CREATE TABLE IF NOT EXISTS predicted_lft(vertex INTEGER PRIMARY KEY, lids INTEGER NOT NULL,"  \
    " ports BLOB NOT NULL);"

/** Devices of nodes; older databases lack these tables likewise.
 *  device_set: GPUs and NICs of a kind of node, as machine/devices.h writes them. node_devices:
 * what a source says of a node; own_device: what is this node's alone, by bus id (state 1 up, 0
 * down, NULL not known). clique: the node's NVLink domain, "UUID.CLIQUE". Views: host_devices, what
 * all sources together say; host_domain, from cliques, or Slurm's blocks where there are none. */
#define DB_DEVICES                                                                                 \
    "CREATE TABLE IF NOT EXISTS device_set(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"    \
    "CREATE TABLE IF NOT EXISTS node_devices(source INTEGER NOT NULL, key TEXT NOT NULL,"          \
    " name TEXT NOT NULL, devices INTEGER NOT NULL);"                                              \
    "CREATE TABLE IF NOT EXISTS own_device(source INTEGER NOT NULL, key TEXT NOT NULL,"            \
    " bus INTEGER NOT NULL, uuid TEXT, state INTEGER);"                                            \
    "CREATE TABLE IF NOT EXISTS clique(source INTEGER NOT NULL, name TEXT NOT NULL,"               \
    " domain TEXT NOT NULL);"                                                                      \
    "CREATE TABLE IF NOT EXISTS host_devices(host INTEGER PRIMARY KEY, devices INTEGER NOT NULL);" \
    "CREATE TABLE IF NOT EXISTS host_domain(host INTEGER PRIMARY KEY, domain TEXT NOT NULL);"
