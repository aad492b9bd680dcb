/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix Market: Boisvert, Pozo, Remington, "The Matrix Market Exchange Formats: Initial Design",
 * NISTIR 5935, 1996. Entry (i,j) is what rank i-1 sends to rank j-1. Of a symmetric matrix one
 * triangle is stored; the value is split between the two directions as in METIS files. */
#include "graph/formats/io.h"

#include <string.h>
#include <strings.h>

#include "util/text.h"

/* By their places in the words below. */
enum values { PATTERN, INTEGER, REAL, DOUBLE, COMPLEX };
enum symmetry { GENERAL, SYMMETRIC, SKEW, HERMITIAN };

struct reader {
    topomap_input *input;
    topomap_arcs arcs;
    int array, values, symmetry;
    int halo; /* only where the entries are counts */
    uint64_t ranks, entries;
};

static int take_word(struct reader *in, const char **at, const char *words, int *value,
                     topomap_error *err)
{
    size_t length;

    *at = topomap_text_blanks(*at);
    length = strcspn(*at, " \t");
    *value = topomap_lines_word(words, *at, length);
    if (*value >= 0) {
        *at += length;
        return 0;
    }
    return topomap_input_fail(in->input, err,
                              "`%.*s` in the header; expected `%%%%MatrixMarket matrix "
                              "coordinate|array pattern|integer|real "
                              "general|symmetric|skew-symmetric`",
                              (int)(length < 40 ? length : 40), *at);
}

static int header_read(struct reader *in, topomap_error *err)
{
    const char *at;
    char *line;
    size_t length;
    int ignored, got = topomap_input_line(in->input, 0, &line, &length, err);

    if (got < 0)
        return -1;
    if (!got)
        return topomap_input_fail(in->input, err, "the header `%%%%MatrixMarket ...` is missing");
    at = line;
    if (take_word(in, &at, "%%MatrixMarket", &ignored, err) ||
        take_word(in, &at, "matrix", &ignored, err) ||
        take_word(in, &at, "coordinate|array", &in->array, err) ||
        take_word(in, &at, "pattern|integer|real|double|complex", &in->values, err) ||
        take_word(in, &at, "general|symmetric|skew-symmetric|hermitian", &in->symmetry, err))
        return -1;
    if (in->array && in->values == PATTERN)
        return topomap_input_fail(in->input, err, "an array cannot be a pattern");
    if (in->array && in->halo)
        return topomap_input_fail(in->input, err, "a dense matrix has no halo exchange");
    if (!in->halo && (in->values == COMPLEX || in->symmetry == HERMITIAN))
        return topomap_input_fail(in->input, err,
                                  "`%s` values are no traffic; the options for halo exchanges "
                                  "(`topomap formats`) take such a matrix",
                                  in->values == COMPLEX ? "complex" : "hermitian");
    return 0;
}

/* Next line that is neither comment nor empty: 1, 0 at the end, -1 on failure. */
static int next_line(struct reader *in, const char **at, topomap_error *err)
{
    char *line;
    size_t length;
    int got;

    do {
        got = topomap_input_line(in->input, 0, &line, &length, err);
        if (got == 1)
            *at = topomap_text_blanks(line);
    } while (got == 1 && (*line == '%' || !**at));
    return got;
}

static uint64_t array_entries(const struct reader *in)
{
    uint64_t n = in->ranks, half = n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - 1);

    return in->symmetry == GENERAL ? n * n : in->symmetry == SYMMETRIC ? half + n : half;
}

static int check_sizes(struct reader *in, uint64_t rows, uint64_t columns, topomap_error *err)
{
    uint64_t most = topomap_input_most(in->input);

    if (rows != columns)
        return topomap_input_fail(in->input, err,
                                  "%llu rows and %llu columns; a communication graph is square",
                                  (unsigned long long)rows, (unsigned long long)columns);
    if (rows < 1 || rows > TOPOMAP_GRAPH_RANKS)
        return topomap_input_fail(in->input, err, "%llu rows; 1 to 2^31 are possible",
                                  (unsigned long long)rows);
    in->ranks = rows;
    if (in->array)
        in->entries = array_entries(in);
    if (in->entries > most / 2 + 1)
        return topomap_input_fail(in->input, err, "%llu entries do not fit in a file of %llu bytes",
                                  (unsigned long long)in->entries, (unsigned long long)most);
    return topomap_lines_plausible(in->input, rows, in->entries, err);
}

static int sizes_read(struct reader *in, topomap_error *err)
{
    uint64_t rows, columns;
    const char *at;
    int got = next_line(in, &at, err);

    if (got < 0)
        return -1;
    if (!got)
        return topomap_input_fail(in->input, err, "the line of sizes is missing");
    if (topomap_lines_number(in->input, &at, "the number of rows", &rows, err) ||
        topomap_lines_number(in->input, &at, "the number of columns", &columns, err) ||
        (!in->array &&
         topomap_lines_number(in->input, &at, "the number of entries", &in->entries, err)) ||
        topomap_lines_end(in->input, at, err))
        return -1;
    return check_sizes(in, rows, columns, err);
}

/* A skew-symmetric matrix has each value once with each sign; the traffic is its magnitude. */
static int take_value(struct reader *in, const char **at, uint64_t *value, topomap_error *err)
{
    const char *begin = *at = topomap_text_blanks(*at);
    int negative = 0, status;

    if (in->values == PATTERN) {
        *value = 1;
        return 0;
    }
    if (in->values == INTEGER && in->symmetry == SKEW && *begin == '-')
        ++*at;
    status = in->values != INTEGER ? topomap_text_real(at, value, &negative)
                                   : topomap_text_number(at, value);
    if (status || (**at && **at != ' ' && **at != '\t') || (negative && in->symmetry != SKEW)) {
        *at = begin;
        return topomap_text_fail(in->input, begin, "the value", err);
    }
    return 0;
}

