/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap-planner: reads a request from standard input and writes the reply to file descriptor 3
 * (protocol.md). It runs as the user, in a process of its own, so that no library that it needs,
 * no crash and no hang of theirs ever reaches srun. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin/planner/answer.h"

enum { REPLY_FD = 3 };

static int send_all(int fd, const char *bytes, size_t size)
{
    while (size) {
        ssize_t sent = write(fd, bytes, size);

        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return -1;
        bytes += sent;
        size -= (size_t)sent;
    }
    return 0;
}

/* The process lives for milliseconds: giving memory back to the kernel, and taking it again page by
 * page, would be a good part of them. */
static void keep_memory(void)
{
    mallopt(M_MMAP_THRESHOLD, 32 << 20); /* the most that glibc takes */
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_TOP_PAD, 1 << 20);
}

int main(int argc, char **argv)
{
    planner_request request = {0};
    topomap_error err;
    char *reply;
    size_t size;
    int status;

    if (argc == 2 && !strcmp(argv[1], "--version")) {
        printf("topomap-planner %s\n", PACKAGE_VERSION);
        return 0;
    }
    if (argc > 1 || fcntl(REPLY_FD, F_GETFD) < 0) {
        fprintf(stderr, "topomap-planner: started by the launch plugin, with a request on standard "
                        "input and a pipe on file descriptor 3\n");
        return 2;
    }
    keep_memory();
    signal(SIGPIPE, SIG_IGN);
    reply = planner_request_read(stdin, &request, &err) == 0 ? planner_answer_text(&request, &size)
                                                             : planner_failure_text(&err, &size);
    planner_request_clear(&request);
    status = reply && send_all(REPLY_FD, reply, size) == 0 ? 0 : 1;
    free(reply);
    return status;
}
