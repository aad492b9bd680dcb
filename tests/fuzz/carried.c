/* SPDX-License-Identifier: BSD-3-Clause */
/* What slurmstepd itself reads of the step's environment, which is the user's to forge. */
#include <slurm/spank.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "plugin/common/environment.h"
#include "plugin/common/format.h"
#include "plugin/common/preload.h"
#include "plugin/node/cpus.h"

/* ---- Lists of CPUs ------------------------------------------------------------------------ */

static void check_same(const char *text, int (*read)(const char *, plugin_cpus *),
                       const plugin_cpus *set)
{
    plugin_cpus again;

    if (read(text, &again) || memcmp(&again, set, sizeof again) != 0)
        abort();
}

int fuzz_cpu_list(const void *what, const uint8_t *bytes, size_t size)
{
    char *text = fuzz_text(bytes, size), back[PLUGIN_CPUS * 6], *end = back;
    plugin_cpus set;
    int taken = plugin_cpus_read_list(text, &set) == 0;

    (void)what;
    for (uint32_t cpu = 0; taken && cpu < PLUGIN_CPUS; cpu++)
        if (plugin_cpus_has(&set, cpu))
            end += sprintf(end, "%s%u", end == back ? "" : ",", cpu);
    if (taken)
        check_same(back, plugin_cpus_read_list, &set);
    free(text);
    return taken;
}

int fuzz_cpu_masks(const void *what, const uint8_t *bytes, size_t size)
{
    char *text = fuzz_text(bytes, size), back[PLUGIN_CPUS / 4 + 3] = "0x", *end = back + 2;
    plugin_cpus set;
    int taken = plugin_cpus_read_masks(text, &set) == 0;

    (void)what;
    for (size_t i = sizeof set.bit / sizeof *set.bit; taken && i-- > 0;)
        end += sprintf(end, "%0*lX", PLUGIN_CPUS_WORD / 4, set.bit[i]);
    if (taken)
        check_same(back, plugin_cpus_read_masks, &set);
    free(text);
    return taken;
}

/* ---- Variables ---------------------------------------------------------------------------- */

/* The environment has the bytes under these names. */
static const char *value, *names[2];

/* As Slurm's (spank_getenv() of src/common/spank.c, 22.05): what is too long is cut. */
spank_err_t spank_getenv(spank_t spank, const char *name, char *text, int size)
{
    (void)spank;
    if ((!names[0] || strcmp(name, names[0]) != 0) && (!names[1] || strcmp(name, names[1]) != 0))
        return ESPANK_ENV_NOEXIST;
    return snprintf(text, (size_t)size, "%s", value) < size ? ESPANK_SUCCESS : ESPANK_NOSPACE;
}

static size_t longest;

spank_err_t spank_setenv(spank_t spank, const char *name, const char *text, int overwrite)
{
    (void)spank, (void)overwrite;
    if (!*name || strlen(text) > longest)
        abort();
    return ESPANK_SUCCESS;
}

spank_err_t spank_unsetenv(spank_t spank, const char *name)
{
    (void)spank, (void)name;
    return ESPANK_SUCCESS;
}

static void check_preload(const plugin_preload *found)
{
    const char *last = found->text + sizeof found->text;

    if (found->library < found->text || found->library >= last || found->file < found->library ||
        found->file >= last || *found->library != '/' || *found->file != '/' ||
        strchr(found->library, ' '))
        abort();
    longest = 2 * strlen(value) + 16;
    plugin_preload_put(NULL, found, 3);
}

int fuzz_preload(const void *what, const uint8_t *bytes, size_t size)
{
    char *text = fuzz_text(bytes, size);
    plugin_preload found;
    int taken;

    (void)what;
    value = text;
    names[0] = PLUGIN_ENV_CARRIED_PROFILE;
    names[1] = "LD_PRELOAD";
    taken = plugin_preload_find(NULL, 17, 3, &found) != 0;
    if (taken)
        check_preload(&found);
    free(text);
    return taken;
}

int fuzz_format(const void *what, const uint8_t *bytes, size_t size)
{
    static const char last[] = "that this node reads";
    char *text = fuzz_text(bytes, size), why[96];
    int taken;

    (void)what;
    value = text;
    names[0] = PLUGIN_ENV_CARRIED_FORMAT;
    names[1] = PLUGIN_ENV_CARRIED_PLAN;
    memcpy(why, last, sizeof last);
    taken = plugin_format_is_known(NULL, PLUGIN_FORMAT, why, sizeof why);
    if (!memchr(why, 0, sizeof why) || taken != !strcmp(why, last))
        abort();
    /* What is no number is none of ours, nor what only begins as ours. */
    if (taken && strtoul(text, NULL, 10) != PLUGIN_FORMAT)
        abort();
    free(text);
    return taken;
}
