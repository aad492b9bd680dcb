/* SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded into srun: tells spank_topomap.so lies about one item, $FALSE_ITEM, as a Slurm would
 * whose handle looks different from what the plugin believes. */
#include "config.h"

#include <dlfcn.h>
#include <slurm/spank.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef spank_err_t getter(spank_t spank, spank_item_t item, ...);

__attribute__((visibility("default"))) spank_err_t spank_get_item(spank_t spank, spank_item_t item,
                                                                  ...)
{
    void *symbol = dlsym(RTLD_NEXT, "spank_get_item");
    const char *name = getenv("FALSE_ITEM");
    getter *real;
    va_list args;
    void *to, *more;
    spank_err_t status;

    memcpy(&real, &symbol, sizeof real);
    va_start(args, item);
    to = va_arg(args, void *);
    more = item == S_JOB_ARGV ? va_arg(args, void *) : NULL;
    va_end(args);
    status = more ? real(spank, item, to, more) : real(spank, item, to);
    if (!name || status != ESPANK_SUCCESS)
        return status;
    if (item == S_SLURM_VERSION && !strcmp(name, "version"))
        *(const char **)to = "99.11.3";
    if (item == S_SLURM_VERSION && !strcmp(name, "no-version"))
        return ESPANK_ERROR;
    if (item == S_JOB_UID && !strcmp(name, "uid"))
        *(uid_t *)to += 1;
    if (item == S_JOB_ID && !strcmp(name, "job"))
        *(uint32_t *)to += 1;
    if (item == S_JOB_NNODES && !strcmp(name, "nodes"))
        *(uint32_t *)to += 1;
    if (item == S_JOB_TOTAL_TASK_COUNT && !strcmp(name, "tasks"))
        *(uint32_t *)to += 1;
    if (item == S_JOB_ARGV && !strcmp(name, "argv"))
        *(int *)to += 1;
    return status;
}