static int add_arc(struct reader *in, uint64_t from, uint64_t to, uint64_t bytes,
                   topomap_error *err)
{
    return from == to ? 0 : topomap_lines_arc(in->input, &in->arcs, from, to, bytes, 0, err);
}

static int add_entry(struct reader *in, uint64_t row, uint64_t column, uint64_t value,
                     topomap_error *err)
{
    uint64_t low = row < column ? row : column, high = row < column ? column : row;

    if (in->symmetry == GENERAL)
        return add_arc(in, row, column, value, err);
    return add_arc(in, low, high, value - value / 2, err) || add_arc(in, high, low, value / 2, err)
               ? -1
               : 0;
}

static int coordinate_line(struct reader *in, const char *at, topomap_error *err)
{
    uint64_t row, column, value = 2; /* of a symmetric entry: 1 each way */

    if (topomap_lines_number(in->input, &at, "the row", &row, err) ||
        topomap_lines_number(in->input, &at, "the column", &column, err) ||
        (!in->halo && (take_value(in, &at, &value, err) || topomap_lines_end(in->input, at, err))))
        return -1;
    if (row < 1 || row > in->ranks || column < 1 || column > in->ranks)
        return topomap_input_fail(in->input, err, "entry (%llu,%llu) in a matrix of %llu rows",
                                  (unsigned long long)row, (unsigned long long)column,
                                  (unsigned long long)in->ranks);
    return add_entry(in, row - 1, column - 1, value, err);
}

/* Columns one after the other; of a symmetric matrix from the diagonal down, of a skew-symmetric
 * one from below it. A value of 0 is no arc here: an array has a value for every pair. */
static int array_line(struct reader *in, const char *at, uint64_t *row, uint64_t *column,
                      topomap_error *err)
{
    uint64_t value;

    if (take_value(in, &at, &value, err) || topomap_lines_end(in->input, at, err) ||
        (value && add_entry(in, *row, *column, value, err)))
        return -1;
    if (++*row == in->ranks) {
        ++*column;
        *row = in->symmetry == GENERAL ? 0 : *column + (in->symmetry == SKEW);
    }
    return 0;
}

static int entries_read(struct reader *in, topomap_error *err)
{
    uint64_t row = in->symmetry == SKEW, column = 0;
    const char *at;
    int got;

    for (uint64_t i = 0; i < in->entries; i++) {
        got = next_line(in, &at, err);
        if (got < 0)
            return -1;
        if (!got)
            return topomap_input_fail(in->input, err,
                                      "the file ends after %llu of %llu entries: it is truncated",
                                      (unsigned long long)i, (unsigned long long)in->entries);
        if (in->array ? array_line(in, at, &row, &column, err) : coordinate_line(in, at, err))
            return -1;
    }
    got = next_line(in, &at, err);
    if (got == 1)
        return topomap_input_fail(in->input, err, "a line after the last of %llu entries",
                                  (unsigned long long)in->entries);
    return got;
}

static int matrix_market_read(const topomap_source *source, topomap_graph **graph,
                              topomap_error *err)
{
    struct reader in = {.input = source->input, .halo = topomap_halo_asked(source)};
    TOPOMAP_GRAPH_FREED topomap_graph *matrix = NULL;
    int status;

    if (!in.halo && topomap_graph_option_text(source, "value-bytes"))
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "value-bytes goes with rows-per-rank, partition or parts");
    status = header_read(&in, err) || sizes_read(&in, err) || entries_read(&in, err) ||
             topomap_arcs_take(&in.arcs, (uint32_t)in.ranks, in.halo ? &matrix : graph, err) ||
             (in.halo && topomap_halo_make(matrix, source, graph, err));
    topomap_arcs_clear(&in.arcs);
    return status ? -1 : 0;
}

static int matrix_market_write(const topomap_graph *graph, topomap_text_out *out,
                               topomap_error *err)
{
    (void)err;
    fprintf(out->file, "%%%%MatrixMarket matrix coordinate integer general\n%u %u %llu\n",
            graph->ranks, graph->ranks, (unsigned long long)graph->arcs);
    for (uint32_t u = 0; u < graph->ranks; u++)
        for (uint64_t i = graph->offset[u]; i < graph->offset[u + 1]; i++) {
            const uint64_t entry[] = {u + UINT64_C(1), graph->target[i] + UINT64_C(1),
                                      graph->bytes[i]};

            topomap_text_list(out, entry, 3, ' ');
            topomap_text_char(out, '\n');
        }
    return 0;
}

static int matrix_market_sniff(const char *bytes, size_t size)
{
    static const char magic[] = "%%MatrixMarket";
    size_t length = sizeof magic - 1;

    return size >= length && !strncasecmp(bytes, magic, length) ? TOPOMAP_SURE : TOPOMAP_SURE_NOT;
}

static const topomap_graph_option options[] = {
    TOPOMAP_HALO_OPTIONS,
    {NULL, NULL, NULL},
};
const topomap_graph_io topomap_matrix_market = {
    .row = {"matrix-market",
            "Matrix Market: the row sends to the column, or a sparse matrix's halo exchange",
            "mtx,mm", 1, 1, options},
    .sniff = matrix_market_sniff,
    .read = matrix_market_read,
    .write = matrix_market_write,
};
