/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON: {"ranks": N, "arcs": [[from, to, bytes(, messages)], ...], "load": [one a rank]}; load is
 * optional, messages are given for all arcs or for none. Other keys are for others. */
#include "graph/io.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "graph/text.h"
#include "util/alloc.h"

#define JSON_LIMIT ((size_t)256 << 20) /* the tree in memory is ten times the text */

static int fail(const topomap_input *input, topomap_error *err, const char *text)
{
    return topomap_error_set(err, TOPOMAP_EINPUT, "%s: %s", topomap_input_path(input), text);
}

static int arc_fail(const topomap_input *input, topomap_error *err, size_t i, const char *text)
{
    return topomap_error_set(err, TOPOMAP_EINPUT, "%s: arc %zu of \"arcs\": %s",
                             topomap_input_path(input), i, text);
}

static int load_text(topomap_input *input, json_t **root, topomap_error *err)
{
    json_error_t why;
    char *text;
    size_t size;

    if (topomap_input_all(input, JSON_LIMIT, &text, &size, err))
        return -1;
    *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why);
    free(text);
    if (!*root)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s:%d: %s", topomap_input_path(input),
                                 why.line, why.text);
    return 0;
}

static int read_arc(const topomap_input *input, const json_t *arc, size_t i, uint32_t ranks,
                    topomap_arcs *arcs, topomap_error *err)
{
    json_int_t value[4] = {0};
    size_t count = json_array_size(arc);
    topomap_error why;

    if (!json_is_array(arc) || count < 3 || count > 4)
        return arc_fail(input, err, i, "expected [from, to, bytes] or [from, to, bytes, messages]");
    if (!i)
        arcs->has_messages = count == 4;
    if (arcs->has_messages != (count == 4))
        return arc_fail(input, err, i, "all arcs have messages or none has");
    for (size_t k = 0; k < count; k++) {
        const json_t *field = json_array_get(arc, k);

        value[k] = json_integer_value(field);
        if (!json_is_integer(field) || value[k] < 0)
            return arc_fail(input, err, i, "expected integers from 0 on");
    }
    if (value[0] >= (json_int_t)ranks || value[1] >= (json_int_t)ranks)
        return arc_fail(input, err, i, "a rank is not below \"ranks\"");
    if (topomap_arcs_add(arcs, (uint32_t)value[0], (uint32_t)value[1], (uint64_t)value[2],
                         (uint64_t)value[3], &why))
        return topomap_error_set(err, why.code, "%s: arc %zu of \"arcs\": %s",
                                 topomap_input_path(input), i, why.text);
    return 0;
}

static int read_load(const topomap_input *input, const json_t *load, topomap_graph *graph,
                     topomap_error *err)
{
    uint64_t total = 0;

    if (!load)
        return 0;
    if (!json_is_array(load) || json_array_size(load) != graph->ranks)
        return fail(input, err, "\"load\" must be an array with one number a rank");
    graph->load = topomap_alloc(graph->ranks, sizeof *graph->load, err);
    if (!graph->load)
        return -1;
    for (uint32_t r = 0; r < graph->ranks; r++) {
        const json_t *item = json_array_get(load, r);
        json_int_t value = json_integer_value(item);

        if (!json_is_integer(item) || value < 0 || (uint64_t)value >= TOPOMAP_GRAPH_SUM - total)
            return fail(input, err, "\"load\" must have integers from 0 on, below 2^63 in all");
        graph->load[r] = (uint64_t)value;
        total += (uint64_t)value;
    }
    return 0;
}

static int read_root(const topomap_input *input, const json_t *root, topomap_graph **graph,
                     topomap_error *err)
{
    const json_t *list = json_object_get(root, "arcs");
    json_int_t ranks = json_integer_value(json_object_get(root, "ranks"));
    topomap_arcs arcs = {0};
    topomap_graph *made = NULL;
    topomap_error why;
    int status = 0;

    if (ranks < 1 || (uint64_t)ranks > TOPOMAP_GRAPH_RANKS)
        return fail(input, err, "expected an object with \"ranks\": 1 to 2^31");
    if (!json_is_array(list))
        return fail(input, err, "expected \"arcs\": [[from, to, bytes], ...]");
    if (topomap_graph_plausible((uint64_t)ranks, json_array_size(list), &why))
        return fail(input, err, why.text);
    for (size_t i = 0; !status && i < json_array_size(list); i++)
        status = read_arc(input, json_array_get(list, i), i, (uint32_t)ranks, &arcs, err);
    if (!status)
        status = topomap_arcs_take(&arcs, (uint32_t)ranks, &made, err);
    if (!status)
        status = read_load(input, json_object_get(root, "load"), made, err);
    topomap_arcs_clear(&arcs);
    if (status)
        topomap_graph_free(made);
    else
        *graph = made;
    return status;
}

static int graph_json_read(topomap_input *input, const topomap_graph_options *options,
                           topomap_graph **graph, topomap_error *err)
{
    json_t *root;
    int status;

    (void)options;
    if (load_text(input, &root, err))
        return -1;
    status = read_root(input, root, graph, err);
    json_decref(root);
    return status;
}

static void write_arc(topomap_text_out *out, const topomap_graph *graph, uint32_t u, uint64_t i)
{
    topomap_text_char(out, '[');
    topomap_text_put(out, u);
    topomap_text_char(out, ',');
    topomap_text_put(out, graph->target[i]);
    topomap_text_char(out, ',');
    topomap_text_put(out, graph->bytes[i]);
    if (topomap_graph_has_messages(graph)) {
        topomap_text_char(out, ',');
        topomap_text_put(out, topomap_graph_arc_messages(graph, i));
    }
    topomap_text_char(out, ']');
}

static int graph_json_write(const topomap_graph *graph, const char *path, FILE *file,
                            topomap_error *err)
{
    topomap_text_out *out = topomap_alloc(1, sizeof *out, err);

    (void)path;
    if (!out)
        return -1;
    out->file = file;
    fprintf(file, "{\"ranks\":%lu,\n", (unsigned long)graph->ranks);
    if (graph->load) {
        fputs("\"load\":[", file);
        for (uint32_t r = 0; r < graph->ranks; r++) {
            if (r)
                topomap_text_char(out, ',');
            topomap_text_put(out, graph->load[r]);
        }
        topomap_text_flush(out);
        fputs("],\n", file);
    }
    fputs("\"arcs\":[", file);
    for (uint32_t u = 0; u < graph->ranks; u++)
        for (uint64_t i = graph->offset[u]; i < graph->offset[u + 1]; i++) {
            if (i)
                topomap_text_char(out, ',');
            topomap_text_char(out, '\n');
            write_arc(out, graph, u, i);
        }
    topomap_text_flush(out);
    fputs("]}\n", file);
    free(out);
    return 0;
}

static int graph_json_recognise(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!strchr(" \t\r\n", bytes[i]))
            return bytes[i] == '{' ? TOPOMAP_SURE : TOPOMAP_SURE_NOT;
    return TOPOMAP_SURE_NOT;
}

const topomap_graph_io topomap_graph_json = {graph_json_recognise, graph_json_read,
                                             graph_json_write};
