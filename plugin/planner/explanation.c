/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/explanation.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "util/publish.h"
#include "util/whole.h"

static int fail(const char *path, int why, topomap_error *err)
{
    return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: %s", path, strerror(why));
}

/* Through the link of proc(5), so that not to wait is said of this opening alone, not of what srun
 * shares. The others are the planner's: its request, its reply. */
static int open_own(const char *path, const struct topomap_folder *folder, topomap_error *err)
{
    int fd;

    if (folder->number != STDOUT_FILENO && folder->number != STDERR_FILENO)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "%s: is no file of srun's for the planner: take /dev/stderr, or a "
                                 "file's name",
                                 path);
    fd = openat(folder->fd, folder->name, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    return fd < 0 ? fail(path, errno, err) : fd;
}

/* What was looked at, not what has the name now: a file of somebody's would be written over. */
static int open_directly(const char *path, const struct topomap_folder *folder, topomap_error *err)
{
    struct stat opened;
    int fd =
        openat(folder->fd, folder->name, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);

    if (fd < 0)
        return fail(path, errno, err);
    if (fstat(fd, &opened) == 0 && opened.st_dev == folder->file.st_dev &&
        opened.st_ino == folder->file.st_ino && !S_ISREG(opened.st_mode))
        return fd;
    close(fd);
    return fail(path, ESTALE, err);
}

static int write_directly(const char *path, const struct topomap_folder *folder, const char *bytes,
                          size_t size, topomap_error *err)
{
    int fd = folder->number >= 0 ? open_own(path, folder, err) : open_directly(path, folder, err);
    int why;

    if (fd < 0)
        return -1;
    why = topomap_whole_write(fd, bytes, size) ? errno : 0;
    if (close(fd) && !why)
        why = errno;
    return why ? fail(path, why, err) : 0;
}

static int publish(const char *path, struct topomap_folder *folder, const char *bytes, size_t size,
                   topomap_error *err)
{
    topomap_publish *file;

    if (topomap_publish_begin_at(path, folder, &file, err))
        return -1;
    if (!topomap_whole_write(topomap_publish_fd(file), bytes, size))
        return topomap_publish_place(file, err);
    fail(path, errno, err);
    topomap_publish_abandon(file);
    return -1;
}

int planner_explanation_write(const char *path, const char *bytes, size_t size, topomap_error *err)
{
    struct topomap_folder folder;
    int failed;

    if (topomap_folder_find(path, &folder, err))
        return -1;
    if (folder.number < 0 && (!folder.exists || S_ISREG(folder.file.st_mode)))
        return publish(path, &folder, bytes, size, err);
    failed = write_directly(path, &folder, bytes, size, err);
    topomap_folder_clear(&folder);
    return failed;
}
