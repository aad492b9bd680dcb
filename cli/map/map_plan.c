/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap map --format plan, --format of another launcher, and --from-plan */
#include "config.h"

#include "cli/launch/records.h"
#include "cli/map/map_command.h"
#include "plan/bindings.h"
#include "plan/writers/writers.h"
#include "plugin/planner/plan/plan.h"
#include "util/alloc.h"
#include "util/output.h"
#include "util/text.h"

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

/* Returns the name of a given option that the planner cannot handle, or NULL. */
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
    TOPOMAP_CLEANUP(planner_request_clear) planner_request request = {0};
    TOPOMAP_CLEANUP(cli_order_clear) cli_order order = {0};
    TOPOMAP_FREED char *text = cli_request_make(call, &request, &order, err), *reply = NULL;
    size_t size;

    if (!text)
        return -1;
    reply = cli_plan_answer(call, &request, &size);
    return reply ? write_plan(call, text, reply, size, err)
                 : topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
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

void cli_launchers_names(char *text, size_t size)
{
    const topomap_plan_writer *row;

    for (size_t i = 0; (row = topomap_plan_writer_at(i)) != NULL; i++)
        topomap_text_append(text, size, ", %s", row->name);
}

static int print(const cli_call *call, const topomap_plan_writer *writer, const topomap_plan *plan,
                 const char *const *names, const topomap_cores *cores, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_rank_places_clear) topomap_rank_places places = {0};
    topomap_output *output;

    if (topomap_rank_places_make(plan, names, cores, &places, err) != 0 ||
        topomap_output_open(cli_output(call), &output, err) != 0)
        return -1;
    writer->write(topomap_output_file(output), &places);
    return topomap_output_commit(output, err);
}

/* ---- What was found ---------------------------------------------------------------------- */

int cli_launchers_print(const cli_call *call, const cli_result *result)
{
    const planner_request *request = &result->target->request;
    const topomap_cores *told = &result->target->inputs.cores;
    topomap_error err;

    if (!result->target->allocation)
        return cli_usage_error(call, "--format %s is for nodes: --db, --nodes and --tasks-per-node",
                               call->options.format);
    return print(call, topomap_plan_writer_find(call->options.format), &result->plan,
                 (const char *const *)request->nodes.name, told->nodes ? told : &request->cores,
                 &err) == 0
               ? CLI_DONE
               : cli_fail(call, &err);
}

/* ---- A record ---------------------------------------------------------------------------- */

/* The job's cores, as srun knew them or as scontrol told. */
static int take_cores(const planner_record *record, topomap_cores *told,
                      const topomap_cores **cores, topomap_error *err)
{
    *cores = &record->request.cores;
    if (!record->reply.cores)
        return 0;
    *cores = told;
    return topomap_cores_parse(record->reply.cores, (uint32_t)record->request.nodes.count, told,
                               err);
}

int cli_launchers_convert(const cli_call *call)
{
    const char *format = call->options.format;
    const topomap_plan_writer *writer = format ? topomap_plan_writer_find(format) : NULL;
    const topomap_cores *cores;
    TOPOMAP_CLEANUP(planner_record_clear) planner_record record = {0};
    TOPOMAP_CLEANUP(topomap_cores_clear) topomap_cores told = {0};
    TOPOMAP_CLEANUP(topomap_plan_clear) topomap_plan plan = {0};
    topomap_error err;

    if (!writer) {
        char names[256] = "";

        cli_launchers_names(names, sizeof names);
        return cli_usage_error(call, "--from-plan wants a --format of%s", names + 1);
    }
    if (cli_record_read(call, call->options.from_plan, &record, &err) != 0 ||
        planner_record_plan(&record, &plan, &err) != 0 ||
        take_cores(&record, &told, &cores, &err) != 0 ||
        print(call, writer, &plan, (const char *const *)record.request.nodes.name, cores, &err) !=
            0)
        return cli_fail(call, &err);
    return CLI_DONE;
}
