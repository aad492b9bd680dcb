/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "util/whole.h"

#include <errno.h>
#include <poll.h>
#include <time.h>
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

static int64_t now(void)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * INT64_C(1000) + at.tv_nsec / 1000000;
}

int topomap_whole_await(int fd, void *bytes, size_t size, int64_t milliseconds)
{
    int64_t until = now() + milliseconds;
    char *to = bytes;

    while (size) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        int64_t left = until - now();
        ssize_t got;

        errno = ETIMEDOUT;
        if (left <= 0)
            return -1;
        if (poll(&ready, 1, left < 1000 ? (int)left : 1000) <= 0)
            continue;
        got = read(fd, to, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (!got)
            errno = 0;
        if (got <= 0)
            return -1;
        to += got;
        size -= (size_t)got;
    }
    return 0;
}
