/* SPDX-License-Identifier: BSD-3-Clause */
/* A native file is mapped and its arrays are used where they lie, after one pass over them: their
 * checksums, and that they are rows as topomap_graph has them, whoever wrote the file. */
#include "graph/formats/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "graph/formats/tmg.h"
#include "util/alloc.h"
#include "util/hash64.h"

#define FILE_LIMIT ((size_t)1 << 40)
#define CHUNK ((size_t)32 << 10) /* hashed and looked at while it is in the cache */

struct file {
    const char *path;
    const unsigned char *bytes;
    size_t size;
    struct topomap_tmg_header header;
    const struct topomap_tmg_section *table;
    /* [phases + 1][TOPOMAP_TMG_KINDS] rows of the table, by phase and kind */
    const struct topomap_tmg_section **section;
};

static const char *const kind_names[TOPOMAP_TMG_KINDS] = {
    "?",     "offsets",     "targets", "bytes",   "messages", "phase", "loads",   "further loads",
    "sizes", "coordinates", "names",   "pattern", "source",   "note",  "barrier", "compute",
};

static int fail(const struct file *in, const char *what, topomap_error *err)
{
    return topomap_error_set(err, TOPOMAP_EINPUT, "%s: %s", in->path, what);
}

static int damaged(const struct file *in, const struct topomap_tmg_section *section,
                   const char *what, topomap_error *err)
{
    return topomap_error_set(err, TOPOMAP_EINPUT, "%s: the section of %s (phase %u): %s", in->path,
                             kind_names[section->kind], section->phase, what);
}

/* ---- Header and table ---------------------------------------------------------------------- */

static int header_check(const struct file *in, topomap_error *err)
{
    const struct topomap_tmg_header *h = &in->header;
    struct topomap_tmg_header zero = *h;

    if (h->version != TOPOMAP_TMG_VERSION)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s: version %lu of the tmg format; this program reads version %d",
                                 in->path, (unsigned long)h->version, TOPOMAP_TMG_VERSION);
    if (h->size != in->size)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s: %zu bytes, but the header says %llu: it is truncated or "
                                 "something follows it",
                                 in->path, in->size, (unsigned long long)h->size);
    if (h->sections > (in->size - sizeof *h) / sizeof *in->table)
        return fail(in, "the table of sections is longer than the file", err);
    zero.checksum = 0;
    if (topomap_hash64_two(&zero, sizeof zero, in->table, h->sections * sizeof *in->table) !=
        h->checksum)
        return fail(in, "the header's checksum is wrong: the file is damaged", err);
    if (h->ranks < 1 || h->ranks > TOPOMAP_GRAPH_RANKS || h->phases > TOPOMAP_TMG_PHASES ||
        h->phases > h->sections)
        return fail(in, "the header's counts are impossible", err);
    return 0;
}

static int index_section(struct file *in, const struct topomap_tmg_section *row, topomap_error *err)
{
    uint64_t begin = sizeof in->header + in->header.sections * sizeof *in->table;
    const struct topomap_tmg_section **slot;

    if (row->kind & TOPOMAP_TMG_NEEDED)
        return fail(in, "a section that a newer program wrote and that cannot be skipped", err);
    if (!row->kind || row->kind >= TOPOMAP_TMG_KINDS)
        return 0;
    if (row->offset % 8 || row->offset < begin || row->offset > in->size ||
        row->size > in->size - row->offset)
        return damaged(in, row, "it lies outside the file or not on a multiple of 8", err);
    if (row->phase > in->header.phases)
        return damaged(in, row, "there is no such phase", err);
    slot = &in->section[row->phase * (size_t)TOPOMAP_TMG_KINDS + row->kind];
    if (*slot)
        return damaged(in, row, "it is there twice", err);
    *slot = row;
    return 0;
}

static int table_read(struct file *in, topomap_error *err)
{
    if (in->size < sizeof in->header)
        return fail(in, "shorter than a tmg header: it is truncated", err);
    memcpy(&in->header, in->bytes, sizeof in->header);
    if (memcmp(in->header.magic, TOPOMAP_TMG_MAGIC, sizeof in->header.magic) != 0)
        return fail(in, "not a tmg file", err);
    in->table = (const void *)(in->bytes + sizeof in->header);
    if (header_check(in, err))
        return -1;
    in->section =
        topomap_alloc((in->header.phases + 1) * TOPOMAP_TMG_KINDS, sizeof *in->section, err);
    if (!in->section)
        return -1;
    for (uint32_t i = 0; i < in->header.sections; i++)
        if (index_section(in, &in->table[i], err))
            return -1;
    return 0;
}

/* ---- Sections ------------------------------------------------------------------------------ */

/* The sum of 64-bit numbers in two halves, neither of which overflows. */
struct sum {
    uint64_t low, high;
};

