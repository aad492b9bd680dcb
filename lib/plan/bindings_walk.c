/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/bindings.h"
#include "util/alloc.h"

#include <stdlib.h>
#include <string.h>

int bindings_walk_bad(const struct bindings_walk *walk, const char *what)
{
    return topomap_error_set(walk->err, TOPOMAP_EINPUT, "bindings: %s", what);
}

static size_t bits_left(const topomap_sextet_reader *reader)
{
    return reader->size * 6 - reader->bit;
}

/* A number that must lie in least..most. */
static int number_walk(struct bindings_walk *walk, uint64_t least, uint64_t most, uint32_t *value)
{
    uint64_t number = topomap_sextet_get_number(&walk->reader);

    *value = 0;
    if (walk->reader.failed || number < least || number > most)
        return bindings_walk_bad(walk, "a number out of range");
    *value = (uint32_t)number;
    return 0;
}

void *bindings_walk_alloc(struct bindings_walk *walk, size_t count, size_t size)
{
    if (count > walk->budget / size) {
        topomap_error_set(walk->err, TOPOMAP_EINPUT,
                          "bindings: they take more memory than a step of this size is given");
        return NULL;
    }
    walk->budget -= count * size;
    return topomap_alloc(count, size, walk->err);
}

static int align(struct bindings_walk *walk)
{
    while (walk->reader.bit % 6 && !walk->reader.failed)
        if (topomap_sextet_get(&walk->reader, 1))
            walk->reader.failed = 1;
    return walk->reader.failed ? bindings_walk_bad(walk, "the text is cut") : 0;
}

/* ---- Classes ----------------------------------------------------------------------------- */

/* Runs of numbers of PUs, one a core. What lies between a run's ends lies between their values. */
static int cores_walk(struct bindings_walk *walk, struct bindings_class *node_class)
{
    topomap_sextet_run run = {.last = -1};
    uint64_t pus = 0;

    for (uint32_t done = 0; done < node_class->cores; done += run.count) {
        if (topomap_sextet_get_run(&walk->reader, node_class->cores - done, BINDINGS_CORE_PUS + 1,
                                   &run) ||
            !run.start || !run.last)
            return bindings_walk_bad(walk, "a core without PUs");
        pus += (uint64_t)(run.start + run.last) * run.count / 2;
        if (pus > BINDINGS_CLASS_PUS)
            return bindings_walk_bad(walk, "too many PUs in a class");
    }
    node_class->pus = (uint16_t)pus;
    return 0;
}

static int mark(unsigned char *seen, const topomap_sextet_run *run)
{
    int64_t os = run->start;

    for (uint32_t i = 0; i < run->count; i++, os += run->step) {
        if (seen[os / 8] >> os % 8 & 1)
            return -1;
        seen[os / 8] |= (unsigned char)(1u << os % 8);
    }
    return 0;
}

static int pus_walk(struct bindings_walk *walk, uint32_t pus, int deep)
{
    unsigned char seen[BINDINGS_CLASS_PUS / 8];
    topomap_sextet_run run = {.last = -1};

    if (deep)
        memset(seen, 0, sizeof seen);
    for (uint32_t done = 0; done < pus; done += run.count) {
        if (topomap_sextet_get_run(&walk->reader, pus - done, BINDINGS_CLASS_PUS, &run))
            return bindings_walk_bad(walk, "the text of a class is cut or not a class");
        if (deep && mark(seen, &run))
            return bindings_walk_bad(walk, "an OS PU number twice in a class");
    }
    return 0;
}

static int classes_walk(struct bindings_walk *walk, int deep)
{
    size_t all = 0;
    uint32_t cores;

    /* A class takes five numbers at least. */
    if (number_walk(walk, 0, bits_left(&walk->reader) / 30, &walk->classes))
        return -1;
    walk->node_class = bindings_walk_alloc(walk, walk->classes, sizeof *walk->node_class);
    if (!walk->node_class)
        return -1;
    for (uint32_t i = 0; i < walk->classes; i++) {
        struct bindings_class *node_class = &walk->node_class[i];

        node_class->bit = (uint32_t)walk->reader.bit;
        if (number_walk(walk, 1, BINDINGS_CLASS_PUS, &cores))
            return -1;
        node_class->cores = (uint16_t)cores;
        if (cores_walk(walk, node_class))
            return -1;
        all += node_class->pus;
        if (all > BINDINGS_ALL_CLASS_PUS)
            return bindings_walk_bad(walk, "too many classes");
        if (pus_walk(walk, node_class->pus, deep))
            return -1;
    }
    return 0;
}

