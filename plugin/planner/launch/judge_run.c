/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/launch/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/common/reply.h"
#include "plugin/store/store.h"
#include "util/alloc.h"

/* Of the graph it is the run's own that counts; nothing else is to be answered. */
static int is_replaced(const char *line)
{
    static const char *const keys[] = {"graph ", "profile", "record ", "explain ", "min-gain "};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strncmp(line, keys[i], strlen(keys[i])))
            return 1;
    return 0;
}

/* The request of a launch, behind the layout that came of it, becomes the one that judges it. */
static char *rewrite(char *planned, const char *graph)
{
    char *text = NULL, *rest = NULL, *layout = strtok_r(planned, "\n", &rest), *line;
    size_t size;
    FILE *out;

    if (!layout || strncmp(layout, "layout ", 7) != 0)
        return NULL;
    out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    while ((line = strtok_r(NULL, "\n", &rest)) != NULL && strcmp(line, "end") != 0)
        if (!is_replaced(line))
            fprintf(out, "%s\n", line);
    fprintf(out, "graph %s\nprofile exact\njudge %s\nend\n", graph, layout + 7);
    return topomap_printed(out, &text, NULL);
}

static void judge(const char *folder, const char *request, planner_answerer *answer)
{
    plugin_reply reply;
    topomap_error err;
    size_t size;
    TOPOMAP_FREED char *bytes = answer(request, &size, &err);

    if (bytes && !plugin_reply_read(bytes, size, &reply, &err) &&
        reply.status == PLUGIN_UNCHANGED && reply.gain)
        store_run_write(folder, STORE_RUN_JUDGED, reply.gain, strlen(reply.gain));
}

void planner_judge_run(const char *folder, planner_answerer *answer)
{
    TOPOMAP_FREED char *planned = store_run_read(folder, STORE_RUN_PLANNED, STORE_PLANNED),
                       *request = NULL;
    char graph[STORE_PATH];

    if (planned && store_run_join(folder, graph))
        request = rewrite(planned, graph);
    if (request)
        judge(folder, request, answer);
}
