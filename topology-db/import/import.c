/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/import/import.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/derive/derive.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/text.h"

#define ADDRESS(importer) &(importer),
static const db_importer *const importers[] = {DB_IMPORTERS(ADDRESS)};
#undef ADDRESS

enum { IMPORTERS = sizeof importers / sizeof *importers };

const db_importer *db_importer_at(size_t i)
{
    return i < IMPORTERS ? importers[i] : NULL;
}

const topomap_db_importer_row *topomap_db_importers(size_t i)
{
    return i < IMPORTERS ? &importers[i]->row : NULL;
}

/* Where "name=value" has this name, its value. */
static const char *value_of(const char *text, const char *name)
{
    size_t length = strlen(name);

    return strncmp(text, name, length) == 0 && text[length] == '=' ? text + length + 1 : NULL;
}

const char *db_option(const struct db_import *import, const char *name)
{
    for (const char *const *at = import->options->option; at && *at; at++) {
        const char *value = value_of(*at, name);

        if (value)
            return value;
    }
    return NULL;
}

void db_warn(struct db_import *import, size_t line, const char *format, ...)
{
    topomap_db_report *report = import->report;
    size_t used;
    va_list args;

    if (report->warnings++)
        return;
    snprintf(report->first_warning, sizeof report->first_warning,
             line ? "%s:%zu: " : "%s: ", import->path, line);
    used = strlen(report->first_warning);
    va_start(args, format);
    vsnprintf(report->first_warning + used, sizeof report->first_warning - used, format, args);
    va_end(args);
}

int db_fail(const struct db_import *import, size_t line, const char *format, ...)
{
    char text[384];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!line)
        return topomap_error_set(import->err, TOPOMAP_EINPUT, "%s: %s", import->path, text);
    return topomap_error_set(import->err, TOPOMAP_EINPUT, "%s:%zu: %s", import->path, line, text);
}

int db_each_line(struct db_import *import, db_take_line *take, void *content)
{
    char *line;
    size_t length;
    int got;

    while ((got = topomap_input_line(import->input, 65536, &line, &length, import->err)) > 0)
        if (take(import, content, line))
            return -1;
    return got;
}

int db_first_byte(struct db_import *import, char *first)
{
    const char *bytes;
    size_t size, at = 0;

    if (topomap_input_peek(import->input, 4096, &bytes, &size, import->err))
        return -1;
    while (at < size && strchr(" \t\r\n", bytes[at]))
        at++;
    *first = (char)(at < size ? bytes[at] : 0);
    return 0;
}

int db_begins_any(const char *line, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (db_begins(line, texts[i]))
            return 1;
    return 0;
}

int db_words(char *line, const char *between, char **word, int most)
{
    int words = 0;
    char *keep;

    for (char *at = strtok_r(line, between, &keep); at && words < most;
         at = strtok_r(NULL, between, &keep))
        word[words++] = at;
    return words;
}

int db_fields(char *line, char separator, char **field, int most)
{
    int fields = 0;

    while (fields < most && (field[fields] = topomap_text_field(&line, separator)) != NULL)
        fields++;
    return fields;
}

void db_columns(char *const *cell, int cells, const char *const *name, int names,
                int (*compare)(const char *, const char *), int *at)
{
    for (int n = 0; n < names; n++) {
        at[n] = -1;
        for (int i = 0; i < cells; i++)
            if (compare(cell[i], name[n]) == 0)
                at[n] = i;
    }
}

static int take_whole(struct db_import *import, void *content)
{
    return import->importer->line ? db_each_line(import, import->importer->line, content)
                                  : import->importer->begin(import, content);
}

int db_read_other(struct db_import *import, const char *path,
                  int (*read)(struct db_import *import, void *content), void *content)
{
    topomap_input *first = import->input;
    const char *own = import->path;
    size_t not_utf8;
    int result = topomap_input_open(path, &import->input, import->err);

    if (!result) {
        import->path = topomap_input_called(path);
        topomap_input_watch(import->input, import->watch);
        topomap_input_check_utf8(import->input, &not_utf8);
        result =
            DB_STATUS(topomap_input_unpacked(import->input, import->options->option, import->err) ||
                      read(import, content));
        topomap_input_close(import->input);
        if (not_utf8)
            db_warn(import, not_utf8,
                    "bytes that are not UTF-8 are shown as \\xHH; to keep names readable convert "
                    "the file with iconv -t UTF-8 and import it again");
    }
    import->input = first;
    import->path = own;
    return result;
}

