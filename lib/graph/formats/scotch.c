/* SPDX-License-Identifier: BSD-3-Clause */
/* Scotch graph files: Scotch user's guide, "Graph files". Numbers between blanks and line ends:
 * version 0; vertices, arcs; base, three digits for labels, edge and vertex weights; then for each
 * vertex [label] [weight] degree and as many [weight] neighbour. Neighbours go by label where there
 * are labels, else by the vertex's place from base on. */
#include <stdlib.h>
#include <string.h>

#include "graph/formats/io.h"
#include "graph/formats/undirected.h"
#include "util/alloc.h"
#include "util/text.h"

#define LINE_LIMIT ((size_t)1 << 30)

struct reader {
    topomap_input *input;
    topomap_graph *graph;
    const char *at; /* the rest of the line in hand, NULL before the first */
    uint64_t ranks, arcs, base;
    int labels, weights, loads;
    uint64_t loads_total;
    uint64_t *label; /* [ranks] where labels are */
    size_t *line;    /* [ranks] where each vertex stands, for messages */
    size_t capacity_offset, capacity_target, capacity_bytes, capacity_load, capacity_label,
        capacity_line;
};

/* The next number wherever it stands: 0, or -1 at the end or where it is none. */
static int next_number(struct reader *in, const char *what, uint64_t *value, topomap_error *err)
{
    const char *begin;

    for (;;) {
        char *line;
        size_t length;
        int got;

        if (in->at) {
            in->at = topomap_text_blanks(in->at);
            if (*in->at)
                break;
        }
        got = topomap_input_line(in->input, LINE_LIMIT, &line, &length, err);
        if (got < 0)
            return -1;
        if (!got)
            return topomap_input_fail(in->input, err,
                                      "the file ends where %s is expected: it is "
                                      "truncated",
                                      what);
        in->at = line;
    }
    begin = in->at;
    if (topomap_text_number(&in->at, value) || (*in->at && *in->at != ' ' && *in->at != '\t')) {
        in->at = begin;
        return topomap_text_fail(in->input, begin, what, err);
    }
    return 0;
}

static int header_read(struct reader *in, topomap_error *err)
{
    uint64_t version, flags, most;

    if (next_number(in, "the version", &version, err) ||
        next_number(in, "the number of vertices", &in->ranks, err) ||
        next_number(in, "the number of arcs", &in->arcs, err) ||
        next_number(in, "the base", &in->base, err) ||
        next_number(in, "the three digits of labels and weights", &flags, err))
        return -1;
    most = topomap_input_most(in->input);
    if (version)
        return topomap_input_fail(in->input, err, "version %llu; Scotch's graph files have 0",
                                  (unsigned long long)version);
    if (in->ranks < 1 || in->ranks > TOPOMAP_GRAPH_RANKS)
        return topomap_input_fail(in->input, err,
                                  "the header says %llu vertices; 1 to 2^31 are possible",
                                  (unsigned long long)in->ranks);
    if (in->base > 1 || flags % 10 > 1 || flags / 10 % 10 > 1 || flags > 111)
        return topomap_input_fail(in->input, err,
                                  "base %llu and digits %llu; a base is 0 or 1 and a digit 0 or 1",
                                  (unsigned long long)in->base, (unsigned long long)flags);
    if (in->ranks > most / 2 || in->arcs > most / 2)
        return topomap_input_fail(
            in->input, err,
            "the header says %llu vertices and %llu arcs, which do not fit in "
            "a file of %llu bytes",
            (unsigned long long)in->ranks, (unsigned long long)in->arcs, (unsigned long long)most);
    in->loads = flags % 10 != 0;
    in->weights = flags / 10 % 10 != 0;
    in->labels = flags / 100 != 0;
    return 0;
}

static int grow_vertex(struct reader *in, uint64_t u, topomap_error *err)
{
    topomap_graph *graph = in->graph;

    return topomap_grow(&graph->offset, &in->capacity_offset, u + 2, sizeof *graph->offset, err) ||
                   topomap_grow(&in->line, &in->capacity_line, u + 1, sizeof *in->line, err) ||
                   (in->loads && topomap_grow(&graph->load, &in->capacity_load, u + 1,
                                              sizeof *graph->load, err)) ||
                   (in->labels &&
                    topomap_grow(&in->label, &in->capacity_label, u + 1, sizeof *in->label, err))
               ? -1
               : 0;
}

static int grow_arcs(struct reader *in, topomap_error *err)
{
    topomap_graph *graph = in->graph;

    if (graph->arcs == in->arcs)
        return topomap_input_fail(in->input, err,
                                  "more neighbours than the %llu arcs of the header",
                                  (unsigned long long)in->arcs);
    return topomap_grow(&graph->target, &in->capacity_target, graph->arcs + 1,
                        sizeof *graph->target, err) ||
                   topomap_grow(&graph->bytes, &in->capacity_bytes, graph->arcs + 1,
                                sizeof *graph->bytes, err)
               ? -1
               : 0;
}

