/* SPDX-License-Identifier: BSD-3-Clause */
/* Scotch graph files: Scotch user's guide, "Graph files". Numbers between blanks and line ends:
 * version 0; vertices, arcs; base, three digits for labels, edge and vertex weights; then for each
 * vertex [label] [weight] degree and as many [weight] neighbour. Neighbours go by label where there
 * are labels, else by the vertex's place from base on. */
#include <stdlib.h>

#include "graph/formats/io.h"
#include "util/alloc.h"
#include "util/text.h"

#define LINE_LIMIT ((size_t)1 << 30)

struct reader {
    topomap_undirected list;
    const char *at; /* the rest of the line in hand, NULL before the first */
    int labels, weights;
    uint64_t loads_total;
    uint64_t *label; /* [ranks] where labels are */
    size_t label_room;
};

/* The next number wherever it stands: 0, or -1 at the end or where it is none. */
static int next_number(struct reader *in, const char *what, uint64_t *value, topomap_error *err)
{
    for (;;) {
        char *line;
        size_t length;
        int got;

        if (in->at) {
            in->at = topomap_text_blanks(in->at);
            if (*in->at)
                break;
        }
        got = topomap_input_line(in->list.input, LINE_LIMIT, &line, &length, err);
        if (got < 0)
            return -1;
        if (!got)
            return topomap_input_fail(in->list.input, err,
                                      "the file ends where %s is expected: it is "
                                      "truncated",
                                      what);
        in->at = line;
    }
    return topomap_lines_number(in->list.input, &in->at, what, value, err);
}

static int header_read(struct reader *in, topomap_error *err)
{
    uint64_t version, flags, most;

    if (next_number(in, "the version", &version, err) ||
        next_number(in, "the number of vertices", &in->list.ranks, err) ||
        next_number(in, "the number of arcs", &in->list.entries, err) ||
        next_number(in, "the base", &in->list.base, err) ||
        next_number(in, "the three digits of labels and weights", &flags, err))
        return -1;
    most = topomap_input_most(in->list.input);
    if (version)
        return topomap_input_fail(in->list.input, err, "version %llu; Scotch's graph files have 0",
                                  (unsigned long long)version);
    if (in->list.ranks < 1 || in->list.ranks > TOPOMAP_GRAPH_RANKS)
        return topomap_input_fail(in->list.input, err,
                                  "the header says %llu vertices; 1 to 2^31 are possible",
                                  (unsigned long long)in->list.ranks);
    if (in->list.base > 1 || flags % 10 > 1 || flags / 10 % 10 > 1 || flags > 111)
        return topomap_input_fail(in->list.input, err,
                                  "base %llu and digits %llu; a base is 0 or 1 and a digit 0 or 1",
                                  (unsigned long long)in->list.base, (unsigned long long)flags);
    if (in->list.ranks > most / 2 || in->list.entries > most / 2)
        return topomap_input_fail(
            in->list.input, err,
            "the header says %llu vertices and %llu arcs, which do not fit in "
            "a file of %llu bytes",
            (unsigned long long)in->list.ranks, (unsigned long long)in->list.entries,
            (unsigned long long)most);
    in->list.loads = flags % 10 != 0;
    in->weights = flags / 10 % 10 != 0;
    in->labels = flags / 100 != 0;
    return 0;
}

static int grow_arcs(struct reader *in, topomap_error *err)
{
    if (in->list.graph->arcs == in->list.entries)
        return topomap_input_fail(in->list.input, err,
                                  "more neighbours than the %llu arcs of the header",
                                  (unsigned long long)in->list.entries);
    return in->list.graph->arcs < in->list.entry_room ? 0
                                                      : topomap_undirected_entry(&in->list, err);
}

/* Stores the neighbour's place, or its label until all labels are known. */
static int neighbour_read(struct reader *in, uint64_t u, topomap_error *err)
{
    topomap_graph *graph = in->list.graph;
    uint64_t v, weight = 1;

    if ((in->weights && next_number(in, "an edge's weight", &weight, err)) ||
        next_number(in, "a neighbour", &v, err) || grow_arcs(in, err))
        return -1;
    if (!in->labels &&
        (v < in->list.base || v - in->list.base >= in->list.ranks || v - in->list.base == u))
        return topomap_input_fail(in->list.input, err,
                                  "vertex %llu lists vertex %llu; there are %llu to "
                                  "%llu, and none lists itself",
                                  (unsigned long long)(u + in->list.base), (unsigned long long)v,
                                  (unsigned long long)in->list.base,
                                  (unsigned long long)(in->list.ranks - 1 + in->list.base));
    if (v > UINT32_MAX)
        return topomap_input_fail(in->list.input, err,
                                  "vertex %llu lists %llu, which is 2^32 or more",
                                  (unsigned long long)(u + in->list.base), (unsigned long long)v);
    graph->target[graph->arcs] = (uint32_t)(in->labels ? v : v - in->list.base);
    graph->bytes[graph->arcs++] = weight;
    return 0;
}

static int vertex_head(struct reader *in, uint64_t u, uint64_t *degree, topomap_error *err)
{
    uint64_t load;

    if (in->labels && (topomap_grow(&in->label, &in->label_room, u + 1, sizeof *in->label, err) ||
                       next_number(in, "the vertex's label", &in->label[u], err)))
        return -1;
    if (in->list.loads) {
        if (next_number(in, "the vertex's weight", &load, err) ||
            topomap_undirected_sum(&in->list, "weights", load, &in->loads_total, err))
            return -1;
        in->list.graph->load[u] = load;
    }
    if (next_number(in, "the vertex's degree", degree, err))
        return -1;
    in->list.line[u] = topomap_input_lineno(in->list.input);
    return 0;
}

