/* SPDX-License-Identifier: BSD-3-Clause */
/* The text:
 *   "T1", or "T2" where nodes have an order of GPUs  job  step
 *   classes  { cores  [PUs of each core as runs]  [OS PU numbers as runs] }...
 *   patterns { class + 1 or 0  tasks  body  GPUs }...  the distinct insides of nodes
 *   nodes    [pattern of each node, fixed width]
 *   CRC-32 of the characters so far, in six characters
 * OS PU numbers go hardware thread by hardware thread (all first PUs, all second, ...), which is
 * how kernels number them, so that a class is a few runs. A body says whether places are cores
 * or PUs, and then either one run of places of the same length for each task (where it starts,
 * as runs or in fixed width) or any runs for each task. GPUs are in "T2" alone: how many, whether
 * they are AMD's, their indices as runs, and which of them stands k-th, in fixed width. */
#include "plan/bindings.h"
#include "util/alloc.h"
#include "util/sorted.h"

#include <stdlib.h>
#include <string.h>

/* A class turned round: where an OS PU number stands in the class's order. */
struct turned {
    uint32_t *index_of; /* [span] UINT32_MAX: no such PU */
    uint32_t *core_of;  /* [PUs] core of a PU in the class's order */
    uint32_t span;
};

/* A run of consecutive places of one task. */
struct run {
    uint32_t start, length;
};

/* One node's tasks as runs of places. */
struct body {
    struct run *run;
    size_t runs, run_capacity;
    size_t *first;   /* [tasks + 1] */
    uint32_t *index; /* scratch for one task's PUs */
    size_t first_capacity, index_capacity;
};

struct encoder {
    const topomap_bindings *bindings;
    topomap_arena memory;
    struct turned *turned; /* [classes] */
    struct body body;
    topomap_sextet_writer *pattern; /* [patterns] each in whole characters */
    size_t patterns, pattern_capacity;
    uint32_t *bucket; /* [bucket_mask + 1] pattern + 1, or 0 */
    uint32_t bucket_mask;
    uint32_t *pattern_of; /* [nodes] */
    topomap_error *err;
};

static int bad(const struct encoder *encoder, const char *what)
{
    return topomap_error_set(encoder->err, TOPOMAP_EUSAGE, "bindings: %s", what);
}

/* As topomap_arena_alloc(). */
static void *take(struct encoder *encoder, size_t count, size_t size)
{
    return topomap_arena_alloc(&encoder->memory, count, size, encoder->err);
}

static void writer_clear(topomap_sextet_writer *writer)
{
    free(writer->text);
}

/* ---- Classes ----------------------------------------------------------------------------- */

static int class_check(const struct encoder *encoder, const topomap_bindings_class *node_class)
{
    if (!node_class->cores || node_class->cores > BINDINGS_CLASS_PUS || node_class->pu_first[0])
        return bad(encoder, "a class without cores, or with too many");
    for (uint32_t core = 0; core < node_class->cores; core++)
        if (node_class->pu_first[core + 1] <= node_class->pu_first[core] ||
            node_class->pu_first[core + 1] - node_class->pu_first[core] > BINDINGS_CORE_PUS ||
            node_class->pu_first[core + 1] > BINDINGS_CLASS_PUS)
            return bad(encoder, "a core without PUs, or too many PUs in a core or class");
    for (uint32_t i = 0; i < node_class->pu_first[node_class->cores]; i++)
        if (node_class->pu_os[i] >= BINDINGS_CLASS_PUS)
            return bad(encoder, "an OS PU number of 8,192 or more");
    return 0;
}

static int class_turn(struct encoder *encoder, const topomap_bindings_class *node_class,
                      struct turned *turned)
{
    uint32_t pus = node_class->pu_first[node_class->cores];

