/* SPDX-License-Identifier: BSD-3-Clause */
/* Readers of a database that something has damaged: bytes of its file, or values in its tables. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/database.h"
#include "fuzz/fuzz.h"
#include "plan/bindings.h"

enum { TABLES = 64, COLUMNS = 16, CHANGES = 40 };

static void must(sqlite3 *file, const char *sql)
{
    if (sqlite3_exec(file, sql, NULL, NULL, NULL) != SQLITE_OK)
        abort();
}

/* ---- A database that may hold nonsense ----------------------------------------------------- */

/* Without what keeps a table from holding nonsense. */
static char *lax_schema(void)
{
    static const char *const words[] = {" WITHOUT ROWID", " NOT NULL"};
    char *schema = fuzz_text((const uint8_t *)db_schema, strlen(db_schema));

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (char *at = schema; (at = strstr(at, words[i]));)
            memmove(at, at + strlen(words[i]), strlen(at + strlen(words[i])) + 1);
    return schema;
}

/* ---- Questions ----------------------------------------------------------------------------- */

struct hosts {
    char name[8][256];
    size_t count;
};

static int keep_host(const topomap_db_host *host, void *data)
{
    struct hosts *hosts = data;

    snprintf(hosts->name[hosts->count % 8], sizeof hosts->name[0], "%s", host->name);
    hosts->count++;
    return strlen(host->status) + strlen(host->type) + strlen(host->attached) > 1 << 20;
}

static int keep_port(const topomap_db_port *port, void *data)
{
    ++*(size_t *)data;
    return !port;
}

static void ask_ports(topomap_db *db, const char *node)
{
    topomap_error err;
    size_t ports = 0;

    topomap_db_ports(db, NULL, keep_port, &ports, &err);
    topomap_db_ports(db, node, keep_port, &ports, &err);
}

static void ask_machine(topomap_db *db, struct hosts *hosts, enum topomap_bind bind)
{
    char *name[] = {hosts->name[0], hosts->name[1], hosts->name[2]};
    uint32_t tasks[] = {2, 3, 1};
    topomap_names nodes = {3, name};
    topomap_db_allocation allocation = {.size = sizeof allocation,
                                        .nodes = &nodes,
                                        .tasks = tasks,
                                        .cpus_per_task = 1,
                                        .bind = bind};
    topomap_machine *machine;
    topomap_bindings bindings;
    topomap_error err;

    if (topomap_db_machine(db, &allocation, &machine, &bindings, &err))
        return;
    if (bind == TOPOMAP_BIND_CORE) {
        topomap_db_machine_links(db, &allocation, NULL, machine, &err);
        topomap_db_machine_links(db, &allocation, TOPOMAP_DB_MEASURED, machine, &err);
    }
    for (uint32_t p = 0; p < topomap_machine_slots(machine); p++)
        if (!(topomap_machine_distance(machine, 0, p) >= 0) ||
            topomap_machine_level_of(machine, 0, p) >= topomap_machine_levels(machine))
            abort();
    topomap_machine_free(machine);
    topomap_bindings_clear(&bindings);
}

static void ask_costs(topomap_db *db)
{
    topomap_time_costs costs = TOPOMAP_TIME_COSTS;
    unsigned measured;
    topomap_error err;

    if (topomap_db_time_costs(db, &costs, &measured, &err) == 0 &&
        (!(costs.rate > 0) || !(costs.memory_rate > 0) || !(costs.latency >= 0) ||
         !(costs.hop_latency >= 0)))
        abort();
}