/* OS PU numbers come hardware thread by hardware thread; \p order gets where each stands in the
 * class's order. `turn` has the cores that still have a thread. */
static void thread_order(const struct bindings_class *node_class, const uint16_t *core_first,
                         uint16_t *order)
{
    uint16_t turn[BINDINGS_CLASS_PUS];
    uint32_t cores = node_class->cores, count = 0;

    for (uint32_t core = 0; core < cores; core++)
        turn[core] = (uint16_t)core;
    for (uint32_t thread = 0; count < node_class->pus; thread++) {
        uint32_t left = 0;

        for (uint32_t i = 0; i < cores; i++) {
            uint32_t place = core_first[turn[i]] + thread;

            order[count++] = (uint16_t)place;
            if (place + 1 < core_first[turn[i] + 1])
                turn[left++] = turn[i];
        }
        cores = left;
    }
}

int bindings_walk_class(struct bindings_walk *walk, const struct bindings_class *node_class,
                        uint16_t *core_first, uint16_t *pu_os)
{
    uint16_t order[BINDINGS_CLASS_PUS];
    topomap_sextet_run run = {.last = -1};
    size_t bit;
    uint32_t cores;

    walk->reader.bit = node_class->bit;
    number_walk(walk, 1, BINDINGS_CLASS_PUS, &cores); /* walked before, as all of it */
    core_first[0] = 0;
    for (uint32_t done = 0; done < node_class->cores; done += run.count) {
        if (topomap_sextet_get_run(&walk->reader, node_class->cores - done, BINDINGS_CORE_PUS + 1,
                                   &run))
            return bindings_walk_bad(walk, "the text of a class is cut or not a class");
        for (uint32_t i = 0; i < run.count; i++)
            core_first[done + i + 1] =
                (uint16_t)(core_first[done + i] + run.start + run.step * (int64_t)i);
    }
    thread_order(node_class, core_first, order);
    bit = walk->reader.bit;
    if (pus_walk(walk, node_class->pus, 1))
        return -1;
    walk->reader.bit = bit;
    run = (topomap_sextet_run){.last = -1};
    for (uint32_t done = 0; done < node_class->pus; done += run.count) {
        topomap_sextet_get_run(&walk->reader, node_class->pus - done, BINDINGS_CLASS_PUS, &run);
        for (uint32_t i = 0; i < run.count; i++)
            pu_os[order[done + i]] = (uint16_t)(run.start + run.step * (int64_t)i);
    }
    return 0;
}

/* ---- Patterns ---------------------------------------------------------------------------- */

/* Who is told of runs of places; NULL: nobody. */
struct listener {
    int (*add)(void *context, uint32_t task, uint32_t start, uint32_t length);
    void *context;
};

static int tell(const struct listener *listener, uint32_t task, uint32_t start, uint32_t length)
{
    return listener ? listener->add(listener->context, task, start, length) : 0;
}

/* One run of places of a task that has several; the next may begin at *least at the earliest. */
static int run_walk(struct bindings_walk *walk, const struct bindings_pattern *pattern,
                    uint32_t *least, uint32_t *start, uint32_t *length)
{
    *start = topomap_sextet_get(&walk->reader, topomap_sextet_width(pattern->places));
    if (walk->reader.failed || *start < *least || *start >= pattern->places ||
        number_walk(walk, 0, pattern->places - *start - 1, length))
        return bindings_walk_bad(walk, "a place that the class does not have");
    ++*length;
    *least = *start + *length;
    return 0;
}

static int uneven_walk(struct bindings_walk *walk, struct bindings_pattern *pattern,
                       const struct listener *listener)
{
    uint32_t runs, start = 0, length = 0;

    pattern->runs = 0;
    for (uint32_t task = 0; task < pattern->tasks; task++) {
        uint32_t least = 0;

        if (number_walk(walk, 0, pattern->places, &runs))
            return -1;
        for (uint32_t i = 0; i <= runs; i++)
            if (run_walk(walk, pattern, &least, &start, &length) ||
                tell(listener, task, start, length))
                return -1;
        pattern->runs += runs + 1; /* each has taken bits of the text: no overflow */
    }
    return 0;
}

static int even_runs_walk(struct bindings_walk *walk, struct bindings_pattern *pattern,
                          const struct listener *listener)
{
    topomap_sextet_run run = {.last = -1};

    pattern->runs = pattern->tasks;
    for (uint32_t done = 0; done < pattern->tasks; done += run.count) {
        if (topomap_sextet_get_run(&walk->reader, pattern->tasks - done,
                                   pattern->places - pattern->length + 1, &run))
            return bindings_walk_bad(walk, "a place that the class does not have");
        for (uint32_t i = 0; listener && i < run.count; i++)
            if (tell(listener, done + i, (uint32_t)(run.start + run.step * (int64_t)i),
                     pattern->length))
                return -1;
    }
    return 0;
}

