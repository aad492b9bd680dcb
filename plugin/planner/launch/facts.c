/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/launch/launch.h"

#include <stdlib.h>
#include <string.h>

#include "plugin/common/reply.h"
#include "plugin/planner/request/request.h"
#include "util/alloc.h"

/* While a message is being read. */
struct reader {
    planner_facts *facts;
    FILE *rest, *of_job;
    size_t rest_size, of_job_size;
};

static int keep(planner_texts *texts, const char *value, char **kept, topomap_error *err)
{
    char *copy;

    if (topomap_grow(&texts->text, &texts->room, texts->count + 2, sizeof *texts->text, err))
        return -1;
    copy = topomap_strdup(value, err);
    if (!copy)
        return -1;
    texts->text[texts->count++] = copy;
    texts->text[texts->count] = NULL;
    if (plugin_percent_read(copy))
        return topomap_error_set(err, TOPOMAP_EINPUT, "'%%' without two digits");
    if (kept)
        *kept = copy;
    return 0;
}

static void clear(planner_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->text[i]);
    free(texts->text);
    memset(texts, 0, sizeof *texts);
}

/* ---- Rows --------------------------------------------------------------------------------- */

enum kind { NUMBER, FLAG, TEXT, LIST, ROOM };

#define AT(member) offsetof(planner_facts, member)

static const struct row {
    const char *key;
    enum kind kind;
    size_t at;
} rows[] = {
    {"job", NUMBER, AT(job)},
    {"step", NUMBER, AT(step)},
    {"step-nodes", NUMBER, AT(nodes)},
    {"step-tasks", NUMBER, AT(tasks)},
    {"site", LIST, AT(site)},
    {"said-step", TEXT, AT(said.step)},
    {"said-job", TEXT, AT(said.job)},
    {"said-step-options", TEXT, AT(said.step_options)},
    {"said-job-options", TEXT, AT(said.job_options)},
    {"said-environment", TEXT, AT(said.environment)},
    {"said-environment-graph", TEXT, AT(said.environment_graph)},
    {"said-distribution", FLAG, AT(said.distribution)},
    {"said-other-distribution", FLAG, AT(said.other_distribution)},
    {"said-inherited-distribution", FLAG, AT(said.inherited_distribution)},
    {"said-cpu-bind", FLAG, AT(said.cpu_bind)},
    {"explain", FLAG, AT(explain)},
    {"explain-own", FLAG, AT(explain_own)},
    {"explain-file", TEXT, AT(explain_file)},
    {"nodes-only", FLAG, AT(nodes_only)},
    {"paired", FLAG, AT(paired)},
    {"memory-bound", FLAG, AT(memory_bound)},
    {"several-programs", FLAG, AT(several_programs)},
    {"container", FLAG, AT(container)},
    {"asked", FLAG, AT(asked)},
    {"verbose", FLAG, AT(verbose)},
    {"chdir", TEXT, AT(chdir)},
    {"input", TEXT, AT(input)},
    {"reason", TEXT, AT(reason)},
    {"word", LIST, AT(words)},
    {"room", ROOM, AT(room)},
    {"later", LIST, AT(later)},
};

static int read_number(const char *value, unsigned long most, unsigned long *number,
                       topomap_error *err)
{
    char *end;

    *number = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || strlen(value) > 10 || *number > most)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "expected a whole number up to %lu, found '%.40s'", most, value);
    return 0;
}

static int read_value(const struct row *row, char *value, planner_facts *facts, topomap_error *err)
{
    void *at = (char *)facts + row->at;
    unsigned long number = 0;
    char *kept;

    switch (row->kind) {
    case NUMBER:
    case FLAG:
        if (read_number(value, row->kind == FLAG ? 1 : UINT32_MAX, &number, err))
            return -1;
        *(uint32_t *)at = (uint32_t)number;
        return 0;
    case TEXT:
        if (keep(&facts->owned, value, &kept, err))
            return -1;
        *(const char **)at = kept;
        return 0;
    case LIST:
        return keep(at, value, NULL, err);
    case ROOM:
        *(long *)at = strtol(value, NULL, 10); /* below 0 where there is none */
    }
    return 0;
}

static int read_line(void *with, size_t number, char *line, topomap_error *err)
{
    static const char *const of_job[] = {"job-cpus", "job-nodes", "scontrol", "scontrol-time"};
    char *value = strchr(line, ' ');
    struct reader *reader = with;
    topomap_error inner;
    FILE *to = reader->rest;

    if (!value)
        return topomap_error_set(err, TOPOMAP_EINPUT, "request:%zu: expected 'key value'", number);
    *value++ = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].key, line)) {
            if (!read_value(&rows[i], value, reader->facts, &inner))
                return 0;
            return topomap_error_set(err, inner.code, "request:%zu: %s: %.300s", number, line,
                                     inner.text);
        }
    for (size_t i = 0; i < sizeof of_job / sizeof *of_job; i++)
        if (!strcmp(of_job[i], line))
            to = reader->of_job;
    reader->facts->has_layout |= !strcmp(line, "layout");
    fprintf(to, "%s %s\n", line, value);
    return 0;
}

/* ---- The message -------------------------------------------------------------------------- */

int planner_facts_read(FILE *in, planner_facts *facts, topomap_error *err)
{
    struct reader reader = {.facts = facts};
    int status = -1;

    reader.rest = open_memstream(&facts->rest, &reader.rest_size);
    reader.of_job = open_memstream(&facts->of_job, &reader.of_job_size);
    if (reader.rest && reader.of_job)
        status = planner_request_lines(in, read_line, &reader, err);
    else
        topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    if (reader.rest && fclose(reader.rest) && !status)
        status = topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    if (reader.of_job && fclose(reader.of_job) && !status)
        status = topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    if (!status)
        plugin_args_read((int)facts->site.count, facts->site.text, &facts->args,
                         NULL); /* srun has said so */
    return status;
}

void planner_facts_clear(planner_facts *facts)
{
    policy_settings_clear(&facts->args.site.settings);
    free(facts->rest);
    free(facts->of_job);
    clear(&facts->words);
    clear(&facts->later);
    clear(&facts->site);
    clear(&facts->owned);
    memset(facts, 0, sizeof *facts);
}
