/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/node_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MASK_GPUS = 64 };

static const char *after(const char *text, const char *word)
{
    size_t length = strlen(word);

    return text && strncmp(text, word, length) == 0 ? text + length : NULL;
}

/* ---- Slurm's words
 * ------------------------------------------------------------------------------- */

/* With --gpu-bind, and with --tres-bind. */
static const struct {
    const char *option, *tres, *kind;
} binds[] = {{"map_gpu:", "map:", "map:"},
             {"mask_gpu:", "mask:", "mask:"},
             {"per_task:", "per_task:", ""},
             {"single:", "single:", "single:"}};

static const char *behind(const char *text, const char *word)
{
    size_t length = strlen(word);

    return strncasecmp(text, word, length) ? NULL : text + length;
}

/* Numbers alone, and where --tres-bind goes on with another resource, up to that; else nothing. */
void topomap_gpu_bound_kind(const char *kind, const char *value, char word[TOPOMAP_GPU_BOUND])
{
    size_t length = strcspn(value, "+");

    if (!strcmp(kind, "single:") && (length != 1 || *value != '1'))
        length = 0; /* tasks that share a GPU: the CPUs of one GPU are not those of one task */
    if (length && length < 512 && strspn(value, "0123456789abcdefABCDEFx,") == length)
        snprintf(word, TOPOMAP_GPU_BOUND, "bound:%s%.*s", strcmp(kind, "single:") ? kind : "",
                 (int)length, value);
    else
        strcpy(word, "bound");
}

void topomap_gpu_bound_word(const char *bind, char word[TOPOMAP_GPU_BOUND])
{
    const char *value = behind(bind, "verbose,");

    bind = value ? value : bind;
    value = behind(bind, "v,");
    bind = value ? value : bind;
    for (size_t i = 0; i < sizeof binds / sizeof *binds; i++) {
        value = behind(bind, binds[i].option);
        value = value ? value : behind(bind, binds[i].tres);
        if (value) {
            topomap_gpu_bound_kind(binds[i].kind, value, word);
            return;
        }
    }
    topomap_gpu_bound_kind("", "", word);
}

/* ---- The planner's -----------------------------------------------------------------------------
 */

int topomap_gpu_is_bound(const char *said)
{
    const char *rest = after(said, "bound");

    return rest && (!*rest || *rest == ':');
}

uint32_t topomap_gpu_bound_count(const char *said)
{
    const char *count = after(said, "bound:");
    size_t digits = count ? strspn(count, "0123456789") : 0;

    return digits && digits < 10 && !count[digits] ? (uint32_t)strtoul(count, NULL, 10) : 0;
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
    for (uint32_t i = 0; i < tasks; i++) {
        const char *word = word_of(value, i);
        unsigned long gpu = word ? strtoul(word, NULL, 0) : gpus;

        if (gpu >= gpus)
            return 0;
        first[i] = has[gpu];
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
    if (gpus > MASK_GPUS)
        return 0;
    for (uint32_t i = 0; i < tasks; i++) {
        uint64_t mask = mask_of(value, i);
        uint32_t place;

        if (!mask || (gpus < MASK_GPUS && mask >> gpus))
            return 0;
        for (uint32_t other = 0; other < tasks; other++)
            if (other != i)
                mask &= ~mask_of(value, other);
        if (!mask)
            return 0;
        for (place = 0; !(mask >> place & 1); place++)
            ;
        first[i] = has[place];
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

int topomap_gpu_bound(const char *said, const uint32_t *has, uint32_t gpus, uint32_t tasks,
                      int within, uint32_t *first)
{
    static const struct {
        const char *word;
        int is_list;
        int (*fill)(const char *, const uint32_t *, uint32_t, uint32_t, uint32_t *);
    } rows[] = {{"bound:map:", 1, by_map}, {"bound:mask:", 1, by_mask}, {"bound:", 0, by_count}};

    if (tasks > gpus)
        return 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (after(said, rows[i].word))
            return (within || !rows[i].is_list || are_the_first(has, gpus)) &&
                   rows[i].fill(after(said, rows[i].word), has, gpus, tasks, first) &&
                   are_distinct(first, tasks);
    return tasks == gpus && by_count("1", has, gpus, tasks, first);
}