/* Stores the neighbour's place, or its label until all labels are known. */
static int neighbour_read(struct reader *in, uint64_t u, topomap_error *err)
{
    topomap_graph *graph = in->graph;
    uint64_t v, weight = 1;

    if ((in->weights && next_number(in, "an edge's weight", &weight, err)) ||
        next_number(in, "a neighbour", &v, err) || grow_arcs(in, err))
        return -1;
    if (!in->labels && (v < in->base || v - in->base >= in->ranks || v - in->base == u))
        return topomap_input_fail(in->input, err,
                                  "vertex %llu lists vertex %llu; there are %llu to "
                                  "%llu, and none lists itself",
                                  (unsigned long long)(u + in->base), (unsigned long long)v,
                                  (unsigned long long)in->base,
                                  (unsigned long long)(in->ranks - 1 + in->base));
    if (v > UINT32_MAX)
        return topomap_input_fail(in->input, err, "vertex %llu lists %llu, which is 2^32 or more",
                                  (unsigned long long)(u + in->base), (unsigned long long)v);
    graph->target[graph->arcs] = (uint32_t)(in->labels ? v : v - in->base);
    graph->bytes[graph->arcs++] = weight;
    return 0;
}

static int vertex_head(struct reader *in, uint64_t u, uint64_t *degree, topomap_error *err)
{
    uint64_t load;

    if (in->labels && next_number(in, "the vertex's label", &in->label[u], err))
        return -1;
    if (in->loads) {
        if (next_number(in, "the vertex's weight", &load, err))
            return -1;
        if (load >= TOPOMAP_GRAPH_SUM - in->loads_total)
            return topomap_input_fail(in->input, err, "the sum of vertex weights reaches 2^63");
        in->loads_total += load;
        in->graph->load[u] = load;
    }
    if (next_number(in, "the vertex's degree", degree, err))
        return -1;
    in->line[u] = topomap_input_lineno(in->input);
    return 0;
}

static int vertices_read(struct reader *in, topomap_error *err)
{
    topomap_graph *graph = in->graph;

    for (uint64_t u = 0; u < in->ranks; u++) {
        uint64_t degree;

        if (grow_vertex(in, u, err) || vertex_head(in, u, &degree, err))
            return -1;
        graph->offset[0] = 0;
        for (uint64_t k = 0; k < degree; k++)
            if (neighbour_read(in, u, err))
                return -1;
        graph->offset[u + 1] = graph->arcs;
    }
    if (graph->arcs != in->arcs)
        return topomap_input_fail(in->input, err,
                                  "the header says %llu arcs, but there are %llu neighbours",
                                  (unsigned long long)in->arcs, (unsigned long long)graph->arcs);
    graph->ranks = (uint32_t)in->ranks;
    graph->loads = in->loads ? 1 : 0;
    if (graph->arcs)
        return 0;
    /* No arcs are arrays of none. */
    graph->target = topomap_alloc(1, sizeof *graph->target, err);
    graph->bytes = topomap_alloc(1, sizeof *graph->bytes, err);
    return graph->target && graph->bytes ? 0 : -1;
}

/* ---- Labels -------------------------------------------------------------------------------- */

struct labelled {
    uint64_t label;
    uint32_t vertex;
};

static int by_label(const void *a, const void *b)
{
    uint64_t x = ((const struct labelled *)a)->label, y = ((const struct labelled *)b)->label;

    return (x > y) - (x < y);
}

static int label_target(struct reader *in, const struct labelled *sorted, uint32_t u, uint64_t i,
                        topomap_error *err)
{
    struct labelled key = {in->graph->target[i], 0}, *found;

    found = bsearch(&key, sorted, in->ranks, sizeof *sorted, by_label);
    if (!found || found->vertex == u)
        return topomap_error_set(
            err, TOPOMAP_EINPUT, "%s:%zu: vertex %llu lists %s %llu", topomap_input_path(in->input),
            in->line[u], (unsigned long long)in->label[u], found ? "itself," : "an unknown label,",
            (unsigned long long)key.label);
    in->graph->target[i] = found->vertex;
    return 0;
}

/* Labels become places, and names. */
static int labels_apply(struct reader *in, topomap_error *err)
{
    struct labelled *sorted = topomap_alloc(in->ranks, sizeof *sorted, err);
    char *text = topomap_alloc(in->ranks, 21, err);
    size_t used = 0;
    int status = sorted && text ? 0 : -1;

    for (uint32_t u = 0; !status && u < in->ranks; u++) {
        sorted[u] = (struct labelled){in->label[u], u};
        used += (size_t)sprintf(text + used, "%llu", (unsigned long long)in->label[u]) + 1;
    }
    if (!status)
        qsort(sorted, in->ranks, sizeof *sorted, by_label);
    for (uint64_t k = 1; !status && k < in->ranks; k++)
        if (sorted[k].label == sorted[k - 1].label)
            status = topomap_error_set(err, TOPOMAP_EINPUT, "%s: two vertices have the label %llu",
                                       topomap_input_path(in->input),
                                       (unsigned long long)sorted[k].label);
    for (uint32_t u = 0; !status && u < in->ranks; u++)
        for (uint64_t i = in->graph->offset[u]; !status && i < in->graph->offset[u + 1]; i++)
            status = label_target(in, sorted, u, i, err);
    if (!status)
        status = topomap_graph_set_names(in->graph, text, used, err);
    free(sorted);
    free(text);
    return status;
}

