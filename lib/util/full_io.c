/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "util/full_io.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* A read's end is no error of the system's. */
static int move(int fd, char *at, size_t size, int writes)
{
    while (size) {
        ssize_t done = writes ? write(fd, at, size) : read(fd, at, size);

        if (done < 0 && errno == EINTR)
            continue;
        if (!done)
            errno = writes ? EIO : 0;
        if (done <= 0)
            return -1;
        at += done;
        size -= (size_t)done;
    }
    return 0;
}

int topomap_whole_write(int fd, const void *bytes, size_t size)
{
    return move(fd, (char *)bytes, size, 1);
}

int topomap_whole_read(int fd, void *bytes, size_t size)
{
    return move(fd, bytes, size, 0);
}

int topomap_whole_raise(int fd, int least)
{
    int high, why;

    if (fd < 0 || fd >= least)
        return fd;
    high = fcntl(fd, F_DUPFD_CLOEXEC, least);
    if (high < 0 && fd >= 3)
        return fd;
    why = errno;
    close(fd);
    errno = why;
    return high;
}

int topomap_untrusted_open(int folder, const char *path, int flags, struct stat *about)
{
    /* O_NONBLOCK means nothing to regular files; open(2) of a FIFO would wait without it. */
    int fd = openat(folder, path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), why = EINVAL;

    about->st_mode = 0;
    if (fd < 0)
        return -1;
    if (fstat(fd, about))
        why = errno;
    else if (S_ISREG(about->st_mode))
        return fd;
    close(fd);
    errno = why;
    return -1;
}

const char *topomap_untrusted_why(const struct stat *about)
{
    switch (about->st_mode & S_IFMT) {
    case 0:
        return strerror(errno);
    case S_IFDIR:
        return "a directory; a regular file is needed";
    case S_IFIFO:
        return "a FIFO; a regular file is needed";
    default:
        return "a device or socket; a regular file is needed";
    }
}
