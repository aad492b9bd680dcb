/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz/database.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "topology-db/sql_functions.h"
#include "topology-db/derive/derive.h"

static void must(sqlite3 *file, const char *sql)
{
    if (sqlite3_exec(file, sql, NULL, NULL, NULL) != SQLITE_OK)
        abort();
}

int fuzz_source(sqlite3 *file, const db_importer *importer, int64_t source)
{
    char *sql = sqlite3_mprintf("INSERT INTO source(id, importer, name, time, partial, warnings)"
                                " VALUES(%lld, %Q, 'seed %lld', 0, 0, 0)",
                                source, importer->row.name, source);
    int result = sql ? sqlite3_exec(file, sql, NULL, NULL, NULL) : SQLITE_NOMEM;

    sqlite3_free(sql);
    return result == SQLITE_OK ? 0 : -1;
}

static void import_seed(sqlite3 *file, const db_importer *importer, const uint8_t *bytes,
                        size_t size, int64_t source)
{
    static const topomap_db_import_options options = {.nodes = NULL};
    topomap_db_report report = {0};
    topomap_error err;
    struct db_import import = {.importer = importer,
                               .path = "seed",
                               .name = "seed",
                               .options = &options,
                               .report = &report,
                               .err = &err,
                               .file = file,
                               .source = source};
    void *content;

    if (topomap_input_memory("seed", bytes, size, &import.input, &err))
        return;
    must(file, "SAVEPOINT seed");
    if (db_read_content(&import, &content) == 0) {
        if (fuzz_source(file, importer, source) || db_write_content(&import, content) ||
            db_derive(file, &err))
            must(file, "ROLLBACK TO seed");
        db_content_free(importer, content);
    }
    must(file, "RELEASE seed");
    topomap_input_close(import.input);
}

sqlite3 *fuzz_database(const char *schema)
{
    static const char shape[] =
        "INSERT OR IGNORE INTO class(id, name, shape)"
        " VALUES(1000, 'seed', '1 cores=4 pus=0;1;2;3 package=2x2');"
        "INSERT OR IGNORE INTO node_class(key, source, name, class)"
        " VALUES('node1', 99, 'node1', 1000), ('nid00000', 99, 'nid00000', 1000)";
    const char *source = getenv("TOPOMAP_SOURCE"), *folder[3] = {NULL};
    const struct fuzz_target all = {.files = ""};
    struct fuzz_seeds seeds;
    const db_importer *importer;
    char path[4096];
    sqlite3 *file;
    topomap_error err;

    if (sqlite3_open(":memory:", &file) != SQLITE_OK || db_functions_register(file, &err))
        abort();
    must(file, "PRAGMA page_size=512");
    must(file, schema);
    snprintf(path, sizeof path, "%s/tests/data/db", source ? source : ".");
    folder[0] = path;
    fuzz_seeds_read(&all, folder, &seeds);
    for (size_t i = 0; (importer = db_importer_at(i)); i++)
        for (size_t k = 0; k < seeds.count; k++)
            import_seed(file, importer, seeds.bytes[k], seeds.size[k],
                        (int64_t)(i * seeds.count + k + 1));
    fuzz_seeds_clear(&seeds);
    must(file, shape);
    if (db_derive(file, &err))
        abort();
    return file;
}