static void add_chunk(struct sum *sum, const unsigned char *bytes, size_t size, int width)
{
    uint64_t low = 0, high = 0;

    if (width == 2) {
        const uint16_t *value = (const void *)bytes;

        for (size_t i = 0; i < size / 2; i++)
            low += value[i];
    } else if (width == 4) {
        const uint32_t *value = (const void *)bytes;

        for (size_t i = 0; i < size / 4; i++)
            low += value[i];
    } else {
        const uint64_t *value = (const void *)bytes;

        for (size_t i = 0; i < size / 8; i++) {
            low += value[i] & UINT32_MAX;
            high += value[i] >> 32;
        }
    }
    sum->high += high + (low >> 32);
    sum->low += low & UINT32_MAX;
}

/* One pass: the checksum, and where width is not 0 the sum of the numbers to *total. */
static int scan(const struct file *in, const struct topomap_tmg_section *section, int width,
                uint64_t *total, topomap_error *err)
{
    const unsigned char *at = in->bytes + section->offset;
    size_t left = section->size;
    struct sum sum = {0, 0};
    topomap_hash64 hash;

    topomap_hash64_begin(&hash);
    while (left > CHUNK) {
        topomap_hash64_add(&hash, at, CHUNK);
        if (width)
            add_chunk(&sum, at, CHUNK, width);
        at += CHUNK;
        left -= CHUNK;
    }
    if (width)
        add_chunk(&sum, at, left, width);
    if (topomap_hash64_end(&hash, at, left) != section->checksum)
        return damaged(in, section, "the checksum is wrong: the file is damaged", err);
    if (!width)
        return 0;
    sum.high += sum.low >> 32;
    if (sum.high >> 31)
        return damaged(in, section, "the sum reaches 2^63", err);
    *total = sum.high << 32 | (sum.low & UINT32_MAX);
    return 0;
}

/* The section of a kind where it is there, of exactly `size` bytes; *found is NULL where not. */
static int find(const struct file *in, uint32_t phase, enum topomap_tmg_kind kind, uint64_t size,
                const struct topomap_tmg_section **found, topomap_error *err)
{
    *found = in->section[phase * (size_t)TOPOMAP_TMG_KINDS + kind];
    if (*found && (*found)->size != size)
        return damaged(in, *found, "it has not the size that the header's counts ask for", err);
    return 0;
}

static int need(const struct file *in, uint32_t phase, enum topomap_tmg_kind kind, uint64_t size,
                const struct topomap_tmg_section **found, topomap_error *err)
{
    if (find(in, phase, kind, size, found, err))
        return -1;
    if (!*found)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: no section of %s (phase %u)", in->path,
                                 kind_names[kind], phase);
    return 0;
}

static void *at(const struct file *in, const struct topomap_tmg_section *section)
{
    return (void *)(uintptr_t)(in->bytes + section->offset);
}

/* ---- Arcs ---------------------------------------------------------------------------------- */

static int offsets_are_rows(const topomap_graph *graph)
{
    const uint64_t *offset = graph->offset;

    if (offset[0] || offset[graph->ranks] != graph->arcs)
        return 0;
    for (uint32_t r = 0; r < graph->ranks; r++)
        if (offset[r] > offset[r + 1] || offset[r + 1] > graph->arcs)
            return 0;
    return 1;
}

static int rows_ascend(const topomap_graph *graph)
{
    for (uint32_t u = 0; u < graph->ranks; u++) {
        const uint32_t *to = graph->target + graph->offset[u],
                       *end = graph->target + graph->offset[u + 1];
        int bad = 0;

        if (to == end)
            continue;
        bad = *to == u || end[-1] >= graph->ranks;
        for (to++; to < end; to++)
            bad |= (*to == u) | (to[-1] >= *to);
        if (bad)
            return 0;
    }
    return 1;
}

static int messages_read(const struct file *in, uint32_t phase, topomap_graph *graph,
                         topomap_error *err)
{
    const struct topomap_tmg_section *section =
        in->section[phase * (size_t)TOPOMAP_TMG_KINDS + TOPOMAP_TMG_MESSAGES];
    uint64_t total;
    int width = 4;

    if (!section)
        return graph->total_messages ? fail(in, "messages in all, but none of the arcs", err) : 0;
    if (graph->arcs && section->size != graph->arcs * 4)
        width = section->size == graph->arcs * 2 ? 2 : 8;
    if (section->size != graph->arcs * (uint64_t)width)
        return damaged(in, section, "it has not the size that the header's counts ask for", err);
    if (scan(in, section, width, &total, err))
        return -1;
    if (total != graph->total_messages)
        return damaged(in, section, "the sum is not the header's", err);
    graph->messages = at(in, section);
    graph->message_width = (unsigned)width;
    return 0;
}

