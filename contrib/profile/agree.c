/* SPDX-License-Identifier: BSD-3-Clause */
/* Do all ranks of the step have this library? A launch that preloads it cannot know: a node may
 * lack the library, or the folder, and a script may start programs of several kinds. Writing the
 * profile is collective, so one rank without would keep all the others waiting. They agree through
 * the folder that the profile goes to:
 * - before MPI_Init each rank appends a byte to its node's file node.N there;
 * - after it, when all of them have run, rank 0 counts the bytes, and decides: a symbolic link,
 * which is made once and whole on any file system, NFS too, says "go" or "no";
 * - at the end every rank reads it: of a short program, some are there before rank 0 has decided,
 * and wait a second at most. Who finds none then makes it: "no". TOPOMAP_PROFILE_AGREE asks for
 * that; without it, whoever preloads vouches. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "profile.h"

/* What a node's file is called. It names what the ranks tell each other at the end, too: where that
 * changes, so does the name, and ranks with libraries of two versions, on nodes that are being
 * upgraded, do not find each other's files, as if the library were missing there. */
#ifndef NODE_FILE
#define NODE_FILE "node."
#endif

enum { LOOKS = 10, LAST_LOOKS = 50, PAUSE_MS = 20, PATH = 4096 };

static const struct timespec pause_time = {.tv_nsec = PAUSE_MS * 1000000L};

static struct {
    int asked;
    char folder[PATH];
} agreement;

static long number(const char *name)
{
    const char *text = getenv(name);
    char *end;
    long value = text ? strtol(text, &end, 10) : -1;

    return text && *text && !*end ? value : -1;
}

int profile_must_agree(void)
{
    return agreement.asked;
}

void profile_announce(void)
{
    const char *path = getenv("TOPOMAP_PROFILE");
    const char *slash = path ? strrchr(path, '/') : NULL;
    long node = number("SLURM_NODEID");
    char file[PATH + 32];
    int fd;

    agreement.asked = number("TOPOMAP_PROFILE_AGREE") == 1;
    if (!agreement.asked || !slash || slash - path >= PATH)
        return;
    snprintf(agreement.folder, sizeof agreement.folder, "%.*s", (int)(slash - path), path);
    if (node < 0)
        return;
    snprintf(file, sizeof file, "%s/" NODE_FILE "%ld", agreement.folder, node);
    fd = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    if (write(fd, "+", 1) != 1)
        errno = 0; /* it does not count, that is all */
    close(fd);
}

static long count_ranks(void)
{
    DIR *folder = opendir(agreement.folder);
    const struct dirent *row;
    struct stat status;
    long count = 0;

    while (folder && (row = readdir(folder)) != NULL)
        if (strncmp(row->d_name, NODE_FILE, sizeof NODE_FILE - 1) == 0 &&
            fstatat(dirfd(folder), row->d_name, &status, 0) == 0)
            count += (long)status.st_size;
    if (folder)
        closedir(folder);
    return count;
}

static void decision(char path[PATH + 32])
{
    snprintf(path, PATH + 32, "%s/decision", agreement.folder);
}

void profile_decide(int ranks)
{
    char path[PATH + 32];
    long count;

    if (!profile_must_agree() || !*agreement.folder)
        return;
    decision(path);
    /* MPI_Init need not wait for all nodes. */
    for (int look = 0; (count = count_ranks()) < ranks && look < LOOKS; look++)
        nanosleep(&pause_time, NULL);
    if (symlink(count == ranks ? "go" : "no", path) != 0)
        return;
}

int profile_agreed(void)
{
    char path[PATH + 32], said[3] = "";

    if (!profile_must_agree())
        return 1;
    if (!*agreement.folder)
        return 0;
    decision(path);
    for (int look = 0; readlink(path, said, sizeof said) != 2 && look < LAST_LOOKS; look++)
        nanosleep(&pause_time, NULL);
    if (readlink(path, said, sizeof said) != 2 &&
        (symlink("no", path) == 0 || readlink(path, said, sizeof said) != 2))
        return 0;
    return memcmp(said, "go", 2) == 0;
}
