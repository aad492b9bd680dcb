/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/node/node.h"
#include "plugin/common/args.h"
#include "plugin/common/child.h"
#include "util/alloc.h"
#include "util/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifndef TOPOMAP_NODE
#error "the build names the path of topomap-node"
#endif

enum { ANSWER_PERCENT = 85, EXIT_PERCENT = 2, KILL_PERCENT = 10 };

/* libc, and what the question and the answer take. */
#define MEMORY ((uint64_t)64 << 20)

static const char *value_of(const char *word, const char *name)
{
    size_t length = strlen(name);

    return !strncmp(word, name, length) && word[length] == '/' ? word + length : NULL;
}

void plugin_node_site_read(int count, char **words, plugin_node_site *site)
{
    static const char time[] = "node_ms=";

    *site = (plugin_node_site){.helper = TOPOMAP_NODE, .node_ms = PLUGIN_NODE_MS};
    for (int i = 0; i < count; i++) {
        const char *helper = value_of(words[i], "node_helper=");
        const char *spool = value_of(words[i], "spool=");

        site->helper = helper ? helper : site->helper;
        site->spool = spool ? spool : site->spool;
        if (!strncmp(words[i], time, sizeof time - 1))
            plugin_args_milliseconds(words[i] + sizeof time - 1, &site->node_ms);
    }
}

static int share(unsigned node_ms, int percent)
{
    int ms = (int)((uint64_t)node_ms * (unsigned)percent / 100);

    return ms > 1 ? ms : 1;
}

plugin_node_budget plugin_node_budget_of(unsigned node_ms)
{
    return (plugin_node_budget){.answer_ms = share(node_ms, ANSWER_PERCENT),
                                .exit_ms = share(node_ms, EXIT_PERCENT),
                                .kill_ms = share(node_ms, KILL_PERCENT),
                                .cpu_seconds = (2 * node_ms + 999) / 1000};
}

/* \param pid  -1: it did not start */
static void explain(const plugin_node_site *site, pid_t pid, int why, topomap_error *err)
{
    if (pid < 0 && why == ETIMEDOUT)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "%.300s did not start within %u ms", site->helper,
                          site->node_ms);
    else if (pid < 0)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "cannot start %.300s: %s", site->helper,
                          strerror(why));
    else if (why == ETIMEDOUT)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "topomap-node did not answer within %u ms",
                          site->node_ms);
    else
        topomap_error_set(err, TOPOMAP_ESYSTEM, "topomap-node: %s", strerror(why));
}

/* \return the answer's bytes, or NULL */
static void *talk(const plugin_node_site *site, const node_question *question, const void *bytes,
                  size_t size, size_t *got, topomap_error *err)
{
    const plugin_node_budget budget = plugin_node_budget_of(site->node_ms);
    static const char *const words[] = {"topomap-node", "plan", NULL};
    size_t most = node_answer_most(question->local_tasks);
    struct plugin_child_answer answer = {
        .bytes = malloc(most + 1), .capacity = most + 1, .most = most};
    const struct plugin_child_talk talk = {bytes, size, plugin_child_receive, &answer,
                                           topomap_clock_ms() + budget.answer_ms};
    struct plugin_child_files theirs = {.ends_with_us = 1,
                                        .memory = MEMORY + 4 * node_room(question->step_tasks),
                                        .cpu_seconds = budget.cpu_seconds,
                                        .unprivileged = 1,
                                        .kill_ms = budget.kill_ms};
    pid_t pid;
    int why;

    if (!answer.bytes) {
        topomap_error_set(err, TOPOMAP_ESYSTEM, "no memory for this node's part of the plan");
        return NULL;
    }
    why = plugin_child_ask(site->helper, words, &theirs, &talk, &pid);
    why = why < 0 ? errno : why;
    if (pid >= 0)
        plugin_child_kill(pid, why ? 0 : budget.exit_ms, budget.kill_ms);
    *got = answer.size;
    if (!why)
        return answer.bytes;
    explain(site, pid, why, err);
    free(answer.bytes);
    return NULL;
}

int plugin_node_ask(const plugin_node_site *site, const node_question *question,
                    node_answer *answer, void **memory, topomap_error *err)
{
    size_t size, got = 0;
    TOPOMAP_FREED void *bytes = node_question_write(question, &size);

    *memory = NULL;
    memset(answer, 0, sizeof *answer);
    if (!bytes)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "no memory for the plan's text");
    *memory = talk(site, question, bytes, size, &got, err);
    if (!*memory)
        return -1;
    if (node_answer_read(*memory, got, question->job, question->step, question->local_tasks,
                         answer) == 0)
        return 0;
    free(*memory);
    *memory = NULL;
    return topomap_error_set(err, TOPOMAP_EINPUT,
                             got ? "topomap-node's answer is not one"
                                 : "topomap-node ended without an answer");
}