static int even_walk(struct bindings_walk *walk, struct bindings_pattern *pattern,
                     const struct listener *listener)
{
    unsigned width = topomap_sextet_width(pattern->places);

    pattern->runs = pattern->tasks;
    for (uint32_t task = 0; task < pattern->tasks; task++) {
        uint32_t start = topomap_sextet_get(&walk->reader, width);

        if (walk->reader.failed || start > pattern->places - pattern->length)
            return bindings_walk_bad(walk, "a place that the class does not have");
        if (tell(listener, task, start, pattern->length))
            return -1;
    }
    return 0;
}

static int tasks_walk(struct bindings_walk *walk, struct bindings_pattern *pattern,
                      const struct listener *listener)
{
    static int (*const forms[])(struct bindings_walk * walk, struct bindings_pattern * pattern,
                                const struct listener *listener) = {
        [BINDINGS_EVEN] = even_walk,
        [BINDINGS_EVEN_RUNS] = even_runs_walk,
        [BINDINGS_UNEVEN] = uneven_walk};

    return forms[pattern->form](walk, pattern, listener);
}

/* Places of fixed width need not be looked at to be passed over. */
static int even_skip(struct bindings_walk *walk, struct bindings_pattern *pattern)
{
    size_t bits = (size_t)topomap_sextet_width(pattern->places) * pattern->tasks;

    if (bits > bits_left(&walk->reader))
        return bindings_walk_bad(walk, "the text of a node is cut");
    walk->reader.bit += bits;
    pattern->runs = pattern->tasks;
    return 0;
}

static int body_walk(struct bindings_walk *walk, int deep, struct bindings_pattern *pattern)
{
    const struct bindings_class *node_class = &walk->node_class[pattern->node_class];
    uint32_t form;

    pattern->cores = (int)topomap_sextet_get(&walk->reader, 1);
    pattern->places = pattern->cores ? node_class->cores : node_class->pus;
    form = topomap_sextet_get(&walk->reader, 2);
    if (form > BINDINGS_UNEVEN)
        return bindings_walk_bad(walk, "a form of a node that is not known");
    pattern->form = (enum bindings_form)form;
    if (pattern->form != BINDINGS_UNEVEN) {
        if (number_walk(walk, 0, pattern->places - 1, &pattern->length))
            return -1;
        pattern->length++;
    }
    pattern->bit = walk->reader.bit;
    return pattern->form == BINDINGS_EVEN && !deep ? even_skip(walk, pattern)
                                                   : tasks_walk(walk, pattern, NULL);
}

int bindings_walk_tasks(struct bindings_walk *walk, const struct bindings_pattern *pattern,
                        int (*add)(void *context, uint32_t task, uint32_t start, uint32_t length),
                        void *context)
{
    struct bindings_pattern copy = *pattern;

    walk->reader.bit = pattern->bit;
    return tasks_walk(walk, &copy, &(struct listener){add, context});
}

/* GPUs as runs, then an order of them; `gpu` and `place` may be NULL. */
static int gpus_walk(struct bindings_walk *walk, uint32_t gpus, uint16_t *gpu, uint16_t *place)
{
    unsigned char seen[BINDINGS_NODE_GPUS] = {0};
    topomap_sextet_run run = {.last = -1};
    int64_t last = -1;

    for (uint32_t done = 0; done < gpus; done += run.count) {
        if (topomap_sextet_get_run(&walk->reader, gpus - done, BINDINGS_GPU_INDEX, &run) ||
            run.start <= last || (run.count > 1 && run.step <= 0))
            return bindings_walk_bad(walk, "GPUs that do not ascend");
        for (uint32_t i = 0; gpu && i < run.count; i++)
            gpu[done + i] = (uint16_t)(run.start + run.step * (int64_t)i);
        last = run.last;
    }
    for (uint32_t i = 0; i < gpus; i++) {
        uint32_t at = topomap_sextet_get(&walk->reader, topomap_sextet_width(gpus));

        if (walk->reader.failed || at >= gpus || seen[at]++)
            return bindings_walk_bad(walk, "an order of GPUs that is none");
        if (place)
            place[i] = (uint16_t)at;
    }
    return 0;
}

