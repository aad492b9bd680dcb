/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/output.h"
#include "util/full_io.h"

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

/* So many times as long as finding the folder, of all that is done there, and as making the file.
 */
enum { AFTER_FOLDER = 12, AFTER_FILE = 1 };

static int is_too_slow(double begun, int times, double until)
{
    double now = topomap_clock_wall();

    return now + times * (now - begun) > until;
}

static int refuse_slow(const char *path, topomap_error *err)
{
    return topomap_error_set(err, TOPOMAP_ESYSTEM,
                             "%s: its file system is too slow for a launch: take another one, or "
                             "`topomap why` afterwards",
                             path);
}

static int publish(const char *path, struct topomap_folder *folder, const char *bytes, size_t size,
                   double begun, double until, topomap_error *err)
{
    topomap_publish *file;

    if (is_too_slow(begun, AFTER_FOLDER, until)) {
        topomap_folder_clear(folder);
        return refuse_slow(path, err);
    }
    if (topomap_publish_begin_at(path, folder, &file, err))
        return -1;
    if (is_too_slow(begun, AFTER_FILE, until))
        refuse_slow(path, err);
    else if (topomap_whole_write(topomap_publish_fd(file), bytes, size))
        fail(path, errno, err);
    else
        return topomap_publish_place(file, err);
    topomap_publish_abandon(file);
    return -1;
}

int planner_explanation_write(const char *path, const char *bytes, size_t size, double until,
                              topomap_error *err)
{
    double begun = topomap_clock_wall();
    struct topomap_folder folder;
    int failed;

    if (topomap_folder_find(path, &folder, err))
        return -1;
    if (folder.number < 0 && (!folder.exists || S_ISREG(folder.file.st_mode)))
        return publish(path, &folder, bytes, size, begun, until, err);
    failed = write_directly(path, &folder, bytes, size, err);
    topomap_folder_clear(&folder);
    return failed;
}
