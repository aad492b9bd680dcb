/* SPDX-License-Identifier: BSD-3-Clause */
/* The note is a key in the user's keyring of the kernel (user-keyring(7)): no file system can hold
 * it up, nobody else can make it first, and it goes by itself. It is one key for all jobs, since a
 * user has few (/proc/sys/kernel/keys/maxkeys, 200) and has others to keep there. Where the kernel
 * has none, or a container may not use them, each step waits for its own deadline. */
#include "config.h"
#include "plugin/breaker.h"

#include <linux/keyctl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The newest jobs of a user; who has more at once that are late waits again in some. */
enum { JOBS = 64, LASTS = 7 * 24 * 3600 };

static const char name[] = "topomap:late";

/* A job's number is its cluster's; where that has two slurm.conf files, they are two clusters. */
static uint64_t hash_of(uint32_t job)
{
    static const char *const which[] = {"SLURM_CLUSTER_NAME", "SLURM_CONF"};
    uint64_t hash = 14695981039346656037u; /* FNV-1a */

    for (size_t i = 0; i < sizeof which / sizeof *which; i++)
        for (const char *c = getenv(which[i]); c && *c; c++)
            hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    return (hash ^ job) * 1099511628211u;
}

/* \return how many there are, newest first */
static size_t read_jobs(uint64_t jobs[JOBS])
{
    long key = syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, "user", name, 0);
    long size = key > 0 ? syscall(SYS_keyctl, KEYCTL_READ, key, jobs, JOBS * sizeof *jobs) : 0;

    return size > 0 && (size_t)size <= JOBS * sizeof *jobs ? (size_t)size / sizeof *jobs : 0;
}

void plugin_breaker_trip(uint32_t job)
{
    const unsigned long may = 0x3f3f0000; /* whoever has it and its user: all (keyctl_setperm(3)) */
    uint64_t jobs[JOBS + 1];
    size_t count = read_jobs(jobs + 1) + 1;
    long key;

    if (!job)
        return;
    jobs[0] = hash_of(job);
    if (count > JOBS)
        count = JOBS;
    key = syscall(SYS_add_key, "user", name, jobs, count * sizeof *jobs, KEY_SPEC_USER_KEYRING);
    if (key < 0)
        return;
    syscall(SYS_keyctl, KEYCTL_SETPERM, key, may);
    syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key, LASTS);
}

int plugin_breaker_is_tripped(uint32_t job)
{
    uint64_t jobs[JOBS], hash = hash_of(job);
    size_t count = read_jobs(jobs);

    for (size_t i = 0; job && i < count; i++)
        if (jobs[i] == hash)
            return 1;
    return 0;
}