/* ---- Whole files --------------------------------------------------------------------------- */

static int sort_rows(struct reader *in, topomap_error *err)
{
    topomap_graph *graph = in->graph;
    uint64_t arcs = graph->arcs;

    for (uint32_t u = 0; u < graph->ranks; u++)
        for (uint64_t i = graph->offset[u] + 1; i < graph->offset[u + 1]; i++)
            if (graph->target[i] <= graph->target[i - 1]) {
                graph->arcs = graph->offset[u + 1];
                if (topomap_undirected_sort(in->input, graph, graph->offset[u], u, in->base, err))
                    return -1;
                break;
            }
    graph->arcs = arcs;
    return 0;
}

static int nothing_follows(struct reader *in, topomap_error *err)
{
    char *line;
    size_t length;
    int got = 1;

    while (got == 1 && !*topomap_text_blanks(in->at)) {
        got = topomap_input_line(in->input, LINE_LIMIT, &line, &length, err);
        in->at = got == 1 ? line : "";
    }
    if (got == 1)
        return topomap_input_fail(in->input, err, "something follows the last of %llu vertices",
                                  (unsigned long long)in->ranks);
    return got;
}

static int scotch_read(topomap_input *input, const topomap_graph_options *options,
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
    if (in.graph && !header_read(&in, err) && !vertices_read(&in, err) &&
        !nothing_follows(&in, err) && !(in.labels && labels_apply(&in, err)) &&
        !sort_rows(&in, err))
        status = topomap_undirected_split(input, in.graph, in.line, in.base, err);
    free(in.line);
    free(in.label);
    if (status)
        topomap_graph_free(in.graph);
    else
        *graph = in.graph;
    return status;
}

static int scotch_write(const topomap_graph *graph, const char *path, topomap_text_out *out,
                        topomap_error *err)
{
    topomap_weights all = {0};

    (void)path;
    if (topomap_pairs_new(graph, &all, err))
        return -1;
    fprintf(out->file, "0\n%lu %llu\n0 01%c\n", (unsigned long)graph->ranks,
            (unsigned long long)all.offset[graph->ranks], graph->load ? '1' : '0');
    for (uint32_t u = 0; u < graph->ranks; u++) {
        if (graph->load) {
            topomap_text_put(out, graph->load[u]);
            topomap_text_char(out, ' ');
        }
        topomap_text_put(out, all.offset[u + 1] - all.offset[u]);
        for (uint64_t i = all.offset[u]; i < all.offset[u + 1]; i++) {
            topomap_text_char(out, ' ');
            topomap_text_put(out, all.weight[i]);
            topomap_text_char(out, ' ');
            topomap_text_put(out, all.target[i]);
        }
        topomap_text_char(out, '\n');
    }
    topomap_weights_clear(&all);
    return 0;
}

/* Three lines of 1, 2 and 2 numbers: 0; vertices and arcs; base and digits. */
static int scotch_sniff(const char *bytes, size_t size)
{
    const char *at = bytes, *end = bytes + size;
    uint64_t value[5];
    static const int of_line[] = {1, 2, 2};
    int count = 0;

    for (int line = 0; line < 3; line++) {
        for (int k = 0; k < of_line[line]; k++) {
            size_t digits = 0;

            while (at < end && (*at == ' ' || *at == '\t'))
                at++;
            for (value[count] = 0; at < end && *at >= '0' && *at <= '9' && digits < 19; digits++)
                value[count] = value[count] * 10 + (uint64_t)(*at++ - '0');
            if (!digits)
                return TOPOMAP_SURE_NOT;
            count++;
        }
        while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
            at++;
        if (at == end || *at++ != '\n')
            return TOPOMAP_SURE_NOT;
    }
    if (value[0] || !value[1] || value[3] > 1 || value[4] % 10 > 1 || value[4] / 10 % 10 > 1 ||
        value[4] > 111)
        return TOPOMAP_SURE_NOT;
    return TOPOMAP_SURE_CHECKED * 2; /* no other format begins so */
}

const topomap_graph_io topomap_scotch = {
    .row = {"scotch", "Scotch graph: as METIS's, with the number of neighbours in front", "grf,src",
            1, 1, NULL},
    .sniff = scotch_sniff,
    .read = scotch_read,
    .write = scotch_write,
};
