/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap map --replay */
#include <stdlib.h>
#include <string.h>

#include "cli/launch/records.h"
#include "cli/map/map_command.h"
#include "plugin/planner/plan/plan.h"
#include "util/alloc.h"
#include "util/output.h"
#include "util/text.h"

/* ---- What was found then and now --------------------------------------------------------- */

struct replay {
    planner_record record;
    char *bytes; /* of the reply that was made now */
    plugin_reply now;
    char *shown; /* of one more, with an explanation */
    plugin_reply explained;
    char differs[512]; /* words; empty: nothing does */
    char warning[1024];
};

static void add(char *text, size_t size, const char *separator, const char *more)
{
    topomap_text_append(text, size, "%s%s", *text ? separator : "", more);
}

static int same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void compare(struct replay *r)
{
    const plugin_reply *then = &r->record.reply, *now = &r->now;
    const struct {
        const char *name;
        int same;
    } rows[] = {
        {"status", then->status == now->status},
        {"plan-id", same(then->plan_id, now->plan_id)},
        {"gain", same(then->gain, now->gain)},
        {"layout", same(then->layout, now->layout)},
        {"bindings", same(then->bindings, now->bindings)},
        {"line", same(then->line, now->line)},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!rows[i].same)
            add(r->differs, sizeof r->differs, " ", rows[i].name);
}

static void compare_input(struct replay *r, const char *what, const char *path, const char *then)
{
    char line[CLI_RECORD_LINE];

    if (cli_record_differs(what, path, then, line))
        add(r->warning, sizeof r->warning, "; ", line);
}

/* Only a search that its time may have ended depends on the time: the candidates for J have 0.4 of
 * it where the objective is congestion (lib/map/auto/portfolio.c). */
static void settle_time(struct replay *r)
{
    double searched = r->record.reply.searched ? strtod(r->record.reply.searched, NULL) : 0;
    char line[128];

    if (searched < 0.4 * r->record.request.asked.seconds || r->record.request.asked.seconds <= 0) {
        r->record.request.asked.seconds = 0;
        return;
    }
    snprintf(line, sizeof line, "the search took %.3f of its %.3f s and may have ended early",
             searched, r->record.request.asked.seconds);
    add(r->warning, sizeof r->warning, "; ", line);
}

static int run_again(const cli_call *call, struct replay *r, topomap_error *err)
{
    planner_request *request = &r->record.request;
    size_t size;

    compare_input(r, "database", request->asked.db, r->record.reply.input_db);
    if (request->asked.graph)
        compare_input(r, "graph", request->asked.graph, r->record.reply.input_graph);
    settle_time(r);
    r->bytes = cli_plan_answer(call, request, &size);
    if (!r->bytes)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    if (plugin_reply_read(r->bytes, size, &r->now, err) != 0)
        return -1;
    compare(r);
    return 0;
}

/* Asked with an explanation the planner adds costs up in another order, so the plan that is
 * compared is asked for as it was. */
static void explain(const cli_call *call, struct replay *r)
{
    topomap_error err;
    size_t size;

    r->explained = r->now;
    if (r->now.explain)
        return;
    r->record.request.asked.explain = 1;
    r->shown = cli_plan_answer(call, &r->record.request, &size);
    if (!r->shown || plugin_reply_read(r->shown, size, &r->explained, &err) != 0)
        r->explained = r->now;
}

/* ---- Printing ---------------------------------------------------------------------------- */

static const char *status_word(const plugin_reply *reply)
{
    static const char *const words[] = {
        [PLUGIN_FAILED] = "failed", [PLUGIN_UNCHANGED] = "unchanged", [PLUGIN_APPLIED] = "applied"};

    return words[reply->status];
}

static void print_text(FILE *out, const struct replay *r)
{
    if (r->explained.explain)
        fwrite(r->explained.explain, 1, r->explained.explain_size, out);
    else
        fprintf(out, "topomap: %s\n", r->now.line);
    if (*r->differs)
        fprintf(out, "replay of %u.%u: not the plan of the record: %s differ\n",
                r->record.request.asked.job, r->record.request.asked.step, r->differs);
    else
        fprintf(out, "replay of %u.%u: the same plan, %s\n", r->record.request.asked.job,
                r->record.request.asked.step,
                r->now.plan_id ? r->now.plan_id : status_word(&r->now));
}

static json_t *reply_json(const plugin_reply *reply)
{
    return cli_json_object("status:s plan_id:s gain:s line:s layout:s bindings:s",
                           status_word(reply), reply->plan_id, reply->gain, reply->line,
                           reply->layout, reply->bindings);
}

static void print_json(FILE *out, const struct replay *r)
{
    json_t *root = cli_json_object(
        "job:i step:i version:s time:U same:b differs:o recorded:o replayed:o",
        (int)r->record.request.asked.job, (int)r->record.request.asked.step, r->record.version,
        r->record.time, !*r->differs, cli_json_words(r->differs, ' '), reply_json(&r->record.reply),
        reply_json(&r->now));

    cli_json(out, root, 0);
}

static int print_perm(FILE *out, const struct replay *r, topomap_error *err)
{
    const planner_request *request = &r->record.request;
    uint32_t tasks = request->first[request->nodes.count];
    TOPOMAP_FREED uint32_t *slot_of = topomap_alloc(tasks, sizeof *slot_of, err);
    TOPOMAP_CLEANUP(planner_inputs_clear) planner_inputs inputs = {0};

    if (!slot_of || planner_inputs_open(request, &inputs, err) != 0 ||
        planner_record_slots(&inputs, &r->now, slot_of, err) != 0)
        return -1;
    for (uint32_t t = 0; t < topomap_graph_ranks(inputs.graph); t++)
        fprintf(out, "%u\n", slot_of[t]);
    return 0;
}

static int print(const cli_call *call, struct replay *r, const char *format, topomap_error *err)
{
    topomap_output *output;

    if (topomap_output_open(cli_output(call), &output, err) != 0)
        return -1;
    if (strcmp(format, "json") == 0)
        print_json(topomap_output_file(output), r);
    else if (strcmp(format, "perm") != 0) {
        explain(call, r);
        print_text(topomap_output_file(output), r);
    } else if (print_perm(topomap_output_file(output), r, err) != 0) {
        topomap_output_abandon(output);
        return -1;
    }
    return topomap_output_commit(output, err);
}

int cli_replay(const cli_call *call, const char *format)
{
    struct replay r = {0};
    topomap_error err;
    int status;

    if (call->options.machine || call->options.nodes || call->options.request.algorithm ||
        call->options.mapping)
        return cli_usage_error(call,
                               "--replay takes a record and, where the files have moved, --db "
                               "and --graph");
    status = cli_record_read(call, call->options.replay, &r.record, &err) == 0 &&
                     run_again(call, &r, &err) == 0 && print(call, &r, format, &err) == 0
                 ? (*r.differs ? CLI_NO : CLI_DONE)
                 : cli_fail(call, &err);
    if (*r.warning)
        fprintf(stderr, "topomap map: %s\n", r.warning);
    planner_record_clear(&r.record);
    free(r.bytes);
    free(r.shown);
    return status;
}