    for (uint32_t i = 0; i < pus; i++)
        if (node_class->pu_os[i] >= turned->span)
            turned->span = node_class->pu_os[i] + 1;
    turned->index_of = take(encoder, turned->span, sizeof *turned->index_of);
    turned->core_of = take(encoder, pus, sizeof *turned->core_of);
    if (encoder->memory.is_short)
        return -1;
    memset(turned->index_of, 0xff, turned->span * sizeof *turned->index_of);
    for (uint32_t core = 0; core < node_class->cores; core++) {
        for (uint32_t i = node_class->pu_first[core]; i < node_class->pu_first[core + 1]; i++) {
            if (turned->index_of[node_class->pu_os[i]] != UINT32_MAX)
                return bad(encoder, "an OS PU number twice in a class");
            turned->index_of[node_class->pu_os[i]] = i;
            turned->core_of[i] = core;
        }
    }
    return 0;
}

static int class_write(struct encoder *encoder, const topomap_bindings_class *node_class,
                       topomap_sextet_writer *writer)
{
    uint32_t pus = node_class->pu_first[node_class->cores];
    TOPOMAP_FREED uint32_t *list = topomap_alloc(pus, sizeof *list, encoder->err);
    uint32_t most = 0, count = 0;

    if (!list)
        return -1;
    for (uint32_t core = 0; core < node_class->cores; core++) {
        list[core] = node_class->pu_first[core + 1] - node_class->pu_first[core];
        most = list[core] > most ? list[core] : most;
    }
    topomap_sextet_put_number(writer, node_class->cores);
    topomap_sextet_put_runs(writer, list, node_class->cores);
    for (uint32_t thread = 0; thread < most; thread++)
        for (uint32_t core = 0; core < node_class->cores; core++)
            if (node_class->pu_first[core] + thread < node_class->pu_first[core + 1])
                list[count++] = node_class->pu_os[node_class->pu_first[core] + thread];
    topomap_sextet_put_runs(writer, list, count);
    return 0;
}

/* ---- The inside of one node -------------------------------------------------------------- */

/* \p fresh: the first place of a task, which begins a run of its own. */
static int body_add(struct encoder *encoder, uint32_t place, int fresh)
{
    struct body *body = &encoder->body;
    struct run *last = fresh ? NULL : &body->run[body->runs - 1];

    if (last && last->start + last->length == place) {
        last->length++;
        return 0;
    }
    return TOPOMAP_APPEND(body->run, body->runs, body->run_capacity, encoder->err,
                          (struct run){place, 1});
}

/* The task's PUs as ascending indexes of the class's order, in body.index. */
static int task_indexes(struct encoder *encoder, const struct turned *turned, uint32_t task,
                        uint32_t *count)
{
    const topomap_bindings *bindings = encoder->bindings;
    uint32_t start = bindings->pu_start[task], end = bindings->pu_start[task + 1];
    uint32_t *index;

    if (end <= start || end - start > BINDINGS_CLASS_PUS)
        return bad(encoder, "a task without PUs, or with too many");
    *count = end - start;
    if (topomap_grow(&encoder->body.index, &encoder->body.index_capacity, *count, sizeof *index,
                     encoder->err))
        return -1;
    index = encoder->body.index;
    for (uint32_t i = 0; i < *count; i++) {
        uint32_t os = bindings->pu[start + i];

        if (os >= turned->span || turned->index_of[os] == UINT32_MAX)
            return bad(encoder, "a task's PU that its node's class does not have");
        if (i && os <= bindings->pu[start + i - 1])
            return bad(encoder, "a task's PUs do not ascend");
        index[i] = turned->index_of[os];
    }
    qsort(index, *count, sizeof *index, topomap_by_u32);
    return 0;
}

/* Whether ascending indexes are whole cores. */
static int whole_cores(const topomap_bindings_class *node_class, const struct turned *turned,
                       const uint32_t *index, uint32_t count)
{
    for (uint32_t i = 0; i < count;) {
        uint32_t core = turned->core_of[index[i]];

        for (uint32_t pu = node_class->pu_first[core]; pu < node_class->pu_first[core + 1]; pu++)
            if (i >= count || index[i++] != pu)
                return 0;
    }
    return 1;
}

/* Fills the body with the runs of places of a node's tasks. \return 1: places are cores,
 * 0: PUs, -1: failure. */
