/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of Cray's xtdb2proc: one line of key=value pairs a processor, found by key. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/derive/derive.h"
#include "topology-db/import/lists/geometry.h"

enum { WORD = 24, VALUE = 64 };

enum key {
    CPU,
    SLOT,
    CAGE,
    COL,
    ROW,
    X,
    Y,
    Z,
    NID,
    NUMBERS, /* the keys before this one are numbers and must be there */
    STATUS = NUMBERS,
    TYPE,
    MODE,
    KEYS
};

static const struct {
    const char *name;
    uint32_t most;
} keys[KEYS] = {
    [CPU] = {"cpu", 255},
    [SLOT] = {"slot", 255},
    [CAGE] = {"cage", 255},
    [COL] = {"cab_position", 65535},
    [ROW] = {"cab_row", 65535},
    [X] = {"x_coord", CRAY_COORDINATE_MOST},
    [Y] = {"y_coord", CRAY_COORDINATE_MOST},
    [Z] = {"z_coord", CRAY_COORDINATE_MOST},
    [NID] = {"processor_id", CRAY_NID_MOST},
    [STATUS] = {"processor_status", 0},
    [TYPE] = {"processor_type", 0},
    [MODE] = {"alloc_mode", 0},
};

struct processor {
    uint32_t number[NUMBERS];
    char word[KEYS - NUMBERS][WORD];
    size_t line;
};

/* Reads `value` or `'quoted, value'` and the comma after it. */
static int read_value(char **at, char *value)
{
    char quote = **at == '\'' ? '\'' : 0;
    char *start = quote ? *at + 1 : *at, *end = strchr(start, quote ? '\'' : ',');
    size_t length;

    if (!end && quote)
        return -1;
    if (!end)
        end = start + strlen(start);
    length = (size_t)(end - start);
    if (length >= VALUE)
        return -1;
    memcpy(value, start, length);
    value[length] = 0;
    if (quote)
        end++;
    while (*end == ' ' || *end == '\t')
        end++;
    if (*end && *end != ',')
        return -1;
    *at = *end ? end + 1 : end;
    return 0;
}

static int key_of(const char *name, size_t length)
{
    for (int i = 0; i < KEYS; i++)
        if (strlen(keys[i].name) == length && strncmp(keys[i].name, name, length) == 0)
            return i;
    return KEYS;
}

static int read_pairs(struct db_import *import, char *line, struct processor *row)
{
    uint32_t seen = 0;

    while (*line) {
        char *equals = strchr(line, '='), *name = line + strspn(line, " \t"), value[VALUE];
        int key;

        if (!equals || memchr(line, ',', (size_t)(equals - line)))
            return db_fail_here(import, "expected key=value at '%.40s' (a line that was wrapped?)",
                                line);
        key = key_of(name, (size_t)(equals - name));
        line = equals + 1;
        if (read_value(&line, value))
            return db_fail_here(import, "a value without its end at '%.40s'", equals);
        if (key == KEYS)
            continue;
        if (seen & 1u << key)
            return db_fail_here(import, "%s is given twice", keys[key].name);
        seen |= 1u << key;
        if (key >= NUMBERS)
            snprintf(row->word[key - NUMBERS], WORD, "%.*s", WORD - 1, value);
        else if (cray_number(value, keys[key].most, &row->number[key]))
            return db_fail_here(import, "%s: expected a number from 0 to %u, not '%.40s'",
                                keys[key].name, keys[key].most, value);
    }
    for (int i = 0; i < NUMBERS; i++)
        if (!(seen & 1u << i))
            return db_fail_here(import, "no %s (a line that was cut?)", keys[i].name);
    return 0;
}

TOPOMAP_COMPARE(by_nid, struct processor, TOPOMAP_ORDER(x->number[NID], y->number[NID]), 0)

static int check(struct db_import *import, void *content)
{
    const struct db_list *list = content;
    struct processor *row = list->row;

    if (!list->rows)
        return db_fail_here(import, "no line with processor_id=: not xtdb2proc's output");
    TOPOMAP_SORT(row, list->rows, by_nid);
    for (size_t i = 1; i < list->rows; i++)
        if (row[i].number[NID] == row[i - 1].number[NID])
            return db_fail(import, row[i].line, "processor_id %u is on line %zu too",
                           row[i].number[NID], row[i - 1].line);
    return 0;
}

static int read_line(struct db_import *import, void *content, char *line)
{
    struct processor row = {.line = topomap_input_lineno(import->input)};

    line += strspn(line, " \t");
    if (!*line || *line == '#')
        return 0;
    return DB_STATUS(read_pairs(import, line, &row) ||
                     db_list_add(content, &row, sizeof row, import->err));
}

static int write_list(struct db_import *import, void *content)
{
    const struct db_list *list = content;

    for (size_t i = 0; i < list->rows; i++) {
        const struct processor *row = (const struct processor *)list->row + i;
        const uint32_t *n = row->number;
        struct cray_name name = {n[COL], n[ROW], n[CAGE], n[SLOT], n[CPU]};

        if (DB_ADD(import, "INSERT INTO cray_proc", DB_INT(n[NID]), DB_INT(import->source),
                   DB_INT(cray_name_pack(&name)), DB_TEXT(row->word[TYPE - NUMBERS]),
                   DB_TEXT(row->word[STATUS - NUMBERS]), DB_TEXT(row->word[MODE - NUMBERS]),
                   DB_INT(n[X]), DB_INT(n[Y]), DB_INT(n[Z])))
            return -1;
    }
    import->report->hosts = list->rows;
    return db_geometry_write(import, 3, NULL);
}

const db_importer db_xtdb2proc = {
    .row = {"xtdb2proc", "Cray nodes: NID, place on the floor and network coordinates",
            db_geometry_options},
    .singleton = 1,
    .tables = {"cray_proc", "geometry"},
    .size = sizeof(struct db_list),
    .begin = db_geometry_begin,
    .line = read_line,
    .check = check,
    .write = write_list,
    .clear = db_list_clear,
};
