/* SPDX-License-Identifier: BSD-3-Clause */
/* What json.c reads. */
#define _GNU_SOURCE /* uselocale */
#include <locale.h>

#include "graph/formats/io.h"
#include "util/safe_text.h"
#include "util/text.h"

static void write_arcs(topomap_text_out *out, const topomap_graph *graph)
{
    topomap_text_string(out, "\"arcs\":[");
    for (uint32_t u = 0; u < graph->ranks; u++)
        for (uint64_t i = graph->offset[u]; i < graph->offset[u + 1]; i++) {
            const uint64_t arc[] = {u, graph->target[i], graph->bytes[i],
                                    topomap_graph_arc_messages(graph, i)};

            topomap_text_string(out, i ? ",\n[" : "\n[");
            topomap_text_list(out, arc, topomap_graph_has_messages(graph) ? 4 : 3, ',');
            topomap_text_char(out, ']');
        }
    topomap_text_char(out, ']');
}

static void write_string(topomap_text_out *out, const char *text)
{
    char code[8];

    topomap_text_char(out, '"');
    while (*text) {
        text += topomap_json_character(text, code);
        topomap_text_string(out, code);
    }
    topomap_text_char(out, '"');
}

static void write_text(topomap_text_out *out, const char *key, const char *text)
{
    if (!text)
        return;
    write_string(out, key);
    topomap_text_char(out, ':');
    write_string(out, text);
    topomap_text_string(out, ",\n");
}

static void write_load(topomap_text_out *out, const topomap_graph *graph)
{
    uint32_t more = graph->load_more ? graph->loads - 1 : 0;

    topomap_text_string(out, "\"load\":[");
    for (uint32_t r = 0; r < graph->ranks; r++) {
        if (r)
            topomap_text_char(out, ',');
        if (more)
            topomap_text_char(out, '[');
        topomap_text_put(out, graph->load[r]);
        if (more) {
            topomap_text_char(out, ',');
            topomap_text_list(out, graph->load_more + (size_t)r * more, more, ',');
            topomap_text_char(out, ']');
        }
    }
    topomap_text_string(out, "],\n");
}

static void write_coordinates(topomap_text_out *out, const topomap_graph *graph)
{
    char number[32];

    topomap_text_string(out, "\"coordinates\":[");
    for (uint32_t r = 0; r < graph->ranks; r++) {
        topomap_text_string(out, r ? ",[" : "[");
        for (uint32_t k = 0; k < graph->dimensions; k++) {
            snprintf(number, sizeof number, k ? ",%.17g" : "%.17g",
                     graph->coordinate[(size_t)r * graph->dimensions + k]);
            topomap_text_string(out, number);
        }
        topomap_text_char(out, ']');
    }
    topomap_text_string(out, "],\n");
}

static void write_parts(topomap_text_out *out, const topomap_graph *graph)
{
    write_text(out, "pattern", graph->pattern);
    write_text(out, "source", graph->source);
    write_text(out, "note", graph->note);
    if (graph->load)
        write_load(out, graph);
    if (graph->size) {
        topomap_text_string(out, "\"sizes\":[");
        topomap_text_list(out, graph->size, graph->ranks, ',');
        topomap_text_string(out, "],\n");
    }
    if (graph->coordinate)
        write_coordinates(out, graph);
    if (graph->name) {
        topomap_text_string(out, "\"names\":[");
        for (uint32_t r = 0; r < graph->ranks; r++) {
            if (r)
                topomap_text_char(out, ',');
            write_string(out, graph->name[r]);
        }
        topomap_text_string(out, "],\n");
    }
}

static void write_all(topomap_text_out *out, const topomap_graph *graph)
{
    topomap_text_string(out, "{\"ranks\":");
    topomap_text_put(out, graph->ranks);
    topomap_text_string(out, ",\n");
    write_parts(out, graph);
    write_arcs(out, graph);
    if (graph->phases) {
        topomap_text_string(out, ",\n\"phases\":[");
        for (uint32_t i = 0; i < graph->phases; i++) {
            topomap_text_string(out, i ? ",\n{" : "\n{");
            if (graph->phase[i]->barrier)
                topomap_text_string(out, "\"barrier\":true,\n");
            write_arcs(out, graph->phase[i]);
            topomap_text_char(out, '}');
        }
        topomap_text_char(out, ']');
    }
    topomap_text_string(out, "}\n");
    topomap_text_flush(out);
}

int topomap_json_write(const topomap_graph *graph, topomap_text_out *out, topomap_error *err)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before;

    if (!plain)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    before = uselocale(plain);
    write_all(out, graph);
    uselocale(before);
    freelocale(plain);
    return 0;
}
