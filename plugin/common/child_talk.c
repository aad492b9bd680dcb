/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/common/child.h"
#include "util/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 65536 };

struct talk {
    int *request;
    const char *rest;
    size_t left;
    int reply;
    int (*receive)(int reply, int64_t *until, void *with);
    void *with;
    int64_t until;
};

static void send_some(struct talk *talk)
{
    ssize_t done = write(*talk->request, talk->rest, talk->left);

    if (done < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (done > 0) {
        talk->rest += done;
        talk->left -= (size_t)done;
    }
    if (done < 0 || !talk->left)
        plugin_child_close(talk->request);
}

static int talk_until(struct talk *talk)
{
    for (;;) {
        struct pollfd fds[2] = {{.fd = talk->reply, .events = POLLIN},
                                {.fd = *talk->request, .events = POLLOUT}};
        int64_t left = talk->until - plugin_child_now();
        int ready = left > 0 ? poll(fds, 2, (int)left) : 0, more;

        if (!ready)
            return ETIMEDOUT;
        if (ready < 0 && errno != EINTR)
            return errno;
        if (ready > 0 && fds[1].revents)
            send_some(talk);
        if (ready > 0 && fds[0].revents) {
            more = talk->receive(talk->reply, &talk->until, talk->with);
            if (more <= 0)
                return more;
        }
    }
}

/* SIGPIPE is blocked (1) while one writes to a program that may be gone, and taken off the queue if
 * it came of that (0, with what the first call has left in \p before). */
static void pipe_signal(int block, sigset_t *before)
{
    static const struct timespec now = {0};
    sigset_t pipe_only;

    sigemptyset(&pipe_only);
    sigaddset(&pipe_only, SIGPIPE);
    if (block) {
        pthread_sigmask(SIG_BLOCK, &pipe_only, before);
        return;
    }
    if (!sigismember(before, SIGPIPE))
        while (sigtimedwait(&pipe_only, NULL, &now) > 0)
            ;
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

int plugin_child_talk_with(int *request, const void *bytes, size_t size, int reply,
                           int (*receive)(int reply, int64_t *until, void *with), void *with,
                           int64_t until)
{
    struct talk talk = {.request = request,
                        .rest = bytes,
                        .left = size,
                        .reply = reply,
                        .receive = receive,
                        .with = with,
                        .until = until};
    sigset_t before;
    int why, failed;

    fcntl(*request, F_SETFL, O_NONBLOCK);
    fcntl(reply, F_SETFL, O_NONBLOCK);
    pipe_signal(1, &before);
    why = talk_until(&talk);
    failed = errno;
    pipe_signal(0, &before);
    errno = failed;
    return why;
}

int plugin_child_receive(int reply, int64_t *until, void *with)
{
    struct plugin_child_answer *answer = with;
    size_t room = answer->most - answer->size, step = room < CHUNK ? room : CHUNK;
    char more;
    ssize_t done;

    (void)until;
    if (topomap_grow(&answer->bytes, &answer->capacity, answer->size + step + 1, 1, answer->err))
        return -1;
    done = step ? read(reply, answer->bytes + answer->size, step) : read(reply, &more, 1);
    if (done < 0)
        return errno == EAGAIN || errno == EINTR ? 1 : -1;
    if (done && !step) {
        errno = EMSGSIZE;
        return -1;
    }
    answer->size += (size_t)done;
    answer->bytes[answer->size] = 0;
    return done > 0;
}

int plugin_child_talk(int *request, const void *bytes, size_t size, int reply, void *answer,
                      size_t most, size_t *got, int64_t until)
{
    struct plugin_child_answer own = {.bytes = answer, .capacity = most + 1, .most = most};
    int why =
        plugin_child_talk_with(request, bytes, size, reply, plugin_child_receive, &own, until);

    *got = own.size;
    return why < 0 ? errno : why;
}