static int body_fill(struct encoder *encoder, uint32_t node)
{
    const topomap_bindings *bindings = encoder->bindings;
    const topomap_bindings_class *node_class = &bindings->node_class[bindings->class_of[node]];
    const struct turned *turned = &encoder->turned[bindings->class_of[node]];
    uint32_t first = bindings->task_first[node], end = bindings->task_first[node + 1], count;
    struct body *body = &encoder->body;
    int cores = 1;

    for (uint32_t task = first; task < end && cores; task++) {
        if (task_indexes(encoder, turned, task, &count))
            return -1;
        cores = whole_cores(node_class, turned, body->index, count);
    }
    if (topomap_grow(&body->first, &body->first_capacity, end - first + 1, sizeof *body->first,
                     encoder->err))
        return -1;
    body->runs = 0;
    for (uint32_t task = first; task < end; task++) {
        if (task_indexes(encoder, turned, task, &count))
            return -1;
        body->first[task - first] = body->runs;
        for (uint32_t i = 0, last = UINT32_MAX; i < count; i++) {
            uint32_t place = cores ? turned->core_of[body->index[i]] : body->index[i];

            if (place != last && body_add(encoder, place, !i))
                return -1;
            last = place;
        }
    }
    body->first[end - first] = body->runs;
    return cores;
}

/* One run of the same length for each task? Then the two short forms apply. */
static int body_is_even(const struct body *body, uint32_t tasks)
{
    if (body->runs != tasks)
        return 0;
    for (uint32_t task = 0; task < tasks; task++)
        if (body->first[task] != task || body->run[task].length != body->run[0].length)
            return 0;
    return 1;
}

/* The shorter of runs and fixed width. */
static int write_even(struct encoder *encoder, uint32_t tasks, unsigned width,
                      topomap_sextet_writer *writer)
{
    const struct body *body = &encoder->body;
    TOPOMAP_FREED uint32_t *start = topomap_alloc(tasks, sizeof *start, encoder->err);
    TOPOMAP_CLEANUP(writer_clear) topomap_sextet_writer runs = {0};

    if (!start)
        return -1;
    for (uint32_t task = 0; task < tasks; task++)
        start[task] = body->run[task].start;
    topomap_sextet_put_runs(&runs, start, tasks);
    if (!runs.failed && runs.size * 6 < (size_t)width * tasks) {
        topomap_sextet_put(writer, BINDINGS_EVEN_RUNS, 2);
        topomap_sextet_put_number(writer, body->run[0].length - 1);
        topomap_sextet_put_runs(writer, start, tasks);
    } else {
        topomap_sextet_put(writer, BINDINGS_EVEN, 2);
        topomap_sextet_put_number(writer, body->run[0].length - 1);
        for (uint32_t task = 0; task < tasks; task++)
            topomap_sextet_put(writer, start[task], width);
    }
    return 0;
}

static void write_uneven(const struct body *body, uint32_t tasks, unsigned width,
                         topomap_sextet_writer *writer)
{
    topomap_sextet_put(writer, BINDINGS_UNEVEN, 2);
    for (uint32_t task = 0; task < tasks; task++) {
        topomap_sextet_put_number(writer, body->first[task + 1] - body->first[task] - 1);
        for (size_t i = body->first[task]; i < body->first[task + 1]; i++) {
            topomap_sextet_put(writer, body->run[i].start, width);
            topomap_sextet_put_number(writer, body->run[i].length - 1);
        }
    }
}

static int gpus_write(struct encoder *encoder, uint32_t node, topomap_sextet_writer *writer)
{
    const topomap_bindings *bindings = encoder->bindings;
    uint32_t first = bindings->gpu_first[node], count = bindings->gpu_first[node + 1] - first;
    unsigned char seen[BINDINGS_NODE_GPUS] = {0};

    if (bindings->gpu_first[node + 1] < first || count > BINDINGS_NODE_GPUS)
        return bad(encoder, "a node with too many GPUs");
    for (uint32_t i = first; i < first + count; i++)
        if (bindings->gpu[i] >= BINDINGS_GPU_INDEX ||
            (i > first && bindings->gpu[i] <= bindings->gpu[i - 1]) ||
            bindings->gpu_place[i] >= count || seen[bindings->gpu_place[i]]++)
            return bad(encoder, "GPUs that do not ascend, or no order of them");
    topomap_sextet_put_number(writer, count);
    topomap_sextet_put(writer, count && bindings->gpu_amd[node], 1);
    if (count)
        topomap_sextet_put_runs(writer, bindings->gpu + first, count);
    for (uint32_t i = first; i < first + count; i++)
        topomap_sextet_put(writer, bindings->gpu_place[i], topomap_sextet_width(count));
    return 0;
}