static int read_more(struct db_import *import, void *content)
{
    for (const char *const *more = import->options->more; more && *more; more++)
        if (db_read_other(import, *more, take_whole, content))
            return -1;
    return 0;
}

int db_read_content(struct db_import *import, void *content)
{
    const db_importer *importer = import->importer;
    void *made = topomap_alloc(1, importer->size, import->err);

    if (!made)
        return -1;
    if ((importer->begin && importer->begin(import, made)) ||
        (importer->line && db_each_line(import, importer->line, made)) || read_more(import, made) ||
        (importer->check && importer->check(import, made))) {
        db_content_free(importer, made);
        return -1;
    }
    *(void **)content = made;
    return 0;
}

void db_content_free(const db_importer *importer, void *content)
{
    if (importer->clear)
        importer->clear(content);
    free(content);
}

int db_write_content(struct db_import *import, void *content)
{
    int result = import->importer->write(import, content);

    while (import->inserts)
        sqlite3_finalize(import->insert[--import->inserts].statement);
    free(import->insert);
    import->insert = NULL;
    import->insert_room = 0;
    return result;
}

int db_add(struct db_import *import, const char *begin, const db_value *value, size_t values)
{
    struct db_insert made = {begin, NULL};
    char sql[256];

    for (size_t i = 0; i < import->inserts; i++)
        if (import->insert[i].begin == begin)
            return db_put(import->insert[i].statement, value, values, import->err);
    snprintf(sql, sizeof sql, "%s VALUES(?", begin);
    for (size_t i = 1; i < values; i++)
        topomap_text_append(sql, sizeof sql, ",?");
    topomap_text_append(sql, sizeof sql, ")");
    made.statement = db_prepare(import->file, sql, import->err);
    if (!made.statement)
        return -1;
    if (TOPOMAP_APPEND(import->insert, import->inserts, import->insert_room, import->err, made)) {
        sqlite3_finalize(made.statement);
        return -1;
    }
    return db_put(made.statement, value, values, import->err);
}

int db_list_add(struct db_list *list, const void *row, size_t size, topomap_error *err)
{
    if (topomap_grow(&list->row, &list->room, list->rows + 1, size, err))
        return -1;
    memcpy((char *)list->row + list->rows++ * size, row, size);
    return 0;
}

void db_list_clear(void *content)
{
    free(((struct db_list *)content)->row);
}

/* NULL where this release has none of the name. */
static const db_importer *importer_named(const char *name)
{
    for (size_t i = 0; i < IMPORTERS; i++)
        if (strcmp(importers[i]->row.name, name) == 0)
            return importers[i];
    return NULL;
}

static int forget_rows(sqlite3 *file, const char *table, const char *column, int64_t source,
                       topomap_error *err)
{
    char *sql = sqlite3_mprintf("DELETE FROM %s WHERE %s=%lld", table, column, source);
    int result = sql ? db_execute(file, sql, err) : db_failed(file, err);

    sqlite3_free(sql);
    return result;
}

/* What is known of no importer may lie in any table. */
int db_forget_source(sqlite3 *file, int64_t source, topomap_error *err)
{
    DB_ROWS rows = DB_ASK(file, "SELECT importer FROM source WHERE id=?", err, DB_INT(source));
    const db_importer *own = db_next(&rows) ? importer_named(db_column_text(rows.row, 0)) : NULL;

    db_end(&rows);
    if (rows.result)
        return -1;
    for (size_t i = 0; i < IMPORTERS; i++)
        for (const char *const *table = importers[i]->tables; *table; table++)
            if ((!own || importers[i] == own) && forget_rows(file, *table, "source", source, err))
                return -1;
    return forget_rows(file, "source", "id", source, err);
}

int db_forget_classes(sqlite3 *file, topomap_error *err)
{
    return db_execute(file, "DELETE FROM class WHERE id NOT IN (SELECT class FROM node_class)",
                      err);
}

int db_forget_sharing(const struct db_import *import, const char *names,
                      int (*has)(const void *content, const char *name), const void *content)
{
    DB_ROWS rows = db_ask(import->file, names, import->err);
    TOPOMAP_FREED int64_t *shared = NULL;
    size_t count = 0, room = 0;

    while (db_next(&rows)) {
        int64_t source = sqlite3_column_int64(rows.row, 0);
        const char *name = (const char *)sqlite3_column_text(rows.row, 1);

        if (source != import->source && (!count || shared[count - 1] != source) && name &&
            has(content, name) && TOPOMAP_APPEND(shared, count, room, import->err, source))
            return -1;
    }
    for (size_t i = 0; !rows.result && i < count; i++)
        if (db_forget_source(import->file, shared[i], import->err))
            return -1;
    return rows.result;
}

