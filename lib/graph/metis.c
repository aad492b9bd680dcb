/* SPDX-License-Identifier: BSD-3-Clause */
/* METIS graph files: METIS manual 5.1, section 4.1.1. One line a vertex, from 1, each edge listed
 * at both ends; lines that begin with % are comments; an empty line is a vertex without edges. */
#include "graph/io.h"

#include <stdlib.h>
#include <string.h>

#include "graph/text.h"
#include "util/alloc.h"

#define METIS_LINE ((size_t)1 << 30) /* a vertex with 100 million neighbours fits */

struct reader {
    topomap_input *input;
    topomap_graph *graph;
    uint64_t ranks, entries;   /* promised by the header; entries is twice the edges */
    int sizes, loads, weights; /* the three digits of fmt */
    uint64_t constraints;      /* vertex weights of each vertex */
    size_t capacity_offset, capacity_target, capacity_bytes, capacity_load, capacity_line;
    uint64_t loads_total;
    size_t *line; /* [ranks] where each vertex stands, for messages */
};

/* Next line that is not a comment: 1, 0 at the end, -1 on failure. */
static int next_line(struct reader *in, char **line, size_t *length, topomap_error *err)
{
    int got;

    do
        got = topomap_input_line(in->input, METIS_LINE, line, length, err);
    while (got == 1 && **line == '%');
    return got;
}

struct header {
    uint64_t value[4]; /* n, m, fmt, ncon */
    int count;
    int fmt_digits;
};

/* 0, or -1 with *at where it stopped. */
static int header_parse(const char **at, struct header *header)
{
    memset(header, 0, sizeof *header);
    for (;;) {
        const char *begin = *at = topomap_text_blanks(*at);

        if (!**at)
            return header->count >= 2 ? 0 : -1;
        if (header->count == 4 || topomap_text_number(at, &header->value[header->count]) ||
            (**at && **at != ' ' && **at != '\t')) {
            *at = begin;
            return -1;
        }
        if (header->count++ == 2)
            header->fmt_digits = (int)(*at - begin);
    }
}

static int fmt_is_valid(const struct header *header)
{
    uint64_t fmt = header->value[2];

    return header->fmt_digits <= 3 && fmt % 10 <= 1 && fmt / 10 % 10 <= 1 && fmt / 100 <= 1;
}

static int header_check(struct reader *in, const struct header *header, topomap_error *err)
{
    uint64_t n = header->value[0], m = header->value[1], fmt = header->value[2];
    uint64_t most = topomap_input_most(in->input);

    if (n < 1 || n > TOPOMAP_GRAPH_RANKS)
        return topomap_input_fail(in->input, err,
                                  "the header says %llu vertices; 1 to 2^31 are possible",
                                  (unsigned long long)n);
    if (!fmt_is_valid(header))
        return topomap_input_fail(in->input, err,
                                  "fmt in the header is %llu; it is made of up to three digits 0 "
                                  "and 1 (vertex sizes, vertex weights, edge weights)",
                                  (unsigned long long)fmt);
    /* Every vertex but the last needs a newline, every entry a digit and what ends it. */
    if (n - 1 > most || m > most / 4 + 1)
        return topomap_input_fail(in->input, err,
                                  "the header says %llu vertices and %llu edges, which do not fit "
                                  "in a file of %llu bytes",
                                  (unsigned long long)n, (unsigned long long)m,
                                  (unsigned long long)most);
    in->ranks = n;
    in->entries = 2 * m;
    in->weights = fmt % 10 != 0;
    in->loads = fmt / 10 % 10 != 0;
    in->sizes = fmt / 100 != 0;
    in->constraints = header->count == 4 ? header->value[3] : 1;
    if (in->loads && (in->constraints < 1 || in->constraints > 1000))
        return topomap_input_fail(in->input, err,
                                  "ncon in the header is %llu; 1 to 1000 are possible",
                                  (unsigned long long)in->constraints);
    return 0;
}

static int header_read(struct reader *in, topomap_error *err)
{
    struct header header;
    const char *at;
    char *line;
    size_t length;
    int got;

    do /* empty lines mean vertices only behind the header */
        got = next_line(in, &line, &length, err);
    while (got == 1 && !*topomap_text_blanks(line));
    if (got < 0)
        return -1;
    if (!got)
        return topomap_input_fail(in->input, err, "a METIS header `n m [fmt [ncon]]` is missing");
    at = line;
    if (header_parse(&at, &header)) {
        if (*at && header.count < 4)
            return topomap_text_fail(in->input, at, "a field of the METIS header", err);
        return topomap_input_fail(in->input, err,
                                  "a METIS header has 2 to 4 numbers: n m [fmt [ncon]]");
    }
    return header_check(in, &header, err);
}

