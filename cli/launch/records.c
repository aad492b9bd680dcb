/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/launch/records.h"
#include "plugin/common/reply.h"
#include "plugin/planner/plan/plan.h"
#include "plugin/store/store.h"
#include "util/alloc.h"

static int put_in_place(const char *path, char **place, topomap_error *err)
{
    char *copy = path ? topomap_strdup(path, err) : NULL;

    if (!path)
        return 0;
    free(*place);
    *place = copy;
    return copy ? 0 : -1;
}

/* As users know it. */
static const char *own_cache(char path[STORE_ROOT])
{
    return getenv("XDG_CACHE_HOME") && !store_place_own(path, NULL) ? path : "~/.cache/topomap";
}

static int is_file(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* A file, JOB.STEP, JOB (its step that was placed last), or nothing: the launch that was. The
 * folder is --records, else where the site's launches keep theirs. What is a job's number is no
 * file's name while there is a record of it: many name a job's own folder after it. */
static int find_record(const cli_call *call, const char *said, char *path, size_t size,
                       topomap_error *err)
{
    const char *folder = call->options.records, *job = said && *said ? said : NULL;
    const int numeric = job && *job >= '0' && *job <= '9' && !job[strspn(job, "0123456789.-")];
    char site[1024], own[STORE_ROOT];

    if (job && !numeric) { /* whoever reads it says that it is not there */
        snprintf(path, size, "%s", job);
        return 0;
    }
    if (!folder) {
        cli_site_records(site, sizeof site);
        folder = *site ? site : NULL;
    }
    if (job && plugin_record_find(folder, job, path, size))
        return 0;
    if (plugin_record_newest(folder, job, path, size))
        return 0;
    if (job && is_file(job)) {
        snprintf(path, size, "%s", job);
        return 0;
    }
    return topomap_error_set(err, TOPOMAP_EINPUT,
                             "no record of %s%s is in %s%s%s/records; launches keep one with "
                             "--topomap-options=records",
                             job ? "job " : "a launch", job ? job : "", folder ? folder : "",
                             folder ? " or " : "", own_cache(own));
}

int cli_record_read(const cli_call *call, const char *said, planner_record *record,
                    topomap_error *err)
{
    char path[4096];

    if (find_record(call, said ? said : call->options.job, path, sizeof path, err) != 0 ||
        planner_record_read(path, record, err) != 0)
        return -1;
    return put_in_place(call->options.db, &record->request.asked.db, err) != 0
               ? -1
               : put_in_place(call->options.request.graph, &record->request.asked.graph, err);
}

/* ---- What a record was made of ----------------------------------------------------------- */

int cli_record_differs(const char *what, const char *path, const char *then,
                       char line[CLI_RECORD_LINE])
{
    char now[64];

    if (!then)
        return 0;
    if (planner_inputs_digest(path, now) != 0)
        snprintf(now, sizeof now, "not there");
    if (strcmp(then, now) == 0)
        return 0;
    snprintf(line, CLI_RECORD_LINE, "the %s %.200s is not the one of the record (%.63s, now %s)",
             what, path, then, now);
    return 1;
}

static int is_there(const char *what, const char *option, const char *path, const char *then,
                    topomap_error *err)
{
    char now[64];

    if (!then || access(path, F_OK) == 0 || planner_inputs_digest(path, now) == 0)
        return 0;
    return topomap_error_set(err, TOPOMAP_EINPUT,
                             "%.300s: the record's %s is not there%s; name it with --%s", path,
                             what, *path == '/' ? "" : ", as seen from this folder", option);
}

int cli_record_database(const planner_record *record, topomap_error *err)
{
    return is_there("database", "db", record->request.asked.db, record->reply.input_db, err);
}

static void note(const cli_call *call, const char *what, const char *path, const char *then)
{
    char line[CLI_RECORD_LINE];

    if (cli_record_differs(what, path, then, line))
        fprintf(stderr, "topomap %s: note: %s; costs are of the present one\n", call->command->name,
                line);
}

int cli_record_inputs(const cli_call *call, const planner_record *record, topomap_error *err)
{
    const char *db = record->request.asked.db, *graph = record->request.asked.graph;

    if (cli_record_database(record, err) != 0 ||
        (graph && is_there("graph", "graph", graph, record->reply.input_graph, err) != 0))
        return -1;
    note(call, "database", db, record->reply.input_db);
    if (graph)
        note(call, "graph", graph, record->reply.input_graph);
    return 0;
}

/* ---- Completion ---------------------------------------------------------------------------- */

static void put_step(const char *step)
{
    puts(step);
}

void cli_record_words(void)
{
    char site[1024];

    cli_site_records(site, sizeof site);
    plugin_record_each(*site ? site : NULL, put_step);
}
