/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/srun/gpus.h"
#include "plugin/srun/words.h"

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
        return plugin_words_has_other(bind, none);
    return is_said(gpus->value[PER_TASK]) || is_said(gpus->value[TASKS_PER_GPU]) ||
           is_said(gpus->value[TASKS_PER_TRES]) || names_gpus(gpus->value[TRES_PER_TASK]);
}
