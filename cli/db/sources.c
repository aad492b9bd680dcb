/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap db forget, and the list of what there is to forget */
#include <inttypes.h>

#include "cli/cli.h"
#include "cli/db/sources.h"
#include "topology-db/db.h"

static int show_source(const topomap_db_source *source, void *list)
{
    char date[32];

    if (list)
        return json_array_append_new(
            list,
            json_pack("{s:o, s:o, s:I, s:b, s:I}", "format", cli_json_text(source->importer),
                      "name", cli_json_text(source->name), "imported", (json_int_t)source->time,
                      "partial", source->partial, "warnings", (json_int_t)source->warnings));
    topomap_db_date_put(source->time, date);
    printf("%-17s %-16s %s%s", source->importer, date, *source->name ? source->name : "-",
           source->partial ? "; partial" : "");
    if (source->warnings)
        printf("; %" PRIu64 " warning%s", source->warnings, source->warnings == 1 ? "" : "s");
    printf("\n");
    return 0;
}

int cli_show_sources(const cli_call *call, topomap_db *db)
{
    json_t *list = call->options.json ? json_array() : NULL;
    topomap_error err;

    if (topomap_db_sources(db, show_source, list, &err)) {
        json_decref(list);
        return cli_fail(call, &err);
    }
    return list ? cli_json(stdout, list, 0) : CLI_DONE;
}

static int run_forget(const cli_call *call)
{
    const char *name = call->operands > 1 ? call->operand[1] : NULL, *nodes = call->options.nodes;
    topomap_db_summary left;
    topomap_db *db;
    topomap_error err;
    int result;

    if (nodes && !name)
        return cli_usage_error(call, "--nodes are those of a SOURCE: name it");
    if (topomap_db_create(cli_database(call), &db, &err))
        return cli_fail(call, &err);
    result = topomap_db_forget(db, call->operand[0], name, nodes, &err) ||
             topomap_db_summarise(db, &left, &err);
    topomap_db_close(db);
    if (result)
        return cli_fail(call, &err);
    printf("forgotten; %" PRIu64 " hosts, %" PRIu64 " switches and %" PRIu64 " links are left\n",
           left.hosts, left.switches, left.links);
    return CLI_DONE;
}

static const cli_option forget_options[] = {
    {CLI_DB},
    {"nodes", "HOSTLIST", TEXT(nodes), "that SOURCE, a file, was imported for"},
    {0},
};

static const char forget_text[] =
    "SOURCE is the file, or its name as `topomap db show --sources` has it; where FORMAT has one\n"
    "source only, it need not be named. What `topomap db refresh` imports comes again with it:\n"
    "take it out of refresh.conf, too.\n";

CLI_COMMAND(cli_db_forget, "db forget", "FORMAT [SOURCE]",
            "take what one import said out of the database again", forget_options, 1, 2, run_forget,
            forget_text);
