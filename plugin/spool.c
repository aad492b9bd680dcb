/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/spool.h"
#include "plan/bindings.h"
#include "util/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CRC = 8,         /* hexadecimal digits, then a blank and the path */
    MOST = 64 << 20, /* as much as the decoder's bounds could make of it */
    PATH_ROOM = 4096,
};

static const char *path_of(const char *note)
{
    return strlen(note) > CRC + 1 && note[CRC] == ' ' && note[CRC + 1] == '/' ? note + CRC + 1
                                                                              : NULL;
}

static int write_all(int fd, const char *bytes, size_t size)
{
    while (size) {
        ssize_t done = write(fd, bytes, size);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        bytes += done;
        size -= (size_t)done;
    }
    return 0;
}

/* The step's tasks read the file before srun is told that they run, so it must be whole, and seen
 * by other nodes, when this returns: closed for NFS, synced for the rest. */
static int fill(int fd, const char *path, const char *text, topomap_error *err)
{
    int failed = write_all(fd, text, strlen(text)) || fsync(fd), why = errno;

    if (close(fd) && !failed) {
        failed = 1;
        why = errno;
    }
    if (!failed)
        return 0;
    unlink(path);
    return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: cannot be written: %s", path,
                             strerror(why));
}

int plugin_spool_write(const char *folder, uint32_t job, uint32_t step, const char *text,
                       char **note, topomap_error *err)
{
    char *made = topomap_alloc(PATH_ROOM, 1, err), *path;
    int length, fd;

    if (!made)
        return -1;
    path = made + CRC + 1;
    length = snprintf(made, PATH_ROOM, "%08x %s/topomap-%u.%u-XXXXXX",
                      topomap_crc32(0, text, strlen(text)), folder, job, step);
    if (*folder != '/' || length >= PATH_ROOM) {
        free(made);
        return topomap_error_set(err, TOPOMAP_EUSAGE, "spool=%.200s: no usable folder", folder);
    }
    fd = mkostemp(path, O_CLOEXEC); /* O_EXCL, mode 0600 */
    if (fd < 0) {
        topomap_error_set(err, TOPOMAP_ESYSTEM, "%.200s: no plan can be put there: %s", folder,
                          strerror(errno));
        free(made);
        return -1;
    }
    if (fill(fd, path, text, err)) {
        free(made);
        return -1;
    }
    *note = made;
    return 0;
}

/* \return the size, or -1: not a file that only this user can have written */
static int64_t trusted_size(int fd, const char *path, topomap_error *err)
{
    struct stat found;

    if (fstat(fd, &found))
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: %s", path, strerror(errno));
    if (!S_ISREG(found.st_mode) || found.st_uid != geteuid() ||
        found.st_mode & (S_IWGRP | S_IWOTH) || found.st_nlink != 1)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: not a plan that this user's srun wrote",
                                 path);
    if (found.st_size < 1 || found.st_size > MOST)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: %lld bytes are no plan", path,
                                 (long long)found.st_size);
    return found.st_size;
}

static int read_all(int fd, const char *path, char **text, topomap_error *err)
{
    int64_t size = trusted_size(fd, path, err), have = 0;
    char *bytes = size < 0 ? NULL : topomap_alloc((size_t)size + 1, 1, err);

    if (!bytes)
        return -1;
    while (have < size) {
        ssize_t done = read(fd, bytes + have, (size_t)(size - have));

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            break;
        have += done;
    }
    if (have < size) {
        free(bytes);
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: cannot be read to its end", path);
    }
    bytes[size] = 0;
    *text = bytes;
    return 0;
}

int plugin_spool_read(const char *note, char **text, topomap_error *err)
{
    const char *path = path_of(note);
    char crc[CRC + 1], *bytes = NULL;
    int fd, failed;

    if (!path)
        return topomap_error_set(err, TOPOMAP_EINPUT, "the name of the plan's file is damaged");
    /* O_NONBLOCK: somebody's FIFO of that name must not hold the task. */
    fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: %s", path, strerror(errno));
    failed = read_all(fd, path, &bytes, err);
    close(fd);
    if (failed)
        return -1;
    snprintf(crc, sizeof crc, "%08x", topomap_crc32(0, bytes, strlen(bytes)));
    if (memcmp(crc, note, CRC) != 0) {
        free(bytes);
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: not the plan that was written", path);
    }
    *text = bytes;
    return 0;
}

void plugin_spool_remove(const char *note)
{
    const char *path = path_of(note);

    if (path)
        unlink(path);
}
