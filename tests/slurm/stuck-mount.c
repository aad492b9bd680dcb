/* SPDX-License-Identifier: BSD-3-Clause */
/* stuck-mount DIR: a file system on DIR that never answers, until it is killed: a FUSE daemon
 * (linux/fuse.h) that answers INIT, reads every other request, and does nothing about it. Who waits
 * for it then cannot be killed either. It says "ready" when it is mounted. Root only. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

static const char *mounted;

/* With the last descriptor of /dev/fuse the connection ends, and all requests with it. */
static void leave(int number)
{
    (void)number;
    umount2(mounted, MNT_DETACH);
    _exit(0);
}

static void answer_init(int fuse, const struct fuse_in_header *request)
{
    struct {
        struct fuse_out_header head;
        struct fuse_init_out init;
    } answer = {.head = {.len = sizeof answer, .unique = request->unique},
                .init = {.major = FUSE_KERNEL_VERSION,
                         .minor = FUSE_KERNEL_MINOR_VERSION,
                         .max_write = 4096}};

    if (write(fuse, &answer, sizeof answer) != sizeof answer)
        fprintf(stderr, "stuck-mount: INIT: %s\n", strerror(errno));
}

int main(int argc, char **argv)
{
    static _Alignas(8) char bytes[1 << 17];
    const struct fuse_in_header *request = (const void *)bytes;
    int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    char options[128];

    if (argc != 2 || fuse < 0) {
        fprintf(stderr, "usage: stuck-mount DIR (/dev/fuse: %s)\n", strerror(errno));
        return 2;
    }
    mounted = argv[1];
    signal(SIGTERM, leave);
    signal(SIGINT, leave);
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other",
             fuse);
    if (mount("stuck", mounted, "fuse", MS_NOSUID | MS_NODEV, options)) {
        fprintf(stderr, "stuck-mount: %s: %s\n", mounted, strerror(errno));
        return 1;
    }
    for (;;) {
        ssize_t size = read(fuse, bytes, sizeof bytes);

        if (size < 0 && (errno == EINTR || errno == EAGAIN || errno == ENOENT))
            continue;
        if (size < 0)
            break;
        if (request->opcode == FUSE_INIT) {
            answer_init(fuse, request);
            puts("ready");
            fflush(stdout);
        }
    }
    umount2(mounted, MNT_DETACH);
    return 0;
}
