/* SPDX-License-Identifier: BSD-3-Clause */
/* Native graph files: seeds, and contents whose checksums hold, so that what is behind them is
 * reached. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "graph/formats/tmg.h"
#include "util/hash64.h"

static void add_seed(struct fuzz_seeds *seeds, const topomap_graph *graph)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&bytes, &size);

    if (!out || topomap_tmg_write(graph, out, NULL) || fclose(out))
        abort();
    fuzz_seeds_add(seeds, bytes, size);
    free(bytes);
}

/* Plain ones, of counts that take 32 and 64 bits. */
static void add_wide_seeds(struct fuzz_seeds *seeds)
{
    static const char *const text[] = {"{\"ranks\":2,\"arcs\":[[0,1,10,70000],[1,0,20,2]]}",
                                       "{\"ranks\":2,\"arcs\":[[0,1,10,8589934592],[1,0,2,2]]}"};

    for (int i = 0; i < 2; i++) {
        topomap_graph *graph;
        topomap_error err;

        if (topomap_graph_read(fuzz_file((const uint8_t *)text[i], strlen(text[i])), "json", &graph,
                               &err))
            abort();
        add_seed(seeds, graph);
        topomap_graph_free(graph);
    }
}

/* One of two phases with everything a graph may have, and a plain one. */
void fuzz_tmg_seeds(struct fuzz_seeds *seeds)
{
    static const char text[] = "{\"ranks\":3,\"arcs\":[[0,1,10,1],[1,2,20,2],[2,0,5,7]]}";
    static const char names[] = "one\0two\0three";
    topomap_graph *graph, *phase[2];
    topomap_error err;

    for (int i = 0; i < 2; i++)
        if (topomap_graph_read(fuzz_file((const uint8_t *)text, sizeof text - 1), "json", &phase[i],
                               &err))
            abort();
    if (topomap_graph_merge((const topomap_graph *const *)phase, 2, &graph, &err))
        abort();
    add_seed(seeds, graph);
    if (topomap_graph_set_names(graph, names, sizeof names, &err) ||
        topomap_graph_set_text(&graph->source, &err, "here") ||
        topomap_graph_set_text(&graph->note, &err, "there") ||
        topomap_graph_set_phases(graph, phase, 2, &err))
        abort();
    graph->load = calloc(3, sizeof *graph->load);
    graph->load_more = calloc(6, sizeof *graph->load_more);
    graph->loads = 3;
    graph->size = calloc(3, sizeof *graph->size);
    graph->coordinate = calloc(6, sizeof *graph->coordinate);
    graph->dimensions = 2;
    add_seed(seeds, graph);
    topomap_graph_free(graph);
    add_wide_seeds(seeds);
}

int fuzz_tmg(const void *what, const uint8_t *bytes, size_t size)
{
    struct topomap_tmg_header header;
    uint8_t *copy = (uint8_t *)fuzz_text(bytes, size);
    size_t table = sizeof header, row = sizeof(struct topomap_tmg_section);
    topomap_hash64 hash;
    int taken;

    (void)what;
    if (size >= sizeof header) {
        memcpy(&header, copy, sizeof header);
        memcpy(header.magic, TOPOMAP_TMG_MAGIC, sizeof header.magic);
        header.version = TOPOMAP_TMG_VERSION;
        header.size = size;
        header.sections %= (uint32_t)((size - table) / row + 1);
        for (uint32_t i = 0; i < header.sections; i++) {
            struct topomap_tmg_section section;

            memcpy(&section, copy + table + i * row, row);
            if (section.offset <= size && section.size <= size - section.offset)
                section.checksum = topomap_hash64_all(copy + section.offset, section.size);
            memcpy(copy + table + i * row, &section, row);
        }
        header.checksum = 0;
        topomap_hash64_begin(&hash);
        topomap_hash64_add(&hash, &header, sizeof header);
        header.checksum = topomap_hash64_end(&hash, copy + table, header.sections * row);
        memcpy(copy, &header, sizeof header);
    }
    taken = fuzz_graph("tmg", copy, size);
    free(copy);
    return taken;
}
