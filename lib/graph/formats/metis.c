/* SPDX-License-Identifier: BSD-3-Clause */
/* METIS graph files: METIS manual 5.1, section 4.1.1. One line a vertex, from 1, each edge listed
 * at both ends; lines that begin with % are comments; an empty line is a vertex without edges. */
#include "graph/formats/io.h"
#include "util/alloc.h"
#include "util/text.h"

#define METIS_LINE ((size_t)1 << 30) /* a vertex with 100 million neighbours fits */

struct reader {
    topomap_undirected list;
    int sizes, weights;   /* of the digits of fmt */
    uint64_t constraints; /* vertex weights of each vertex */
    size_t more_room, size_room;
    uint64_t loads_total, more_total, sizes_total;
};

/* Next line that is not a comment: 1, 0 at the end, -1 on failure. */
static int next_line(struct reader *in, char **line, size_t *length, topomap_error *err)
{
    int got;

    do
        got = topomap_input_line(in->list.input, METIS_LINE, line, length, err);
    while (got == 1 && **line == '%');
    return got;
}

struct header {
    uint64_t value[4]; /* n, m, fmt, ncon */
    int count;
    int fmt_digits;
};

static int header_check(struct reader *in, const struct header *header, topomap_error *err)
{
    uint64_t n = header->value[0], m = header->value[1], fmt = header->value[2];
    uint64_t most = topomap_input_most(in->list.input);

    if (n < 1 || n > TOPOMAP_GRAPH_RANKS)
        return topomap_input_fail(in->list.input, err,
                                  "the header says %llu vertices; 1 to 2^31 are possible",
                                  (unsigned long long)n);
    if (header->fmt_digits > 3 || fmt % 10 > 1 || fmt / 10 % 10 > 1 || fmt / 100 > 1)
        return topomap_input_fail(in->list.input, err,
                                  "fmt in the header is %llu; it is made of up to three digits 0 "
                                  "and 1 (vertex sizes, vertex weights, edge weights)",
                                  (unsigned long long)fmt);
    /* Every vertex but the last needs a newline, every entry a digit and what ends it. */
    if (n - 1 > most || m > most / 4 + 1)
        return topomap_input_fail(in->list.input, err,
                                  "the header says %llu vertices and %llu edges, which do not fit "
                                  "in a file of %llu bytes",
                                  (unsigned long long)n, (unsigned long long)m,
                                  (unsigned long long)most);
    in->list.ranks = n;
    in->list.entries = 2 * m;
    in->weights = fmt % 10 != 0;
    in->list.loads = fmt / 10 % 10 != 0;
    in->sizes = fmt / 100 != 0;
    in->constraints = header->count == 4 ? header->value[3] : 1;
    if (in->list.loads && (in->constraints < 1 || in->constraints > 1000))
        return topomap_input_fail(in->list.input, err,
                                  "ncon in the header is %llu; 1 to 1000 are possible",
                                  (unsigned long long)in->constraints);
    return 0;
}

static int header_read(struct reader *in, topomap_error *err)
{
    struct header header = {0};
    const char *at, *begin;
    char *line;
    size_t length;
    int got;

    do /* empty lines mean vertices only behind the header */
        got = next_line(in, &line, &length, err);
    while (got == 1 && !*topomap_text_blanks(line));
    if (got < 0)
        return -1;
    if (!got)
        return topomap_input_fail(in->list.input, err,
                                  "a METIS header `n m [fmt [ncon]]` is missing");
    for (at = line; *(begin = topomap_text_blanks(at)) && header.count < 4; header.count++) {
        if (topomap_lines_number(in->list.input, &at, "a field of the METIS header",
                                 &header.value[header.count], err))
            return -1;
        if (header.count == 2)
            header.fmt_digits = (int)(at - begin);
    }
    if (*begin || header.count < 2)
        return topomap_input_fail(in->list.input, err,
                                  "a METIS header has 2 to 4 numbers: n m [fmt [ncon]]");
    return header_check(in, &header, err);
}

/* A number of a vertex, whose sum over all vertices is *total. */
static int head_number(struct reader *in, const char **at, const char *what, uint64_t *total,
                       uint64_t *value, topomap_error *err)
{
    *at = topomap_text_blanks(*at);
    if (topomap_text_number(at, value))
        return topomap_text_fail(in->list.input, *at, what, err);
    return topomap_undirected_sum(&in->list, total == &in->sizes_total ? "sizes" : "weights",
                                  *value, total, err);
}

