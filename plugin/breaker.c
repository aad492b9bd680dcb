/* SPDX-License-Identifier: BSD-3-Clause */
/* The note is a key in the user's keyring of the kernel (user-keyring(7)): no file system can hold
 * it up, nobody else can make it first, and it goes by itself. Where the kernel has none, or a
 * container may not use them, each step waits for its own deadline. */
#include "config.h"
#include "plugin/breaker.h"

#include <linux/keyctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NAME = 96, LASTS = 7 * 24 * 3600 };

/* A job's number is its cluster's; where that has two slurm.conf files, they are two clusters. */
static void name_of(uint32_t job, char name[NAME])
{
    static const char *const which[] = {"SLURM_CLUSTER_NAME", "SLURM_CONF"};
    uint64_t hash = 14695981039346656037u; /* FNV-1a */

    for (size_t i = 0; i < sizeof which / sizeof *which; i++)
        for (const char *c = getenv(which[i]); c && *c; c++)
            hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    snprintf(name, NAME, "topomap:late:%016llx:%u", (unsigned long long)hash, job);
}

void plugin_breaker_trip(uint32_t job)
{
    const unsigned long may = 0x3f3f0000; /* whoever has it and its user: all (keyctl_setperm(3)) */
    char name[NAME];
    long key;

    name_of(job, name);
    key = syscall(SYS_add_key, "user", name, "1", 1, KEY_SPEC_USER_KEYRING);
    if (key < 0)
        return;
    syscall(SYS_keyctl, KEYCTL_SETPERM, key, may);
    syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key, LASTS);
}

int plugin_breaker_is_tripped(uint32_t job)
{
    char name[NAME];

    name_of(job, name);
    return syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, "user", name, 0) > 0;
}
