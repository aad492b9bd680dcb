/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/store/store.h"
#include "util/clock.h"
#include "util/full_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100 };

/* ---- Folders ----------------------------------------------------------------------------- */

/* What was opened is looked at, not what has the name. */
static int check(int found, mode_t others)
{
    TOPOMAP_CLOSED int fd = found;
    struct stat status;

    if (fd < 0 || fstat(fd, &status))
        return -1;
    if (status.st_uid != geteuid() || status.st_mode & others) {
        errno = EPERM;
        return -1;
    }
    fd = -1;
    return found;
}

int store_folder_own(int at, const char *name)
{
    return check(openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
                 S_IWGRP | S_IWOTH);
}

int store_folder_make(int at, const char *name)
{
    if (mkdirat(at, name, 0700) && errno != EEXIST)
        return -1;
    return store_folder_own(at, name);
}

const char *store_folder_why(void)
{
    if (errno == EPERM || errno == ENOTDIR || errno == ELOOP)
        return "not this user's own folder";
    return strerror(errno);
}

/* The user's own place may be behind links of the user's; the site's is where anybody may have put
 * one. */
int store_folder_root(const store *store)
{
    if (store->is_site)
        return store_folder_own(AT_FDCWD, store->root);
    return check(open(store->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), S_IWOTH);
}

/* All that is missing of the path. */
static int make_root(const char *path)
{
    char part[sizeof((store *)0)->root];
    size_t length = strlen(path);

    for (size_t i = 1; i <= length; i++)
        if (path[i] == '/' || !path[i]) {
            memcpy(part, path, i);
            part[i] = 0;
            if (mkdir(part, 0700) && errno != EEXIST && (i == length || access(part, F_OK)))
                return -1;
        }
    return 0;
}

int store_folder_open(const store *store, const char *below, int make, topomap_error *err)
{
    TOPOMAP_CLOSED int root = store_folder_root(store);
    int found = -1;

    if (root < 0 && errno == ENOENT && make && !make_root(store->root))
        root = store_folder_root(store);
    if (root >= 0)
        found = make ? store_folder_make(root, below) : store_folder_own(root, below);
    if (found < 0)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "%.300s%s%s: %s", store->root, root >= 0 ? "/" : "",
                          root >= 0 ? below : "", store_folder_why());
    return found;
}

DIR *store_folder_list(int folder)
{
    TOPOMAP_CLOSED int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = again < 0 ? NULL : fdopendir(again);

    if (list)
        again = -1;
    return list;
}

/* ---- Files ------------------------------------------------------------------------------- */

int store_file_read(int at, const char *name, char *text, size_t room)
{
    struct stat status;
    TOPOMAP_CLOSED int fd = topomap_untrusted_open(at, name, O_RDONLY | O_NOFOLLOW, &status);
    ssize_t size = -1;

    if (fd >= 0 && status.st_uid == geteuid() && (size_t)status.st_size < room)
        size = read(fd, text, room - 1);
    if (size < 0)
        return 0;
    text[size] = 0;
    return 1;
}

int store_file_make(int at, const char *name, char beside[STORE_BESIDE])
{
    int fd = -1;

    for (unsigned i = 0; i < TRIES && fd < 0 && (!i || errno == EEXIST); i++) {
        snprintf(beside, STORE_BESIDE, ".%.30s.%x-%lx-%x", name, (unsigned)getpid(),
                 (unsigned long)(topomap_clock_date_ns() % 1000000000), i);
        fd = openat(at, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    }
    return fd;
}

int store_file_is_beside(const char *name)
{
    const char *numbers = strrchr(name, '.');
    int ends = 0;

    if (*name != '.' || numbers == name || !numbers || numbers[1] == '-' ||
        numbers[1 + strspn(numbers + 1, "0123456789abcdef-")])
        return 0;
    for (; *numbers; numbers++)
        ends += *numbers == '-';
    return ends == 2;
}

int store_file_write(int at, const char *name, const char *text, size_t size, int64_t now)
{
    char beside[STORE_BESIDE];
    int fd = store_file_make(at, name, beside), failed;

    if (fd < 0)
        return -1;
    errno = ENOSPC; /* where less is written than was asked for */
    failed = write(fd, text, size) == (ssize_t)size ? 0 : errno;
    if (!failed)
        store_folder_time_stamp(fd, now);
    if (close(fd) && !failed)
        failed = errno;
    if (!failed && renameat(at, beside, at, name))
        failed = errno;
    if (failed)
        unlinkat(at, beside, 0);
    errno = failed;
    return failed ? -1 : 0;
}
