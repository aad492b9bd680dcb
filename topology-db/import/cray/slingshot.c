/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/import/cray/slingshot.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/import/lists/named_fabric.h"
#include "util/alloc.h"

enum { CELLS = 24, NAME = 64 };

enum column { XNAME, TYPE, DST, HOSTNAME, STATUS, SUBTYPE, SPEED, KNOWN };

static const char *const names[KNOWN] = {"xname",  "type",    "dst",  "hostname",
                                         "status", "subtype", "speed"};

/* One end of a fabric port: its own jack is \p from, its peer's \p to; jacks as "x3000c0r41j11". */
struct row {
    char from[NAME], to[NAME];
    char subtype[16];
    uint32_t mbps;
    int swapped; /* from and to are exchanged, so that from <= to */
    size_t line;
};

struct table {
    int at[KNOWN]; /* -1: no such column */
    int header;
    struct row *row;
    size_t rows, room;
    size_t down;
    topomap_fabric *fabric;
};

static const char *skip_number(const char *at)
{
    if (!isdigit((unsigned char)*at))
        return NULL;
    while (isdigit((unsigned char)*at))
        at++;
    return at;
}

/* x<n>c<n>r<n>j<n>, and what follows; NULL where it is not that. */
static const char *skip_jack(const char *text)
{
    static const char marks[] = "xcrj";

    for (int i = 0; text && i < 4; i++)
        text = *text == marks[i] ? skip_number(text + 1) : NULL;
    return text;
}

int db_slingshot_look(struct db_import *import, int *is_table)
{
    const char *bytes;
    size_t size;

    *is_table = 0;
    if (topomap_input_peek(import->input, 64, &bytes, &size, import->err))
        return -1;
    if ((size >= 6 && memcmp(bytes, "Edge: ", 6) == 0) ||
        (size >= 8 && memcmp(bytes, "Fabric: ", 8) == 0))
        return db_fail(
            import, 1,
            "output of fmn-show-status: it tells which links are down, not which switches they "
            "join; give the table of 'show fabric'");
    *is_table = size && (*bytes == '+' || *bytes == '|');
    return 0;
}

/* "BS_200G". */
static uint32_t read_speed(const char *text)
{
    const char *digits = text + strcspn(text, "0123456789");
    unsigned long rate = strtoul(digits, NULL, 10);

    return rate <= 100000 ? (uint32_t)rate * 1000 : 0;
}

/* The switch of a jack or a port: the name before the jack. */
static int find_switch(topomap_fabric *fabric, const char *jack, uint32_t *vertex,
                       topomap_error *err)
{
    char name[NAME];

    snprintf(name, sizeof name, "%s", jack);
    *strchr(name, 'j') = 0;
    if (topomap_fabric_find(fabric, name, vertex, err))
        return -1;
    fabric->vertex[*vertex].kind = TOPOMAP_VERTEX_SWITCH;
    return 0;
}

/* A node on an edge port. */
static int take_edge(struct db_import *import, struct table *table, const char *xname,
                     const char *host, uint32_t mbps)
{
    topomap_link link = {.rate = topomap_rate_of_mbps(mbps),
                         .line = topomap_input_lineno(import->input)};

    if (find_switch(table->fabric, xname, &link.a, import->err) ||
        topomap_fabric_find(table->fabric, host, &link.b, import->err))
        return -1;
    table->fabric->vertex[link.b].kind = TOPOMAP_VERTEX_HOST;
    table->fabric->vertex[link.a].kind = TOPOMAP_VERTEX_SWITCH;
    return db_named_link(table->fabric, link, "edge", 0, import->err);
}

static int take_row(struct db_import *import, struct table *table, char **cell, int cells)
{
    const char *text[KNOWN], *xname, *dst, *end;
    struct row row = {.line = topomap_input_lineno(import->input)};
    char own[NAME];

    db_cells(cell, cells, table->at, KNOWN, text);
    xname = text[XNAME];
    dst = text[DST];
    end = skip_jack(xname);
    row.mbps = read_speed(text[SPEED]);
    if (!end || *end != 'p' || !(end = skip_number(end + 1)) || *end || strlen(xname) >= NAME)
        return db_fail_here(import, "expected a port such as x3000c0r41j11p0, not '%.40s'", xname);
    if (strcmp(text[STATUS], "False") == 0) {
        table->down++;
        return 0;
    }
    if (strcmp(text[TYPE], "edge") == 0)
        return *text[HOSTNAME] && strcmp(text[HOSTNAME], "unknown") != 0
                   ? take_edge(import, table, xname, text[HOSTNAME], row.mbps)
                   : 0;
    if (!(end = skip_jack(dst)) || *end || strlen(dst) >= NAME)
        return db_fail_here(import, "expected a peer such as x3000c0r42j18, not '%.40s'", dst);
    snprintf(own, sizeof own, "%.*s", (int)(strrchr(xname, 'p') - xname), xname);
    snprintf(row.subtype, sizeof row.subtype, "%s", text[SUBTYPE]);
    row.swapped = strcmp(own, dst) > 0;
    strcpy(row.from, row.swapped ? dst : own);
    strcpy(row.to, row.swapped ? own : dst);
    return TOPOMAP_APPEND(table->row, table->rows, table->room, import->err, row);
}

