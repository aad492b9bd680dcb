/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap map --format plan */
#include "config.h"

#include "cli/plan.h"

#include <stdlib.h>

#include "cli/request.h"
#include "plugin/planner/plan/plan.h"
#include "util/output.h"

/* The time is left out, so that the same question has the same bytes but for the times that the
 * search took. */
static int write_plan(const cli_call *call, const char *request, const char *reply, size_t size,
                      topomap_error *err)
{
    topomap_output *output;

    if (topomap_output_open(cli_output(call), &output, err) != 0)
        return -1;
    fprintf(topomap_output_file(output), "topomap-plan 1\nversion %s\ntime 0\n%s", PACKAGE_VERSION,
            request);
    fwrite(reply, 1, size, topomap_output_file(output));
    return topomap_output_commit(output, err);
}

/* Zero after saying that the planner takes no such option. */
static int takes_all(const cli_call *call)
{
    const char *other = cli_get(call, "machine") ? "machine" : "mapping";

    if (!cli_get(call, other))
        other = NULL;
    for (int key = 0; key < TOPOMAP_REQUEST_KEYS && !other; key++) {
        const topomap_request_row *row = topomap_request_row_of((enum topomap_request_key)key);

        if (row->option && !row->line && cli_get(call, row->option))
            other = row->option;
    }
    if (other)
        cli_usage_error(
            call, "--format plan is what the planner makes of an allocation: it takes no --%s",
            other);
    return !other;
}

char *cli_plan_answer(const cli_call *call, planner_request *request, size_t *size)
{
    topomap_watch watch = {.done = 0};
    terminal_progress *progress = terminal_progress_begin(call->command->name, &watch);
    char *text;

    request->watch = &watch;
    text = planner_answer_text(request, size);
    request->watch = NULL;
    terminal_progress_end(progress);
    return text;
}

static int make_plan(const cli_call *call, const topomap_request *asked, topomap_error *err)
{
    planner_request request = {0};
    cli_order order = {0};
    char *text = cli_request_make(call, asked, &request, &order, err), *reply = NULL;
    size_t size;
    int status = -1;

    if (text) {
        reply = cli_plan_answer(call, &request, &size);
        status = reply ? write_plan(call, text, reply, size, err)
                       : topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    }
    planner_request_clear(&request);
    free(order.slot_of);
    free(text);
    free(reply);
    return status;
}

int cli_plan(const cli_call *call)
{
    topomap_request asked;
    topomap_error err;
    int status;

    if (!takes_all(call))
        return CLI_USAGE;
    if (!cli_get(call, "graph") || !cli_get(call, "nodes") || !cli_get(call, "tasks-per-node"))
        return cli_usage_error(call, "--format plan wants --graph, --nodes and --tasks-per-node");
    status = cli_request_read(call, &asked);
    if (status == 0 && make_plan(call, &asked, &err) != 0)
        status = cli_fail(call, &err);
    topomap_request_clear(&asked);
    return status;
}
