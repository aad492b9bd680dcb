/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the text that bindings.c describes. Everything a number of the text decides is checked
 * where it is read: this runs on compute nodes, on what the environment holds. */
#include "plan/bindings.h"
#include "plan/bindings_text.h"
#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

/* A pattern without its body, and where the body is. */
struct pattern {
    uint32_t node_class; /* UINT32_MAX: unknown inside */
    uint32_t tasks, length;
    enum bindings_form form;
    int cores;
    size_t bit;
};

struct decoder {
    topomap_sextet_reader reader;
    topomap_bindings out;
    struct pattern *pattern; /* [patterns] */
    uint32_t patterns, nodes;
    unsigned width; /* bits of a node's pattern number, which begin at node_bit */
    size_t node_bit;
    size_t task_capacity, pu_capacity;
    topomap_error *err;
};

static int bad(const struct decoder *decoder, const char *what)
{
    return topomap_error_set(decoder->err, TOPOMAP_EINPUT, "bindings: %s", what);
}

static size_t bits_left(const topomap_sextet_reader *reader)
{
    return reader->size * 6 - reader->bit;
}

/* A number that must lie in least..most. */
static int get_between(struct decoder *decoder, uint64_t least, uint64_t most, uint32_t *value)
{
    uint64_t number = topomap_sextet_get_number(&decoder->reader);

    *value = 0;
    if (decoder->reader.failed || number < least || number > most)
        return bad(decoder, "a number out of range");
    *value = (uint32_t)number;
    return 0;
}

/* ---- Classes ----------------------------------------------------------------------------- */

/* OS PU numbers come thread by thread; the class has them core by core. */
static int class_fill(struct decoder *decoder, topomap_bindings_class *node_class,
                      const uint32_t *list)
{
    unsigned char seen[BINDINGS_CLASS_PUS / 8] = {0};
    uint32_t pus = node_class->pu_first[node_class->cores], count = 0;

    for (uint32_t thread = 0; count < pus; thread++)
        for (uint32_t core = 0; core < node_class->cores; core++)
            if (node_class->pu_first[core] + thread < node_class->pu_first[core + 1])
                node_class->pu_os[node_class->pu_first[core] + thread] = list[count++];
    for (uint32_t i = 0; i < pus; i++) {
        if (seen[list[i] / 8] >> list[i] % 8 & 1)
            return bad(decoder, "an OS PU number twice in a class");
        seen[list[i] / 8] |= (unsigned char)(1u << list[i] % 8);
    }
    return 0;
}

static int class_read(struct decoder *decoder, topomap_bindings_class *node_class, size_t *pus)
{
    topomap_sextet_reader *reader = &decoder->reader;
    uint32_t *list;
    int status = -1;

    if (get_between(decoder, 1, BINDINGS_CLASS_PUS, &node_class->cores))
        return -1;
    node_class->pu_first =
        topomap_alloc((size_t)node_class->cores + 1, sizeof *node_class->pu_first, decoder->err);
    if (!node_class->pu_first)
        return -1;
    topomap_sextet_get_runs(reader, node_class->pu_first + 1, node_class->cores,
                            BINDINGS_CORE_PUS + 1);
    for (uint32_t core = 0; core < node_class->cores; core++) {
        if (reader->failed || !node_class->pu_first[core + 1])
            return bad(decoder, "a core without PUs");
        node_class->pu_first[core + 1] += node_class->pu_first[core];
        if (node_class->pu_first[core + 1] > BINDINGS_CLASS_PUS)
            return bad(decoder, "too many PUs in a class");
    }
    *pus += node_class->pu_first[node_class->cores];
    if (*pus > BINDINGS_ALL_CLASS_PUS)
        return bad(decoder, "too many classes");
    list = topomap_alloc(node_class->pu_first[node_class->cores], sizeof *list, decoder->err);
    node_class->pu_os = topomap_alloc(node_class->pu_first[node_class->cores],
                                      sizeof *node_class->pu_os, decoder->err);
    if (list && node_class->pu_os) {
        topomap_sextet_get_runs(reader, list, node_class->pu_first[node_class->cores],
                                BINDINGS_CLASS_PUS);
        status = reader->failed ? bad(decoder, "the text of a class is cut or not a class")
                                : class_fill(decoder, node_class, list);
    }
    free(list);
    return status;
}