static int pattern_write(struct encoder *encoder, uint32_t node, topomap_sextet_writer *writer)
{
    const topomap_bindings *bindings = encoder->bindings;
    uint32_t tasks = bindings->task_first[node + 1] - bindings->task_first[node];
    uint32_t number = bindings->class_of[node];
    const topomap_bindings_class *node_class;
    unsigned width;
    int cores;

    topomap_sextet_put_number(writer, number == UINT32_MAX ? 0 : (uint64_t)number + 1);
    topomap_sextet_put_number(writer, tasks);
    if (number != UINT32_MAX && tasks) {
        node_class = &bindings->node_class[number];
        cores = body_fill(encoder, node);
        if (cores < 0)
            return -1;
        width = topomap_sextet_width(cores ? node_class->cores
                                           : node_class->pu_first[node_class->cores]);
        topomap_sextet_put(writer, (uint32_t)cores, 1);
        if (!body_is_even(&encoder->body, tasks))
            write_uneven(&encoder->body, tasks, width, writer);
        else if (write_even(encoder, tasks, width, writer))
            return -1;
    }
    if (bindings->gpu_first && gpus_write(encoder, node, writer))
        return -1;
    topomap_sextet_align(writer);
    if (writer->failed)
        return topomap_error_set(encoder->err, TOPOMAP_ESYSTEM, "bindings: out of memory");
    return 0;
}

/* ---- All nodes --------------------------------------------------------------------------- */

/* Sets the number of a node's pattern. A pattern that no node before has takes the text of `fresh`,
 * which is NULL then. */
static int pattern_number(struct encoder *encoder, uint32_t node, topomap_sextet_writer *fresh)
{
    uint32_t slot = topomap_crc32(0, fresh->text, fresh->size) & encoder->bucket_mask;

    for (; encoder->bucket[slot]; slot = (slot + 1) & encoder->bucket_mask) {
        const topomap_sextet_writer *known = &encoder->pattern[encoder->bucket[slot] - 1];

        if (known->size == fresh->size && !memcmp(known->text, fresh->text, fresh->size)) {
            encoder->pattern_of[node] = encoder->bucket[slot] - 1;
            return 0;
        }
    }
    if (TOPOMAP_APPEND(encoder->pattern, encoder->patterns, encoder->pattern_capacity, encoder->err,
                       *fresh))
        return -1;
    fresh->text = NULL;
    encoder->pattern_of[node] = (uint32_t)encoder->patterns - 1;
    encoder->bucket[slot] = (uint32_t)encoder->patterns;
    return 0;
}

static int patterns_make(struct encoder *encoder)
{
    const topomap_bindings *bindings = encoder->bindings;

    for (encoder->bucket_mask = 15; encoder->bucket_mask / 2 < bindings->nodes;)
        encoder->bucket_mask = encoder->bucket_mask * 2 + 1;
    encoder->bucket = take(encoder, (size_t)encoder->bucket_mask + 1, sizeof *encoder->bucket);
    encoder->pattern_of = take(encoder, bindings->nodes, sizeof *encoder->pattern_of);
    if (encoder->memory.is_short)
        return -1;
    for (uint32_t node = 0; node < bindings->nodes; node++) {
        TOPOMAP_CLEANUP(writer_clear) topomap_sextet_writer writer = {0};

        if (pattern_write(encoder, node, &writer) || pattern_number(encoder, node, &writer))
            return -1;
    }
    return 0;
}

