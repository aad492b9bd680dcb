/* SPDX-License-Identifier: BSD-3-Clause */
/* db check: the table of checks, and those of the sources as a whole. */
#include "topology-db/check/check.h"

#include <stdarg.h>
#include <time.h>

/* In the order in which findings are told. */
static const struct {
    topomap_db_check_row row;
    db_check_run *run;
} checks[] = {
    {{"unknown-node", TOPOMAP_DB_ERROR, "nodes that Slurm has and no network here has",
      "import the dump that has it, or a hosts file that maps its name"},
     db_check_unknown_nodes},
    {{"disconnected", TOPOMAP_DB_ERROR, "parts of one fabric without a link between them",
      "no route joins them: look for links that are down, or dump the fabric again"},
     db_check_parts},
    {{"degraded-link", TOPOMAP_DB_WARNING, "links slower or narrower than most of their kind",
      "reseat or replace the cable; look at both ports' error counters"},
     db_check_degraded},
    {{"missing-rail", TOPOMAP_DB_WARNING, "hosts on fewer ports than their peers",
      "look for a port that is down or an adapter without a name"},
     db_check_rails},
    {{"one-way", TOPOMAP_DB_WARNING, "links that only one of their ends lists",
      "dump the fabric again: it changed under the dump, or a query timed out"},
     db_check_one_way},
    {{"dangling", TOPOMAP_DB_WARNING, "neighbours without a record of their own",
      "dump the fabric again: the discovery stopped there"},
     db_check_dangling},
    {{"unnamed-adapter", TOPOMAP_DB_WARNING, "adapters that no host is known to have",
      "import a hosts file that maps its GUID to a node, or set the node's description"},
     db_check_unnamed},
    {{"partial-import", TOPOMAP_DB_WARNING, "sources whose dump holds errors of its tool",
      "dump it again and import it"},
     db_check_partial},
    {{"age", TOPOMAP_DB_WARNING, "sources imported longer ago than --max-age",
      "dump it again and import it"},
     db_check_age},
    {{"missing-class", TOPOMAP_DB_WARNING, "nodes without a class where others have one",
      "import an hwloc XML of such a node with --nodes"},
     db_check_classes},
    {{"fewer-links", TOPOMAP_DB_INFO, "switches with fewer links upwards than most of their level",
      "look for links that are down, if it is not built so"},
     db_check_uplinks},
    {{"unknown-rate", TOPOMAP_DB_INFO, "links whose width or speed is not known",
      "dump with a newer tool: this one does not know the speed"},
     db_check_rates},
    {{"other-host", TOPOMAP_DB_INFO, "hosts of the fabric that Slurm has not",
      "nothing, where it is a service node; else add it to Slurm, or map its name"},
     db_check_other_hosts},
    {{"subnets", TOPOMAP_DB_INFO, "several subnets", "nothing, where the machine has them"},
     db_check_subnets},
    {{"import-warnings", TOPOMAP_DB_INFO, "sources that were imported with warnings",
      "import it again to read them"},
     db_check_warnings},
};

enum { CHECKS = sizeof checks / sizeof *checks };

const topomap_db_check_row *topomap_db_check_row_at(size_t i)
{
    return i < CHECKS ? &checks[i].row : NULL;
}

static int tell(struct db_check *check, enum topomap_db_severity severity, const char *format,
                va_list args)
{
    char text[1024];
    const topomap_db_finding finding = {check->row->name, severity, text, check->row->remedy};

    vsnprintf(text, sizeof text, format, args);
    return check->each(&finding, check->data);
}

int db_found(struct db_check *check, const char *format, ...)
{
    va_list args;
    int result;

    va_start(args, format);
    result = tell(check, check->row->severity, format, args);
    va_end(args);
    return result;
}

int db_found_as(struct db_check *check, enum topomap_db_severity severity, const char *format, ...)
{
    va_list args;
    int result;

    va_start(args, format);
    result = tell(check, severity, format, args);
    va_end(args);
    return result;
}

const char *db_column_text(sqlite3_stmt *statement, int column)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);

    return text ? text : "";
}

int topomap_db_check(topomap_db *db, const topomap_db_check_options *options,
                     int (*each)(const topomap_db_finding *finding, void *data), void *data,
                     topomap_error *err)
{
    struct db_check check = {
        .db = db, .file = db->file, .options = options, .each = each, .data = data, .err = err};
    int result = 0;

    if (!db->file)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: nothing has been imported yet",
                                 db->path);
    for (size_t i = 0; !result && i < CHECKS; i++) {
        check.row = &checks[i].row;
        result = checks[i].run(&check);
    }
    return result;
}

/* ---- Sources ----------------------------------------------------------------------------- */

/* Calls \p take for every row of a question about sources. */
static int for_rows(struct db_check *check, const char *sql,
                    int (*take)(struct db_check *check, sqlite3_stmt *row))
{
    struct db_rows rows = db_ask(check->file, sql, check->err);
    int result = 0;

    while (!result && db_next(&rows))
        result = take(check, rows.row);
    db_end(&rows);
    return rows.result ? -1 : result;
}

static int take_partial(struct db_check *check, sqlite3_stmt *row)
{
    return db_found(check, "%s %s: the dump is not complete", db_column_text(row, 0),
                    db_column_text(row, 1));
}

int db_check_partial(struct db_check *check)
{
    return for_rows(check,
                    "SELECT importer, name FROM source WHERE partial ORDER BY importer, name",
                    take_partial);
}

static int take_warnings(struct db_check *check, sqlite3_stmt *row)
{
    return db_found(check, "%s %s: %lld warnings", db_column_text(row, 0), db_column_text(row, 1),
                    (long long)sqlite3_column_int64(row, 2));
}

int db_check_warnings(struct db_check *check)
{
    return for_rows(check,
                    "SELECT importer, name, warnings FROM source WHERE warnings > 0"
                    " ORDER BY importer, name",
                    take_warnings);
}

static int take_age(struct db_check *check, sqlite3_stmt *row)
{
    double days = difftime(time(NULL), (time_t)sqlite3_column_int64(row, 2)) / 86400;

    if (days <= check->options->max_age)
        return 0;
    return db_found(check, "%s %s: imported %.0f days ago", db_column_text(row, 0),
                    db_column_text(row, 1), days);
}

int db_check_age(struct db_check *check)
{
    return for_rows(check, "SELECT importer, name, time FROM source ORDER BY importer, name",
                    take_age);
}

int db_check_subnets(struct db_check *check)
{
    struct db_rows rows = db_ask(check->file,
                                 "SELECT count(*), group_concat(name, ', ') FROM (SELECT"
                                 " DISTINCT name FROM source JOIN vertex"
                                 " ON vertex.source = source.id ORDER BY name)",
                                 check->err);
    int result = 0;

    if (db_next(&rows) && sqlite3_column_int64(rows.row, 0) > 1)
        result = db_found(check, "%lld subnets: %s", (long long)sqlite3_column_int64(rows.row, 0),
                          db_column_text(rows.row, 1));
    db_end(&rows);
    return rows.result ? -1 : result;
}
