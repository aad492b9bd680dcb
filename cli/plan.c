/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap map --format plan */
#include "config.h"

#include "cli/plan.h"

#include <stdlib.h>

#include "cli/request.h"
#include "plugin/planner/plan/answer.h"
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

/* An option that the planner does not take; NULL: none is given. */
static const char *other_option(const cli_call *call)
{
    const cli_option *row;

    for (int i = 0; (row = cli_option_at(call->command, i)); i++)
        if (call->value[i] && row->kind == CLI_REQUEST &&
            !topomap_request_row_of((enum topomap_request_key)row->at)->line)
            return row->name;
    return call->options.machine ? "machine" : call->options.mapping ? "mapping" : NULL;
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

static int make_plan(const cli_call *call, topomap_error *err)
{
    planner_request request = {0};
    cli_order order = {0};
    char *text = cli_request_make(call, &request, &order, err), *reply = NULL;
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
    const cli_options *options = &call->options;
    const char *other = other_option(call);
    topomap_error err;

    if (other)
        return cli_usage_error(
            call, "--format plan is what the planner makes of an allocation: it takes no --%s",
            other);
    if (!options->request.graph || !options->nodes || !options->tasks_per_node)
        return cli_usage_error(call, "--format plan wants --graph, --nodes and --tasks-per-node");
    return make_plan(call, &err) == 0 ? CLI_DONE : cli_fail(call, &err);
}