/* The graph's counts are set; the arrays come from the sections of a phase. */
static int arcs_read(const struct file *in, uint32_t phase, topomap_graph *graph,
                     topomap_error *err)
{
    const struct topomap_tmg_section *offset, *target, *bytes;
    uint64_t total;

    if (graph->arcs > in->size / 12 || graph->pairs > graph->arcs ||
        graph->pairs < graph->arcs - graph->arcs / 2)
        return fail(in, "the counts of arcs and pairs are impossible", err);
    if (need(in, phase, TOPOMAP_TMG_OFFSET, ((uint64_t)graph->ranks + 1) * 8, &offset, err) ||
        need(in, phase, TOPOMAP_TMG_TARGET, graph->arcs * 4, &target, err) ||
        need(in, phase, TOPOMAP_TMG_BYTES, graph->arcs * 8, &bytes, err) ||
        scan(in, offset, 0, NULL, err) || scan(in, target, 0, NULL, err) ||
        scan(in, bytes, 8, &total, err))
        return -1;
    graph->offset = at(in, offset);
    graph->target = at(in, target);
    graph->bytes = at(in, bytes);
    if (!offsets_are_rows(graph))
        return damaged(in, offset, "they do not ascend from 0 to the number of arcs", err);
    if (!rows_ascend(graph))
        return damaged(in, target,
                       "a row does not ascend, or leaves the ranks, or has its own rank", err);
    if (total != graph->total_bytes)
        return damaged(in, bytes, "the sum is not the header's", err);
    return messages_read(in, phase, graph, err);
}

static topomap_graph *graph_new(const struct file *in, const uint64_t head[4], topomap_error *err)
{
    topomap_graph *graph = topomap_alloc(1, sizeof *graph, err);

    if (!graph)
        return NULL;
    graph->file = (void *)(uintptr_t)in->bytes;
    graph->file_size = in->size;
    graph->ranks = (uint32_t)in->header.ranks;
    graph->arcs = head[0];
    graph->pairs = head[1];
    graph->total_bytes = head[2];
    graph->total_messages = head[3];
    return graph;
}

static int phase_read(const struct file *in, uint32_t phase, topomap_graph **graph,
                      topomap_error *err)
{
    const struct topomap_tmg_section *section, *barrier;

    if (need(in, phase, TOPOMAP_TMG_PHASE, 32, &section, err) || scan(in, section, 0, NULL, err))
        return -1;
    *graph = graph_new(in, at(in, section), err);
    if (!*graph || find(in, phase, TOPOMAP_TMG_BARRIER, 8, &barrier, err) ||
        (barrier && scan(in, barrier, 0, NULL, err)))
        return -1;
    (*graph)->barrier = barrier && *(const uint64_t *)at(in, barrier) != 0;
    return arcs_read(in, phase, *graph, err);
}

static int phases_read(const struct file *in, topomap_graph *graph, topomap_error *err)
{
    if (!in->header.phases)
        return 0;
    graph->phase = topomap_alloc(in->header.phases, sizeof *graph->phase, err);
    if (!graph->phase)
        return -1;
    for (uint32_t i = 0; i < in->header.phases; i++) {
        int status = phase_read(in, i + 1, &graph->phase[i], err);

        graph->phases += graph->phase[i] != NULL; /* for topomap_graph_free */
        if (status)
            return -1;
    }
    return 0;
}

/* ---- Ranks --------------------------------------------------------------------------------- */

static int loads_read(const struct file *in, topomap_graph *graph, topomap_error *err)
{
    uint64_t ranks = graph->ranks, total;
    const struct topomap_tmg_section *load, *more = in->section[TOPOMAP_TMG_LOAD_MORE], *size;

    if (find(in, 0, TOPOMAP_TMG_LOAD, ranks * 8, &load, err) ||
        find(in, 0, TOPOMAP_TMG_VERTEX_SIZE, ranks * 8, &size, err) ||
        (load && scan(in, load, 8, &total, err)) || (size && scan(in, size, 8, &total, err)) ||
        (more && scan(in, more, 8, &total, err)))
        return -1;
    graph->load = load ? at(in, load) : NULL;
    graph->loads = load ? 1 : 0;
    graph->size = size ? at(in, size) : NULL;
    if (!more)
        return 0;
    if (!load || !more->size || more->size % (ranks * 8) || more->size / (ranks * 8) > 999)
        return damaged(in, more, "it has not the size that the header's counts ask for", err);
    graph->loads = 1 + (uint32_t)(more->size / (ranks * 8));
    graph->load_more = at(in, more);
    return 0;
}

