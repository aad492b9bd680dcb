/* SPDX-License-Identifier: BSD-3-Clause */
/* Coordinates of named nodes, one node a line, blanks or commas between words:
 *
 *   coordinates   node X Y Z ...         1 to 8 numbers
 *                 nid00012 X Y Z S       Gemini: S is which of its router's NICs, no coordinate
 *                 12 c0-0c0s3n0 compute X Y Z    NID, component name, type
 *                 a first line N C: N nodes follow, with C coordinates each
 *   bluegene      node X,Y,Z[,T]         Blue Gene/P: T is the core
 *                 node [LOCATION] A,B,C,D,E[,T]    Blue Gene/Q; a location may be the node's name
 *
 * A Blue Gene/P partition of fewer than 512 nodes (a midplane) is a mesh, not a torus. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/derive/derive.h"
#include "topology-db/import/lists/geometry.h"
#include "util/alloc.h"
#include "util/names/known.h"

enum { WORDS = 12, MIDPLANE = 512 };

struct row {
    char name[DB_KEY], type[24];
    topomap_coordinates point;
    int64_t cname; /* -1: none */
    size_t line;
};

struct list {
    struct row *row;
    size_t rows, room;
    topomap_known keys;         /* of the rows' names */
    uint32_t promised, columns; /* by a first line; 0: none */
    int begun, nic;             /* whether the last number is a NIC's; -1: not known yet */
    int bluegene;
};

static void list_clear(void *content)
{
    struct list *list = content;

    topomap_known_clear(&list->keys);
    free(list->row);
}

static int is_number(const char *text)
{
    return text[strspn(text, "0123456789")] == 0 && *text;
}

static int take_point(struct db_import *import, struct row *row, char **word, int words)
{
    if (words < 1 || words > TOPOMAP_DIMS)
        return db_fail_here(import, "expected a node and 1 to %d coordinates", TOPOMAP_DIMS);
    for (int i = 0; i < words; i++) {
        uint32_t number;

        if (cray_number(word[i], TOPOMAP_COORDINATE_MOST, &number))
            return db_fail_here(import, "expected a coordinate from 0 to %d, not '%.40s'",
                                TOPOMAP_COORDINATE_MOST, word[i]);
        row->point.at[row->point.dims++] = (uint16_t)number;
    }
    return 0;
}

static int take_name(struct db_import *import, struct row *row, const char *name)
{
    if (strlen(name) >= DB_KEY)
        return db_fail_here(import, "a name of more than %d characters", DB_KEY - 1);
    for (const char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr(".-_:", *at))
            return db_fail_here(import, "'%.60s' is not a node name", name);
    strcpy(row->name, name);
    return 0;
}

static int keep_row(struct db_import *import, struct list *list, struct row *row, const char *name,
                    char **word, int words)
{
    char key[DB_KEY];
    uint32_t at;

    if (take_name(import, row, name) || take_point(import, row, word, words))
        return -1;
    db_host_key(row->name, key);
    if (topomap_known_number(&list->keys, key, strlen(key), &at, import->err))
        return -1;
    if (at < list->rows && list->bluegene &&
        topomap_coordinates_same(&list->row[at].point, &row->point))
        return 0; /* another core of it */
    if (at < list->rows)
        return db_fail_here(import, "node '%.100s' is on line %zu too", row->name,
                            list->row[at].line);
    if (list->rows && row->point.dims != list->row->point.dims)
        return db_fail_here(import, "%u coordinates, but %u on line %zu", row->point.dims,
                            list->row->point.dims, list->row->line);
    return TOPOMAP_APPEND(list->row, list->rows, list->room, import->err, *row);
}

/* Gemini maps end their rows with the NIC: a first line that counts one coordinate less says so, or
 * a NID with four numbers, as no Cray torus has four dimensions. */
static int last_is_nic(const struct list *list, const char *name, int numbers)
{
    if (list->nic >= 0)
        return list->nic;
    if (list->columns && (int)list->columns == numbers - 1)
        return 1;
    return numbers == 4 && strncmp(name, "nid", 3) == 0 && is_number(name + 3);
}

/* ---- coordinates --------------------------------------------------------------------------- */

static int read_cray(struct db_import *import, struct list *list, char **word, int words)
{
    struct row row = {.line = topomap_input_lineno(import->input)};
    struct cray_name cname;
    uint32_t nid;
    char name[24];

    if (words != 6)
        return db_fail_here(import, "expected NID, component name, type, X Y Z");
    if (cray_number(word[0], CRAY_NID_MOST, &nid) || cray_name_parse(word[1], &cname))
        return db_fail_here(import, "expected a NID, not '%.40s'", word[0]);
    snprintf(name, sizeof name, "nid%05u", nid);
    row.cname = cray_name_pack(&cname);
    snprintf(row.type, sizeof row.type, "%s", word[2]);
    return keep_row(import, list, &row, name, word + 3, 3);
}

static int read_node(struct db_import *import, struct list *list, char **word, int words)
{
    struct row row = {.cname = -1, .line = topomap_input_lineno(import->input)};
    struct cray_name cname;

    if (words >= 2 && cray_name_parse(word[1], &cname) == 0)
        return read_cray(import, list, word, words);
    if (is_number(word[0]))
        return db_fail_here(import, "expected a node's name, not '%.40s'", word[0]);
    if (cray_name_parse(word[0], &cname) == 0)
        row.cname = cray_name_pack(&cname);
    words -= last_is_nic(list, word[0], words - 1);
    return keep_row(import, list, &row, word[0], word + 1, words - 1);
}

/* ---- bluegene ------------------------------------------------------------------------------ */

