/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/formats/io.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "graph/formats/tmg.h"
#include "util/alloc.h"
#include "util/hash64.h"

/* What a section is made of. */
struct piece {
    uint32_t kind, phase;
    const void *bytes;
    uint64_t size;
};

struct list {
    struct piece *piece;
    size_t count, capacity;
    uint64_t *heads; /* [phases][4] of TOPOMAP_TMG_PHASE */
};

/* Those that the graph has. */
static int add(struct list *list, const struct piece *piece, size_t count, topomap_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (piece[i].bytes &&
            TOPOMAP_APPEND(list->piece, list->count, list->capacity, err, piece[i]))
            return -1;
    }
    return 0;
}

static int add_arcs(struct list *list, uint32_t phase, const topomap_graph *graph,
                    topomap_error *err)
{
    const struct piece arcs[] = {
        {TOPOMAP_TMG_OFFSET, phase, graph->offset, ((uint64_t)graph->ranks + 1) * 8},
        {TOPOMAP_TMG_TARGET, phase, graph->target, graph->arcs * 4},
        {TOPOMAP_TMG_BYTES, phase, graph->bytes, graph->arcs * 8},
        {TOPOMAP_TMG_MESSAGES, phase, graph->messages, graph->arcs * graph->message_width},
    };

    return add(list, arcs, sizeof arcs / sizeof *arcs, err);
}

static uint64_t text_size(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static int add_ranks(struct list *list, const topomap_graph *graph, topomap_error *err)
{
    uint64_t ranks = graph->ranks, names = 0, more = graph->loads ? graph->loads - 1 : 0;

    for (uint32_t r = 0; graph->name && r < graph->ranks; r++)
        names += text_size(graph->name[r]);
    const struct piece pieces[] = {
        {TOPOMAP_TMG_LOAD, 0, graph->load, ranks * 8},
        {TOPOMAP_TMG_LOAD_MORE, 0, graph->load_more, ranks * more * 8},
        {TOPOMAP_TMG_VERTEX_SIZE, 0, graph->size, ranks * 8},
        {TOPOMAP_TMG_COORDINATE, 0, graph->coordinate, ranks * graph->dimensions * 8},
        {TOPOMAP_TMG_NAME, 0, graph->names, names},
        {TOPOMAP_TMG_PATTERN, 0, graph->pattern, text_size(graph->pattern)},
        {TOPOMAP_TMG_SOURCE, 0, graph->source, text_size(graph->source)},
        {TOPOMAP_TMG_NOTE, 0, graph->note, text_size(graph->note)},
        {TOPOMAP_TMG_COMPUTE, 0, graph->compute > 0 ? &graph->compute : NULL, 8},
    };

    return add(list, pieces, sizeof pieces / sizeof *pieces, err);
}

static int add_phases(struct list *list, const topomap_graph *graph, topomap_error *err)
{
    static const uint64_t barrier = 1;

    list->heads = topomap_alloc(graph->phases, 4 * sizeof *list->heads, err);
    if (!list->heads)
        return -1;
    for (uint32_t i = 0; i < graph->phases; i++) {
        const topomap_graph *phase = graph->phase[i];
        uint64_t *head = list->heads + 4 * (size_t)i;
        const struct piece pieces[] = {
            {TOPOMAP_TMG_PHASE, i + 1, head, 32},
            {TOPOMAP_TMG_BARRIER, i + 1, phase->barrier ? &barrier : NULL, 8},
        };

        head[0] = phase->arcs;
        head[1] = phase->pairs;
        head[2] = phase->total_bytes;
        head[3] = phase->total_messages;
        if (add(list, pieces, 2, err) || add_arcs(list, i + 1, phase, err))
            return -1;
    }
    return 0;
}

static void describe(const struct list *list, const topomap_graph *graph,
                     struct topomap_tmg_header *header, struct topomap_tmg_section *table)
{
    uint64_t at = sizeof *header + list->count * sizeof *table;

    *header = (struct topomap_tmg_header){.version = TOPOMAP_TMG_VERSION,
                                          .sections = (uint32_t)list->count,
                                          .ranks = graph->ranks,
                                          .arcs = graph->arcs,
                                          .pairs = graph->pairs,
                                          .bytes = graph->total_bytes,
                                          .messages = graph->total_messages,
                                          .phases = graph->phases};
    memcpy(header->magic, TOPOMAP_TMG_MAGIC, sizeof header->magic);
    for (size_t i = 0; i < list->count; i++) {
        const struct piece *piece = &list->piece[i];

        at = (at + TOPOMAP_TMG_ALIGN - 1) / TOPOMAP_TMG_ALIGN * TOPOMAP_TMG_ALIGN;
        table[i] = (struct topomap_tmg_section){piece->kind, piece->phase, at, piece->size,
                                                topomap_hash64_all(piece->bytes, piece->size)};
        at += piece->size;
    }
    header->size = at;
    header->checksum =
        topomap_hash64_two(header, sizeof *header, table, list->count * sizeof *table);
}

static void put(const struct list *list, const struct topomap_tmg_header *header,
                const struct topomap_tmg_section *table, FILE *file)
{
    static const char zeros[TOPOMAP_TMG_ALIGN];
    uint64_t at = sizeof *header + list->count * sizeof *table;

    fwrite(header, sizeof *header, 1, file);
    fwrite(table, sizeof *table, list->count, file);
    for (size_t i = 0; i < list->count; i++) {
        fwrite(zeros, 1, table[i].offset - at, file);
        fwrite(list->piece[i].bytes, 1, list->piece[i].size, file);
        at = table[i].offset + table[i].size;
    }
}

int topomap_tmg_order(topomap_error *err)
{
    if (BYTE_ORDER != LITTLE_ENDIAN)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "tmg files are for little-endian machines; take json");
    return 0;
}

static void list_clear(struct list *list)
{
    free(list->piece);
    free(list->heads);
}

int topomap_tmg_write(const topomap_graph *graph, FILE *file, topomap_error *err)
{
    struct topomap_tmg_header header;
    TOPOMAP_FREED struct topomap_tmg_section *table = NULL;
    TOPOMAP_CLEANUP(list_clear) struct list list = {0};

    if (topomap_tmg_order(err))
        return -1;
    if (graph->phases > TOPOMAP_TMG_PHASES)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "%lu phases; a tmg file holds %d at most",
                                 (unsigned long)graph->phases, TOPOMAP_TMG_PHASES);
    if (add_arcs(&list, 0, graph, err) || add_ranks(&list, graph, err) ||
        add_phases(&list, graph, err) || !(table = topomap_alloc(list.count, sizeof *table, err)))
        return -1;
    describe(&list, graph, &header, table);
    put(&list, &header, table, file);
    return 0;
}
