/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/store/run.h"
#include "util/full_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* It may have been taken in, and removed, between opening it and locking it. */
static int is_still(int run, int fd)
{
    struct stat locked, there;

    return !fstat(fd, &locked) && !fstatat(run, STORE_RUN_TAKING, &there, AT_SYMLINK_NOFOLLOW) &&
           locked.st_ino == there.st_ino && locked.st_dev == there.st_dev;
}

int store_claim(int run)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat about;
    int first = !renameat(run, STORE_RUN_ABOUT, run, STORE_RUN_TAKING), fd, mine;

    if (!first && errno != ENOENT)
        return -1;
    fd = topomap_untrusted_open(run, STORE_RUN_TAKING, O_RDWR | O_NOFOLLOW, &about);
    if (fd < 0)
        return -1;
    if (!fcntl(fd, F_OFD_SETLK, &all))
        mine = is_still(run, fd);
    else
        mine = first && errno != EAGAIN && errno != EACCES;
    if (mine)
        return fd;
    close(fd);
    errno = ENOENT;
    return -1;
}