/* R00-M0-N00-J00, perhaps with its core -C00, which is cut off. */
static int is_location(char *text)
{
    static const char marks[] = "RMNJC";
    char *at = text;

    for (int i = 0; i < 5; i++) {
        char *start = at;

        if (*at != marks[i] || !isxdigit((unsigned char)at[1]))
            return 0;
        for (at++; isxdigit((unsigned char)*at); at++)
            ;
        if (i == 4)
            *(start > text ? start - 1 : start) = 0;
        if (!*at)
            return i >= 3;
        if (*at++ != '-')
            return 0;
    }
    return 0;
}

static int read_bluegene(struct db_import *import, struct list *list, char **word, int words)
{
    struct row row = {.cname = -1, .line = topomap_input_lineno(import->input)};
    int first = 1, numbers;

    is_location(word[0]);
    if (words > 1 && is_location(word[1]))
        first = 2;
    numbers = words - first;
    /* The last one of X,Y,Z,T and of A,B,C,D,E,T is the core. */
    if (numbers == 4 || numbers == 6)
        numbers--;
    if (numbers != 3 && numbers != 5)
        return db_fail_here(import, "expected a node and X,Y,Z[,T] or A,B,C,D,E[,T]");
    return keep_row(import, list, &row, word[0], word + first, numbers);
}

/* ---- Both ---------------------------------------------------------------------------------- */

static int read_line(struct db_import *import, void *content, char *line)
{
    struct list *list = content;
    char *word[WORDS];
    int words, first = !list->begun;

    line[strcspn(line, "#")] = 0;
    words = db_words(line, " \t,<>()", word, WORDS);
    if (!words)
        return 0;
    list->begun = 1;
    if (list->bluegene)
        return read_bluegene(import, list, word, words);
    if (first && words == 2 && is_number(word[0]) && is_number(word[1])) {
        if (cray_number(word[0], INT32_MAX, &list->promised) ||
            cray_number(word[1], TOPOMAP_DIMS + 1, &list->columns) || !list->columns)
            return db_fail_here(import, "expected how many nodes and coordinates follow");
        return 0;
    }
    return read_node(import, list, word, words);
}

static int check(struct db_import *import, void *content)
{
    const struct list *list = content;

    if (!list->rows)
        return db_fail_here(import, "no line 'node X Y Z ...'");
    if (list->promised && list->promised != list->rows)
        return db_fail_here(import, "the first line promises %u nodes, found %zu: the file is cut",
                            list->promised, list->rows);
    if (list->columns && list->columns != list->row->point.dims &&
        list->columns != list->row->point.dims + 1)
        return db_fail_here(import, "the first line promises %u coordinates, found %u",
                            list->columns, list->row->point.dims);
    return db_geometry_check(import, list->row->point.dims);
}

static int begin(struct db_import *import, void *content)
{
    struct list *list = content;
    const char *nic = db_option(import, "nic");

    list->bluegene = import->importer == &db_bluegene;
    list->nic = nic ? strcmp(nic, "yes") == 0 : -1;
    return db_geometry_check(import, 0);
}

static int has_node(const void *content, const char *name)
{
    char key[DB_KEY];

    db_host_key(name, key);
    return topomap_known_find(&((const struct list *)content)->keys, key, strlen(key)) !=
           UINT32_MAX;
}

/* A file with a node of this one is an older one of the same network. */
static int write_rows(struct db_import *import, void *content)
{
    static const char nodes[] = "SELECT source, place.name FROM place JOIN source ON source.id ="
                                " place.source WHERE importer IN ('coordinates', 'bluegene')"
                                " ORDER BY source";
    const struct list *list = content;

    if (db_forget_sharing(import, nodes, has_node, list))
        return -1;
    for (size_t i = 0; i < list->rows; i++) {
        const struct row *row = &list->row[i];
        char place[TOPOMAP_COORDINATES_TEXT];

        topomap_coordinates_format(&row->point, place);
        if (DB_ADD(import, "INSERT INTO place", DB_INT(import->source), DB_TEXT(row->name),
                   DB_TEXT(place), DB_INT_IF(row->cname >= 0, row->cname),
                   DB_TEXT_IF(*row->type, row->type)))
            return -1;
    }
    import->report->hosts = list->rows;
    return db_geometry_write(
        import, list->row->point.dims,
        list->bluegene && list->row->point.dims == 3 && list->rows < MIDPLANE ? "0" : NULL);
}

#define GEOMETRY_DIMS                                                                              \
    {                                                                                              \
        "dims", "NxNx...", "size of the network, where the nodes listed do not reach its ends"     \
    }

static const topomap_graph_option coordinates_options[] = {
    GEOMETRY_DIMS,
    GEOMETRY_WRAP,
    {"nic", "yes|no", "whether the last number is a NIC's of the router and no coordinate"},
    GEOMETRY_SHAPE,
    {NULL, NULL, NULL},
};

static const topomap_graph_option bluegene_options[] = {
    GEOMETRY_DIMS,
    GEOMETRY_WRAP,
    {NULL, NULL, NULL},
};

#define LIST_IMPORTER                                                                              \
    .tables = {"place", "geometry"}, .size = sizeof(struct list), .begin = begin,                  \
    .line = read_line, .check = check, .write = write_rows, .clear = list_clear

const db_importer db_coordinates = {
    .row = {"coordinates", "any torus or mesh: lines 'node X Y Z ...', 1 to 8 dimensions",
            coordinates_options},
    LIST_IMPORTER,
};

const db_importer db_bluegene = {
    .row = {"bluegene",
            "Blue Gene: lines 'node X,Y,Z[,T]' or 'node A,B,C,D,E[,T]'; fewer than 512 nodes with "
            "X,Y,Z are a mesh",
            bluegene_options},
    LIST_IMPORTER,
};
