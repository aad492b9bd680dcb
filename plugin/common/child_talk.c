/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/common/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

struct talk {
    int *request;
    const char *rest;
    size_t left;
    int reply;
    char *answer;
    size_t room, got;
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

/* \return 1: more may come, 0: the end, -1: failure */
static int receive_some(struct talk *talk)
{
    char one;
    int full = talk->got == talk->room;
    ssize_t done = full ? read(talk->reply, &one, 1)
                        : read(talk->reply, talk->answer + talk->got, talk->room - talk->got);

    if (done < 0)
        return errno == EAGAIN || errno == EINTR ? 1 : -1;
    if (full && done) {
        errno = EMSGSIZE;
        return -1;
    }
    talk->got += (size_t)done;
    return done > 0;
}

static int talk_until(struct talk *talk, int64_t until)
{
    for (;;) {
        struct pollfd fds[2] = {{.fd = talk->reply, .events = POLLIN},
                                {.fd = *talk->request, .events = POLLOUT}};
        int64_t left = until - plugin_child_now();
        int ready = left > 0 ? poll(fds, 2, (int)left) : 0, more;

        if (!ready)
            return ETIMEDOUT;
        if (ready < 0 && errno != EINTR)
            return errno;
        if (ready > 0 && fds[1].revents)
            send_some(talk);
        if (ready > 0 && fds[0].revents) {
            more = receive_some(talk);
            if (more <= 0)
                return more ? errno : 0;
        }
    }
}

void plugin_child_pipe_signal(int block, sigset_t *before)
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

int plugin_child_talk(int *request, const void *bytes, size_t size, int reply, void *answer,
                      size_t room, size_t *got, int64_t until)
{
    struct talk talk = {.request = request,
                        .rest = bytes,
                        .left = size,
                        .reply = reply,
                        .answer = answer,
                        .room = room};
    sigset_t before;
    int why;

    fcntl(*request, F_SETFL, O_NONBLOCK);
    fcntl(reply, F_SETFL, O_NONBLOCK);
    plugin_child_pipe_signal(1, &before);
    why = talk_until(&talk, until);
    plugin_child_pipe_signal(0, &before);
    *got = talk.got;
    return why;
}
