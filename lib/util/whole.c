/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "util/whole.h"

#include <errno.h>
#include <fcntl.h>
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
