/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap map --format and --from-plan, for other launchers */
#include <stdlib.h>
#include <string.h>

#include "cli/plan.h"
#include "cli/records.h"
#include "plan/bindings.h"
#include "plan/writers/writers.h"
#include "util/alloc.h"
#include "util/output.h"

void cli_launchers_names(char *text, size_t size)
{
    const topomap_plan_writer *row;

    for (size_t i = 0; (row = topomap_plan_writer_at(i)) != NULL; i++) {
        size_t used = strlen(text);

        snprintf(text + used, size - used, ", %s", row->name);
    }
}

static int print(const cli_call *call, const topomap_plan_writer *writer, const topomap_plan *plan,
                 const char *const *names, const topomap_cores *cores, topomap_error *err)
{
    topomap_rank_places places = {0};
    topomap_output *output;
    int status = topomap_rank_places_make(plan, names, cores, &places, err);

    if (status == 0)
        status = topomap_output_open(cli_output(call), &output, err);
    if (status == 0) {
        writer->write(topomap_output_file(output), &places);
        status = topomap_output_commit(output, err);
    }
    topomap_rank_places_clear(&places);
    return status;
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
    planner_record record = {0};
    topomap_cores told = {0};
    topomap_plan plan = {0};
    topomap_error err;
    int status;

    if (!writer) {
        char names[256] = "";

        cli_launchers_names(names, sizeof names);
        return cli_usage_error(call, "--from-plan wants a --format of%s", names + 1);
    }
    status = cli_record_read(call, call->options.from_plan, &record, &err);
    if (status == 0)
        status = planner_record_plan(&record, &plan, &err);
    if (status == 0)
        status = take_cores(&record, &told, &cores, &err);
    if (status == 0)
        status =
            print(call, writer, &plan, (const char *const *)record.request.nodes.name, cores, &err);
    topomap_plan_clear(&plan);
    topomap_cores_clear(&told);
    planner_record_clear(&record);
    return status == 0 ? CLI_DONE : cli_fail(call, &err);
}
