/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value that would break out of its line, or one longer than any path. */
static int is_line(const char *value)
{
    size_t length = strlen(value);

    for (size_t i = 0; i < length; i++)
        if ((unsigned char)value[i] < ' ' || value[i] == 127)
            return 0;
    return length < 8192;
}

/* What nobody said is left out; the planner has the same defaults. */
static void write_keys(FILE *out, const policy_settings *settings, int bind)
{
    for (int key = 0; key < POLICY_KEYS; key++) {
        const char *value = settings->value[key];

        if (key == POLICY_GRAPH || key >= POLICY_REQUIRED)
            continue;
        if (key == POLICY_BIND && !bind)
            value = "none";
        if (value)
            fprintf(out, "%s %s\n",
                    key == POLICY_LAYOUT ? "inside" : policy_key((enum policy_key)key)->name,
                    value); /* "layout" is Slurm's task ids */
    }
}

static int write_layout(FILE *out, const plugin_ranks *ranks, topomap_error *err)
{
    char *counts = plugin_ranks_counts(ranks, err);
    char *layout = counts ? plugin_ranks_format(ranks, err) : NULL;
    int failed = layout ? 0 : -1;

    if (layout)
        fprintf(out, "tasks %s\nlayout %s\n", counts, layout);
    free(counts);
    free(layout);
    return failed;
}

char *plugin_request_make(const policy_settings *settings, const plugin_layout *layout,
                          const char *db, const char *job, int bind,
                          const plugin_request_cpus *cpus, int explain, int record,
                          const char *more, topomap_error *err)
{
    const char *graph = policy_get(settings, POLICY_GRAPH);
    char *text = NULL;
    size_t size;
    FILE *out;
    int failed;

    if (!is_line(db) || (graph && !is_line(graph))) {
        topomap_error_set(err, TOPOMAP_EUSAGE,
                          "the name of the graph or database is too long or has a line break");
        return NULL;
    }
    out = open_memstream(&text, &size);
    if (!out) {
        topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
        return NULL;
    }
    fprintf(out, "topomap-request 1\njob %u\nstep %u\ndb %s\n", layout->job, layout->step, db);
    if (graph)
        fprintf(out, "graph %s\n", graph);
    fprintf(out, "nodes %s\n", layout->node_list);
    failed = write_layout(out, &layout->ranks, err);
    fprintf(out, "%scpus-per-task %u\n", job, cpus->per_task);
    if (cpus->threads_per_core)
        fprintf(out, "threads-per-core %u\n", cpus->threads_per_core);
    write_keys(out, settings, bind);
    if (record)
        fprintf(out, "record 1\n");
    fprintf(out, "%sexplain %d\nend\n", more, explain);
    if (fclose(out) && !failed)
        failed = topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    if (!failed)
        return text;
    free(text);
    return NULL;
}