int bindings_walk_gpus(struct bindings_walk *walk, const struct bindings_pattern *pattern,
                       uint16_t *gpu, uint16_t *place)
{
    walk->reader.bit = pattern->gpu_bit;
    return gpus_walk(walk, pattern->gpus, gpu, place);
}

/* Every time: they are few. */
static int pattern_gpus(struct bindings_walk *walk, struct bindings_pattern *pattern)
{
    if (number_walk(walk, 0, BINDINGS_NODE_GPUS, &pattern->gpus))
        return -1;
    pattern->amd = topomap_sextet_get(&walk->reader, 1);
    pattern->gpu_bit = walk->reader.bit;
    return gpus_walk(walk, pattern->gpus, NULL, NULL);
}

int bindings_walk_pattern(struct bindings_walk *walk, int deep, struct bindings_pattern *pattern)
{
    uint32_t number;

    memset(pattern, 0, sizeof *pattern);
    if (number_walk(walk, 0, walk->classes, &number) ||
        number_walk(walk, 0, BINDINGS_NODE_TASKS, &pattern->tasks))
        return -1;
    pattern->node_class = number ? number - 1 : UINT32_MAX;
    if (number && pattern->tasks && body_walk(walk, deep, pattern))
        return -1;
    if (walk->with_gpus && pattern_gpus(walk, pattern))
        return -1;
    return align(walk);
}

/* ---- The text ---------------------------------------------------------------------------- */

static int header_walk(struct bindings_walk *walk, const char *text, size_t size)
{
    static const size_t magic = sizeof BINDINGS_MAGIC - 1;
    topomap_sextet_reader sum = {.size = BINDINGS_CRC_CHARACTERS};

    walk->with_gpus = size > magic && !memcmp(text, BINDINGS_MAGIC_GPUS, magic);
    if (size <= magic + BINDINGS_CRC_CHARACTERS ||
        (!walk->with_gpus && memcmp(text, BINDINGS_MAGIC, magic)))
        return bindings_walk_bad(walk,
                                 "not bindings of this version (they begin with " BINDINGS_MAGIC
                                 " or " BINDINGS_MAGIC_GPUS ")");
    if (size > BINDINGS_CHARACTERS)
        return bindings_walk_bad(walk, "longer than any can be");
    size -= BINDINGS_CRC_CHARACTERS;
    sum.text = text + size;
    if (topomap_sextet_get(&sum, 4) ||
        topomap_sextet_get(&sum, 32) != topomap_crc32(0, text, size) || sum.failed)
        return bindings_walk_bad(walk, "the checksum does not match: the text was cut or changed");
    walk->reader.text = text + magic;
    walk->reader.size = size - magic;
    return number_walk(walk, 0, UINT32_MAX, &walk->job) ||
                   number_walk(walk, 0, UINT32_MAX, &walk->step)
               ? -1
               : 0;
}

int bindings_walk_open(struct bindings_walk *walk, const char *text, size_t size, size_t budget,
                       int deep, topomap_error *err)
{
    *walk = (struct bindings_walk){.budget = budget, .err = err};
    if (header_walk(walk, text, size) || classes_walk(walk, deep) ||
        /* A pattern takes two numbers at least. */
        number_walk(walk, 1, bits_left(&walk->reader) / 12, &walk->patterns))
        return -1;
    walk->width = topomap_sextet_width(walk->patterns);
    if (align(walk))
        return -1;
    walk->pattern_bit = walk->reader.bit;
    return 0;
}

void bindings_walk_close(struct bindings_walk *walk)
{
    free(walk->node_class);
    walk->node_class = NULL;
}

int bindings_walk_nodes(struct bindings_walk *walk)
{
    topomap_sextet_reader *reader = &walk->reader;

    if (number_walk(walk, 1, BINDINGS_NODES, &walk->nodes))
        return -1;
    walk->node_bit = reader->bit;
    if ((size_t)walk->width * walk->nodes > bits_left(reader))
        return bindings_walk_bad(walk, "the text is cut");
    reader->bit += (size_t)walk->width * walk->nodes;
    if (align(walk))
        return -1;
    return bits_left(reader) ? bindings_walk_bad(walk, "there is more text than bindings") : 0;
}

uint32_t bindings_walk_pattern_of(struct bindings_walk *walk, uint32_t node)
{
    uint32_t number;

    walk->reader.bit = walk->node_bit + (size_t)walk->width * node;
    number = topomap_sextet_get(&walk->reader, walk->width);
    if (!walk->reader.failed && number < walk->patterns)
        return number;
    bindings_walk_bad(walk, "a node's pattern that is not there");
    return UINT32_MAX;
}
