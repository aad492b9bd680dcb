/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/plan/ask.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin/common/child.h"
#include "util/alloc.h"

enum { INPUT_MOST = 4000, CHUNK = 65536, PATH_MOST = 4096, EXIT_MS = 10 };

struct asked {
    pid_t pid;
    int output;    /* our end */
    int64_t until; /* of plugin_child_now() */
    const char *name;
};

/* The input waits in the pipe. \return 0, or why it does not run: an errno */
static int start(const char *path, const char *const *words, const char *text, struct asked *asked)
{
    struct plugin_child_files files = {.prints = 1, .ends_with_us = 1};
    size_t length = strlen(text);
    int input[2], output[2], why;

    if (plugin_child_pipes(input, output))
        return errno;
    files.request = input[0];
    files.reply = output[1];
    asked->output = output[0];
    why = length <= INPUT_MOST && write(input[1], text, length) == (ssize_t)length
              ? plugin_child_start(path, words, &files, asked->until, &asked->pid)
              : EMSGSIZE;
    plugin_child_close(&input[0]);
    plugin_child_close(&input[1]);
    plugin_child_close(&output[1]);
    if (why)
        plugin_child_close(&asked->output);
    return why;
}

/* \return 1: more may come, 0: the end, -1: failure */
static int read_some(const struct asked *asked, char *to, size_t room, ssize_t *got,
                     topomap_error *err)
{
    struct pollfd fd = {.fd = asked->output, .events = POLLIN};
    int64_t left = asked->until - plugin_child_now();
    int ready = left > 0 ? poll(&fd, 1, (int)left) : 0;

    *got = 0;
    if (ready < 0 && errno == EINTR)
        return 1;
    if (!ready)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s did not answer in time", asked->name);
    *got = read(asked->output, to, room);
    if (*got < 0)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: %s", asked->name, strerror(errno));
    return *got > 0;
}

static char *read_all(const struct asked *asked, size_t most, topomap_error *err)
{
    char *text = NULL;
    size_t size = 0, room = 0;
    ssize_t got = 0;
    int more = 1;

    while (more == 1) {
        if (size > most)
            more = topomap_error_set(err, TOPOMAP_EINPUT, "%s says more than %zu bytes",
                                     asked->name, most);
        else if (topomap_grow(&text, &room, size + CHUNK + 1, 1, err) != 0)
            more = -1;
        else
            more = read_some(asked, text + size, CHUNK, &got, err);
        if (more == 1)
            size += (size_t)got;
    }
    if (more == 0) {
        text[size] = '\0';
        return text;
    }
    free(text);
    return NULL;
}

/* \return its output; or NULL, and *is_none where it cannot be run at all */
static char *ask_one(const char *path, const char *const *words, const char *input, int64_t until,
                     size_t most, int *is_none, topomap_error *err)
{
    struct asked asked = {.until = until, .name = words[0]};
    int why = start(path, words, input, &asked);
    char *text;

    *is_none = why && why != ETIMEDOUT;
    if (*is_none)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "%s cannot be run: %s", path, strerror(why));
    else if (why)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "%s did not answer in time", asked.name);
    if (why)
        return NULL;
    text = read_all(&asked, most, err);
    plugin_child_close(&asked.output);
    plugin_child_end(asked.pid, text ? EXIT_MS : 0);
    if (!text || *text)
        return text;
    topomap_error_set(err, TOPOMAP_EINPUT, "%s says nothing", path);
    free(text);
    return NULL;
}

char *planner_ask(const char *paths, const char *const *words, const char *input, double seconds,
                  size_t most, topomap_error *err)
{
    int64_t until = plugin_child_now() + (int64_t)(seconds * 1000);
    int is_none = 1;
    char *text = NULL;

    topomap_error_set(err, TOPOMAP_EUSAGE, "no path of a program");
    for (const char *at = paths; is_none && *at; at += *at == ':') {
        size_t length = strcspn(at, ":");
        char path[PATH_MOST];

        if (length && length < sizeof path) {
            memcpy(path, at, length);
            path[length] = '\0';
            is_none = 0;
            text = ask_one(path, words, input, until, most, &is_none, err);
        }
        at += length;
    }
    return text;
}
