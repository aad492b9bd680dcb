/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/formats/parts.h"

#include <string.h>

#include "graph/formats/io.h"

/* Profilers break collectives down into messages of a few words between many pairs. A pair stands
 * out from that where it exchanges both more in all and more at a time. */
#define BACKGROUND_BYTES 4096
#define BACKGROUND_MESSAGE 64

const topomap_graph_option topomap_profile_options[] = {
    TOPOMAP_PROFILE_MIN_BYTES,
    {NULL, NULL, NULL},
};

static void keep_arc(topomap_graph *graph, uint64_t kept, uint64_t i)
{
    char *messages = graph->messages;
    size_t width = graph->message_width;

    graph->target[kept] = graph->target[i];
    graph->bytes[kept] = graph->bytes[i];
    if (messages)
        memmove(messages + kept * width, messages + i * width, width);
}

int topomap_profile_filter(const topomap_source *source, topomap_graph *graph, topomap_error *err)
{
    uint64_t least, kept = 0, i = 0;

    if (topomap_graph_option_number(source, "min-bytes", 0, INT64_MAX, 0, &least, err))
        return -1;
    if (!least)
        return 0;
    for (uint32_t u = 0; u < graph->ranks; u++) {
        for (; i < graph->offset[u + 1]; i++)
            if (graph->bytes[i] >= least)
                keep_arc(graph, kept++, i);
        graph->offset[u + 1] = kept;
    }
    graph->arcs = kept;
    return topomap_graph_finish(graph, err);
}

/* The most bytes of a pair in one direction, and whether any stands out. */
static int stands_out(const topomap_graph *graph, uint64_t *most)
{
    int found = 0;

    *most = 0;
    for (uint64_t i = 0; i < graph->arcs; i++) {
        uint64_t messages = topomap_graph_arc_messages(graph, i);

        *most = graph->bytes[i] > *most ? graph->bytes[i] : *most;
        found |=
            graph->bytes[i] >= BACKGROUND_BYTES && graph->bytes[i] / BACKGROUND_MESSAGE >= messages;
    }
    return found;
}

static int look(const topomap_input *input, topomap_graph *graph, topomap_error *err)
{
    uint64_t most;

    if (!graph->arcs)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s: no two of the %u ranks exchange anything%s",
                                 topomap_input_path(input), graph->ranks,
                                 graph->ranks > 1 ? " (that min-bytes leaves)" : "");
    if (stands_out(graph, &most))
        return 0;
    return topomap_graph_set_text(
        &graph->note, err,
        "no pair of ranks stands out from the background of collectives (none sends more than %llu "
        "bytes): the profile says little about who talks to whom",
        (unsigned long long)most);
}

int topomap_profile_finish(const topomap_source *source, topomap_arcs *arcs, uint64_t ranks,
                           topomap_graph **graph, topomap_error *err)
{
    TOPOMAP_GRAPH_FREED topomap_graph *made = NULL;

    if (topomap_lines_plausible(source->input, ranks, arcs->count, err) ||
        topomap_arcs_take(arcs, (uint32_t)ranks, &made, err) ||
        topomap_profile_filter(source, made, err) || look(source->input, made, err))
        return -1;
    *graph = topomap_take(&made);
    return 0;
}
