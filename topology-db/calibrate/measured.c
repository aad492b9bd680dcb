/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/calibrate/calibrate.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "util/alloc.h"
#include "util/input.h"

enum { FIELDS = 7, ROWS_MOST = 1 << 27, NAME_MOST = 255 };

enum field { KIND, FROM, TO, HOPS, SIZE, LATENCY, BANDWIDTH };

static const char *const kinds[] = {"pair", "inside", "contention"};

struct interned {
    uint32_t index;
    UT_hash_handle hh; /* by the name that the measurements have */
};

struct reader {
    topomap_input *input;
    struct db_measured *measured;
    struct interned *known;
    size_t name_room, row_room;
};

void db_measured_clear(struct db_measured *measured)
{
    for (uint32_t i = 0; i < measured->names; i++)
        free(measured->name[i]);
    free(measured->name);
    free(measured->row);
    *measured = (struct db_measured){0};
}

static int intern(struct reader *r, const char *text, uint32_t *index, topomap_error *err)
{
    struct db_measured *m = r->measured;
    struct interned *one;
    size_t length = strlen(text);

    HASH_FIND(hh, r->known, text, length, one);
    if (!one) {
        if (!length || length > NAME_MOST)
            return topomap_input_fail(r->input, err, "expected a name of 1 to %d bytes", NAME_MOST);
        if (topomap_grow(&m->name, &r->name_room, m->names + 1u, sizeof *m->name, err) ||
            !(m->name[m->names] = topomap_strdup(text, err)))
            return -1;
        one = topomap_alloc(1, sizeof *one, err);
        if (!one) {
            free(m->name[m->names]);
            return -1;
        }
        one->index = m->names++;
        HASH_ADD_KEYPTR(hh, r->known, m->name[one->index], length, one);
    }
    *index = one->index;
    return 0;
}

static int read_number(const char *text, double least, double *number)
{
    char *end;

    *number = strtod(text, &end);
    return end == text || *end || !(*number >= least && *number <= 1e15) ? -1 : 0;
}

static int split(struct reader *r, char *line, char **field, topomap_error *err)
{
    size_t count = 0;

    for (char *at; count <= FIELDS && (at = strsep(&line, ",")); count++)
        if (count < FIELDS)
            field[count] = at;
    return count == FIELDS
               ? 0
               : topomap_input_fail(r->input, err,
                                    "expected kind,from,to,hops,size,latency_us,bandwidth_MBps");
}

static int read_kind(const char *text, enum db_measured_kind *kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(text, kinds[i]) == 0) {
            *kind = (enum db_measured_kind)i;
            return 0;
        }
    return -1;
}

/* The bandwidth is size / latency, for people. */
static int read_row(struct reader *r, char *line, topomap_error *err)
{
    struct db_measured *m = r->measured;
    struct db_measurement row = {.hops = -1};
    char *field[FIELDS];

    if (split(r, line, field, err))
        return -1;
    if (strcmp(field[KIND], "kind") == 0)
        return 0;
    if (read_kind(field[KIND], &row.kind))
        return topomap_input_fail(r->input, err, "expected pair, inside or contention, not '%.40s'",
                                  field[KIND]);
    if ((*field[HOPS] && read_number(field[HOPS], 0, &row.hops)) ||
        read_number(field[SIZE], 0, &row.size) || read_number(field[LATENCY], 0, &row.us))
        return topomap_input_fail(r->input, err,
                                  "expected hops or nothing, bytes, and microseconds");
    if (intern(r, field[FROM], &row.from, err) || intern(r, field[TO], &row.to, err))
        return -1;
    if (row.from == row.to)
        return topomap_input_fail(r->input, err, "'%.60s' with itself", field[FROM]);
    if (m->rows == ROWS_MOST)
        return topomap_input_fail(r->input, err, "more than %d rows", ROWS_MOST);
    return TOPOMAP_APPEND(m->row, m->rows, r->row_room, err, row);
}

static int read_rows(struct reader *r, topomap_error *err)
{
    char *line;
    size_t length;
    int got;

    while ((got = topomap_input_line(r->input, 4096, &line, &length, err)) > 0) {
        line[strcspn(line, "#")] = 0;
        if (line[strspn(line, " \t")] && read_row(r, line, err))
            return -1;
    }
    if (!got && !r->measured->rows)
        return topomap_input_fail(r->input, err, "no measurements");
    return got;
}

int db_measured_read(const char *path, struct db_measured *measured, topomap_error *err)
{
    struct reader r = {.measured = measured};
    struct interned *one, *next;
    int result;

    *measured = (struct db_measured){0};
    if (topomap_input_open(path, &r.input, err))
        return -1;
    result = read_rows(&r, err);
    HASH_ITER(hh, r.known, one, next)
    {
        HASH_DELETE(hh, r.known, one);
        free(one);
    }
    topomap_input_close(r.input);
    return result;
}