/* Vertex size and weights: size, load (the first weight), load_more. */
static int vertex_head(struct reader *in, uint64_t u, const char **at, topomap_error *err)
{
    topomap_graph *graph = in->list.graph;
    uint64_t more = in->list.loads ? in->constraints - 1 : 0;

    if (in->sizes &&
        (topomap_grow(&graph->size, &in->size_room, u + 1, sizeof *graph->size, err) ||
         head_number(in, at, "the vertex's size", &in->sizes_total, &graph->size[u], err)))
        return -1;
    if (in->list.loads &&
        head_number(in, at, "the vertex's weight", &in->loads_total, &graph->load[u], err))
        return -1;
    if (more && topomap_grow(&graph->load_more, &in->more_room, (u + 1) * more,
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
        return topomap_input_fail(in->list.input, err, "vertex %llu lists itself",
                                  (unsigned long long)v);
    return topomap_input_fail(
        in->list.input, err, "vertex %llu lists vertex %llu; there are 1 to %llu",
        (unsigned long long)u + 1, (unsigned long long)v, (unsigned long long)in->list.ranks);
}

static int more_entries(struct reader *in, topomap_error *err)
{
    topomap_graph *graph = in->list.graph;

    if (graph->arcs == in->list.entries)
        return topomap_input_fail(in->list.input, err,
                                  "more neighbours than the %llu edges of the header allow",
                                  (unsigned long long)in->list.entries / 2);
    return topomap_undirected_entry(&in->list, err);
}

static uint64_t entries_limit(const struct reader *in)
{
    return in->list.entries < in->list.entry_room ? in->list.entries : in->list.entry_room;
}

/* The neighbours of vertex u from one line. *ordered is cleared where they do not ascend. */
static int vertex_row(struct reader *in, uint64_t u, const char *at, int *ordered,
                      topomap_error *err)
{
    topomap_graph *graph = in->list.graph;
    uint64_t before = 0, limit = entries_limit(in);

    for (;;) {
        uint64_t v, weight = 1;

        at = topomap_text_blanks(at);
        if (!*at)
            return 0;
        if (topomap_text_number(&at, &v))
            return topomap_text_fail(in->list.input, at, "a neighbour", err);
        if (v < 1 || v > in->list.ranks || v == u + 1)
            return neighbour_fail(in, u, v, err);
        if (in->weights) {
            at = topomap_text_blanks(at);
            if (topomap_text_number(&at, &weight))
                return topomap_text_fail(in->list.input, at, "an edge's weight", err);
        }
        if (*at && *at != ' ' && *at != '\t')
            return topomap_text_fail(in->list.input, at, "the next field", err);
        if (graph->arcs >= limit) {
            if (more_entries(in, err))
                return -1;
            limit = entries_limit(in);
        }
        *ordered &= v > before;
        before = v;
        graph->target[graph->arcs] = (uint32_t)(v - 1);
        graph->bytes[graph->arcs++] = weight;
    }
}

static int vertex_read(struct reader *in, uint64_t u, const char *at, topomap_error *err)
{
    topomap_graph *graph = in->list.graph;
    int ordered = 1;

    if (topomap_undirected_vertex(&in->list, u, err))
        return -1;
    in->list.line[u] = topomap_input_lineno(in->list.input);
    if (vertex_head(in, u, &at, err) || vertex_row(in, u, at, &ordered, err) ||
        (!ordered && topomap_undirected_sort(&in->list, u, graph->arcs, err)))
        return -1;
    graph->offset[u + 1] = graph->arcs;
    return 0;
}

static int vertices_read(struct reader *in, topomap_error *err)
{
    char *line;
    size_t length;
    int got;

    for (uint64_t u = 0; u < in->list.ranks; u++) {
        got = next_line(in, &line, &length, err);
        if (got < 0)
            return -1;
        if (!got)
            return topomap_input_fail(in->list.input, err,
                                      "the file ends after %llu of %llu vertices: it is truncated",
                                      (unsigned long long)u, (unsigned long long)in->list.ranks);
        if (vertex_read(in, u, line, err))
            return -1;
    }
    while ((got = next_line(in, &line, &length, err)) == 1)
        if (*topomap_text_blanks(line))
            return topomap_input_fail(in->list.input, err, "a line after the last of %llu vertices",
                                      (unsigned long long)in->list.ranks);
    if (got < 0)
        return -1;
    if (in->list.graph->arcs != in->list.entries)
        return topomap_input_fail(in->list.input, err,
                                  "the header says %llu edges (each listed twice), but there are "
                                  "%llu neighbours",
                                  (unsigned long long)in->list.entries / 2,
                                  (unsigned long long)in->list.graph->arcs);
    return 0;
}

static int metis_read(const topomap_source *source, topomap_graph **graph, topomap_error *err)
{
    struct reader in = {.list = {.input = source->input, .base = 1}};
    int status = topomap_undirected_open(&in.list, err) || header_read(&in, err) ||
                 topomap_undirected_reserve(&in.list, err) || vertices_read(&in, err);
    if (!status)
        in.list.graph->loads = in.list.loads ? (uint32_t)in.constraints : 0;
    return topomap_undirected_close(&in.list, status, graph, err);
}

static void write_header(const topomap_graph *graph, uint64_t pairs, FILE *file)
{
    fprintf(file, "%u %llu %c%c1", graph->ranks, (unsigned long long)pairs, graph->size ? '1' : '0',
            graph->load ? '1' : '0');
    if (graph->load_more)
        fprintf(file, " %u", graph->loads);
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
static int metis_write(const topomap_graph *graph, topomap_text_out *out, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_weights_clear) topomap_weights all = {0};

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
