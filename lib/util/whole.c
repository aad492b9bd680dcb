/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "util/whole.h"

#include <errno.h>
#include <unistd.h>

int topomap_whole_write(int fd, const void *bytes, size_t size)
{
    const char *at = bytes;

    while (size) {
        ssize_t done = write(fd, at, size);

        if (done < 0 && errno == EINTR)
            continue;
        if (!done)
            errno = EIO;
        if (done <= 0)
            return -1;
        at += done;
        size -= (size_t)done;
    }
    return 0;
}

int topomap_whole_read(int fd, void *bytes, size_t size)
{
    char *at = bytes;

    while (size) {
        ssize_t done = read(fd, at, size);

        if (done < 0 && errno == EINTR)
            continue;
        if (!done)
            errno = 0;
        if (done <= 0)
            return -1;
        at += done;
        size -= (size_t)done;
    }
    return 0;
}
