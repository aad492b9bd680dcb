/* SPDX-License-Identifier: BSD-3-Clause */
/* Unfolds the text that bindings.c describes, as bindings.h goes through it, or checks it. */
#include "plan/bindings.h"
#include "util/alloc.h"
#include "util/sorted.h"

#include <stdlib.h>
#include <string.h>

struct decoder {
    struct bindings_walk walk;
    topomap_bindings out;
    struct bindings_pattern *pattern; /* [patterns] */
    const struct bindings_pattern *of;
    size_t task_capacity, pu_capacity, gpu_capacity, place_capacity;
    uint32_t first; /* the first task of the node that is being added */
    topomap_error *err;
};

/* ---- Classes ----------------------------------------------------------------------------- */

static int class_read(struct decoder *decoder, uint32_t number)
{
    const struct bindings_class *from = &decoder->walk.node_class[number];
    topomap_bindings_class *to = &decoder->out.node_class[number];
    uint16_t first[BINDINGS_CLASS_PUS + 1], os[BINDINGS_CLASS_PUS];

    to->cores = from->cores;
    to->pu_first = topomap_alloc((size_t)from->cores + 1, sizeof *to->pu_first, decoder->err);
    to->pu_os = topomap_alloc(from->pus, sizeof *to->pu_os, decoder->err);
    if (!to->pu_first || !to->pu_os || bindings_walk_class(&decoder->walk, from, first, os))
        return -1;
    for (uint32_t core = 0; core <= from->cores; core++)
        to->pu_first[core] = first[core];
    for (uint32_t i = 0; i < from->pus; i++)
        to->pu_os[i] = os[i];
    return 0;
}

static int classes_read(struct decoder *decoder)
{
    size_t bit = decoder->walk.reader.bit; /* behind the classes */

    decoder->out.node_class =
        topomap_alloc(decoder->walk.classes, sizeof *decoder->out.node_class, decoder->err);
    if (!decoder->out.node_class)
        return -1;
    decoder->out.classes = decoder->walk.classes;
    for (uint32_t i = 0; i < decoder->walk.classes; i++)
        if (class_read(decoder, i))
            return -1;
    decoder->walk.reader.bit = bit;
    return 0;
}

static int patterns_read(struct decoder *decoder)
{
    decoder->pattern =
        bindings_walk_alloc(&decoder->walk, decoder->walk.patterns, sizeof *decoder->pattern);
    if (!decoder->pattern)
        return -1;
    for (uint32_t i = 0; i < decoder->walk.patterns; i++)
        if (bindings_walk_pattern(&decoder->walk, 0, &decoder->pattern[i]))
            return -1;
    return bindings_walk_nodes(&decoder->walk);
}

/* ---- Tasks ------------------------------------------------------------------------------- */

/* Appends the PUs of a run of places to the task that is being made. */
static int task_add(void *context, uint32_t local, uint32_t start, uint32_t length)
{
    struct decoder *decoder = context;
    topomap_bindings *out = &decoder->out;
    const topomap_bindings_class *node_class = &out->node_class[decoder->of->node_class];
    uint32_t first = decoder->of->cores ? node_class->pu_first[start] : start;
    uint32_t end = decoder->of->cores ? node_class->pu_first[start + length] : start + length;
    uint32_t task = decoder->first + local;
    size_t have;

    if (out->pu_start[task + 1] < out->pu_start[task])
        out->pu_start[task + 1] = out->pu_start[task];
    have = out->pu_start[task + 1];
    if (have + (end - first) > BINDINGS_PUS)
        return bindings_walk_bad(&decoder->walk, "too many PUs");
    if (topomap_grow(&out->pu, &decoder->pu_capacity, have + (end - first), sizeof *out->pu,
                     decoder->err))
        return -1;
    memcpy(out->pu + have, node_class->pu_os + first, (end - first) * sizeof *out->pu);
    out->pu_start[task + 1] += end - first;
    return 0;
}

/* The arrays are there from the first node that has GPUs on. */
static int gpus_add(struct decoder *decoder, uint32_t node, const struct bindings_pattern *pattern)
{
    topomap_bindings *out = &decoder->out;
    uint16_t gpu[BINDINGS_NODE_GPUS], place[BINDINGS_NODE_GPUS];
    uint32_t from, count = pattern->gpus;

    if (!out->gpu_first && count)
        out->gpu_first =
            topomap_alloc((size_t)out->nodes + 1, sizeof *out->gpu_first, decoder->err);
    if (out->gpu_first && !out->gpu_amd)
        out->gpu_amd = topomap_alloc(out->nodes, sizeof *out->gpu_amd, decoder->err);
    if (!out->gpu_first || !out->gpu_amd)
        return count || out->gpu_first ? -1 : 0;
    from = out->gpu_first[node];
    out->gpu_first[node + 1] = from + count;
    out->gpu_amd[node] = count && pattern->amd;
    if (!count)
        return 0;
    if (bindings_walk_gpus(&decoder->walk, pattern, gpu, place) ||
        topomap_grow(&out->gpu, &decoder->gpu_capacity, (size_t)from + count, sizeof *out->gpu,
                     decoder->err) ||
        topomap_grow(&out->gpu_place, &decoder->place_capacity, (size_t)from + count,
                     sizeof *out->gpu_place, decoder->err))
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        out->gpu[from + i] = gpu[i];
        out->gpu_place[from + i] = place[i];
    }
    return 0;
}

