/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of Cray's xtprocadmin: a table whose columns are found by its header line. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/derive/derive.h"
#include "topology-db/import/lists/geometry.h"

enum { COLUMNS = 32, WORD = 24 };

enum column { NID, HEX, NODENAME, TYPE, STATUS, MODE, KNOWN };

static const char *const column_names[KNOWN] = {"NID",  "(HEX)",  "NODENAME",
                                                "TYPE", "STATUS", "MODE"};

struct row {
    uint32_t nid;
    struct cray_name name;
    char type[WORD], status[WORD], mode[WORD];
};

struct table {
    struct db_list nodes; /* struct row */
    int at[KNOWN];        /* column of each known name, -1 where it is not there */
    int header;
};

static int take_header(struct db_import *import, struct table *table, char **word, int words)
{
    db_columns(word, words, column_names, KNOWN, strcmp, table->at);
    if (table->at[NID] < 0 || table->at[NODENAME] < 0)
        return db_fail_here(import,
                            "the header line has no %s column; give the output of "
                            "'xtprocadmin' without options that remove it",
                            table->at[NID] < 0 ? "NID" : "NODENAME");
    table->header = 1;
    return 0;
}

static int read_row(struct db_import *import, struct table *table, char **word, int words)
{
    struct row row = {0};
    const char *cell[KNOWN];
    char *end;

    db_cells(word, words, table->at, KNOWN, cell);
    if (cray_number(cell[NID], CRAY_NID_MOST, &row.nid))
        return db_fail_here(import, "expected a NID, not '%.40s'", cell[NID]);
    if (*cell[HEX] && (strtoul(cell[HEX], &end, 16) != row.nid || *end))
        return db_fail_here(import, "NID %u and (HEX) %.20s do not agree", row.nid, cell[HEX]);
    if (cray_name_parse(cell[NODENAME], &row.name))
        return db_fail_here(import, "expected a node name such as c0-0c0s1n0, not '%.40s'",
                            cell[NODENAME]);
    for (enum column c = TYPE; c <= STATUS; c++)
        if (table->at[c] >= words)
            return db_fail_here(import, "the row is cut: no %s", column_names[c]);
    snprintf(row.type, WORD, "%s", cell[TYPE]);
    snprintf(row.status, WORD, "%s", cell[STATUS]);
    snprintf(row.mode, WORD, "%s", cell[MODE]);
    return db_list_add(&table->nodes, &row, sizeof row, import->err);
}

/* Messages of a tool that could not reach its database come before the table or instead of it. */
static int read_line(struct db_import *import, void *content, char *line)
{
    struct table *table = content;
    char *word[COLUMNS], first[200];
    int words;

    snprintf(first, sizeof first, "%s", line);
    words = db_words(line, " \t", word, COLUMNS);
    if (!words || word[0][0] == '#')
        return 0;
    for (int i = 0; i < words; i++)
        if (strcmp(word[i], column_names[NID]) == 0 || strcmp(word[i], column_names[NODENAME]) == 0)
            return take_header(import, table, word, words);
    if (table->header)
        return read_row(import, table, word, words);
    db_warn(import, topomap_input_lineno(import->input), "before the table: %.150s", first);
    return 0;
}

TOPOMAP_COMPARE(by_nid, struct row, TOPOMAP_ORDER(x->nid, y->nid), 0)

static int check(struct db_import *import, void *content)
{
    struct table *table = content;
    struct row *row = table->nodes.row;
    size_t kept = 0;

    if (!table->header)
        return db_fail_here(import,
                            "no header line with NID and NODENAME: not xtprocadmin's output");
    if (!table->nodes.rows)
        return db_fail_here(import, "the table has no rows");
    TOPOMAP_SORT(row, table->nodes.rows, by_nid);
    for (size_t i = 0; i < table->nodes.rows; i++) {
        if (kept && row[kept - 1].nid == row[i].nid) {
            if (memcmp(&row[kept - 1].name, &row[i].name, sizeof row->name))
                return db_fail(import, 0, "NID %u has two rows with different node names",
                               row[i].nid);
            db_warn(import, 0, "NID %u has two rows", row[i].nid);
            continue;
        }
        row[kept++] = row[i];
    }
    table->nodes.rows = kept;
    return 0;
}

static int write_table(struct db_import *import, void *content)
{
    const struct db_list *nodes = content;
    const struct row *row = nodes->row;

    for (size_t i = 0; i < nodes->rows; i++)
        if (DB_ADD(import, "INSERT INTO cray_admin", DB_INT(row[i].nid), DB_INT(import->source),
                   DB_INT(cray_name_pack(&row[i].name)), DB_TEXT(row[i].type),
                   DB_TEXT(row[i].status), DB_TEXT(row[i].mode)))
            return -1;
    import->report->hosts = nodes->rows;
    return db_geometry_write(import, 3, NULL);
}

const db_importer db_xtprocadmin = {
    .row = {"xtprocadmin", "Cray nodes: NID, component name, type and status", db_geometry_options},
    .singleton = 1,
    .tables = {"cray_admin", "geometry"},
    .size = sizeof(struct table),
    .begin = db_geometry_begin,
    .line = read_line,
    .check = check,
    .write = write_table,
    .clear = db_list_clear,
};