TOPOMAP_COMPARE(by_jacks, struct row, strcmp(x->from, y->from) ?: strcmp(x->to, y->to),
                x->swapped - y->swapped ?: TOPOMAP_ORDER(x->line, y->line))

/* Rows [first, end) are of one pair of jacks; as many links as rows of the end that has more. The
 * others' listings join them: topomap_fabric_match(). */
static int add_links(struct table *table, size_t first, size_t end, topomap_error *err)
{
    const struct row *row = &table->row[first];
    uint32_t sw[2], jack[2], of_end = 0;

    if (find_switch(table->fabric, row->from, &sw[0], err) ||
        find_switch(table->fabric, row->to, &sw[1], err))
        return -1;
    jack[0] = (uint32_t)strtoul(strrchr(row->from, 'j') + 1, NULL, 10);
    jack[1] = (uint32_t)strtoul(strrchr(row->to, 'j') + 1, NULL, 10);
    for (size_t i = first; i < end; i++) {
        int own = table->row[i].swapped;
        topomap_link link = {.a = sw[own],
                             .b = sw[!own],
                             .rate = topomap_rate_of_mbps(table->row[i].mbps),
                             .line = table->row[i].line};

        of_end = i > first && own == table->row[i - 1].swapped ? of_end + 1 : 0;
        /* Ports of its jack that the table does not pair: numbered by jack, then in order. */
        link.aport = jack[own] * 2 + of_end + 1;
        link.bport = jack[!own] * 2 + of_end + 1;
        if (of_end > 1)
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "%s to %s: more than the two links of a jack", row->from,
                                     row->to);
        if (db_named_link(table->fabric, link, table->row[i].subtype, 0, err))
            return -1;
    }
    return 0;
}

static int add_pairs(struct table *table, topomap_error *err)
{
    size_t end;

    TOPOMAP_SORT(table->row, table->rows, by_jacks);
    for (size_t i = 0; i < table->rows; i = end) {
        for (end = i; end < table->rows && strcmp(table->row[i].from, table->row[end].from) == 0 &&
                      strcmp(table->row[i].to, table->row[end].to) == 0;
             end++)
            ;
        if (add_links(table, i, end, err))
            return -1;
    }
    return 0;
}

static int read_line(struct db_import *import, void *content, char *line)
{
    struct table *table = content;
    char *cell[CELLS], *last;
    int cells;

    line += strspn(line, " \t");
    if (!*line || *line == '+')
        return 0;
    if (*line == '*') {
        import->report->partial = 1;
        db_warn(import, topomap_input_lineno(import->input), "%.150s", line);
        return 0;
    }
    if (*line != '|')
        return db_fail_here(import, "expected a row of the table: | ... |");
    /* A row that was cut has no bar behind its last cell, which is left out then. */
    last = strrchr(line, '|');
    *last = 0;
    cells = last > line ? db_fields(line + 1, '|', cell, CELLS) : 0;
    if (cells && strcmp(cell[0], names[XNAME]) == 0) {
        db_columns(cell, cells, names, KNOWN, strcmp, table->at);
        table->header = 1;
        return table->at[DST] < 0
                   ? db_fail_here(import, "expected a table with columns xname and dst")
                   : 0;
    }
    return table->header ? take_row(import, table, cell, cells)
                         : db_fail_here(import, "a row before the header");
}

static void table_clear(struct table *table)
{
    free(table->row);
}

int db_slingshot_read(struct db_import *import, topomap_fabric *fabric)
{
    TOPOMAP_CLEANUP(table_clear) struct table table = {.fabric = fabric};

    if (db_each_line(import, read_line, &table) || add_pairs(&table, import->err))
        return -1;
    if (table.down)
        db_warn(import, 0, "%zu ports are down: their links are left out", table.down);
    return 0;
}