static int classes_read(struct decoder *decoder)
{
    topomap_bindings *out = &decoder->out;
    size_t pus = 0;
    uint32_t classes;

    /* A class takes four numbers at least. */
    if (get_between(decoder, 0, bits_left(&decoder->reader) / 24, &classes))
        return -1;
    out->node_class = topomap_alloc(classes, sizeof *out->node_class, decoder->err);
    if (!out->node_class)
        return -1;
    out->classes = classes;
    for (uint32_t i = 0; i < classes; i++)
        if (class_read(decoder, &out->node_class[i], &pus))
            return -1;
    return 0;
}

/* ---- Patterns ---------------------------------------------------------------------------- */

static uint32_t places_of(const struct decoder *decoder, const struct pattern *pattern)
{
    const topomap_bindings_class *node_class = &decoder->out.node_class[pattern->node_class];

    return pattern->cores ? node_class->cores : node_class->pu_first[node_class->cores];
}

/* One run of a task; the next may begin at *least at the earliest. */
static int run_read(struct decoder *decoder, const struct pattern *pattern, uint32_t *least,
                    uint32_t *start, uint32_t *length)
{
    uint32_t places = places_of(decoder, pattern);

    *start = topomap_sextet_get(&decoder->reader, topomap_sextet_width(places));
    if (decoder->reader.failed || *start < *least || *start >= places ||
        get_between(decoder, 0, places - *start - 1, length))
        return bad(decoder, "a place that the class does not have");
    ++*length;
    *least = *start + *length;
    return 0;
}

static int body_skip(struct decoder *decoder, const struct pattern *pattern)
{
    topomap_sextet_reader *reader = &decoder->reader;
    uint32_t places = places_of(decoder, pattern);
    size_t bits = (size_t)topomap_sextet_width(places) * pattern->tasks;
    uint32_t runs, start, length;

    if (pattern->form == BINDINGS_EVEN_RUNS) {
        topomap_sextet_get_runs(reader, NULL, pattern->tasks, places - pattern->length + 1);
    } else if (pattern->form == BINDINGS_EVEN) {
        reader->failed |= bits > bits_left(reader);
        reader->bit += reader->failed ? 0 : bits;
    } else {
        for (uint32_t task = 0; task < pattern->tasks; task++) {
            uint32_t least = 0;

            if (get_between(decoder, 0, places, &runs))
                return -1;
            for (uint32_t i = 0; i <= runs; i++)
                if (run_read(decoder, pattern, &least, &start, &length))
                    return -1;
        }
    }
    return reader->failed ? bad(decoder, "the text of a node is cut or not a node") : 0;
}

static void reader_align(topomap_sextet_reader *reader)
{
    while (reader->bit % 6 && !reader->failed)
        if (topomap_sextet_get(reader, 1))
            reader->failed = 1;
}

static int pattern_read(struct decoder *decoder, struct pattern *pattern)
{
    topomap_sextet_reader *reader = &decoder->reader;
    uint32_t number, form;

    if (get_between(decoder, 0, decoder->out.classes, &number) ||
        get_between(decoder, 0, BINDINGS_NODE_TASKS, &pattern->tasks))
        return -1;
    pattern->node_class = number ? number - 1 : UINT32_MAX;
    if (number && pattern->tasks) {
        pattern->cores = (int)topomap_sextet_get(reader, 1);
        form = topomap_sextet_get(reader, 2);
        if (form > BINDINGS_UNEVEN)
            return bad(decoder, "a form of a node that is not known");
        pattern->form = (enum bindings_form)form;
        if (pattern->form != BINDINGS_UNEVEN) {
            if (get_between(decoder, 0, places_of(decoder, pattern) - 1, &pattern->length))
                return -1;
            pattern->length++;
        }
        pattern->bit = reader->bit;
        if (body_skip(decoder, pattern))
            return -1;
    }
    reader_align(reader);
    return reader->failed ? bad(decoder, "the text is cut") : 0;
}