static int coordinates_read(const struct file *in, topomap_graph *graph, topomap_error *err)
{
    const struct topomap_tmg_section *section = in->section[TOPOMAP_TMG_COORDINATE];
    uint64_t row = (uint64_t)graph->ranks * 8;

    if (!section)
        return 0;
    if (scan(in, section, 0, NULL, err))
        return -1;
    if (!section->size || section->size % row || section->size / row > 8)
        return damaged(in, section, "it has not the size that the header's counts ask for", err);
    graph->dimensions = (uint32_t)(section->size / row);
    graph->coordinate = at(in, section);
    for (uint64_t i = 0; i < section->size / 8; i++)
        if (!isfinite(graph->coordinate[i]))
            return damaged(in, section, "a coordinate is not finite", err);
    return 0;
}

static int compute_read(const struct file *in, topomap_graph *graph, topomap_error *err)
{
    const struct topomap_tmg_section *section;

    if (find(in, 0, TOPOMAP_TMG_COMPUTE, 8, &section, err) ||
        (section && scan(in, section, 0, NULL, err)))
        return -1;
    if (section)
        memcpy(&graph->compute, at(in, section), sizeof graph->compute);
    return graph->compute >= 0 && isfinite(graph->compute)
               ? 0
               : damaged(in, section, "its number of seconds is negative or not finite", err);
}

static int names_read(const struct file *in, topomap_graph *graph, topomap_error *err)
{
    const struct topomap_tmg_section *section = in->section[TOPOMAP_TMG_NAME];
    uint64_t count = 0;
    char *text;

    if (!section)
        return 0;
    if (scan(in, section, 0, NULL, err))
        return -1;
    text = at(in, section);
    for (uint64_t i = 0; i < section->size; i++)
        count += !text[i];
    if (count != graph->ranks || text[section->size - 1])
        return damaged(in, section, "there is not one name a rank", err);
    graph->name = topomap_alloc(graph->ranks, sizeof *graph->name, err);
    if (!graph->name)
        return -1;
    graph->names = text;
    for (uint32_t r = 0; r < graph->ranks; r++) {
        graph->name[r] = text;
        text += strlen(text) + 1;
    }
    return 0;
}

static int text_read(const struct file *in, enum topomap_tmg_kind kind, char **text,
                     topomap_error *err)
{
    const struct topomap_tmg_section *section = in->section[kind];
    const char *bytes;

    if (!section)
        return 0;
    if (scan(in, section, 0, NULL, err))
        return -1;
    bytes = at(in, section);
    if (!section->size || memchr(bytes, 0, section->size) != bytes + section->size - 1)
        return damaged(in, section, "it is not one text", err);
    *text = topomap_strndup(bytes, section->size - 1, err);
    return *text ? 0 : -1;
}

static int graph_read(const struct file *in, topomap_graph **graph, topomap_error *err)
{
    const uint64_t head[] = {in->header.arcs, in->header.pairs, in->header.bytes,
                             in->header.messages};
    TOPOMAP_GRAPH_FREED topomap_graph *made = graph_new(in, head, err);

    if (!made || arcs_read(in, 0, made, err) || phases_read(in, made, err) ||
        loads_read(in, made, err) || coordinates_read(in, made, err) || names_read(in, made, err) ||
        compute_read(in, made, err) || text_read(in, TOPOMAP_TMG_PATTERN, &made->pattern, err) ||
        text_read(in, TOPOMAP_TMG_SOURCE, &made->source, err) ||
        text_read(in, TOPOMAP_TMG_NOTE, &made->note, err))
        return -1;
    *graph = topomap_take(&made);
    return 0;
}

static int tmg_read(const topomap_source *source, topomap_graph **graph, topomap_error *err)
{
    struct file in = {.path = topomap_input_path(source->input)};
    void *bytes;
    int mapped, status;

    if (topomap_tmg_order(err) ||
        topomap_input_map(source->input, FILE_LIMIT, &bytes, &in.size, &mapped, err))
        return -1;
    in.bytes = bytes;
    status = table_read(&in, err) || graph_read(&in, graph, err) ? -1 : 0;
    free(in.section);
    if (!status)
        (*graph)->file_is = mapped ? TOPOMAP_FILE_MAPPED : TOPOMAP_FILE_HEAP;
    else if (mapped)
        munmap(bytes, in.size);
    else
        free(bytes);
    return status;
}

static int tmg_write(const topomap_graph *graph, topomap_text_out *out, topomap_error *err)
{
    return topomap_tmg_write(graph, out->file, err);
}

const topomap_graph_io topomap_tmg = {
    .row =
        {"tmg",
         "topomap's own, topomap-tmg(5): binary, mapped, checksummed; holds all there is to know",
         "tmg", 1, 1, NULL},
    .magic = TOPOMAP_TMG_MAGIC,
    .read = tmg_read,
    .write = tmg_write,
};
