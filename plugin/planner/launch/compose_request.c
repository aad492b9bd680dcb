/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/launch/launch.h"

#include <string.h>

#include "util/alloc.h"

/* A value that would break out of its line, or one longer than any path. */
static int is_line(const char *value)
{
    size_t length = strlen(value);

    for (size_t i = 0; i < length; i++)
        if ((unsigned char)value[i] < ' ' || value[i] == 127)
            return 0;
    return length < 8192;
}

/* Tasks with GPUs of their own are bound next to these, unless bind= names something else, memory
 * is bound to local tasks, or Slurm chooses the GPUs by the tasks' CPUs, as it may by a count. */
static int follows_gpus(const planner_verdict *verdict)
{
    static const char word[] = "step-gpus ";
    const char *bind = verdict->decision.settings.value[TOPOMAP_REQUEST_BIND];
    const char *gpus = strstr(verdict->facts->rest, word);

    if (!gpus || verdict->facts->memory_bound || verdict->gpus_left ||
        (bind && strcmp(bind, "gpu") != 0))
        return 0;
    gpus += strlen(word);
    return strncmp(gpus, "bound:m", 7) == 0 ||
           (strncmp(gpus, "bound:", 6) == 0 && !verdict->gpus_near);
}

int planner_compose_bind(const planner_verdict *verdict)
{
    const planner_facts *facts = verdict->facts;

    return policy_binds(&verdict->decision.settings, facts->said.cpu_bind || facts->nodes_only,
                        facts->paired && !follows_gpus(verdict));
}

/* What nobody said is left out, where the planner has the same default. */
static void write_keys(FILE *out, const policy_settings *settings, int bind)
{
    for (int k = TOPOMAP_REQUEST_GRAPH + 1; k < TOPOMAP_REQUEST_SETTINGS; k++) {
        enum topomap_request_key key = (enum topomap_request_key)k;
        const char *value = settings->value[key];

        if (key == TOPOMAP_REQUEST_BIND && !bind)
            value = "none";
        if ((key == TOPOMAP_REQUEST_OBJECTIVE || key == TOPOMAP_REQUEST_WEIGHT) && !value)
            value = "auto";
        if (value && topomap_request_row_of(key)->line)
            topomap_request_write_line(out, key, value);
    }
}

/* Where GPUs are left alone, whatever the step says of them. */
static void write_rest(FILE *out, const char *rest, int gpus_left)
{
    static const char word[] = "step-gpus ";

    for (size_t length; *rest; rest += length) {
        length = strcspn(rest, "\n") + 1;
        if (!gpus_left || strncmp(rest, word, sizeof word - 1) != 0)
            fwrite(rest, 1, length, out);
    }
    if (gpus_left)
        fprintf(out, "%sleft\n", word);
}

char *planner_compose(const planner_verdict *verdict, const char *profile, topomap_error *err)
{
    const planner_facts *facts = verdict->facts;
    const policy_settings *settings = &verdict->decision.settings;
    const char *graph = policy_get(settings, TOPOMAP_REQUEST_GRAPH);
    int bind = planner_compose_bind(verdict);
    enum policy_origin origin;
    const char *db = plugin_args_db(&facts->args, &origin);
    char *text = NULL;
    size_t size;
    FILE *out;

    if (!is_line(db) || (graph && !is_line(graph))) {
        topomap_error_set(err, TOPOMAP_EUSAGE,
                          "the name of the graph or database is too long or has a line break");
        return NULL;
    }
    out = open_memstream(&text, &size);
    if (!out)
        return topomap_printed(out, &text, err);
    fprintf(out, "topomap-request 1\njob %u\nstep %u\ndb %s\n", facts->job, facts->step, db);
    if (graph)
        fprintf(out, "graph %s\n", graph);
    write_rest(out, facts->rest, verdict->gpus_left);
    if (bind) /* the job's own cores matter only where tasks are bound */
        fputs(facts->of_job, out);
    write_keys(out, settings, bind);
    if (policy_flag(settings, TOPOMAP_REQUEST_RECORDS))
        fprintf(out, "record 1\n");
    fprintf(out, "%sexplain %d\nend\n", profile, facts->explain);
    return topomap_printed(out, &text, err);
}