static int patterns_read(struct decoder *decoder)
{
    topomap_sextet_reader *reader = &decoder->reader;

    /* A pattern takes two numbers at least. */
    if (get_between(decoder, 1, bits_left(reader) / 12, &decoder->patterns))
        return -1;
    reader_align(reader);
    decoder->pattern = topomap_alloc(decoder->patterns, sizeof *decoder->pattern, decoder->err);
    if (!decoder->pattern)
        return -1;
    for (uint32_t i = 0; i < decoder->patterns; i++)
        if (pattern_read(decoder, &decoder->pattern[i]))
            return -1;
    decoder->width = topomap_sextet_width(decoder->patterns);
    if (get_between(decoder, 1, BINDINGS_NODES, &decoder->nodes))
        return -1;
    decoder->node_bit = reader->bit;
    if ((size_t)decoder->width * decoder->nodes > bits_left(reader))
        return bad(decoder, "the text is cut");
    reader->bit += (size_t)decoder->width * decoder->nodes;
    reader_align(reader);
    if (reader->failed || bits_left(reader))
        return bad(decoder, "there is more text than bindings");
    return 0;
}

/* ---- Tasks ------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Appends the PUs of a run of places to the task that is being made. */
static int task_add(struct decoder *decoder, const struct pattern *pattern, uint32_t task,
                    uint32_t start, uint32_t length)
{
    topomap_bindings *out = &decoder->out;
    const topomap_bindings_class *node_class = &out->node_class[pattern->node_class];
    uint32_t first = pattern->cores ? node_class->pu_first[start] : start;
    uint32_t end = pattern->cores ? node_class->pu_first[start + length] : start + length;
    size_t have = out->pu_start[task + 1];

    if (have + (end - first) > BINDINGS_PUS)
        return bad(decoder, "too many PUs");
    if (topomap_grow(&out->pu, &decoder->pu_capacity, have + (end - first), sizeof *out->pu,
                     decoder->err))
        return -1;
    memcpy(out->pu + have, node_class->pu_os + first, (end - first) * sizeof *out->pu);
    out->pu_start[task + 1] += end - first;
    return 0;
}

static int task_read(struct decoder *decoder, const struct pattern *pattern, uint32_t task)
{
    uint32_t runs, start, length, least = 0;

    if (pattern->form == BINDINGS_UNEVEN) {
        if (get_between(decoder, 0, places_of(decoder, pattern), &runs))
            return -1;
        for (uint32_t i = 0; i <= runs; i++)
            if (run_read(decoder, pattern, &least, &start, &length) ||
                task_add(decoder, pattern, task, start, length))
                return -1;
        return 0;
    }
    start = topomap_sextet_get(&decoder->reader, topomap_sextet_width(places_of(decoder, pattern)));
    if (decoder->reader.failed || start > places_of(decoder, pattern) - pattern->length)
        return bad(decoder, "a place that the class does not have");
    return task_add(decoder, pattern, task, start, pattern->length);
}

/* Adds a node with the tasks of a pattern. */
static int node_add(struct decoder *decoder, uint32_t node, const struct pattern *pattern)
{
    topomap_bindings *out = &decoder->out;
    uint32_t first = out->task_first[node], end = first + pattern->tasks;
    uint32_t *start = NULL;
    int status = 0;

    if (end > BINDINGS_TASKS)
        return bad(decoder, "too many tasks");
    if (topomap_grow(&out->pu_start, &decoder->task_capacity, (size_t)end + 1,
                     sizeof *out->pu_start, decoder->err))
        return -1;
    decoder->reader.bit = pattern->bit;
    if (pattern->form == BINDINGS_EVEN_RUNS) {
        start = topomap_alloc(pattern->tasks, sizeof *start, decoder->err);
        if (!start)
            return -1;
        topomap_sextet_get_runs(&decoder->reader, start, pattern->tasks,
                                places_of(decoder, pattern) - pattern->length + 1);
    }
    for (uint32_t task = first; task < end && !status; task++) {
        out->pu_start[task + 1] = out->pu_start[task];
        if (start)
            status = task_add(decoder, pattern, task, start[task - first], pattern->length);
        else if (pattern->node_class != UINT32_MAX)
            status = task_read(decoder, pattern, task);
        if (!status)
            qsort(out->pu + out->pu_start[task], out->pu_start[task + 1] - out->pu_start[task],
                  sizeof *out->pu, by_number);
    }
    free(start);
    out->class_of[node] = pattern->node_class;
    out->task_first[node + 1] = end;
    return status;
}

static const struct pattern *pattern_of(struct decoder *decoder, uint32_t node)
{
    uint32_t number;

    decoder->reader.bit = decoder->node_bit + (size_t)decoder->width * node;
    number = topomap_sextet_get(&decoder->reader, decoder->width);
    if (decoder->reader.failed || number >= decoder->patterns) {
        bad(decoder, "a node's pattern that is not there");
        return NULL;
    }
    return &decoder->pattern[number];
}