static int classes_make(struct encoder *encoder, topomap_sextet_writer *writer)
{
    const topomap_bindings *bindings = encoder->bindings;
    size_t pus = 0;

    encoder->turned = take(encoder, bindings->classes, sizeof *encoder->turned);
    if (!encoder->turned)
        return -1;
    topomap_sextet_put_number(writer, bindings->classes);
    for (uint32_t i = 0; i < bindings->classes; i++) {
        const topomap_bindings_class *node_class = &bindings->node_class[i];

        if (class_check(encoder, node_class) ||
            class_turn(encoder, node_class, &encoder->turned[i]) ||
            class_write(encoder, node_class, writer))
            return -1;
        pus += node_class->pu_first[node_class->cores];
        if (pus > BINDINGS_ALL_CLASS_PUS)
            return bad(encoder, "too many classes");
    }
    return 0;
}

static int sizes_check(const struct encoder *encoder)
{
    const topomap_bindings *bindings = encoder->bindings;

    if (!bindings->nodes || bindings->nodes > BINDINGS_NODES || bindings->task_first[0])
        return bad(encoder, "no nodes, or too many");
    for (uint32_t node = 0; node < bindings->nodes; node++) {
        if (bindings->task_first[node + 1] < bindings->task_first[node] ||
            bindings->task_first[node + 1] - bindings->task_first[node] > BINDINGS_NODE_TASKS)
            return bad(encoder, "a node with too many tasks");
        if (bindings->class_of[node] != UINT32_MAX && bindings->class_of[node] >= bindings->classes)
            return bad(encoder, "a node of a class that is not there");
    }
    if (bindings->task_first[bindings->nodes] > BINDINGS_TASKS)
        return bad(encoder, "too many tasks");
    return 0;
}

static int write_all(struct encoder *encoder, topomap_sextet_writer *writer)
{
    const topomap_bindings *bindings = encoder->bindings;
    unsigned width;

    if (sizes_check(encoder))
        return -1;
    topomap_sextet_put_number(writer, bindings->job);
    topomap_sextet_put_number(writer, bindings->step);
    if (classes_make(encoder, writer) || patterns_make(encoder))
        return -1;
    topomap_sextet_put_number(writer, encoder->patterns);
    topomap_sextet_align(writer);
    for (size_t i = 0; i < encoder->patterns && !writer->failed; i++) {
        const topomap_sextet_writer *pattern = &encoder->pattern[i];

        writer->failed = topomap_grow(&writer->text, &writer->capacity,
                                      writer->size + pattern->size, 1, NULL) != 0;
        if (writer->failed)
            break;
        memcpy(writer->text + writer->size, pattern->text, pattern->size);
        writer->size += pattern->size;
    }
    topomap_sextet_put_number(writer, bindings->nodes);
    width = topomap_sextet_width((uint32_t)encoder->patterns);
    for (uint32_t node = 0; node < bindings->nodes; node++)
        topomap_sextet_put(writer, encoder->pattern_of[node], width);
    topomap_sextet_align(writer);
    return 0;
}

static char *finish(topomap_sextet_writer *writer, const char *begin, topomap_error *err)
{
    size_t magic = strlen(begin);
    uint32_t crc = topomap_crc32(0, begin, magic);
    char *text;

    crc = topomap_crc32(crc, writer->text, writer->size);
    topomap_sextet_put(writer, 0, 4);
    topomap_sextet_put(writer, crc, 32);
    text = writer->failed ? NULL : topomap_alloc(magic + writer->size + 1, 1, err);
    if (writer->failed)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "bindings: out of memory");
    if (!text)
        return NULL;
    memcpy(text, begin, magic);
    memcpy(text + magic, writer->text, writer->size);
    return text;
}

char *topomap_bindings_encode(const topomap_bindings *bindings, topomap_error *err)
{
    struct encoder encoder = {.bindings = bindings, .err = err};
    TOPOMAP_CLEANUP(writer_clear) topomap_sextet_writer writer = {0};
    const char *begin = bindings->gpu_first ? BINDINGS_MAGIC_GPUS : BINDINGS_MAGIC;
    char *text = write_all(&encoder, &writer) ? NULL : finish(&writer, begin, err);

    for (size_t i = 0; i < encoder.patterns; i++)
        free(encoder.pattern[i].text);
    topomap_arena_clear(&encoder.memory);
    free(encoder.body.run);
    free(encoder.body.first);
    free(encoder.body.index);
    free(encoder.pattern);
    return text;
}
