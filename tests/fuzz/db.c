/* SPDX-License-Identifier: BSD-3-Clause */
/* Importers: reading alone, and what they read on its way through the database. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/database.h"
#include "fuzz/fuzz.h"
#include "topology-db/calibrate/calibrate.h"
#include "topology-db/derive/derive.h"
#include "topology-db/query/query.h"
#include "topology-db/import/import.h"

/* Packed input is the target "input"; here it would only be a way to very large files. */
static int is_packed(const uint8_t *bytes, size_t size)
{
    return (size >= 6 && memcmp(bytes,
                                "\xfd"
                                "7zXZ",
                                6) == 0) ||
           (size >= 4 && memcmp(bytes, "\x28\xb5\x2f\xfd", 4) == 0);
}

static void *read_content(struct db_import *import, const uint8_t *bytes, size_t size)
{
    void *content = NULL;
    topomap_error err;

    import->err = &err;
    if (topomap_input_memory(import->path, bytes, size, &import->input, &err))
        return NULL;
    if (db_read_content(import, &content))
        content = NULL;
    else if (!content)
        abort();
    topomap_input_close(import->input);
    return content;
}

int fuzz_import(const void *what, const uint8_t *bytes, size_t size)
{
    static const topomap_db_import_options options = {.nodes = "n[1-4]"};
    const db_importer *importer = what;
    topomap_db_report report = {0};
    struct db_import import = {
        .importer = importer, .path = "fuzz", .options = &options, .report = &report};
    void *content;

    if (is_packed(bytes, size))
        return 0;
    content = read_content(&import, bytes, size);
    if (!content)
        return 0;
    db_content_free(importer, content);
    return 1;
}

/* ---- Through the database ------------------------------------------------------------------ */

/* A database that knows the project's own small dumps: routing tables and host maps are about
 * something that was imported before. */
static sqlite3 *memory(void)
{
    static sqlite3 *file;

    if (!file)
        file = fuzz_database(db_schema);
    return file;
}

struct ends {
    char first[512], last[512];
    size_t hosts;
};

static int keep_ends(const topomap_db_host *host, void *data)
{
    struct ends *ends = data;

    snprintf(ends->hosts++ ? ends->last : ends->first, sizeof ends->first, "%s", host->name);
    return 0;
}

static void ask_machine(struct topomap_db *db, char *a, char *b)
{
    char *name[] = {a, b};
    topomap_names nodes = {2, name};
    uint32_t tasks[] = {2, 3};
    topomap_db_allocation allocation = {.size = sizeof allocation,
                                        .nodes = &nodes,
                                        .tasks = tasks,
                                        .cpus_per_task = 1,
                                        .bind = TOPOMAP_BIND_CORE};
    topomap_machine *machine;
    topomap_error err;

    if (topomap_db_machine(db, &allocation, &machine, NULL, &err) == 0)
        topomap_machine_free(machine);
}

/* What is in the tables was written by us, so that it is read. */
static void ask_devices(struct topomap_db *db, char *node)
{
    topomap_names nodes = {1, &node};
    topomap_db_device_classes classes;
    topomap_devices devices;
    topomap_device_levels levels;
    topomap_error err;

    if (topomap_db_devices(db, node, &devices, &err) ||
        topomap_db_devices_of(db, &nodes, &classes, &err) ||
        (devices.count > 0) != (classes.class_of[0] != TOPOMAP_DB_NO_DEVICES))
        abort();
    if (devices.gpus && topomap_devices_levels(&devices, NULL, 0, &levels, &err) == 0) {
        topomap_db_allocation allocation = {
            .size = sizeof allocation, .nodes = &nodes, .tasks = &devices.gpus};
        topomap_machine *machine;

        if (topomap_db_machine_gpus(db, &allocation, levels.order, &machine, &err) == 0)
            topomap_machine_free(machine);
        topomap_device_levels_clear(&levels);
    }
    topomap_db_device_classes_clear(&classes);
    topomap_devices_clear(&devices);
}

/* Whatever was imported, the questions have an answer or an error. */
static void ask(sqlite3 *file)
{
    struct topomap_db db = {.path = "fuzz", .file = file};
    struct ends ends = {.hosts = 0};
    topomap_db_summary summary;
    topomap_db_distance distance;
    topomap_error err;

    if (topomap_db_summarise(&db, &summary, &err) ||
        topomap_db_hosts(&db, NULL, keep_ends, &ends, &err) || summary.hosts != ends.hosts)
        abort();
    if (ends.hosts)
        ask_devices(&db, ends.first);
    if (ends.hosts < 2)
        return;
    if (topomap_db_distance_between(&db, ends.first, ends.last, &distance, &err) == 0)
        topomap_db_distance_clear(&distance);
    ask_machine(&db, ends.first, ends.last);
}

/* Another file takes its place. */
static void forget_same(sqlite3 *file, const db_importer *importer)
{
    char *sql = sqlite3_mprintf("SELECT max(id) FROM source WHERE importer=%Q", importer->row.name);
    topomap_error err;
    int64_t source;

    while (sql && db_number(file, sql, 0, &source, &err) == 0 && source)
        if (db_forget_source(file, source, &err))
            abort();
    sqlite3_free(sql);
}

/* The source twice, as when an import is repeated, then gone. */
static int write_twice(struct db_import *import, const db_importer *importer, void *content)
{
    topomap_error err;
    int result;

    import->err = &err;
    if (db_execute(import->file, "BEGIN", &err))
        abort();
    if (importer->singleton)
        forget_same(import->file, importer);
    result = fuzz_source(import->file, importer, FUZZ_SOURCE) ||
             db_write_content(import, content) || db_derive(import->file, &err);
    if (!result) {
        ask(import->file);
        if (db_forget_source(import->file, import->source, &err) ||
            fuzz_source(import->file, importer, FUZZ_SOURCE) || db_write_content(import, content) ||
            db_derive(import->file, &err))
            abort();
    }
    if (db_execute(import->file, "ROLLBACK", &err))
        abort();
    return !result;
}

int fuzz_store(const void *what, const uint8_t *bytes, size_t size)
{
    static const topomap_db_import_options options = {.nodes = "n[1-4]"};
    const db_importer *importer = what;
    topomap_db_report report = {0};
    struct db_import import = {.importer = importer,
                               .path = "fuzz",
                               .name = "fuzz",
                               .options = &options,
                               .report = &report,
                               .file = memory(),
                               .source = FUZZ_SOURCE};
    void *content;
    int taken;

    if (is_packed(bytes, size))
        return 0;
    content = read_content(&import, bytes, size);
    if (!content)
        return 0;
    taken = write_twice(&import, importer, content);
    db_content_free(importer, content);
    return taken;
}

/* Costs are numbers that are not negative, and what is written is a calibration. */
int fuzz_measured(const void *what, const uint8_t *bytes, size_t size)
{
    topomap_db_calibration r;
    topomap_error err;

    (void)what;
    if (topomap_db_calibrate(fuzz_file(bytes, size), NULL, &r, &err))
        return 0;
    for (size_t i = 0; i < r.hops; i++)
        if (!(r.hop[i].cost.latency_us >= 0 && isfinite(r.hop[i].cost.latency_us)) ||
            !(r.hop[i].cost.us_per_byte >= 0 && isfinite(r.hop[i].cost.us_per_byte)))
            abort();
    if (!(r.base.latency_us >= 0 && isfinite(r.base.latency_us)) || r.outliers > r.pairs)
        abort();
    topomap_db_calibration_write(&r, "/dev/null", &err);
    topomap_db_calibration_clear(&r);
    return 1;
}