static int ask(sqlite3 *file)
{
    topomap_db db = {.path = "damaged", .file = file};
    struct hosts hosts = {.count = 0};
    topomap_db_summary summary;
    topomap_db_distance distance;
    topomap_error err;
    int answered = topomap_db_summarise(&db, &summary, &err) == 0;

    answered &= topomap_db_hosts(&db, NULL, keep_host, &hosts, &err) == 0;
    for (size_t i = 1; i < 8 && i < hosts.count; i++)
        if (topomap_db_distance_between(&db, hosts.name[i - 1], hosts.name[i], &distance, &err) ==
            0)
            topomap_db_distance_clear(&distance);
    ask_ports(&db, hosts.name[0]);
    ask_costs(&db);
    /* nid00000 and its like come before node1 and its like: both kinds of network are asked. */
    if (hosts.count >= 3)
        ask_machine(&db, &hosts, TOPOMAP_BIND_CORE);
    snprintf(hosts.name[0], sizeof hosts.name[0], "nid00000");
    snprintf(hosts.name[1], sizeof hosts.name[1], "nid00001");
    snprintf(hosts.name[2], sizeof hosts.name[2], "nid00023");
    ask_machine(&db, &hosts, TOPOMAP_BIND_PU);
    return answered;
}

/* ---- Bytes --------------------------------------------------------------------------------- */

/* SQLite before 3.36 may be built without the two functions; then it goes by a file. */
#ifdef HAVE_SQLITE3_DESERIALIZE

static unsigned char *bytes_of(sqlite3 *file, sqlite3_int64 *size)
{
    return sqlite3_serialize(file, "main", size, 0);
}

static int open_bytes(const uint8_t *bytes, size_t size, sqlite3 **file)
{
    if (sqlite3_open(":memory:", file) != SQLITE_OK)
        return -1;
    return sqlite3_deserialize(*file, "main", (unsigned char *)(uintptr_t)bytes,
                               (sqlite3_int64)size, (sqlite3_int64)size,
                               SQLITE_DESERIALIZE_READONLY) == SQLITE_OK
               ? 0
               : -1;
}

#else

static unsigned char *bytes_of(sqlite3 *file, sqlite3_int64 *size)
{
    char path[] = "/tmp/topomap-fuzz-XXXXXX";
    int fd = mkstemp(path);
    unsigned char *bytes;
    sqlite3_backup *copy;
    sqlite3 *there;

    if (fd < 0 || sqlite3_open(path, &there) != SQLITE_OK ||
        !(copy = sqlite3_backup_init(there, "main", file, "main")) ||
        sqlite3_backup_step(copy, -1) != SQLITE_DONE || sqlite3_backup_finish(copy) != SQLITE_OK ||
        sqlite3_close(there) != SQLITE_OK)
        abort();
    *size = lseek(fd, 0, SEEK_END);
    bytes = sqlite3_malloc64((sqlite3_uint64)*size);
    if (!bytes || pread(fd, bytes, (size_t)*size, 0) != *size)
        abort();
    close(fd);
    unlink(path);
    return bytes;
}