/* ---- One import -------------------------------------------------------------------------- */

static const db_importer *find(const char *name, topomap_error *err)
{
    const db_importer *found = importer_named(name);
    char known[512] = "";

    if (found)
        return found;
    for (size_t i = 0; i < IMPORTERS; i++)
        topomap_text_append(known, sizeof known, "%s%s", i ? ", " : "", importers[i]->row.name);
    topomap_error_set(err, TOPOMAP_EUSAGE, "no format '%s'; there are %s", name, known);
    return NULL;
}

/* Whether a value is one of "yes|no"; where capitals stand for it, the importer itself looks. */
static int is_value(const char *values, const char *value)
{
    size_t length = strlen(value);

    for (const char *at = values; *at; at++)
        if (isupper((unsigned char)*at))
            return *value != 0;
    for (const char *at = values; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (length && strncmp(at, value, length) == 0 && (at[length] == '|' || !at[length]))
            return 1;
    }
    return 0;
}

static int refuse_option(const topomap_db_importer_row *row, const char *text, topomap_error *err)
{
    char known[768] = "";

    for (const topomap_graph_option *o = row->options; o && o->name; o++)
        topomap_text_append(known, sizeof known, "%s%s=%s", *known ? ", " : "", o->name, o->values);
    return *known
               ? topomap_error_set(err, TOPOMAP_EUSAGE, "%s has no option '%.100s'; there are %s",
                                   row->name, text, known)
               : topomap_error_set(err, TOPOMAP_EUSAGE, "%s has no options, not '%.100s' either",
                                   row->name, text);
}

static int check_options(const topomap_db_importer_row *row, const char *const *options,
                         topomap_error *err)
{
    for (const char *const *at = options; at && *at; at++) {
        const topomap_graph_option *o = row->options;

        if (topomap_input_is_option(*at))
            continue;
        while (o && o->name && !value_of(*at, o->name))
            o++;
        if (!o || !o->name)
            return refuse_option(row, *at, err);
        if (!is_value(o->values, value_of(*at, o->name)))
            return topomap_error_set(err, TOPOMAP_EUSAGE, "%s: option %s takes %s, not '%.100s'",
                                     row->name, o->name, o->values, value_of(*at, o->name));
        for (const char *const *other = options; other < at; other++)
            if (value_of(*other, o->name))
                return topomap_error_set(err, TOPOMAP_EUSAGE, "%s: option %s is given twice",
                                         row->name, o->name);
    }
    return 0;
}

/* The names of the importers that have one of two properties. */
static const char *name_those(int for_nodes, char *known, size_t size)
{
    *known = 0;
    for (size_t i = 0; i < IMPORTERS; i++)
        if (for_nodes ? importers[i]->for_nodes : importers[i]->joins)
            topomap_text_append(known, size, "%s%s", *known ? ", " : "", importers[i]->row.name);
    return known;
}

/* What is given beside the file: nodes that it is for, and further files. */
static int check_given(const db_importer *importer, const topomap_db_import_options *options,
                       topomap_error *err)
{
    char known[200];

    if (options->nodes && !importer->for_nodes)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "only files of %s are for a list of nodes",
                                 name_those(1, known, sizeof known));
    if (options->more && *options->more && !importer->joins)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "%s takes one file at a time; several are one source of %s alone",
                                 importer->row.name, name_those(0, known, sizeof known));
    return 0;
}

/* The row of the source, after what it said before is gone. */
static int begin_source(struct db_import *import)
{
    DB_ROWS rows = DB_ASK(import->file, "SELECT id FROM source WHERE importer=? AND name=?",
                          import->err, DB_TEXT(import->importer->row.name), DB_TEXT(import->name));
    int is_there = db_next(&rows);
    int64_t old = is_there ? sqlite3_column_int64(rows.row, 0) : 0;

    db_end(&rows);
    if (rows.result || (is_there && db_forget_source(import->file, old, import->err)))
        return -1;
    return db_number(import->file, "SELECT max(id) + 1 FROM source", 1, &import->source,
                     import->err);
}

/* Counts names of all sources, since a site map that is imported later may map them. */
static int warn_refused(struct db_import *import)
{
    char name[DB_KEY];
    int64_t count;

    if (db_number(import->file, "SELECT value FROM fact WHERE name = 'refused_names'", 0, &count,
                  import->err) ||
        db_fact_text(import->file, "refused_name", name, sizeof name, import->err))
        return -1;
    if (count)
        db_warn(import, 0,
                "%lld hosts have names that no node of Slurm can have, such as '%.80s': they are "
                "left out; map their names to nodes with `db import hosts`",
                (long long)count, name);
    return 0;
}

