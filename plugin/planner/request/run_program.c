/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/request/request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/common/child.h"
#include "util/clock.h"

enum { PATH_MOST = 4096, EXIT_MS = 10 };

/* \return its output; or NULL, and *is_none where it cannot be run at all */
static char *ask_one(const char *path, const char *const *words, const char *input, int64_t until,
                     size_t most, int *is_none, topomap_error *err)
{
    struct plugin_child_files files = {.prints = 1, .ends_with_us = 1};
    struct plugin_child_answer answer = {.most = most, .err = err};
    const struct plugin_child_talk talk = {input, strlen(input), plugin_child_receive, &answer,
                                           until};
    pid_t pid;
    int why = plugin_child_ask(path, words, &files, &talk, &pid);

    why = why < 0 ? errno : why;
    *is_none = pid < 0 && why != ETIMEDOUT;
    if (*is_none) {
        topomap_error_set(err, TOPOMAP_ESYSTEM, "%s cannot be run: %s", path, strerror(why));
        return NULL;
    }
    if (pid >= 0)
        plugin_child_end(pid, why ? 0 : EXIT_MS);
    if (!why && *answer.bytes)
        return answer.bytes;
    if (!why)
        topomap_error_set(err, TOPOMAP_EINPUT, "%s says nothing", path);
    else if (why == ETIMEDOUT)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "%s did not answer in time", words[0]);
    else if (why == EMSGSIZE)
        topomap_error_set(err, TOPOMAP_EINPUT, "%s says more than %zu bytes", words[0], most);
    else if (why != ENOMEM)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: %s", words[0], strerror(why));
    free(answer.bytes);
    return NULL;
}

char *planner_run_program(const char *paths, const char *const *words, const char *input,
                          double seconds, size_t most, topomap_error *err)
{
    int64_t until = topomap_clock_ms() + (int64_t)(seconds * 1000);
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
