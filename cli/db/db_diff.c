/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap db diff */
#include <string.h>

#include "cli/cli.h"
#include "topology-db/db.h"

struct told {
    json_t *list; /* NULL: as text */
    size_t count;
};

static int tell(const topomap_db_change *change, void *data)
{
    struct told *told = data;

    told->count++;
    if (told->list)
        return json_array_append_new(told->list, json_pack("{s:s, s:s, s:o, s:o, s:o}", "change",
                                                           change->change, "what", change->what,
                                                           "name", cli_json_text(change->name),
                                                           "before", cli_json_text(change->before),
                                                           "after", cli_json_text(change->after)));
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

static int finish(struct told *told)
{
    if (told->list)
        cli_json(stdout, json_pack("{s:b, s:o}", "equal", !told->count, "changes", told->list), 0);
    else if (!told->count)
        printf("no differences\n");
    return told->count ? CLI_NO : CLI_DONE;
}

static int run_diff(const cli_call *call)
{
    struct told told = {.list = call->options.json ? json_array() : NULL};
    topomap_error err = {TOPOMAP_ESYSTEM, "out of memory: the list of differences"};
    topomap_db *a, *b = NULL;
    int result = topomap_db_open(call->operand[0], &a, &err);

    if (!result) {
        result = topomap_db_open(call->operand[1], &b, &err);
        if (!result)
            result = topomap_db_diff(a, b, call->options.guids, tell, &told, &err);
        topomap_db_close(b);
        topomap_db_close(a);
    }
    if (result) {
        json_decref(told.list);
        return cli_fail(call, &err);
    }
    return finish(&told);
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
