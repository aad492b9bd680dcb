/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/plugin/late/late_peer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/plugin/fake_clock.h"
#include "tests/unit/scratch.h"

enum { PATIENCE_SECONDS = 60 };

const char *late_peer_make(const char *name)
{
    const char *path = scratch_path(name);
    char self[4096] = "";

    assert_true(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    assert_int_equal(symlink(self, path), 0);
    assert_true(mkfifo(scratch_path("go"), 0600) == 0 || errno == EEXIST);
    return path;
}

/* The pipe lies beside the name that the program was started by, which after exec is in the
 * auxiliary vector (getauxval(3)). */
void late_peer_wait(void)
{
    const char *self = (const char *)getauxval(AT_EXECFN);
    const char *slash = self ? strrchr(self, '/') : NULL;
    char path[4096], byte;
    int fd;

    if (!slash)
        _exit(90);
    alarm(PATIENCE_SECONDS); /* of a test that failed, nothing is left */
    snprintf(path, sizeof path, "%.*s/go", (int)(slash - self), self);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, &byte, 1) != 1)
        _exit(91);
    close(fd);
    alarm(0);
}

/* A pipe that nobody reads is opened when somebody begins to (fifo(7)); nobody ever does where the
 * peer has been killed by mistake. The peer has closed its end when this returns, so that the pipe
 * is the next peer's. */
void late_peer_let_go(void *with)
{
    struct pollfd peer = {.events = 0};
    int fd;

    (void)with;
    alarm(PATIENCE_SECONDS);
    fd = open(scratch_path("go"), O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "", 1), 1);
    peer.fd = fd;
    while (poll(&peer, 1, -1) == 1 && !(peer.revents & POLLERR)) /* it reads no more (poll(2)) */
        ;
    close(fd);
    alarm(0);
    fake_clock_on_time();
}
