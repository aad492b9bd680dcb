/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/srun/srun.h"
#include "plan/node_plan.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum option {
    TOTAL,
    PER_NODE,
    GRES,
    PER_SOCKET,
    PER_TASK,
    TASKS_PER_GPU,
    TASKS_PER_TRES,
    TRES_PER_TASK,
    BIND,
    TRES_BIND
};

/* Options and the variables that srun reads in their place (srun(1), INPUT ENVIRONMENT VARIABLES;
 * env_vars of src/srun/libsrun/opt.c). */
static const struct {
    const char *option, *variable;
} rows[PLUGIN_GPUS_OPTIONS] = {
    [TOTAL] = {"gpus", "SLURM_GPUS"},
    [PER_NODE] = {"gpus-per-node", "SLURM_GPUS_PER_NODE"},
    [GRES] = {"gres", "SLURM_STEP_GRES"},
    [PER_SOCKET] = {"gpus-per-socket", "SLURM_GPUS_PER_SOCKET"},
    [PER_TASK] = {"gpus-per-task", "SLURM_GPUS_PER_TASK"},
    [TASKS_PER_GPU] = {"ntasks-per-gpu", "SLURM_NTASKS_PER_GPU"},
    [TASKS_PER_TRES] = {"ntasks-per-tres", "SLURM_NTASKS_PER_TRES"},
    [TRES_PER_TASK] = {"tres-per-task", "SLURM_TRES_PER_TASK"},
    [BIND] = {"gpu-bind", "SLURM_GPU_BIND"},
    [TRES_BIND] = {"tres-bind", "SLURM_TRES_BIND"},
};

void plugin_gpus_inherit(plugin_gpus *gpus)
{
    for (int i = 0; i < PLUGIN_GPUS_OPTIONS; i++)
        gpus->value[i] = getenv(rows[i].variable);
}

void plugin_gpus_note(plugin_gpus *gpus, const char *option, const char *value)
{
    for (int i = 0; i < PLUGIN_GPUS_OPTIONS; i++)
        if (!strcmp(rows[i].option, option))
            gpus->value[i] = value;
}

/* ---- Binding ------------------------------------------------------------------------------ */

/* "gres/gpu:single:1" (--tres-bind, since 23.11) is --gpu-bind=single:1; what it says of other
 * resources is passed over. */
static const char *bind_of(const plugin_gpus *gpus)
{
    static const char name[] = "gres/gpu:";
    const char *tres = gpus->value[TRES_BIND] ? strstr(gpus->value[TRES_BIND], name) : NULL;

    if (gpus->value[BIND] && *gpus->value[BIND])
        return gpus->value[BIND];
    return tres ? tres + sizeof name - 1 : NULL;
}

static int names_gpus(const char *tres)
{
    return tres && strstr(tres, "gpu") != NULL;
}

static int is_said(const char *value)
{
    return value && *value;
}

int plugin_gpus_are_bound(const plugin_gpus *gpus)
{
    static const char *const none[] = {"v", "verbose", "none", NULL};
    const char *bind = bind_of(gpus);

    if (bind)
        return plugin_command_line_has_other(bind, none);
    return is_said(gpus->value[PER_TASK]) || is_said(gpus->value[TASKS_PER_GPU]) ||
           is_said(gpus->value[TASKS_PER_TRES]) || names_gpus(gpus->value[TRES_PER_TASK]);
}

/* ---- Counts ------------------------------------------------------------------------------- */

/* Adds what a word of a list says, "[TYPE:]COUNT" or, of --gres, "gpu[:TYPE][:COUNT]". A count may
 * be left out there, and is 1. \return 0, or -1: it is none */
