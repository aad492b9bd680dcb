/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/planner/plan/gpu_bound.h"

#include <stdlib.h>
#include <string.h>

enum { MASK_GPUS = 64 };

static const char *after(const char *text, const char *word)
{
    size_t length = strlen(word);

    return text && strncmp(text, word, length) == 0 ? text + length : NULL;
}

int planner_gpu_is_bound(const char *said)
{
    const char *rest = after(said, "bound");

    return rest && (!*rest || *rest == ':');
}

/* The k-th word of a list; one that is shorter begins again. NULL: it is empty. */
static const char *word_of(const char *list, uint32_t k)
{
    uint32_t words = 1;
    const char *at = list;

    for (const char *c = list; *c; c++)
        words += *c == ',';
    for (k %= words; k; k--)
        at = strchr(at, ',') + 1;
    return *at && *at != ',' ? at : NULL;
}

/* ---- As many each, from the first on -------------------------------------------------------- */

static int by_count(const char *value, const uint32_t *has, uint32_t gpus, uint32_t tasks,
                    uint32_t *first)
{
    unsigned long each = strtoul(value, NULL, 10);

    if (!each || (uint64_t)each * tasks > gpus)
        return 0;
    for (uint32_t i = 0; i < tasks; i++)
        first[i] = has[i * each];
    return 1;
}

/* ---- Listed --------------------------------------------------------------------------------- */

/* Lists count within the job's GPUs where the cgroup constrains devices, else on the node
 * (srun(1), --gpu-bind): the two are the same where the job has the node's first ones. */
static int are_the_first(const uint32_t *has, uint32_t gpus)
{
    for (uint32_t i = 0; i < gpus; i++)
        if (has[i] != i)
            return 0;
    return 1;
}

static int by_map(const char *value, const uint32_t *has, uint32_t gpus, uint32_t tasks,
                  uint32_t *first)
{
    if (!are_the_first(has, gpus))
        return 0;
    for (uint32_t i = 0; i < tasks; i++) {
        const char *word = word_of(value, i);
        unsigned long gpu = word ? strtoul(word, NULL, 0) : gpus;

        if (gpu >= gpus)
            return 0;
        first[i] = (uint32_t)gpu;
    }
    return 1;
}

static uint64_t mask_of(const char *value, uint32_t task)
{
    const char *word = word_of(value, task);

    return word ? strtoull(word, NULL, 16) : 0;
}

static int by_mask(const char *value, const uint32_t *has, uint32_t gpus, uint32_t tasks,
                   uint32_t *first)
{
    if (gpus > MASK_GPUS || !are_the_first(has, gpus))
        return 0;
    for (uint32_t i = 0; i < tasks; i++) {
        uint64_t mask = mask_of(value, i);

        if (!mask || (gpus < MASK_GPUS && mask >> gpus))
            return 0;
        for (uint32_t other = 0; other < tasks; other++)
            if (other != i)
                mask &= ~mask_of(value, other);
        if (!mask)
            return 0;
        for (first[i] = 0; !(mask >> first[i] & 1); first[i]++)
            ;
    }
    return 1;
}

static int are_distinct(const uint32_t *first, uint32_t tasks)
{
    for (uint32_t i = 0; i < tasks; i++)
        for (uint32_t k = 0; k < i; k++)
            if (first[i] == first[k])
                return 0;
    return 1;
}

int planner_gpu_bound(const char *said, const uint32_t *has, uint32_t gpus, uint32_t tasks,
                      uint32_t *first)
{
    static const struct {
        const char *word;
        int (*fill)(const char *, const uint32_t *, uint32_t, uint32_t, uint32_t *);
    } rows[] = {{"bound:map:", by_map}, {"bound:mask:", by_mask}, {"bound:", by_count}};

    if (tasks > gpus)
        return 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (after(said, rows[i].word))
            return rows[i].fill(after(said, rows[i].word), has, gpus, tasks, first) &&
                   are_distinct(first, tasks);
    return tasks == gpus && by_count("1", has, gpus, tasks, first);
}
