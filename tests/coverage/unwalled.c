/* SPDX-License-Identifier: BSD-3-Clause */
/* Linked into all of a build with gcov by auto/coverage, by ld's --wrap. What runs behind a wall
 * can write no counters, what ends by _exit() writes none, and a task's process becomes its
 * program before it ends: here counters are written at these points, and no wall is put up as long
 * as the file UNWALLED is there, which is so while tests that launch run. No other build has this.
 */
#define _GNU_SOURCE
#include <sys/resource.h>
#include <unistd.h>

void __gcov_dump(void);
void __gcov_reset(void);

static int is_unwalled(void)
{
    return access(UNWALLED, F_OK) == 0;
}

static int walled;

/* Behind a wall they cannot be, and trying is what the wall is there to stop. Later counts of this
 * process are not the same again. */
static void write_counters(void)
{
    struct rlimit size;

    if (walled || getrlimit(RLIMIT_FSIZE, &size) || size.rlim_cur < 1024)
        return;
    __gcov_dump();
    __gcov_reset();
}

_Noreturn void __real__exit(int status);
_Noreturn void __wrap__exit(int status);
_Noreturn void __wrap__exit(int status)
{
    write_counters();
    __real__exit(status);
}

int __real_setrlimit(__rlimit_resource_t resource, const struct rlimit *limit);
int __wrap_setrlimit(__rlimit_resource_t resource, const struct rlimit *limit);
int __wrap_setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
    return resource == RLIMIT_FSIZE && is_unwalled() ? 0 : __real_setrlimit(resource, limit);
}

/* Weak: most programs have none of these. */
#define WEAK __attribute__((weak))

WEAK void __real_plugin_reader_sandbox(void);
void __wrap_plugin_reader_sandbox(void);
void __wrap_plugin_reader_sandbox(void)
{
    if (is_unwalled())
        return;
    walled = 1;
    __real_plugin_reader_sandbox();
}

WEAK void __real_plugin_decoder_sandbox(void);
void __wrap_plugin_decoder_sandbox(void);
void __wrap_plugin_decoder_sandbox(void)
{
    if (is_unwalled())
        return;
    walled = 1;
    __real_plugin_decoder_sandbox();
}

/* The last that slurm_spank_task_init() does (plugin/spank.c), before slurmstepd's exec. */
WEAK void __real_plugin_parts_hand_over(void);
void __wrap_plugin_parts_hand_over(void);
void __wrap_plugin_parts_hand_over(void)
{
    __real_plugin_parts_hand_over();
    write_counters();
}

/* The last of slurm_spank_exit() in slurmstepd. */
WEAK void __real_plugin_parts_end(const void *site);
void __wrap_plugin_parts_end(const void *site);
void __wrap_plugin_parts_end(const void *site)
{
    __real_plugin_parts_end(site);
    write_counters();
}