/* The user's option counts, else how all fabrics of the importer's kind are routed. */
static int write_routing(struct db_import *import)
{
    const char *given = db_option(import, "routing");
    const char *routing = given ? given : import->importer->routing;

    return routing ? DB_RUN(import->file, "INSERT INTO routing VALUES(?,?)", import->err,
                            DB_INT(import->source), DB_TEXT(routing))
                   : 0;
}

static int write_all(struct db_import *import, void *content)
{
    const db_importer *importer = import->importer;

    if (begin_source(import) || db_write_content(import, content) ||
        DB_RUN(import->file, "INSERT INTO source VALUES(?,?,?,?,?,?)", import->err,
               DB_INT(import->source), DB_TEXT(importer->row.name), DB_TEXT(import->name),
               DB_INT(topomap_clock_date()), DB_INT(import->report->partial),
               DB_INT(import->report->warnings)) ||
        write_routing(import))
        return -1;
    if (db_derive(import->file, import->err)) {
        topomap_error why = *import->err;

        return why.code == TOPOMAP_EINPUT
                   ? topomap_error_set(import->err, why.code, "%s: %s", import->path, why.text)
                   : -1;
    }
    return warn_refused(import) || (importer->derived && importer->derived(import)) ? -1 : 0;
}

/* What the source is called: the file, and the nodes that it is for where it is for some (one XML
 * may be imported for several lists of nodes). */
static char *name_source(const struct db_import *import)
{
    TOPOMAP_FREED char *whole = realpath(import->path, NULL);
    char *name;
    const char *path = whole ? whole : import->path, *nodes = import->options->nodes;

    if (import->importer->singleton)
        path = "";
    name = topomap_alloc(strlen(path) + (nodes ? strlen(nodes) : 0) + 8, 1, import->err);
    if (name)
        sprintf(name, "%s%s%s", path, nodes ? " for " : "", nodes ? nodes : "");
    return name;
}

/* SQLite calls it every so many steps of its machine. */
enum { STEPS = 100000 };

static int count_rows(void *data)
{
    const struct db_import *import = data;

    topomap_watch_at(import->watch,
                     (uint64_t)(sqlite3_total_changes(import->file) - import->changes));
    return 0; /* go on */
}

static int write_content(topomap_db *db, struct db_import *import, void *content)
{
    TOPOMAP_FREED char *name = name_source(import);
    struct db_writer writer;
    int result;

    if (!name || db_writer_begin(db, &writer, import->err))
        return -1;
    import->name = name;
    import->file = writer.file;
    import->changes = sqlite3_total_changes(writer.file);
    topomap_watch_stage(import->watch, "writing", "rows", 0);
    if (import->watch)
        sqlite3_progress_handler(writer.file, STEPS, count_rows, import);
    result = write_all(import, content);
    sqlite3_progress_handler(writer.file, 0, NULL, NULL);
    return db_writer_end(&writer, result, import->err);
}

int topomap_db_import(topomap_db *db, const char *importer, const char *path,
                      const topomap_db_import_options *options, topomap_db_report *report,
                      topomap_error *err)
{
    return db_import_watched(db, importer, path, options, NULL, report, err);
}

int db_import_watched(topomap_db *db, const char *importer_name, const char *path,
                      const topomap_db_import_options *options, topomap_watch *watch,
                      topomap_db_report *report, topomap_error *err)
{
    static const topomap_db_import_options defaults;
    topomap_error own; /* importers read what the error says */
    const db_importer *importer = find(importer_name, err ? err : (err = &own));
    topomap_db_report counted = {0};
    struct db_import import = {.importer = importer,
                               .path = topomap_input_called(path),
                               .options = options ? options : &defaults,
                               .report = &counted,
                               .watch = watch,
                               .err = err};
    void *content = NULL;
    int result;

    if (!importer || check_given(importer, import.options, err) ||
        check_options(&importer->row, import.options->option, err))
        return -1;
    result = db_read_other(&import, path, db_read_content, &content);
    if (result && !importer->own_words && import.path == path)
        db_foreign_explain(path, err);
    if (!result) {
        result = write_content(db, &import, content);
        db_content_free(importer, content);
    }
    if (!result && report)
        *report = counted;
    return result;
}
