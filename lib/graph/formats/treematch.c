/* SPDX-License-Identifier: BSD-3-Clause */
/* TreeMatch's matrices: N lines of N numbers, row r what rank r sends to each, no header. Zeros are
 * no arcs. Reals are rounded. */
#include "graph/formats/io.h"
#include "graph/formats/parts.h"
#include "util/alloc.h"
#include "util/text.h"

#define MOST_RANKS ((uint64_t)1 << 16) /* 4 G numbers */
#define LINE_LIMIT (MOST_RANKS * 24)

struct reader {
    topomap_input *input;
    topomap_arcs arcs;
    uint64_t ranks; /* numbers in the first row */
    uint64_t rows;
};

static int row_read(void *reader, const char *line, topomap_error *err)
{
    struct reader *in = reader;
    uint64_t column = 0, most = in->rows ? in->ranks : MOST_RANKS;
    const char *at = topomap_text_blanks(line);

    if (!*at)
        return 0;
    for (; *at; at = topomap_text_blanks(at)) {
        const char *begin = at;
        uint64_t bytes;
        int negative = 0;

        if (column == most)
            return topomap_input_fail(in->input, err, "more than %llu numbers in a row",
                                      (unsigned long long)most);
        if (topomap_text_number(&at, &bytes) || (*at && *at != ' ' && *at != '\t')) {
            at = begin;
            if (topomap_text_real(&at, &bytes, &negative) || negative ||
                (*at && *at != ' ' && *at != '\t'))
                return topomap_text_fail(in->input, begin, "an entry", err);
        }
        if (bytes && column != in->rows &&
            topomap_lines_arc(in->input, &in->arcs, in->rows, column, bytes, 0, err))
            return -1;
        column++;
    }
    if (!in->rows)
        in->ranks = column;
    if (column < in->ranks)
        return topomap_input_fail(in->input, err, "%llu numbers in a row; the first row has %llu",
                                  (unsigned long long)column, (unsigned long long)in->ranks);
    if (in->rows++ == in->ranks)
        return topomap_input_fail(in->input, err, "more rows than the %llu columns: not square",
                                  (unsigned long long)in->ranks);
    return 0;
}

static int rows_read(struct reader *in, topomap_error *err)
{
    if (topomap_lines_read(in->input, LINE_LIMIT, row_read, in, err))
        return -1;
    if (!in->rows)
        return topomap_input_fail(in->input, err, "no row of numbers");
    if (in->rows < in->ranks)
        return topomap_input_fail(in->input, err,
                                  "%llu rows of %llu numbers: not square, or truncated",
                                  (unsigned long long)in->rows, (unsigned long long)in->ranks);
    return 0;
}

static int treematch_read(const topomap_source *source, topomap_graph **graph, topomap_error *err)
{
    struct reader in = {.input = source->input};
    TOPOMAP_GRAPH_FREED topomap_graph *made = NULL;
    int status = rows_read(&in, err) ||
                 topomap_arcs_take(&in.arcs, (uint32_t)in.ranks, &made, err) ||
                 topomap_profile_filter(source, made, err);

    topomap_arcs_clear(&in.arcs);
    if (status)
        return -1;
    *graph = topomap_take(&made);
    return 0;
}

static int treematch_write(const topomap_graph *graph, topomap_text_out *out, topomap_error *err)
{
    if (graph->ranks > MOST_RANKS)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "%s: a dense matrix of %lu ranks; %llu are the most", out->path,
                                 (unsigned long)graph->ranks, (unsigned long long)MOST_RANKS);
    for (uint32_t u = 0; u < graph->ranks; u++) {
        uint64_t i = graph->offset[u];

        for (uint32_t v = 0; v < graph->ranks; v++) {
            int there = i < graph->offset[u + 1] && graph->target[i] == v;

            topomap_text_put(out, there ? graph->bytes[i++] : 0);
            topomap_text_char(out, ' ');
        }
        topomap_text_char(out, '\n');
    }
    return 0;
}

const topomap_graph_io topomap_treematch = {
    .row = {"treematch", "TreeMatch matrix: N lines of N numbers of bytes, row r what rank r sends",
            "mat", 1, 1, topomap_profile_options},
    .sniff = topomap_treematch_sniff,
    .read = treematch_read,
    .write = treematch_write,
};