/* Memory for what the header promises, where the size of the file vouches for it; packed files
 * vouch for nothing, and their arrays grow as lines come. */
static int reserve(struct reader *in, topomap_error *err)
{
    int known = topomap_input_most(in->input) != SIZE_MAX;
    size_t ranks = known ? in->ranks : 1024, entries = known ? in->entries : 4096;
    topomap_graph *graph = in->graph;

    graph->offset = topomap_alloc(ranks + 1, sizeof *graph->offset, err);
    graph->target = topomap_alloc(entries, sizeof *graph->target, err);
    graph->bytes = topomap_alloc(entries, sizeof *graph->bytes, err);
    in->line = topomap_alloc(ranks, sizeof *in->line, err);
    in->capacity_offset = ranks + 1;
    in->capacity_target = in->capacity_bytes = entries;
    in->capacity_line = ranks;
    if (!graph->offset || !graph->target || !graph->bytes || !in->line)
        return -1;
    if (!in->loads)
        return 0;
    graph->load = topomap_alloc(ranks, sizeof *graph->load, err);
    in->capacity_load = ranks;
    return graph->load ? 0 : -1;
}

/* Vertex size and weights. Topomap has one load a rank: the first weight. */
static int vertex_head(struct reader *in, uint64_t u, const char **at, topomap_error *err)
{
    uint64_t value;

    if (in->sizes) {
        *at = topomap_text_blanks(*at);
        if (topomap_text_number(at, &value))
            return topomap_text_fail(in->input, *at, "the vertex's size", err);
    }
    for (uint64_t k = 0; in->loads && k < in->constraints; k++) {
        *at = topomap_text_blanks(*at);
        if (topomap_text_number(at, &value))
            return topomap_text_fail(in->input, *at, "the vertex's weight", err);
        if (k)
            continue;
        if (value >= TOPOMAP_GRAPH_SUM - in->loads_total)
            return topomap_input_fail(in->input, err, "the sum of vertex weights reaches 2^63");
        in->loads_total += value;
        in->graph->load[u] = value;
    }
    return 0;
}

static int neighbour_fail(struct reader *in, uint64_t u, uint64_t v, topomap_error *err)
{
    if (v == u + 1)
        return topomap_input_fail(in->input, err, "vertex %llu lists itself",
                                  (unsigned long long)v);
    return topomap_input_fail(in->input, err, "vertex %llu lists vertex %llu; there are 1 to %llu",
                              (unsigned long long)u + 1, (unsigned long long)v,
                              (unsigned long long)in->ranks);
}

static int more_entries(struct reader *in, topomap_error *err)
{
    topomap_graph *graph = in->graph;

    if (graph->arcs == in->entries)
        return topomap_input_fail(in->input, err,
                                  "more neighbours than the %llu edges of the header allow",
                                  (unsigned long long)in->entries / 2);
    return topomap_grow(&graph->target, &in->capacity_target, graph->arcs + 1,
                        sizeof *graph->target, err) ||
                   topomap_grow(&graph->bytes, &in->capacity_bytes, graph->arcs + 1,
                                sizeof *graph->bytes, err)
               ? -1
               : 0;
}

/* The neighbours of vertex u from one line. *ordered is cleared where they do not ascend. */
static int vertex_row(struct reader *in, uint64_t u, const char *at, int *ordered,
                      topomap_error *err)
{
    topomap_graph *graph = in->graph;
    uint64_t before = 0, limit = in->entries;

    if (limit > in->capacity_target || limit > in->capacity_bytes)
        limit = in->capacity_target < in->capacity_bytes ? in->capacity_target : in->capacity_bytes;
    for (;;) {
        uint64_t v, weight = 1;

        at = topomap_text_blanks(at);
        if (!*at)
            return 0;
        if (topomap_text_number(&at, &v))
            return topomap_text_fail(in->input, at, "a neighbour", err);
        if (v < 1 || v > in->ranks || v == u + 1)
            return neighbour_fail(in, u, v, err);
        if (in->weights) {
            at = topomap_text_blanks(at);
            if (topomap_text_number(&at, &weight))
                return topomap_text_fail(in->input, at, "an edge's weight", err);
        }
        if (*at && *at != ' ' && *at != '\t')
            return topomap_text_fail(in->input, at, "the next field", err);
        if (graph->arcs >= limit) {
            if (more_entries(in, err))
                return -1;
            limit =
                in->capacity_target < in->capacity_bytes ? in->capacity_target : in->capacity_bytes;
            limit = limit < in->entries ? limit : in->entries;
        }
        *ordered &= v > before;
        before = v;
        graph->target[graph->arcs] = (uint32_t)(v - 1);
        graph->bytes[graph->arcs++] = weight;
    }
}

