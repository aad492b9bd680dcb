/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap db check */
#include <stdlib.h>

#include "cli/cli.h"
#include "topology-db/db.h"

static const char *const severities[] = {"info", "warning", "error"};
static const enum terminal_paint paints[] = {TERMINAL_PLAIN, TERMINAL_WARN, TERMINAL_BAD};

struct told {
    const cli_call *call;
    json_t *list; /* NULL: as text */
    size_t count, failed;
};

static int tell(const topomap_db_finding *finding, void *data)
{
    struct told *told = data;

    told->count++;
    told->failed += finding->severity > TOPOMAP_DB_INFO;
    if (told->list)
        return json_array_append_new(
            told->list, json_pack("{s:s, s:s, s:o, s:s}", "severity", severities[finding->severity],
                                  "check", finding->check, "text", cli_json_text(finding->text),
                                  "remedy", finding->remedy));
    cli_paint(told->call, stdout, paints[finding->severity], "%s", severities[finding->severity]);
    printf(" %s: %s; %s\n", finding->check, finding->text, finding->remedy);
    return 0;
}

static int finish(const cli_call *call, struct told *told)
{
    int ok = told->failed == 0;

    if (call->options.json)
        cli_json(stdout, json_pack("{s:b, s:o}", "ok", ok, "findings", told->list), 0);
    else if (!told->count)
        printf("no findings\n");
    return ok ? CLI_DONE : CLI_NO;
}

static int check(const cli_call *call, const topomap_db_check_options *options)
{
    struct told told = {.call = call, .list = call->options.json ? json_array() : NULL};
    topomap_error err = {TOPOMAP_ESYSTEM, "out of memory: the list of findings"};
    topomap_db *db;
    int result = topomap_db_open(cli_database(call), &db, &err);

    if (!result) {
        result = topomap_db_check(db, options, tell, &told, &err);
        topomap_db_close(db);
    }
    if (result) {
        json_decref(told.list);
        return cli_fail(call, &err);
    }
    return finish(call, &told);
}

static int list_checks(void)
{
    const topomap_db_check_row *row;

    for (size_t i = 0; (row = topomap_db_check_row_at(i)); i++)
        printf("%-8s %-16s %s; %s\n", severities[row->severity], row->name, row->help, row->remedy);
    return CLI_DONE;
}

static int run_check(const cli_call *call)
{
    topomap_names names = {0};
    topomap_db_check_options options = {.max_age = call->options.max_age};
    const char *nodes = call->options.nodes;
    topomap_error err;
    int status;

    if (call->options.list)
        return list_checks();
    if (nodes && topomap_hostlist_expand(nodes, 0, &names, &err))
        return cli_fail(call, &err);
    options.nodes = nodes ? &names : NULL;
    status = check(call, &options);
    topomap_names_clear(&names);
    return status;
}

static const cli_option check_options[] = {
    {CLI_DB},
    {"nodes", "HOSTLIST", TEXT(nodes), "Slurm's nodes, such as from `sinfo -h -o %N`"},
    {"max-age", "DAYS", NUMBER(max_age, 0, 1e6, 30), "sources may be as old as this (default 30)"},
    {"list", NULL, FLAG(list), "what is looked for, and what to do then; looks at no database"},
    {CLI_JSON},
    {0},
};

CLI_COMMAND(cli_db_check, "db check", "",
            "look for faults of the fabric and gaps in what is known of it; exit status 1"
            " where there are any but information",
            check_options, 0, 0, run_check, NULL);
