/* SPDX-License-Identifier: BSD-3-Clause */
/* A reader of a program's own format, and a file of topomap's format made of what it has read. The
 * format is that of an imaginary tracer: lines `FROM -> TO BYTES`, and '#' before what is none of
 * them.
 *
 *   own_reader FILE OUTPUT
 *   own_reader trace.txt.xz trace.tmg */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <topomap/extend.h>
#include <topomap/topomap.h>

struct arcs {
    size_t count, room;
    uint32_t ranks, *from, *to;
    uint64_t *bytes;
};

static int add(struct arcs *arcs, uint32_t from, uint32_t to, uint64_t bytes)
{
    if (arcs->count == arcs->room) {
        size_t room = arcs->room ? 2 * arcs->room : 64;
        uint32_t *more_from = realloc(arcs->from, room * sizeof *more_from), *more_to;
        uint64_t *more_bytes;

        if (more_from)
            arcs->from = more_from;
        more_to = more_from ? realloc(arcs->to, room * sizeof *more_to) : NULL;
        if (more_to)
            arcs->to = more_to;
        more_bytes = more_to ? realloc(arcs->bytes, room * sizeof *more_bytes) : NULL;
        if (!more_bytes)
            return -1;
        arcs->bytes = more_bytes;
        arcs->room = room;
    }
    arcs->from[arcs->count] = from;
    arcs->to[arcs->count] = to;
    arcs->bytes[arcs->count++] = bytes;
    if (from >= arcs->ranks)
        arcs->ranks = from + 1;
    if (to >= arcs->ranks)
        arcs->ranks = to + 1;
    return 0;
}

static int read_lines(topomap_input *input, struct arcs *arcs, topomap_error *err)
{
    enum { MOST_RANKS = 1 << 20 };
    char *line;
    size_t length;
    int got;

    while ((got = topomap_input_line(input, 0, &line, &length, err)) > 0) {
        int64_t from, to, bytes;
        int end = -1;

        if (*line == '#' || *line == '\0')
            continue;
        /* Wider than ranks are: what is too large does not come as a small number. */
        if (sscanf(line, "%" SCNd64 " -> %" SCNd64 " %" SCNd64 "%n", &from, &to, &bytes, &end) !=
                3 ||
            line[end] != '\0' || from < 0 || from >= MOST_RANKS || to < 0 || to >= MOST_RANKS ||
            bytes < 0 || bytes == INT64_MAX)
            return topomap_input_fail(input, err, "expected `FROM -> TO BYTES`, got `%.60s`", line);
        if (add(arcs, (uint32_t)from, (uint32_t)to, (uint64_t)bytes) != 0)
            return topomap_error_set(err, TOPOMAP_ESYSTEM, "no memory for %zu arcs", arcs->count);
    }
    return got;
}

/* \param data  the program's: where it wants to know how many lines had arcs */
static int read_trace(topomap_input *input, void *data, topomap_graph **graph, topomap_error *err)
{
    struct arcs arcs = {0};
    int status = read_lines(input, &arcs, err);

    if (status == 0 && arcs.count == 0)
        status = topomap_input_fail(input, err, "there is no line `FROM -> TO BYTES` in it");
    if (status == 0)
        status = topomap_graph_new(arcs.ranks, arcs.count, arcs.from, arcs.to, arcs.bytes, NULL,
                                   graph, err);
    *(size_t *)data = arcs.count;
    free(arcs.from);
    free(arcs.to);
    free(arcs.bytes);
    return status;
}

int main(int argc, char **argv)
{
    topomap_graph *graph = NULL;
    topomap_error err;
    size_t lines;
    int status = 0;

    if (argc != 3) {
        fprintf(stderr, "usage: own_reader FILE OUTPUT\n");
        return 2;
    }
    if (topomap_graph_read_with(argv[1], read_trace, &lines, &graph, &err) != 0 ||
        topomap_graph_write(graph, argv[2], NULL, &err) != 0) {
        fprintf(stderr, "own_reader: %s\n", err.text);
        status = (int)err.code + 1;
    } else {
        printf("%zu lines, %" PRIu32 " ranks, %" PRIu64 " bytes\n", lines,
               topomap_graph_ranks(graph), topomap_graph_bytes(graph));
    }
    topomap_graph_free(graph);
    return status;
}