struct entry {
    uint32_t target;
    uint64_t bytes;
};

static int by_target(const void *a, const void *b)
{
    uint32_t x = ((const struct entry *)a)->target, y = ((const struct entry *)b)->target;

    return (x > y) - (x < y);
}

static int sort_row(struct reader *in, uint64_t u, topomap_error *err)
{
    topomap_graph *graph = in->graph;
    uint64_t begin = graph->offset[u], count = graph->arcs - begin;
    struct entry *row = topomap_alloc(count, sizeof *row, err);
    uint64_t twice = 0;

    if (!row)
        return -1;
    for (uint64_t i = 0; i < count; i++)
        row[i] = (struct entry){graph->target[begin + i], graph->bytes[begin + i]};
    qsort(row, count, sizeof *row, by_target);
    for (uint64_t i = 0; i < count; i++) {
        graph->target[begin + i] = row[i].target;
        graph->bytes[begin + i] = row[i].bytes;
        if (i && row[i].target == row[i - 1].target)
            twice = (uint64_t)row[i].target + 1;
    }
    free(row);
    if (twice)
        return topomap_input_fail(in->input, err, "vertex %llu lists vertex %llu twice",
                                  (unsigned long long)u + 1, (unsigned long long)twice);
    return 0;
}

static int vertex_read(struct reader *in, uint64_t u, const char *at, topomap_error *err)
{
    topomap_graph *graph = in->graph;
    int ordered = 1;

    if (topomap_grow(&graph->offset, &in->capacity_offset, u + 2, sizeof *graph->offset, err) ||
        topomap_grow(&in->line, &in->capacity_line, u + 1, sizeof *in->line, err) ||
        (in->loads &&
         topomap_grow(&graph->load, &in->capacity_load, u + 1, sizeof *graph->load, err)))
        return -1;
    in->line[u] = topomap_input_lineno(in->input);
    if (vertex_head(in, u, &at, err) || vertex_row(in, u, at, &ordered, err) ||
        (!ordered && sort_row(in, u, err)))
        return -1;
    graph->offset[u + 1] = graph->arcs;
    return 0;
}

static int vertices_read(struct reader *in, topomap_error *err)
{
    char *line;
    size_t length;
    int got;

    in->graph->offset[0] = 0;
    for (uint64_t u = 0; u < in->ranks; u++) {
        got = next_line(in, &line, &length, err);
        if (got < 0)
            return -1;
        if (!got)
            return topomap_input_fail(in->input, err,
                                      "the file ends after %llu of %llu vertices: it is truncated",
                                      (unsigned long long)u, (unsigned long long)in->ranks);
        if (vertex_read(in, u, line, err))
            return -1;
    }
    while ((got = next_line(in, &line, &length, err)) == 1)
        if (*topomap_text_blanks(line))
            return topomap_input_fail(in->input, err, "a line after the last of %llu vertices",
                                      (unsigned long long)in->ranks);
    if (got < 0)
        return -1;
    if (in->graph->arcs != in->entries)
        return topomap_input_fail(in->input, err,
                                  "the header says %llu edges (each listed twice), but there are "
                                  "%llu neighbours",
                                  (unsigned long long)in->entries / 2,
                                  (unsigned long long)in->graph->arcs);
    return 0;
}

static int one_sided(const struct reader *in, uint32_t from, uint32_t to, topomap_error *err)
{
    return topomap_error_set(err, TOPOMAP_EINPUT,
                             "%s:%zu: vertex %lu lists vertex %lu, which (line %zu) does not list "
                             "it",
                             topomap_input_path(in->input), in->line[from], (unsigned long)from + 1,
                             (unsigned long)to + 1, in->line[to]);
}

