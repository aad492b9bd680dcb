/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap db check, topomap db diff */

#include "cli/cli.h"
#include "topology-db/db.h"

static const char *const severities[] = {"info", "warning", "error"};
static const enum terminal_paint paints[] = {TERMINAL_PLAIN, TERMINAL_WARN, TERMINAL_BAD};

struct findings {
    const cli_call *call;
    json_t *list; /* NULL: as text */
    size_t count, failed;
};

static int put_finding(const topomap_db_finding *finding, void *data)
{
    struct findings *findings = data;

    findings->count++;
    findings->failed += finding->severity > TOPOMAP_DB_INFO;
    if (findings->list)
        return cli_json_add(findings->list, "severity:s check:s text:s remedy:s",
                            severities[finding->severity], finding->check, finding->text,
                            finding->remedy);
    cli_paint(findings->call, stdout, paints[finding->severity], "%s",
              severities[finding->severity]);
    printf(" %s: %s; %s\n", finding->check, finding->text, finding->remedy);
    return 0;
}

static int check(const cli_call *call, const topomap_db_check_options *options)
{
    struct findings findings = {.call = call, .list = call->options.json ? json_array() : NULL};
    topomap_error err = {TOPOMAP_ESYSTEM, "out of memory: the list of findings"};
    CLI_DB_CLOSED topomap_db *db = NULL;

    if (topomap_db_open(cli_database(call), &db, &err) ||
        topomap_db_check(db, options, put_finding, &findings, &err))
        return cli_answer(call, 1, &err, findings.list, 0);
    if (call->options.json)
        cli_json(stdout, cli_json_object("ok:b findings:o", !findings.failed, findings.list), 0);
    else if (!findings.count)
        printf("no findings\n");
    return findings.failed ? CLI_NO : CLI_DONE;
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
    TOPOMAP_CLEANUP(topomap_names_clear) topomap_names names = {0};
    topomap_db_check_options options = {.max_age = call->options.max_age};
    const char *nodes = call->options.nodes;
    topomap_error err;

    if (call->options.list)
        return list_checks();
    if (nodes && topomap_hostlist_expand(nodes, 0, &names, &err))
        return cli_fail(call, &err);
    options.nodes = nodes ? &names : NULL;
    return check(call, &options);
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

/* ---- diff -------------------------------------------------------------------------------- */

struct changes {
    json_t *list; /* NULL: as text */
    size_t count;
};

static int put_change(const topomap_db_change *change, void *data)
{
    struct changes *changes = data;

    changes->count++;
    if (changes->list)
        return cli_json_add(changes->list, "change:s what:s name:s before:s after:s",
                            change->change, change->what, change->name, change->before,
                            change->after);
    printf("%s %s %s", change->change, change->what, change->name);
    if (change->before && change->after)
        printf(": %s -> %s", change->before, change->after);
    else if (change->before && *change->before)
        printf(": %s", change->before);
    else if (change->after && *change->after)
        printf(": %s", change->after);
    putchar('\n');
    return 0;
}

static int run_diff(const cli_call *call)
{
    struct changes changes = {.list = call->options.json ? json_array() : NULL};
    topomap_error err = {TOPOMAP_ESYSTEM, "out of memory: the list of differences"};
    CLI_DB_CLOSED topomap_db *a = NULL;
    CLI_DB_CLOSED topomap_db *b = NULL;

    if (topomap_db_open(call->operand[0], &a, &err) ||
        topomap_db_open(call->operand[1], &b, &err) ||
        topomap_db_diff(a, b, call->options.guids, put_change, &changes, &err))
        return cli_answer(call, 1, &err, changes.list, 0);
    if (changes.list)
        cli_json(stdout, cli_json_object("equal:b changes:o", !changes.count, changes.list), 0);
    else if (!changes.count)
        printf("no differences\n");
    return changes.count ? CLI_NO : CLI_DONE;
}

static const cli_option diff_options[] = {
    {"guids", NULL, FLAG(guids), "compare GUIDs too; else names alone, which a simulator keeps"},
    {CLI_JSON},
    {0},
};

CLI_COMMAND(
    cli_db_diff, "db diff", "A B",
    "hosts, switches, links, rates and classes that database B has and A has not, or the reverse;"
    " exit status 1 where there are any",
    diff_options, 2, 2, run_diff, NULL);