/* Adds a node with the tasks of a pattern. */
static int node_add(struct decoder *decoder, uint32_t node, const struct bindings_pattern *pattern)
{
    topomap_bindings *out = &decoder->out;
    uint32_t first = out->task_first[node], end = first + pattern->tasks;

    if (end > BINDINGS_TASKS)
        return bindings_walk_bad(&decoder->walk, "too many tasks");
    if (topomap_grow(&out->pu_start, &decoder->task_capacity, (size_t)end + 1,
                     sizeof *out->pu_start, decoder->err))
        return -1;
    out->class_of[node] = pattern->node_class;
    out->task_first[node + 1] = end;
    for (uint32_t task = first; task < end; task++) /* each begins where task_add() has come to */
        out->pu_start[task + 1] = pattern->node_class == UINT32_MAX ? out->pu_start[first] : 0;
    if (pattern->node_class == UINT32_MAX || !pattern->tasks)
        return 0;
    decoder->of = pattern;
    decoder->first = first;
    if (bindings_walk_tasks(&decoder->walk, pattern, task_add, decoder))
        return -1;
    for (uint32_t task = first; task < end; task++)
        qsort(out->pu + out->pu_start[task], out->pu_start[task + 1] - out->pu_start[task],
              sizeof *out->pu, topomap_by_u32);
    return 0;
}

static int nodes_read(struct decoder *decoder)
{
    topomap_bindings *out = &decoder->out;
    uint32_t nodes = decoder->walk.nodes;

    out->class_of = topomap_alloc(nodes, sizeof *out->class_of, decoder->err);
    out->task_first = topomap_alloc((size_t)nodes + 1, sizeof *out->task_first, decoder->err);
    out->pu_start = topomap_alloc(16, sizeof *out->pu_start, decoder->err);
    out->pu = topomap_alloc(16, sizeof *out->pu, decoder->err);
    if (!out->class_of || !out->task_first || !out->pu_start || !out->pu)
        return -1;
    decoder->task_capacity = decoder->pu_capacity = 16;
    out->nodes = nodes;
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t number = bindings_walk_pattern_of(&decoder->walk, node);

        if (number == UINT32_MAX || node_add(decoder, node, &decoder->pattern[number]) ||
            gpus_add(decoder, node, &decoder->pattern[number]))
            return -1;
    }
    return 0;
}

/* ---- The text ---------------------------------------------------------------------------- */

static void decoder_clear(struct decoder *decoder)
{
    free(decoder->pattern);
    bindings_walk_close(&decoder->walk);
    topomap_bindings_clear(&decoder->out);
}

int topomap_bindings_decode(const char *text, topomap_bindings *bindings, topomap_error *err)
{
    TOPOMAP_CLEANUP(decoder_clear) struct decoder decoder = {.err = err};

    if (bindings_walk_open(&decoder.walk, text, strlen(text), SIZE_MAX, 0, err) ||
        classes_read(&decoder) || patterns_read(&decoder) || nodes_read(&decoder))
        return -1;
    decoder.out.job = decoder.walk.job;
    decoder.out.step = decoder.walk.step;
    *bindings = decoder.out;
    decoder.out = (topomap_bindings){0};
    return 0;
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
    free(bindings->gpu_first);
    free(bindings->gpu);
    free(bindings->gpu_place);
    free(bindings->gpu_amd);
    memset(bindings, 0, sizeof *bindings);
}

/* ---- A check ----------------------------------------------------------------------------- */

/* The tasks of every pattern; then every node's against what the step has. */
static int nodes_check(struct bindings_walk *walk, uint32_t nodes, const uint32_t *task_first,
                       uint32_t *tasks)
{
    struct bindings_pattern pattern;

    for (uint32_t i = 0; i < walk->patterns; i++) {
        if (bindings_walk_pattern(walk, 1, &pattern))
            return -1;
        tasks[i] = pattern.tasks;
    }
    if (bindings_walk_nodes(walk))
        return -1;
    if (walk->nodes != nodes)
        return topomap_error_set(walk->err, TOPOMAP_EINPUT,
                                 "bindings: they are for %u nodes, the step has %u", walk->nodes,
                                 nodes);
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t number = bindings_walk_pattern_of(walk, node);

        if (number == UINT32_MAX)
            return -1;
        if (tasks[number] != task_first[node + 1] - task_first[node])
            return topomap_error_set(walk->err, TOPOMAP_EINPUT,
                                     "bindings: they have %u tasks on node %u, the step has %u",
                                     tasks[number], node, task_first[node + 1] - task_first[node]);
    }
    return 0;
}

int topomap_bindings_check(const char *text, uint32_t job, uint32_t step, uint32_t nodes,
                           const uint32_t *task_first, topomap_error *err)
{
    TOPOMAP_CLEANUP(bindings_walk_close) struct bindings_walk walk = {0};
    TOPOMAP_FREED uint32_t *tasks = NULL;

    if (bindings_walk_open(&walk, text, strlen(text), SIZE_MAX, 1, err))
        return -1;
    if (walk.job != job || walk.step != step)
        return topomap_error_set(err, TOPOMAP_EINPUT, "bindings: they are for step %u.%u", walk.job,
                                 walk.step);
    tasks = bindings_walk_alloc(&walk, walk.patterns, sizeof *tasks);
    return tasks ? nodes_check(&walk, nodes, task_first, tasks) : -1;
}
