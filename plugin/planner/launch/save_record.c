/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/launch/launch.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin/common/reply.h"
#include "util/clock.h"

struct record {
    const planner_facts *facts;
    const char *request, *reply;
    size_t size;
};

/* In a process of its own; what it says fits into a pipe. */
static _Noreturn void write_record(const struct record *record, int said)
{
    const plugin_args *args = &record->facts->args;
    char path[4096], line[sizeof path + 64];
    topomap_error err;

    if (planner_writers_join(args->records ? args->records : ""))
        _exit(0);
    if (plugin_record_write(args->records, record->facts->job, record->facts->step, record->request,
                            record->reply, record->size, path, sizeof path, &err))
        snprintf(line, sizeof line, "no record of the plan: %s", err.text);
    else
        snprintf(line, sizeof line, "record of the plan: %s", path);
    if (write(said, line, strlen(line)) >= 0)
        close(said);
    plugin_record_tidy(args->records, &args->record_limits);
    _exit(0);
}

/* A disk that does not answer must not use up the time that the step waits for its plan. */
static unsigned wait_ms(const plugin_args *args)
{
    unsigned most = args->deadline_ms ? args->deadline_ms / 4 : UINT_MAX;

    return args->end_ms < most ? args->end_ms : most;
}

void planner_save_record(planner_verdict *verdict, const char *request, const char *reply,
                         size_t size)
{
    const struct record record = {verdict->facts, request, reply, size};
    struct pollfd fd = {.events = POLLIN};
    ssize_t got = -1;
    char line[4200];
    int said[2];
    pid_t pid;

    if (!policy_flag(&verdict->decision.settings, TOPOMAP_REQUEST_RECORDS) || pipe(said))
        return;
    pid = planner_writers_fork();
    if (!pid) {
        close(said[0]);
        write_record(&record, said[1]);
    }
    close(said[1]);
    fd.fd = said[0];
    if (pid > 0 &&
        topomap_clock_poll(&fd, 1, topomap_clock_ms() + wait_ms(&verdict->facts->args)) > 0)
        got = read(said[0], line, sizeof line - 1);
    close(said[0]);
    if (got > 0) {
        line[got] = 0;
        planner_tell(verdict, 0, "%s", line);
    } else {
        planner_tell(verdict, 0, "no record of the plan yet");
    }
}
