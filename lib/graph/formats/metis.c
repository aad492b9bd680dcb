/* SPDX-License-Identifier: BSD-3-Clause */
/* METIS graph files: METIS manual 5.1, section 4.1.1. One line a vertex, from 1, each edge listed
 * at both ends; lines that begin with % are comments; an empty line is a vertex without edges. */
#include "graph/formats/io.h"

#include <stdlib.h>
#include <string.h>

#include "graph/formats/undirected.h"
#include "util/alloc.h"
#include "util/text.h"

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
    size_t capacity_more, capacity_size;
    uint64_t more_total, sizes_total;
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

/* A number of a vertex, whose sum over all vertices is *total. */
static int head_number(struct reader *in, const char **at, const char *what, uint64_t *total,
                       uint64_t *value, topomap_error *err)
{
    *at = topomap_text_blanks(*at);
    if (topomap_text_number(at, value))
        return topomap_text_fail(in->input, *at, what, err);
    if (*value >= TOPOMAP_GRAPH_SUM - *total)
        return topomap_input_fail(in->input, err, "the sum of vertex %s reaches 2^63",
                                  total == &in->sizes_total ? "sizes" : "weights");
    *total += *value;
    return 0;
}

/* Vertex size and weights: size, load (the first weight), load_more. */
static int vertex_head(struct reader *in, uint64_t u, const char **at, topomap_error *err)
{
    topomap_graph *graph = in->graph;
    uint64_t more = in->loads ? in->constraints - 1 : 0;

    if (in->sizes &&
        (topomap_grow(&graph->size, &in->capacity_size, u + 1, sizeof *graph->size, err) ||
         head_number(in, at, "the vertex's size", &in->sizes_total, &graph->size[u], err)))
        return -1;
    if (in->loads &&
        head_number(in, at, "the vertex's weight", &in->loads_total, &graph->load[u], err))
        return -1;
    if (more && topomap_grow(&graph->load_more, &in->capacity_more, (u + 1) * more,
                             sizeof *graph->load_more, err))
        return -1;
    for (uint64_t k = 0; k < more; k++)
        if (head_number(in, at, "the vertex's weight", &in->more_total,
                        &graph->load_more[u * more + k], err))
            return -1;
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
        (!ordered && topomap_undirected_sort(in->input, graph, graph->offset[u], u, 1, err)))
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

static int metis_read(topomap_input *input, const topomap_graph_options *options,
                      topomap_graph **graph, topomap_error *err)
{
    struct reader in = {.input = input};
    const char *bytes;
    size_t size;
    int status = -1;

    (void)options;
    if (topomap_input_peek(input, 1, &bytes, &size, err))
        return -1;
    in.graph = topomap_alloc(1, sizeof *in.graph, err);
    if (in.graph && !header_read(&in, err) && !reserve(&in, err) && !vertices_read(&in, err)) {
        in.graph->ranks = (uint32_t)in.ranks;
        in.graph->loads = in.loads ? (uint32_t)in.constraints : 0;
        status = topomap_undirected_split(input, in.graph, in.line, 1, err);
    }
    free(in.line);
    if (status)
        topomap_graph_free(in.graph);
    else
        *graph = in.graph;
    return status;
}

static void write_header(const topomap_graph *graph, uint64_t pairs, FILE *file)
{
    fprintf(file, "%lu %llu %c%c1", (unsigned long)graph->ranks, (unsigned long long)pairs,
            graph->size ? '1' : '0', graph->load ? '1' : '0');
    if (graph->load_more)
        fprintf(file, " %lu", (unsigned long)graph->loads);
    fputc('\n', file);
}

/* What stands before the neighbours; nonzero where anything does. */
static int write_head(const topomap_graph *graph, uint32_t u, topomap_text_out *out)
{
    uint32_t more = graph->load_more ? graph->loads - 1 : 0;

    if (graph->size)
        topomap_text_put(out, graph->size[u]);
    if (graph->size && graph->load)
        topomap_text_char(out, ' ');
    if (graph->load)
        topomap_text_put(out, graph->load[u]);
    for (uint32_t k = 0; k < more; k++) {
        topomap_text_char(out, ' ');
        topomap_text_put(out, graph->load_more[(size_t)u * more + k]);
    }
    return graph->size || graph->load;
}

/* Edge weights always, vertex sizes and weights where there are any. */
static int metis_write(const topomap_graph *graph, const char *path, topomap_text_out *out,
                       topomap_error *err)
{
    topomap_weights all = {0};

    (void)path;
    if (topomap_pairs_new(graph, &all, err))
        return -1;
    write_header(graph, all.offset[graph->ranks] / 2, out->file);
    for (uint32_t u = 0; u < graph->ranks; u++) {
        int head = write_head(graph, u, out);

        for (uint64_t i = all.offset[u]; i < all.offset[u + 1]; i++) {
            if (head || i > all.offset[u])
                topomap_text_char(out, ' ');
            topomap_text_put(out, (uint64_t)all.target[i] + 1);
            topomap_text_char(out, ' ');
            topomap_text_put(out, all.weight[i]);
        }
        topomap_text_char(out, '\n');
    }
    topomap_weights_clear(&all);
    return 0;
}

const topomap_graph_io topomap_metis = {
    .row = {"metis",
            "METIS graph: one line a rank, undirected; an edge's weight is its bytes both ways",
            "graph,metis", 1, 1, NULL},
    .sniff = topomap_metis_sniff,
    .read = metis_read,
    .write = metis_write,
};
