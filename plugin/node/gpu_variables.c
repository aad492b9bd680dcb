/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/node/cpus.h"

#include <string.h>

#include "plan/node_plan.h"

static const struct {
    const char *name;
    int of_rocr; /* on AMD's GPUs it counts within what ROCR_VISIBLE_DEVICES leaves, in that order:
                    HIP reads CUDA_VISIBLE_DEVICES, too (ROCclr, device/rocm/rocdevice.cpp) */
} variables[PLUGIN_GPUS_VARIABLES] = {{"CUDA_VISIBLE_DEVICES", 1},
                                      {"ROCR_VISIBLE_DEVICES", 0},
                                      {"ZE_AFFINITY_MASK", 0},
                                      {"GPU_DEVICE_ORDINAL", 1}};

const char *plugin_gpus_variable(size_t index)
{
    return index < PLUGIN_GPUS_VARIABLES ? variables[index].name : NULL;
}

int plugin_gpus_counts_in_rocr(size_t index)
{
    return variables[index].of_rocr;
}

/* ---- Words -------------------------------------------------------------------------------- */

struct words {
    uint32_t count; /* one more than there can be: too many */
    struct {
        const char *at;
        size_t length;
    } word[TOPOMAP_NODE_PLAN_GPUS + 1];
};

static void split(const char *value, struct words *words)
{
    words->count = 0;
    while (words->count <= TOPOMAP_NODE_PLAN_GPUS) {
        size_t length = strcspn(value, ",");

        words->word[words->count].at = value;
        words->word[words->count++].length = length;
        if (!value[length])
            return;
        value += length + 1;
    }
}

static int is_same(const struct words *words, uint32_t a, uint32_t b)
{
    return words->word[a].length == words->word[b].length &&
           !memcmp(words->word[a].at, words->word[b].at, words->word[a].length);
}

/* No word twice, and none empty. */
static int are_distinct(const struct words *words)
{
    for (uint32_t i = 0; i < words->count; i++) {
        if (!words->word[i].length)
            return 0;
        for (uint32_t k = 0; k < i; k++)
            if (is_same(words, i, k))
                return 0;
    }
    return 1;
}

/* The word as an index; UINT32_MAX: it is none. */
static uint32_t index_of(const struct words *words, uint32_t i)
{
    uint32_t number = 0;

    if (!words->word[i].length || words->word[i].length > 5)
        return UINT32_MAX;
    for (size_t k = 0; k < words->word[i].length; k++) {
        char digit = words->word[i].at[k];

        if (digit < '0' || digit > '9')
            return UINT32_MAX;
        number = number * 10 + (uint32_t)(digit - '0');
    }
    return number;
}

/* ---- The task's GPUs ---------------------------------------------------------------------- */

const char *plugin_gpus_compare(const topomap_node_plan *plan, const char *step_gpus)
{
    struct words words;
    int same;

    if (!step_gpus || !*step_gpus)
        return "Slurm does not say which GPUs the step has on this node";
    split(step_gpus, &words);
    same = words.count == plan->gpus;
    for (uint32_t i = 0; same && i < words.count; i++)
        same = index_of(&words, i) == plan->gpu[i];
    return same ? NULL : "the step's GPUs on this node are not those that were planned with";
}

int plugin_gpus_are_own(const topomap_node_plan *plan)
{
    for (uint32_t i = 0; i < plan->gpus; i++)
        if (plan->gpu_place[i] != i)
            return 0;
    return plan->gpus > 0;
}

uint32_t plugin_gpus_entry(const topomap_node_plan *plan, const char *step_gpus)
{
    uint32_t entry = UINT32_MAX, found = 0;
    struct words words;

    if (!step_gpus || plan->gpus != plan->tasks)
        return UINT32_MAX;
    split(step_gpus, &words);
    for (uint32_t k = 0; k < words.count; k++)
        for (uint32_t i = 0; i < plan->gpus; i++)
            if (index_of(&words, k) == plan->gpu[i]) {
                entry = i;
                found++;
            }
    return found == 1 && words.count <= TOPOMAP_NODE_PLAN_GPUS ? entry : UINT32_MAX;
}

