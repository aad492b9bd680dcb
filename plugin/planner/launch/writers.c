/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/launch/writers.h"
#include "plugin/common/keyring.h"
#include "util/hash64.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { REPLY_FD = 3, SECONDS_MOST = 20, TRIES = 40, PAUSE_MS = 50, WRITERS_NOTED = 32 };

static const char name[] = "topomap:writers";

/* A process, whatever others have its number later, and the folder that it writes to: one that is
 * stuck keeps nobody from another. */
struct writer {
    uint64_t pid, began, folder;
};

/* The 22nd word of the line; the second, in parentheses, may hold anything (proc(5)), and the third
 * is Z of one that has ended and that nobody has asked about. \return the time when it began, in
 * clock ticks; 0: there is none */
static uint64_t began(uint64_t pid)
{
    char path[64], line[1024], *at;
    unsigned long long time = 0;
    size_t size;
    FILE *in;

    snprintf(path, sizeof path, "/proc/%llu/stat", (unsigned long long)pid);
    in = fopen(path, "re");
    if (!in)
        return 0;
    size = fread(line, 1, sizeof line - 1, in);
    fclose(in);
    line[size] = 0;
    at = strrchr(line, ')');
    if (at && (!strncmp(at, ") Z", 3) || !strncmp(at, ") X", 3)))
        return 0;
    for (int word = 2; at && word < 22; word++)
        at = strchr(at + 1, ' ');
    if (at)
        time = strtoull(at, NULL, 10);
    return time;
}

/* \return how many of the note's are there still, newest first; *same: of this folder */
static size_t find_others(struct writer others[WRITERS_NOTED], uint64_t folder, size_t *same)
{
    size_t size = plugin_keyring_read(name, others, WRITERS_NOTED * sizeof *others);
    size_t count = 0;

    *same = 0;
    for (size_t i = 0; i < size / sizeof *others; i++)
        if (others[i].began && began(others[i].pid) == others[i].began) {
            *same += others[i].folder == folder;
            others[count++] = others[i];
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
    const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
    struct writer writers[WRITERS_NOTED + 1];
    uint64_t folder = topomap_hash64_all(path, strlen(path));

    for (int i = 0; i < TRIES; i++) {
        size_t same, others = find_others(writers + 1, folder, &same);

        if (same < PLANNER_WRITERS_MOST) {
            writers[0] = (struct writer){(uint64_t)getpid(), began((uint64_t)getpid()), folder};
            others += others < WRITERS_NOTED;
            plugin_keyring_write(name, writers, others * sizeof *writers);
            return 0;
        }
        nanosleep(&pause, NULL);
    }
    return -1;
}
