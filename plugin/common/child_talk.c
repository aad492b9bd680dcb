/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/common/child.h"
#include "util/alloc.h"
#include "util/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = (64 << 10) - 1 }; /* and a NUL */

/* Our ends, and what is not yet told. */
struct line {
    int request, reply;
    const char *rest;
    size_t left;
};

static void send_some(struct line *line)
{
    ssize_t done = write(line->request, line->rest, line->left);

    if (done < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (done > 0) {
        line->rest += done;
        line->left -= (size_t)done;
    }
    if (done < 0 || !line->left)
        plugin_child_close(&line->request);
}

static int talk_until(struct line *line, const struct plugin_child_talk *talk)
{
    int64_t until = talk->until;

    for (;;) {
        struct pollfd fds[2] = {{.fd = line->reply, .events = POLLIN},
                                {.fd = line->request, .events = POLLOUT}};
        int ready = topomap_clock_ms() < until ? topomap_clock_poll(fds, 2, until) : 0, more;

        if (!ready)
            return ETIMEDOUT;
        if (ready < 0 && errno != EINTR)
            return errno;
        if (ready > 0 && fds[1].revents)
            send_some(line);
        if (ready > 0 && fds[0].revents) {
            more = talk->receive(line->reply, &until, talk->with);
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

/* As plugin_child_ask(). */
static int talk_with(struct line *line, const struct plugin_child_talk *talk)
{
    sigset_t before;
    int why, failed;

    line->rest = talk->bytes;
    line->left = talk->size;
    fcntl(line->request, F_SETFL, O_NONBLOCK);
    fcntl(line->reply, F_SETFL, O_NONBLOCK);
    pipe_signal(1, &before);
    why = talk_until(line, talk);
    failed = errno;
    pipe_signal(0, &before);
    errno = failed;
    return why;
}

int plugin_child_ask(const char *path, const char *const *words, struct plugin_child_files *files,
                     const struct plugin_child_talk *talk, pid_t *pid)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, why = plugin_child_pipes(in, out) ? errno : 0, failed;
    struct line line = {.request = in[1], .reply = out[0]};

    files->request = in[0];
    files->reply = out[1];
    if (!why)
        why = plugin_child_start(path, words, files, talk->until, pid);
    plugin_child_close(&in[0]);
    plugin_child_close(&out[1]);
    if (why)
        *pid = -1;
    else
        why = talk_with(&line, talk);
    failed = errno;
    plugin_child_close(&line.request);
    plugin_child_close(&line.reply);
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