/* The words as indices, ascending. \return how many; 0: they are not such */
static uint32_t indices_of(const char *list, uint32_t index[TOPOMAP_NODE_PLAN_GPUS])
{
    struct words words;

    split(list, &words);
    for (uint32_t i = 0; i < words.count && i < TOPOMAP_NODE_PLAN_GPUS; i++) {
        index[i] = index_of(&words, i);
        if (index[i] == UINT32_MAX || (i && index[i] <= index[i - 1]))
            return 0;
    }
    return words.count <= TOPOMAP_NODE_PLAN_GPUS ? words.count : 0;
}

/* What SLURMD_TRES_BIND says of GPUs: behind "gpu:", before 23.02, or "gres/gpu:". NULL: nothing */
static const char *of_gpus(const char *bind)
{
    const char *at = bind;

    while ((at = strstr(at, "gpu:")) != NULL && at > bind && at[-1] != '/')
        at++;
    return at ? at + strlen("gpu:") : NULL;
}

uint32_t plugin_gpus_entry_dealt(const topomap_node_plan *plan, const char *all, const char *bind,
                                 uint32_t local)
{
    uint32_t has[TOPOMAP_NODE_PLAN_GPUS], first[TOPOMAP_NODE_PLAN_GPUS], gpus, planned = 0;
    const char *said = bind ? of_gpus(bind) : NULL;
    uint32_t entry = UINT32_MAX;
    char word[TOPOMAP_GPU_BOUND];

    if (!all || !said || plan->gpus != plan->tasks || local >= plan->tasks)
        return UINT32_MAX;
    gpus = indices_of(all, has);
    topomap_gpu_bound_word(said, word);
    /* Without a list or a count it goes by what is not known here (`closest`). */
    if (!strchr(word, ':') || !topomap_gpu_bound(word, has, gpus, plan->tasks, 1, first))
        return UINT32_MAX;
    for (uint32_t i = 0; i < plan->gpus; i++)
        for (uint32_t k = 0; k < plan->gpus; k++) {
            planned += first[k] == plan->gpu[i];
            if (k == local && first[k] == plan->gpu[i])
                entry = i;
        }
    return planned == plan->gpus ? entry : UINT32_MAX;
}

/* Slurm lists the devices in its own order: by its index, or, where the cgroup constrains them,
 * counted from 0. Other numbers are not Slurm's, or not of whole GPUs; what is no number is a name,
 * in the same order. */
static int are_slurms(const struct words *words, const topomap_node_plan *plan)
{
    uint32_t global = 0, local = 0, names = 0;

    for (uint32_t i = 0; i < words->count; i++) {
        uint32_t index = index_of(words, i);

        global += index == plan->gpu[i];
        local += index == i;
        names += index == UINT32_MAX;
    }
    return global == words->count || local == words->count || names == words->count;
}

/* Neighbours of a slice are of the same GPU. */
int plugin_gpus_are_parts(const char *value)
{
    for (; value; value = strchr(value, ',') ? strchr(value, ',') + 1 : NULL)
        if (!strncmp(value, "MIG-", 4))
            return 1;
    return 0;
}

/* Believes neither the plan nor what was made of it. */
static int is_permutation(const struct words *before, const char *ordered)
{
    struct words after;
    uint32_t found = 0;

    split(ordered, &after);
    for (uint32_t i = 0; i < after.count; i++)
        for (uint32_t k = 0; k < before->count; k++)
            found += after.word[i].length == before->word[k].length &&
                     !memcmp(after.word[i].at, before->word[k].at, after.word[i].length);
    return after.count == before->count && found == before->count && are_distinct(&after);
}

const char *plugin_gpus_order(const topomap_node_plan *plan, const char *value,
                              char ordered[PLUGIN_GPUS_VALUE])
{
    struct words words;
    char *to = ordered;

    if (strnlen(value, PLUGIN_GPUS_VALUE) == PLUGIN_GPUS_VALUE)
        return "a list of GPUs is longer than any";
    split(value, &words);
    if (plugin_gpus_are_parts(value))
        return "the step has parts of GPUs (MIG)";
    if (words.count != plan->gpus)
        return "Slurm has given its tasks GPUs of their own";
    if (!are_distinct(&words) || !are_slurms(&words, plan))
        return "the GPUs that the tasks see are not listed as Slurm lists them";
    for (uint32_t i = 0; i < words.count; i++) {
        uint32_t from = plan->gpu_place[i];

        if (i)
            *to++ = ',';
        memcpy(to, words.word[from].at, words.word[from].length);
        to += words.word[from].length;
    }
    *to = 0;
    return is_permutation(&words, ordered) ? NULL : "the planned order of GPUs is none";
}