static int add_word(const char *word, size_t length, int is_gres, uint32_t *sum)
{
    const char *end = word + length, *count;
    uint32_t number = 0;

    if (is_gres && length >= 5 && !strncasecmp(word, "gres:", 5))
        word += 5;
    if (is_gres &&
        (end - word < 3 || strncasecmp(word, "gpu", 3) || (end - word > 3 && word[3] != ':')))
        return 0; /* another resource */
    for (count = end; count > word && count[-1] != ':' && count[-1] != '='; count--)
        ;
    for (const char *at = count; at < end; at++) {
        if (*at < '0' || *at > '9' || number > 65535) {
            /* A type, but a count in thousands, "4K", is none. */
            if (!is_gres || number > 65535 || (at > count && at + 1 == end))
                return -1;
            *sum += 1;
            return 0;
        }
        number = number * 10 + (uint32_t)(*at - '0');
    }
    *sum += number;
    return count < end ? 0 : -1;
}

/* \return 1 and the count; 0: not said, or not as a count */
static int count_of(const char *value, int is_gres, uint32_t *sum)
{
    *sum = 0;
    if (!is_said(value))
        return 0;
    while (*value) {
        size_t length = strcspn(value, ",");

        if (add_word(value, length, is_gres, sum))
            return 0;
        value += length + (value[length] != 0);
    }
    return 1;
}

/* ---- Which GPU each task gets --------------------------------------------------------------- */

/* GPUs of one task, "gres/gpu:2" or "gres:gpu:a100=2,cpu:1"; 0: not told. */
static unsigned long count_in(const char *tres)
{
    const char *at = strstr(tres, "gpu") + strlen("gpu"), *count;

    for (count = at + strcspn(at, ","); count > at && count[-1] >= '0' && count[-1] <= '9'; count--)
        ;
    return count > at && (count[-1] == ':' || count[-1] == '=') ? strtoul(count, NULL, 10) : 0;
}

/* \param kind  NULL: the value is that of --gpu-bind */
static void write_bound(FILE *out, const char *kind, const char *value)
{
    char word[TOPOMAP_GPU_BOUND];

    if (kind)
        topomap_gpu_bound_kind(kind, value, word);
    else
        topomap_gpu_bound_word(value, word);
    fprintf(out, "step-gpus %s\n", word);
}

static void write_tasks(FILE *out, const plugin_gpus *gpus)
{
    uint32_t count;

    if (is_said(gpus->value[TASKS_PER_GPU]))
        write_bound(out, "single:", gpus->value[TASKS_PER_GPU]);
    else if (count_of(gpus->value[PER_TASK], 0, &count) && count)
        fprintf(out, "step-gpus bound:%u\n", count);
    else if (names_gpus(gpus->value[TRES_PER_TASK]) && count_in(gpus->value[TRES_PER_TASK]))
        fprintf(out, "step-gpus bound:%lu\n", count_in(gpus->value[TRES_PER_TASK]));
    else
        write_bound(out, "", "");
}

void plugin_gpus_write(FILE *out, const plugin_gpus *gpus)
{
    uint32_t count;

    /* --gres=none leaves a step none of its job's (srun(1)), whose --gpus-per-node it finds in the
     * environment of salloc (24.11). An explicit --gpu-bind is the user's word, also where it is
     * none. */
    if (is_said(gpus->value[GRES]) && !strcasecmp(gpus->value[GRES], "none"))
        fprintf(out, "step-gpus 0\n");
    else if (plugin_gpus_are_bound(gpus) && bind_of(gpus))
        write_bound(out, NULL, bind_of(gpus));
    else if (plugin_gpus_are_bound(gpus))
        write_tasks(out, gpus);
    else if (bind_of(gpus))
        fprintf(out, "step-gpus left\n");
    else if (count_of(gpus->value[PER_NODE], 0, &count) || count_of(gpus->value[GRES], 1, &count))
        fprintf(out, "step-gpus %u\n", count);
    else if (is_said(gpus->value[GRES]) || is_said(gpus->value[PER_SOCKET]))
        fprintf(out, "step-gpus left\n");
    else if (count_of(gpus->value[TOTAL], 0, &count))
        fprintf(out, "step-gpus total:%u\n", count);
}