/* Finds for arc `i`, u -> v with u < v, its way back, and splits the weight of the edge: the half
 * rounded up goes from the smaller id. Rows ascend, so cursor[v] meets the u's in order. */
static int split_edge(struct reader *in, uint32_t u, uint64_t i, uint64_t *cursor,
                      topomap_error *err)
{
    topomap_graph *graph = in->graph;
    uint32_t v = graph->target[i];
    uint64_t back = cursor[v], weight = graph->bytes[i];

    if (back < graph->offset[v + 1] && graph->target[back] < u)
        return one_sided(in, v, graph->target[back], err);
    if (back == graph->offset[v + 1] || graph->target[back] > u)
        return one_sided(in, u, v, err);
    if (graph->bytes[back] != weight)
        return topomap_error_set(
            err, TOPOMAP_EINPUT, "%s:%zu: edge %lu-%lu has weight %llu here and %llu on line %zu",
            topomap_input_path(in->input), in->line[v], (unsigned long)v + 1, (unsigned long)u + 1,
            (unsigned long long)graph->bytes[back], (unsigned long long)weight, in->line[u]);
    cursor[v]++;
    if (weight >= TOPOMAP_GRAPH_SUM - graph->total_bytes)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s:%zu: the sum of edge weights reaches 2^63",
                                 topomap_input_path(in->input), in->line[u]);
    graph->total_bytes += weight;
    graph->bytes[i] = weight - weight / 2;
    graph->bytes[back] = weight / 2;
    return 0;
}

static int split_edges(struct reader *in, topomap_error *err)
{
    topomap_graph *graph = in->graph;
    uint64_t *cursor = topomap_alloc(graph->ranks, sizeof *cursor, err);
    int status = cursor ? 0 : -1;

    if (cursor)
        memcpy(cursor, graph->offset, graph->ranks * sizeof *cursor);
    for (uint32_t u = 0; !status && u < graph->ranks; u++) {
        uint64_t i = cursor[u];

        if (i < graph->offset[u + 1] && graph->target[i] < u)
            status = one_sided(in, u, graph->target[i], err);
        for (; !status && i < graph->offset[u + 1]; i++)
            status = split_edge(in, u, i, cursor, err);
    }
    free(cursor);
    graph->pairs = graph->arcs / 2;
    return status;
}

static int metis_read(topomap_input *input, topomap_graph **graph, topomap_error *err)
{
    struct reader in = {.input = input};
    const char *bytes;
    size_t size;
    int status = -1;

    if (topomap_input_peek(input, 1, &bytes, &size, err))
        return -1;
    in.graph = topomap_alloc(1, sizeof *in.graph, err);
    if (in.graph && !header_read(&in, err) && !reserve(&in, err) && !vertices_read(&in, err)) {
        in.graph->ranks = (uint32_t)in.ranks;
        status = split_edges(&in, err);
    }
    free(in.line);
    if (status)
        topomap_graph_free(in.graph);
    else
        *graph = in.graph;
    return status;
}

/* Edge weights always, vertex weights where there are any. */
static int metis_write(const topomap_graph *graph, const char *path, FILE *file, topomap_error *err)
{
    topomap_text_out *out;
    topomap_weights all = {0};
    const uint64_t *load = graph->load;

    (void)path;
    if (topomap_pairs_new(graph, &all, err))
        return -1;
    out = topomap_alloc(1, sizeof *out, err);
    if (out) {
        out->file = file;
        fprintf(file, "%lu %llu 0%c1\n", (unsigned long)graph->ranks,
                (unsigned long long)graph->pairs, load ? '1' : '0');
        for (uint32_t u = 0; u < graph->ranks; u++) {
            if (load)
                topomap_text_put(out, load[u]);
            for (uint64_t i = all.offset[u]; i < all.offset[u + 1]; i++) {
                if (load || i > all.offset[u])
                    topomap_text_char(out, ' ');
                topomap_text_put(out, (uint64_t)all.target[i] + 1);
                topomap_text_char(out, ' ');
                topomap_text_put(out, all.weight[i]);
            }
            topomap_text_char(out, '\n');
        }
        topomap_text_flush(out);
    }
    topomap_weights_clear(&all);
    free(out);
    return out ? 0 : -1;
}

const topomap_graph_io topomap_metis = {topomap_metis_recognise, metis_read, metis_write};
