/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/common/spool.h"
#include "plan/bindings.h"
#include "util/alloc.h"
#include "util/full_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *path_of(const char *note)
{
    size_t length = strlen(note);

    return length > PLUGIN_SPOOL_CRC + 1 && length <= PLUGIN_SPOOL_CRC + PLUGIN_SPOOL_PATH &&
                   note[PLUGIN_SPOOL_CRC] == ' ' && note[PLUGIN_SPOOL_CRC + 1] == '/'
               ? note + PLUGIN_SPOOL_CRC + 1
               : NULL;
}

/* As text, before anything is opened: the place's folder, then a name that plugin_spool_write()
 * makes. */
static int is_in_place(const char *path, const char *name, const plugin_spool_place *place)
{
    static const char made[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    size_t folder = strlen(place->folder), before = (size_t)(name - path);
    char own[64];
    int length = snprintf(own, sizeof own, "topomap-%u.%u-", place->job, place->step);

    while (folder && place->folder[folder - 1] == '/')
        folder--;
    while (before && path[before - 1] == '/')
        before--;
    return folder == before && !memcmp(path, place->folder, folder) &&
           !strncmp(name, own, (size_t)length) && strlen(name) == (size_t)length + 6 &&
           strspn(name + length, made) == 6;
}

/* The last part of the path alone is what somebody else can have put there: a link is not followed,
 * and O_NONBLOCK does not wait for who writes into a FIFO. */
static int open_file(const char *path, const char *name, topomap_error *err)
{
    char folder[PLUGIN_SPOOL_PATH];
    TOPOMAP_CLOSED int at = -1;
    int fd;

    snprintf(folder, sizeof folder, "%.*s", (int)(name - path), path);
    at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    fd = at < 0 ? -1 : openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: %s", path, strerror(errno));
    return fd;
}

/* \return the size, or -1: not a file that only this user, or root, can have written */
static int64_t trusted_size(int fd, const char *path, size_t most, topomap_error *err)
{
    struct stat found;

    if (fstat(fd, &found))
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: %s", path, strerror(errno));
    if (!S_ISREG(found.st_mode) || (found.st_uid != geteuid() && found.st_uid) ||
        found.st_mode & (S_IWGRP | S_IWOTH) || found.st_nlink != 1)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: not a plan that this user's srun wrote",
                                 path);
    if (found.st_size < 1 || (uint64_t)found.st_size > most)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: %lld bytes are no plan of this step",
                                 path, (long long)found.st_size);
    return found.st_size;
}

static int read_all(int fd, const char *path, size_t most, char **text, size_t *all,
                    topomap_error *err)
{
    int64_t size = trusted_size(fd, path, most, err);
    char *bytes = size < 0 ? NULL : topomap_alloc((size_t)size + 1, 1, err);

    if (!bytes)
        return -1;
    if (topomap_whole_read(fd, bytes, (size_t)size)) {
        free(bytes);
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: cannot be read to its end", path);
    }
    bytes[size] = 0;
    *text = bytes;
    *all = (size_t)size;
    return 0;
}

int plugin_spool_read(const char *note, const plugin_spool_place *place, size_t most, char **text,
                      size_t *size, topomap_error *err)
{
    const char *path = path_of(note), *name = path ? strrchr(path, '/') + 1 : NULL;
    char crc[PLUGIN_SPOOL_CRC + 1];
    TOPOMAP_CLOSED int fd = -1;

    if (!path || !*name)
        return topomap_error_set(err, TOPOMAP_EINPUT, "the name of the plan's file is damaged");
    if (place && !is_in_place(path, name, place))
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%.300s: no file of this step in this node's spool=%.100s", path,
                                 place->folder);
    fd = open_file(path, name, err);
    if (fd < 0 || read_all(fd, path, most, text, size, err))
        return -1;
    snprintf(crc, sizeof crc, "%08x", topomap_crc32(0, *text, *size));
    if (!memcmp(crc, note, PLUGIN_SPOOL_CRC))
        return 0;
    free(*text);
    *text = NULL;
    return topomap_error_set(err, TOPOMAP_EINPUT, "%s: not the plan that was written", path);
}
