/* SPDX-License-Identifier: BSD-3-Clause */
/* A source that is taken out of the database again: a dump of another cluster, a class of nodes
 * that were sold. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "topology-db/derive/derive.h"
#include "topology-db/import/import.h"
#include "util/alloc.h"
#include "util/text.h"

/* What is looked for, and what was found. */
struct sought {
    const char *name;  /* as it was given; NULL: any */
    const char *path;  /* of that file, whole, or NULL */
    const char *nodes; /* that it was imported for; NULL: any */
    int exact;         /* one has the very name */
    int64_t source;
    size_t count, sources;     /* that may be meant; of the format */
    char meant[512], all[512]; /* their names */
};

/* The file, for the nodes that are asked for, or whichever. */
static int is_of_file(const char *name, const char *path, const char *nodes)
{
    size_t length = strlen(path);

    if (strncmp(name, path, length) != 0)
        return 0;
    if (nodes)
        return strncmp(name + length, " for ", 5) == 0 && strcmp(name + length + 5, nodes) == 0;
    return !name[length] || strncmp(name + length, " for ", 5) == 0;
}

/* A source without a name is the only one of its format, whichever file it came from. */
static int is_meant(const struct sought *sought, const char *name)
{
    return !sought->name || !*name || is_of_file(name, sought->name, sought->nodes) ||
           (sought->path && is_of_file(name, sought->path, sought->nodes));
}

static void look_at(struct sought *sought, int64_t source, const char *name)
{
    int exact = sought->name && !sought->nodes && strcmp(name, sought->name) == 0;

    topomap_text_append(sought->all, sizeof sought->all, "%s'%s'", sought->sources++ ? ", " : "",
                        name);
    if (sought->exact || !is_meant(sought, name))
        return;
    sought->exact = exact;
    sought->source = source;
    sought->count = exact ? 1 : sought->count + 1;
    topomap_text_append(sought->meant, sizeof sought->meant, "%s'%s'",
                        sought->count > 1 ? ", " : "", name);
}

static int find_source(sqlite3 *file, const char *importer, struct sought *sought,
                       topomap_error *err)
{
    DB_ROWS rows = DB_ASK(file, "SELECT id, name FROM source WHERE importer=? ORDER BY name", err,
                          DB_TEXT(importer));

    while (db_next(&rows))
        look_at(sought, sqlite3_column_int64(rows.row, 0), db_column_text(rows.row, 1));
    if (rows.result)
        return -1;
    if (sought->count == 1)
        return 0;
    if (sought->count > 1)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "%zu sources of %s: say which one: %s",
                                 sought->count, importer, sought->meant);
    if (sought->sources)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "no source of %s is '%s%s%s'; there %s %s",
                                 importer, sought->name, sought->nodes ? " for " : "",
                                 sought->nodes ? sought->nodes : "",
                                 sought->sources > 1 ? "are" : "is", sought->all);
    return topomap_error_set(err, TOPOMAP_EUSAGE,
                             "there is no source of %s; `topomap db show --sources` lists all",
                             importer);
}

int topomap_db_forget(topomap_db *db, const char *importer, const char *name, const char *nodes,
                      topomap_error *err)
{
    TOPOMAP_FREED char *path = name && *name ? realpath(name, NULL) : NULL;
    struct sought sought = {.name = name, .path = path, .nodes = nodes};
    struct db_writer writer;
    int result;

    if (db_imported(db, err) || db_writer_begin(db, &writer, err))
        return -1;
    result = DB_STATUS(find_source(writer.file, importer, &sought, err) ||
                       db_forget_source(writer.file, sought.source, err) ||
                       db_forget_classes(writer.file, err) || db_derive(writer.file, err));
    return db_writer_end(&writer, result, err);
}
