/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/memory_limit.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "util/full_io.h"

/* The files of a group, by the version of the interface (Documentation/admin-guide/cgroup-v2.rst
 * and cgroup-v1/memory.rst of Linux). */
static const struct version {
    const char *controller;  /* in /proc/self/cgroup, between colons */
    const char *folders[2];  /* below the mounts */
    const char *most, *used; /* bytes */
    const char *cache;       /* in memory.stat: what is dropped before anybody is killed */
} versions[] = {
    {"", {"", "/unified"}, "memory.max", "memory.current", "inactive_file"},
    {"memory",
     {"/memory", NULL},
     "memory.limit_in_bytes",
     "memory.usage_in_bytes",
     "total_inactive_file"},
};

static FILE *open_in(const char *folder, const char *name)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);

    return length < (int)sizeof path ? fopen(path, "re") : NULL;
}

/* \return 0, or -1: there is none, or it is no number ("max") */
static int read_number(const char *folder, const char *name, uint64_t *number)
{
    TOPOMAP_CLOSED_FILE FILE *file = open_in(folder, name);

    return file && fscanf(file, "%" SCNu64, number) == 1 ? 0 : -1;
}

static uint64_t cache_of(const char *folder, const char *name)
{
    TOPOMAP_CLOSED_FILE FILE *file = open_in(folder, "memory.stat");
    uint64_t bytes;
    char word[64];

    while (file && fscanf(file, "%63s %" SCNu64, word, &bytes) == 2)
        if (!strcmp(word, name))
            return bytes;
    return 0;
}

static uint64_t free_in(const struct version *version, const char *folder)
{
    uint64_t most, used, cache;

    if (read_number(folder, version->most, &most) || read_number(folder, version->used, &used))
        return UINT64_MAX;
    cache = cache_of(folder, version->cache);
    used -= cache < used ? cache : used;
    return most > used ? most - used : 0;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* A group's limit binds those below it, too. */
static uint64_t free_up_from(const struct version *version, const char *root, const char *group)
{
    char path[PATH_MAX];
    size_t top = strlen(root);
    uint64_t least = UINT64_MAX;

    if (snprintf(path, sizeof path, "%s%s", root, group) >= (int)sizeof path)
        return least;
    for (;;) {
        char *slash = strrchr(path, '/');

        least = lesser(least, free_in(version, path));
        if (!slash || slash < path + top)
            return least;
        *slash = 0;
    }
}

static uint64_t free_of(const struct version *version, const char *mounts, const char *group)
{
    uint64_t least = UINT64_MAX;
    char root[PATH_MAX];

    for (int i = 0; i < 2 && version->folders[i]; i++)
        if (snprintf(root, sizeof root, "%s%s", mounts, version->folders[i]) < (int)sizeof root)
            least = lesser(least, free_up_from(version, root, group));
    return least;
}

uint64_t planner_memory_free(const char *groups, const char *mounts)
{
    TOPOMAP_CLOSED_FILE FILE *list = fopen(groups, "re");
    char line[PATH_MAX + 256];
    uint64_t least = UINT64_MAX;

    while (list && fgets(line, sizeof line, list)) { /* number:controllers:group */
        char *controllers = strchr(line, ':'), *group = NULL;

        line[strcspn(line, "\n")] = 0;
        if (controllers)
            group = strchr(++controllers, ':');
        if (!group)
            continue;
        *group++ = 0;
        for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
            if (!strcmp(controllers, versions[i].controller))
                least = lesser(least, free_of(&versions[i], mounts, group));
    }
    return least;
}

void planner_memory_limit(void)
{
    uint64_t left = planner_memory_free("/proc/self/cgroup", "/sys/fs/cgroup");
    TOPOMAP_CLOSED_FILE FILE *now = fopen("/proc/self/statm", "re");
    unsigned long pages = 0;
    struct rlimit limit;
    uint64_t most;

    if (!now || fscanf(now, "%lu", &pages) != 1 || !pages || left == UINT64_MAX ||
        getrlimit(RLIMIT_AS, &limit))
        return;
    most = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) + left / 4 * 3;
    if (limit.rlim_cur > most) {
        limit.rlim_cur = most;
        setrlimit(RLIMIT_AS, &limit);
    }
}
