/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/launch/launch.h"
#include "plugin/common/child.h"
#include "util/clock.h"
#include "util/hash64.h"
#include "util/full_io.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    REPLY_FD = 3,
    SECONDS_MOST = 20,
    TRIES = 40,
    PAUSE_MS = 50,
    WRITERS_NOTED = 32,
    STRANGERS_SECONDS = 60
};

static const char name[] = "topomap:writing";

/* A process, whatever others have its number later, and the folder that it writes to: one that is
 * stuck keeps nobody from another. Containers have numbers of their own (pid_namespaces(7)) and the
 * user's one keyring: space says whose number it is. */
struct writer {
    uint64_t space, pid, began, folder;
};

/* The 22nd word of the line; the second, in parentheses, may hold anything (proc(5)), and the third
 * is Z of one that has ended and that nobody has asked about. \return the time when it began, in
 * clock ticks; 0: there is none */
static uint64_t began(uint64_t pid)
{
    char path[64], line[1024], *at;
    TOPOMAP_CLOSED_FILE FILE *in = NULL;

    snprintf(path, sizeof path, "/proc/%llu/stat", (unsigned long long)pid);
    in = fopen(path, "re");
    if (!in)
        return 0;
    line[fread(line, 1, sizeof line - 1, in)] = 0;
    at = strrchr(line, ')');
    if (at && (!strncmp(at, ") Z", 3) || !strncmp(at, ") X", 3)))
        return 0;
    for (int word = 2; at && word < 22; word++)
        at = strchr(at + 1, ' ');
    return at ? strtoull(at, NULL, 10) : 0;
}

static uint64_t own_space(void)
{
    struct stat space;

    return stat("/proc/self/ns/pid", &space) ? 0 : space.st_ino;
}

/* Nobody here sees whether a stranger is there still: its note stays while it may be. */
static int may_be_there(const struct writer *stranger)
{
    const uint64_t ticks = (uint64_t)sysconf(_SC_CLK_TCK);

    return stranger->began / ticks + STRANGERS_SECONDS > (uint64_t)topomap_clock_uptime();
}

/* \return how many of the note's are there still, newest first; *same: of this folder and seen from
 * here */
static size_t find_others(struct writer others[WRITERS_NOTED], const struct writer *self,
                          size_t *same)
{
    size_t size = plugin_keyring_read(name, others, WRITERS_NOTED * sizeof *others);
    size_t count = 0;

    *same = 0;
    for (size_t i = 0; i < size / sizeof *others; i++) {
        const struct writer other = others[i];
        int ours = other.space == self->space;

        if (!other.began || (ours ? began(other.pid) != other.began : !may_be_there(&other)))
            continue;
        *same += ours && other.folder == self->folder;
        others[count++] = other;
    }
    return count;
}

pid_t planner_writers_fork(void)
{
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid != 0)
        return pid;
    setsid();
    alarm(SECONDS_MOST);
    close(REPLY_FD);
    return 0;
}

int planner_writers_join(const char *path)
{
    const uint64_t pid = (uint64_t)getpid();
    const struct writer self = {own_space(), pid, began(pid),
                                topomap_hash64_all(path, strlen(path))};
    struct writer writers[WRITERS_NOTED + 1];

    for (int i = 0; i < TRIES; i++) {
        size_t same, others = find_others(writers + 1, &self, &same);

        if (same < PLANNER_WRITERS_MOST) {
            writers[0] = self;
            others += others < WRITERS_NOTED;
            plugin_keyring_write(name, writers, others * sizeof *writers);
            return 0;
        }
        topomap_clock_sleep(PAUSE_MS * 1000);
    }
    return -1;
}