static int vertices_read(struct reader *in, topomap_error *err)
{
    topomap_graph *graph = in->list.graph;

    for (uint64_t u = 0; u < in->list.ranks; u++) {
        uint64_t degree;

        if (topomap_undirected_vertex(&in->list, u, err) || vertex_head(in, u, &degree, err))
            return -1;
        for (uint64_t k = 0; k < degree; k++)
            if (neighbour_read(in, u, err))
                return -1;
        graph->offset[u + 1] = graph->arcs;
    }
    if (graph->arcs != in->list.entries)
        return topomap_input_fail(
            in->list.input, err, "the header says %llu arcs, but there are %llu neighbours",
            (unsigned long long)in->list.entries, (unsigned long long)graph->arcs);
    graph->loads = in->list.loads ? 1 : 0;
    return 0;
}

/* ---- Labels -------------------------------------------------------------------------------- */

struct labelled {
    uint64_t label;
    uint32_t vertex;
};

TOPOMAP_COMPARE(by_label, struct labelled, TOPOMAP_ORDER(x->label, y->label), 0)

static int label_target(struct reader *in, const struct labelled *sorted, uint32_t u, uint64_t i,
                        topomap_error *err)
{
    struct labelled key = {in->list.graph->target[i], 0}, *found;

    found = bsearch(&key, sorted, in->list.ranks, sizeof *sorted, by_label);
    if (!found || found->vertex == u)
        return topomap_error_set(
            err, TOPOMAP_EINPUT, "%s:%zu: vertex %llu lists %s %llu",
            topomap_input_path(in->list.input), in->list.line[u], (unsigned long long)in->label[u],
            found ? "itself," : "an unknown label,", (unsigned long long)key.label);
    in->list.graph->target[i] = found->vertex;
    return 0;
}

/* Labels become places, and names. */
static int labels_apply(struct reader *in, topomap_error *err)
{
    TOPOMAP_FREED struct labelled *sorted = topomap_alloc(in->list.ranks, sizeof *sorted, err);
    TOPOMAP_FREED char *text = topomap_alloc(in->list.ranks, 21, err);
    const topomap_graph *graph = in->list.graph;
    size_t used = 0;

    if (!sorted || !text)
        return -1;
    for (uint32_t u = 0; u < in->list.ranks; u++) {
        sorted[u] = (struct labelled){in->label[u], u};
        used += (size_t)sprintf(text + used, "%llu", (unsigned long long)in->label[u]) + 1;
    }
    qsort(sorted, in->list.ranks, sizeof *sorted, by_label);
    for (uint64_t k = 1; k < in->list.ranks; k++)
        if (sorted[k].label == sorted[k - 1].label)
            return topomap_error_set(err, TOPOMAP_EINPUT, "%s: two vertices have the label %llu",
                                     topomap_input_path(in->list.input),
                                     (unsigned long long)sorted[k].label);
    for (uint32_t u = 0; u < in->list.ranks; u++)
        for (uint64_t i = graph->offset[u]; i < graph->offset[u + 1]; i++)
            if (label_target(in, sorted, u, i, err))
                return -1;
    return topomap_graph_set_names(in->list.graph, text, used, err);
}

/* ---- Whole files --------------------------------------------------------------------------- */

static int sort_rows(struct reader *in, topomap_error *err)
{
    topomap_graph *graph = in->list.graph;

    for (uint32_t u = 0; u < graph->ranks; u++)
        for (uint64_t i = graph->offset[u] + 1; i < graph->offset[u + 1]; i++)
            if (graph->target[i] <= graph->target[i - 1]) {
                if (topomap_undirected_sort(&in->list, u, graph->offset[u + 1], err))
                    return -1;
                break;
            }
    return 0;
}

static int nothing_follows(struct reader *in, topomap_error *err)
{
    char *line;
    size_t length;
    int got = 1;

    while (got == 1 && !*topomap_text_blanks(in->at)) {
        got = topomap_input_line(in->list.input, LINE_LIMIT, &line, &length, err);
        in->at = got == 1 ? line : "";
    }
    if (got == 1)
        return topomap_input_fail(in->list.input, err,
                                  "something follows the last of %llu vertices",
                                  (unsigned long long)in->list.ranks);
    return got;
}

static int scotch_read(const topomap_source *source, topomap_graph **graph, topomap_error *err)
{
    struct reader in = {.list = {.input = source->input}};
    int status = topomap_undirected_open(&in.list, err) || header_read(&in, err) ||
                 topomap_undirected_reserve(&in.list, err) || vertices_read(&in, err) ||
                 nothing_follows(&in, err) || (in.labels && labels_apply(&in, err)) ||
                 sort_rows(&in, err);
    free(in.label);
    return topomap_undirected_close(&in.list, status, graph, err);
}

static int scotch_write(const topomap_graph *graph, topomap_text_out *out, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_weights_clear) topomap_weights all = {0};

    if (topomap_pairs_new(graph, &all, err))
        return -1;
    fprintf(out->file, "0\n%u %llu\n0 01%c\n", graph->ranks,
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
