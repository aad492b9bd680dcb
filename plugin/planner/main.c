/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap-planner: reads a request from standard input and writes the reply to file descriptor 3
 * (protocol.md). It runs as the user, in a process of its own, so that no library that it needs,
 * no crash and no hang of theirs ever reaches srun. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/bindings.h"
#include "plugin/planner/decide.h"

enum { REPLY_FD = 3 };

static void one_line(char *text)
{
    for (; *text; text++)
        if (*text == '\n' || *text == '\r')
            *text = ' ';
}

static void write_failure(FILE *out, topomap_error *err)
{
    one_line(err->text);
    fprintf(out, "status failed\nline %s\nquiet 0\n", err->text);
}

static int write_answer(FILE *out, planner_answer *answer, topomap_error *err)
{
    char *layout =
        topomap_layout_format(answer->plan.nodes, answer->plan.first, answer->plan.task, err);
    uint32_t id;

    if (!layout)
        return -1;
    id = topomap_crc32(0, layout, strlen(layout));
    if (answer->bindings)
        id = topomap_crc32(id, answer->bindings, strlen(answer->bindings));
    one_line(answer->line);
    fprintf(out, "status %s\nline %s\nquiet %d\nplan-id %08x\ngain %.3f\nlayout %s\n",
            answer->applied ? "applied" : "unchanged", answer->line, answer->quiet, id,
            answer->applied ? answer->gain : 0.0, layout);
    if (answer->bindings)
        fprintf(out, "bindings %s\n", answer->bindings);
    if (answer->explain) {
        fprintf(out, "explain %zu\n", answer->explain_size);
        fwrite(answer->explain, 1, answer->explain_size, out);
        fputc('\n', out);
    }
    free(layout);
    return 0;
}

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

static void build_reply(FILE *out)
{
    planner_request request = {0};
    planner_answer answer = {0};
    topomap_error err;

    fprintf(out, "topomap-reply 1\n");
    if (planner_request_read(stdin, &request, &err) != 0 ||
        planner_decide(&request, &answer, &err) != 0 || write_answer(out, &answer, &err) != 0)
        write_failure(out, &err);
    planner_answer_clear(&answer);
    planner_request_clear(&request);
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
    char *reply = NULL, end[32];
    size_t size = 0;
    FILE *out;
    int status;

    (void)argv;
    if (argc > 1 || fcntl(REPLY_FD, F_GETFD) < 0) {
        fprintf(stderr, "topomap-planner: started by the launch plugin, with a request on standard "
                        "input and a pipe on file descriptor 3\n");
        return 2;
    }
    keep_memory();
    signal(SIGPIPE, SIG_IGN);
    out = open_memstream(&reply, &size);
    if (!out)
        return 1;
    build_reply(out);
    if (fclose(out) != 0)
        return 1;
    snprintf(end, sizeof end, "end %08x\n", topomap_crc32(0, reply, size));
    status =
        send_all(REPLY_FD, reply, size) == 0 && send_all(REPLY_FD, end, strlen(end)) == 0 ? 0 : 1;
    free(reply);
    return status;
}