static int nodes_read(struct decoder *decoder, uint32_t first, uint32_t count)
{
    topomap_bindings *out = &decoder->out;

    out->class_of = topomap_alloc(count, sizeof *out->class_of, decoder->err);
    out->task_first = topomap_alloc((size_t)count + 1, sizeof *out->task_first, decoder->err);
    out->pu_start = topomap_alloc(16, sizeof *out->pu_start, decoder->err);
    out->pu = topomap_alloc(16, sizeof *out->pu, decoder->err);
    if (!out->class_of || !out->task_first || !out->pu_start || !out->pu)
        return -1;
    decoder->task_capacity = decoder->pu_capacity = 16;
    out->nodes = count;
    for (uint32_t node = 0; node < count; node++) {
        const struct pattern *pattern = pattern_of(decoder, first + node);

        if (!pattern || node_add(decoder, node, pattern))
            return -1;
    }
    return 0;
}

/* Leaves the one class that the one node has. */
static void classes_trim(topomap_bindings *out)
{
    uint32_t keep = out->class_of[0];

    for (uint32_t i = 0; i < out->classes; i++) {
        if (i == keep)
            continue;
        free(out->node_class[i].pu_first);
        free(out->node_class[i].pu_os);
    }
    if (keep != UINT32_MAX) {
        out->node_class[0] = out->node_class[keep];
        out->class_of[0] = 0;
    }
    out->classes = keep != UINT32_MAX;
}

/* ---- The text ---------------------------------------------------------------------------- */

static int header_read(struct decoder *decoder, const char *text)
{
    static const size_t magic = sizeof BINDINGS_MAGIC - 1;
    size_t size = strlen(text);
    topomap_sextet_reader sum = {.size = BINDINGS_CRC_CHARACTERS};

    if (size <= magic + BINDINGS_CRC_CHARACTERS || memcmp(text, BINDINGS_MAGIC, magic))
        return bad(decoder, "not bindings of this version (they begin with " BINDINGS_MAGIC ")");
    size -= BINDINGS_CRC_CHARACTERS;
    sum.text = text + size;
    if (topomap_sextet_get(&sum, 4) ||
        topomap_sextet_get(&sum, 32) != topomap_crc32(0, text, size) || sum.failed)
        return bad(decoder, "the checksum does not match: the text was cut or changed");
    decoder->reader.text = text + magic;
    decoder->reader.size = size - magic;
    return get_between(decoder, 0, UINT32_MAX, &decoder->out.job) ||
                   get_between(decoder, 0, UINT32_MAX, &decoder->out.step)
               ? -1
               : 0;
}

/* \p node UINT64_MAX: all nodes. */
static int decode(const char *text, uint64_t node, topomap_bindings *bindings, topomap_error *err)
{
    struct decoder decoder = {.err = err};
    int one = node != UINT64_MAX;
    int status =
        header_read(&decoder, text) || classes_read(&decoder) || patterns_read(&decoder) ? -1 : 0;

    if (!status && one && node >= decoder.nodes)
        status = bad(&decoder, "they have fewer nodes than the step");
    if (!status)
        status = nodes_read(&decoder, one ? (uint32_t)node : 0, one ? 1 : decoder.nodes);
    free(decoder.pattern);
    if (status) {
        topomap_bindings_clear(&decoder.out);
        return -1;
    }
    if (one)
        classes_trim(&decoder.out);
    *bindings = decoder.out;
    return 0;
}

int topomap_bindings_decode(const char *text, topomap_bindings *bindings, topomap_error *err)
{
    return decode(text, UINT64_MAX, bindings, err);
}

int topomap_bindings_decode_node(const char *text, uint32_t node, topomap_bindings *bindings,
                                 topomap_error *err)
{
    return decode(text, node, bindings, err);
}

void topomap_bindings_clear(topomap_bindings *bindings)
{
    for (uint32_t i = 0; i < bindings->classes; i++) {
        free(bindings->node_class[i].pu_first);
        free(bindings->node_class[i].pu_os);
    }
    free(bindings->node_class);
    free(bindings->class_of);
    free(bindings->task_first);
    free(bindings->pu_start);
    free(bindings->pu);
    memset(bindings, 0, sizeof *bindings);
}
