/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured costs, CSV:
 *
 *   level,latency_us,bandwidth_MBps
 *   core,0.2,12000
 *   numa,0.4,9000
 *   hop,0.1,24000
 *   hop:4xEDR,0.1,12000
 *
 * A byte of a level costs latency / message size + 1 / bandwidth; every cost is then told against
 * `hop`, a hop over the fabric's reference link (sql_functions.h), which is 10 tenths of a hop.
 * Levels that are not in the file keep what they cost without it. 1 MB is 1,000,000 bytes. */
#include <stdlib.h>
#include <string.h>

#include "machine/shape.h"
#include "topology-db/import/import.h"

enum { LEVEL = 48, ROWS_MOST = 4096 };

/* Of latencies and bandwidths; as a bandwidth it means that no time of a byte was told apart
 * (calibrate/calibrate_write.c). */
#define NUMBER_MOST 1e12

struct row {
    char level[LEVEL];
    double ns;
    double us, mbytes; /* as they are told */
    size_t line;
};

struct table {
    struct db_list levels;
    double size; /* of a message, bytes */
    int begun;
};

/* Inside nodes, or between them. */
static int is_level(const char *text)
{
    return topomap_shape_level_named(text) >= 0 || strcmp(text, "router") == 0 ||
           strcmp(text, "hop") == 0 || (strncmp(text, "hop:", 4) == 0 && text[4]);
}

static int read_number(const char *text, double least, double *number)
{
    char *end;

    *number = strtod(text, &end);
    return DB_STATUS(end == text || end[strspn(end, " \t")] ||
                     !(*number >= least && *number <= NUMBER_MOST));
}

static int read_row(struct db_import *import, void *content, char *line)
{
    struct table *table = content;
    struct row row = {.line = topomap_input_lineno(import->input)};
    char *keep, *level, *latency, *bandwidth;

    line[strcspn(line, "#")] = 0;
    if (!line[strspn(line, " \t")])
        return 0;
    level = strtok_r(line, ", \t", &keep);
    latency = strtok_r(NULL, ",", &keep);
    bandwidth = strtok_r(NULL, ",", &keep);
    if (level && !table->begun++ && strcmp(level, "level") == 0)
        return 0;
    if (!level || !latency || !bandwidth || strtok_r(NULL, ",", &keep))
        return db_fail_here(import, "expected level,latency_us,bandwidth_MBps");
    if (!is_level(level) || strlen(level) >= LEVEL)
        return db_fail_here(import,
                            "no level '%.60s'; there are core, l1 to l5, die, group, numa, "
                            "package, node, router, hop, and hop:CLASS, such as hop:4xEDR",
                            level);
    if (read_number(latency, 0, &row.us) || read_number(bandwidth, 1e-6, &row.mbytes))
        return db_fail_here(import, "expected a latency in microseconds and a bandwidth in MB/s");
    strcpy(row.level, level);
    row.ns = row.us * 1000 / table->size + 1000 / row.mbytes;
    if (table->levels.rows == ROWS_MOST)
        return db_fail_here(import, "more than %d levels", ROWS_MOST);
    return db_list_add(&table->levels, &row, sizeof row, import->err);
}

TOPOMAP_COMPARE(by_level, struct row, strcmp(x->level, y->level), TOPOMAP_ORDER(x->line, y->line))

static int check(struct db_import *import, void *content)
{
    const struct db_list *levels = content;
    struct row *row = levels->row;
    int hop = 0;

    TOPOMAP_SORT(row, levels->rows, by_level);
    for (size_t i = 0; i < levels->rows; i++) {
        hop |= strcmp(row[i].level, "hop") == 0;
        if (i && strcmp(row[i - 1].level, row[i].level) == 0)
            return db_fail(import, row[i].line, "'%s' is on line %zu too", row[i].level,
                           row[i - 1].line);
    }
    return hop ? 0 : db_fail_here(import, "no row 'hop': the other costs are told against it");
}

static int begin(struct db_import *import, void *content)
{
    const char *size = db_option(import, "size");
    struct table *table = content;

    table->size = 65536;
    return size && read_number(size, 1, &table->size)
               ? topomap_error_set(import->err, TOPOMAP_EUSAGE,
                                   "option size takes a number of bytes, not '%.40s'", size)
               : 0;
}

/* Costs of a byte, for distances; and the times that they were made of, for predicted time. */
static int write_table(struct db_import *import, void *content)
{
    const struct db_list *levels = content;
    const struct row *row = levels->row;

    for (size_t i = 0; i < levels->rows; i++)
        if (DB_ADD(import, "INSERT INTO calibration", DB_TEXT(row[i].level), DB_INT(import->source),
                   DB_REAL(row[i].ns)) ||
            DB_ADD(import, "INSERT INTO level_time", DB_TEXT(row[i].level), DB_INT(import->source),
                   DB_REAL(row[i].us * 1e-6),
                   DB_REAL_IF(row[i].mbytes < NUMBER_MOST, row[i].mbytes * 1e6)))
            return -1;
    return 0;
}

static const topomap_graph_option options[] = {
    {"size", "BYTES", "message size that a latency is spread over, 65536 where it is left out"},
    {NULL, NULL, NULL},
};

const db_importer db_calibration = {
    .row =
        {"calibration",
         "measured costs: CSV level,latency_us,bandwidth_MBps; levels core, l1 to l5, die, group, "
         "numa, package, node, router (leaving a node), hop, hop:CLASS",
         options},
    .singleton = 1,
    .tables = {"calibration", "level_time"},
    .size = sizeof(struct table),
    .begin = begin,
    .line = read_row,
    .check = check,
    .write = write_table,
    .clear = db_list_clear,
};