static int open_bytes(const uint8_t *bytes, size_t size, sqlite3 **file)
{
    char path[] = "/tmp/topomap-fuzz-XXXXXX";
    int fd = mkstemp(path);

    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size ||
        sqlite3_open_v2(path, file, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        abort();
    /* SQLite opens the file itself at the first question, and keeps it. */
    sqlite3_exec(*file, "SELECT 1 FROM sqlite_master", NULL, NULL, NULL);
    close(fd);
    unlink(path);
    return 0;
}

#endif

void fuzz_damage_seeds(struct fuzz_seeds *seeds)
{
    sqlite3 *file = fuzz_database(db_schema);
    sqlite3_int64 size;
    unsigned char *bytes = bytes_of(file, &size);

    if (!bytes)
        abort();
    fuzz_seeds_add(seeds, bytes, (size_t)size);
    sqlite3_free(bytes);
    sqlite3_close(file);
}

int fuzz_damage_bytes(const void *what, const uint8_t *bytes, size_t size)
{
    sqlite3 *file = NULL;
    int answered = 0;

    (void)what;
    if (size < 100)
        return 0;
    if (!open_bytes(bytes, size, &file))
        answered = ask(file);
    sqlite3_close(file);
    return answered;
}

/* ---- Values -------------------------------------------------------------------------------- */

static struct {
    sqlite3 *file;
    char name[TABLES][64];
    sqlite3_stmt *set[TABLES][COLUMNS];
    int columns[TABLES], tables;
} lax;

static void prepare_table(const char *name)
{
    sqlite3_stmt *columns = NULL;
    char *sql = sqlite3_mprintf("SELECT name FROM pragma_table_info(%Q)", name);
    int *count = &lax.columns[lax.tables];

    if (!sql || sqlite3_prepare_v2(lax.file, sql, -1, &columns, NULL) != SQLITE_OK)
        abort();
    sqlite3_free(sql);
    while (*count < COLUMNS && sqlite3_step(columns) == SQLITE_ROW) {
        sql = sqlite3_mprintf("UPDATE OR IGNORE %s SET %s=?1 WHERE _rowid_="
                              "(SELECT _rowid_ FROM %s LIMIT 1 OFFSET ?2)",
                              name, sqlite3_column_text(columns, 0), name);
        if (!sql ||
            sqlite3_prepare_v2(lax.file, sql, -1, &lax.set[lax.tables][*count], NULL) != SQLITE_OK)
            abort();
        sqlite3_free(sql);
        ++*count;
    }
    sqlite3_finalize(columns);
    lax.tables++;
}

static void prepare(void)
{
    sqlite3_stmt *tables = NULL;
    char *schema = lax_schema();

    lax.file = fuzz_database(schema);
    free(schema);
    if (sqlite3_prepare_v2(lax.file,
                           "SELECT name FROM sqlite_master WHERE type='table' AND"
                           " name NOT LIKE 'sqlite_%' ORDER BY name",
                           -1, &tables, NULL) != SQLITE_OK)
        abort();
    while (lax.tables < TABLES && sqlite3_step(tables) == SQLITE_ROW)
        prepare_table((const char *)sqlite3_column_text(tables, 0));
    sqlite3_finalize(tables);
}

/* A change is six bytes: table, column, row, kind of value, and two of the value. */
static void bind_value(sqlite3_stmt *set, const uint8_t *change)
{
    static const int64_t numbers[] = {-1,    0,         1,          255,       65535,
                                      65536, INT32_MAX, UINT32_MAX, INT64_MAX, INT64_MIN};
    static const char *const texts[] = {
        "", "torus", "dragonfly", "1 cores=1 pus=0", "\xff\xfe", "99999999999999999999", "-1", "1"};

    switch (change[3] % 5) {
    case 0:
        sqlite3_bind_int64(set, 1, change[4] | change[5] << 8);
        break;
    case 1:
        sqlite3_bind_int64(set, 1, numbers[change[4] % (sizeof numbers / sizeof *numbers)]);
        break;
    case 2:
        sqlite3_bind_text(set, 1, texts[change[4] % (sizeof texts / sizeof *texts)], -1,
                          SQLITE_STATIC);
        break;
    case 3:
        sqlite3_bind_zeroblob(set, 1, change[4] * 100);
        break;
    default:
        sqlite3_bind_null(set, 1);
    }
}

int fuzz_damage_values(const void *what, const uint8_t *bytes, size_t size)
{
    int answered;

    (void)what;
    if (!lax.file)
        prepare();
    must(lax.file, "BEGIN");
    for (size_t i = 0; i + 6 <= size && i < 6 * CHANGES; i += 6) {
        int table = bytes[i] % lax.tables;
        sqlite3_stmt *set = lax.set[table][bytes[i + 1] % lax.columns[table]];

        bind_value(set, bytes + i);
        sqlite3_bind_int(set, 2, bytes[i + 2]);
        sqlite3_step(set);
        sqlite3_reset(set);
    }
    answered = ask(lax.file);
    must(lax.file, "ROLLBACK");
    return answered;
}
