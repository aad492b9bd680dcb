/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/formats/io.h"

#include <stdlib.h>

#include "partition/partition.h"
#include "util/alloc.h"
#include "util/text.h"

struct division {
    uint32_t *part_of; /* [rows] */
    uint32_t parts;
};

/* Options that divide the rows among the ranks, of which exactly one is given. */
static const char *const division_options[] = {"rows-per-rank", "partition", "parts"};
enum { DIVISION_OPTIONS = sizeof division_options / sizeof *division_options };

int topomap_halo_asked(const topomap_source *source)
{
    for (int i = 0; i < DIVISION_OPTIONS; i++)
        if (topomap_graph_option_text(source, division_options[i]))
            return 1;
    return 0;
}

/* ---- Who has which rows -------------------------------------------------------------------- */

static int by_rows(const topomap_source *source, uint32_t rows, struct division *d,
                   topomap_error *err)
{
    uint64_t each;

    if (topomap_graph_option_number(source, "rows-per-rank", 1, UINT32_MAX, 1, &each, err))
        return -1;
    for (uint32_t i = 0; i < rows; i++)
        d->part_of[i] = (uint32_t)(i / each);
    d->parts = (uint32_t)((rows - 1) / each + 1);
    return 0;
}

static int file_lines(topomap_input *input, uint32_t rows, struct division *d, topomap_error *err)
{
    uint32_t row = 0;
    char *line;
    size_t length;
    int got;

    while ((got = topomap_input_line(input, 0, &line, &length, err)) == 1) {
        const char *at = topomap_text_blanks(line), *begin = at;
        uint64_t part;

        if (!*at || *at == '#' || *at == '%')
            continue;
        if (topomap_text_number(&at, &part) || *topomap_text_blanks(at))
            return topomap_text_fail(input, begin, "the rank of a row", err);
        if (row == rows)
            return topomap_input_fail(input, err, "more lines than the %u rows of the matrix",
                                      rows);
        if (part >= rows)
            return topomap_input_fail(input, err, "rank %llu, but there are %u rows",
                                      (unsigned long long)part, rows);
        d->part_of[row++] = (uint32_t)part;
        d->parts = part >= d->parts ? (uint32_t)part + 1 : d->parts;
    }
    if (!got && row < rows)
        return topomap_input_fail(input, err, "%u lines for the %u rows of the matrix", row, rows);
    return got;
}

static int by_file(const topomap_source *source, uint32_t rows, struct division *d,
                   topomap_error *err)
{
    TOPOMAP_INPUT_CLOSED topomap_input *input = NULL;

    if (topomap_input_open(topomap_graph_option_text(source, "partition"), &input, err))
        return -1;
    return file_lines(input, rows, d, err);
}

static int by_metis(const topomap_graph *matrix, const topomap_source *source, struct division *d,
                    topomap_error *err)
{
    uint64_t parts;

    if (topomap_graph_option_number(source, "parts", 1, matrix->ranks, 1, &parts, err))
        return -1;
    d->parts = (uint32_t)parts;
    return topomap_partition_graph(matrix, d->parts, d->part_of, err);
}

static int divide(const topomap_graph *matrix, const topomap_source *source, struct division *d,
                  topomap_error *err)
{
    int given = 0;

    for (int i = 0; i < DIVISION_OPTIONS; i++)
        given += topomap_graph_option_text(source, division_options[i]) != NULL;
    if (given != 1)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "one of the options rows-per-rank, partition and parts says who "
                                 "has which rows");
    d->part_of = topomap_alloc(matrix->ranks, sizeof *d->part_of, err);
    if (!d->part_of)
        return -1;
    if (topomap_graph_option_text(source, "rows-per-rank"))
        return by_rows(source, matrix->ranks, d, err);
    if (topomap_graph_option_text(source, "partition"))
        return by_file(source, matrix->ranks, d, err);
    return by_metis(matrix, source, d, err);
}

/* ---- The exchange -------------------------------------------------------------------------- */

struct exchange {
    uint32_t *order;  /* [rows] part by part */
    uint32_t *needed; /* [rows] the last part that needs the row's entry, and one */
    uint64_t *count;  /* [parts] entries that the present part needs of each */
    uint32_t *from;   /* [parts] the parts that it needs any of */
};

/* What part `p` needs, from the rows order[begin] on; returns how many parts it needs any of. */
static uint32_t collect(const topomap_graph *matrix, const struct division *d, struct exchange *x,
                        uint32_t p, uint32_t *begin)
{
    uint32_t senders = 0;

    for (; *begin < matrix->ranks && d->part_of[x->order[*begin]] == p; ++*begin) {
        uint32_t row = x->order[*begin];

        for (uint64_t i = matrix->offset[row]; i < matrix->offset[row + 1]; i++) {
            uint32_t column = matrix->target[i], owner = d->part_of[column];

            if (owner == p || x->needed[column] == p + 1)
                continue;
            x->needed[column] = p + 1;
            if (!x->count[owner]++)
                x->from[senders++] = owner;
        }
    }
    return senders;
}

static int fill(const topomap_graph *matrix, const struct division *d, uint64_t bytes,
                struct exchange *x, topomap_arcs *arcs, topomap_error *err)
{
    uint32_t row = 0;

    for (uint32_t p = 0; p < d->parts; p++) {
        uint32_t senders = collect(matrix, d, x, p, &row);

        for (uint32_t k = 0; k < senders; k++) {
            uint32_t owner = x->from[k];

            if (topomap_arcs_add(arcs, owner, p, x->count[owner] * bytes, 1, err))
                return -1;
            x->count[owner] = 0;
        }
    }
    return 0;
}

static int exchange_make(const topomap_graph *matrix, const struct division *d, uint64_t bytes,
                         topomap_graph **graph, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_arcs_clear) topomap_arcs arcs = {.has_messages = 1};
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena arena = {0};
    struct exchange x = {
        .order = topomap_arena_alloc(&arena, matrix->ranks, sizeof *x.order, err),
        .needed = topomap_arena_alloc(&arena, matrix->ranks, sizeof *x.needed, err),
        .count = topomap_arena_alloc(&arena, d->parts, sizeof *x.count, err),
        .from = topomap_arena_alloc(&arena, d->parts, sizeof *x.from, err),
    };

    return arena.is_short ||
                   topomap_graph_by_block(d->part_of, matrix->ranks, d->parts, x.order, err) ||
                   fill(matrix, d, bytes, &x, &arcs, err) ||
                   topomap_arcs_take(&arcs, d->parts, graph, err)
               ? -1
               : 0;
}

int topomap_halo_make(const topomap_graph *matrix, const topomap_source *source,
                      topomap_graph **graph, topomap_error *err)
{
    struct division d = {0};
    uint64_t bytes;
    int status = topomap_graph_option_number(source, "value-bytes", 1, 1 << 20, 8, &bytes, err) ||
                 divide(matrix, source, &d, err) || exchange_make(matrix, &d, bytes, graph, err);

    free(d.part_of);
    return status ? -1 : 0;
}
