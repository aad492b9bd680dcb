/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap db import|show|distance */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "topology-db/db.h"

static int print_json(json_t *value)
{
    json_dumpf(value, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    putchar('\n');
    json_decref(value);
    return CLI_DONE;
}

/* ---- import ------------------------------------------------------------------------------ */

/* `wrap=yes|no`: the only option of an importer so far. */
static int take_option(const cli_call *call, topomap_db_import_options *options)
{
    static const struct {
        const char *text;
        int wrap;
    } known[] = {{"wrap=yes", 1}, {"wrap=no", 0}};
    const char *text = cli_get(call, "option");

    if (!text)
        return 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(text, known[i].text) == 0) {
            options->wrap = known[i].wrap;
            return 0;
        }
    return cli_usage_error(call, "no option '%s'; there are wrap=yes and wrap=no", text);
}

static int import_file(const cli_call *call, const topomap_db_import_options *options,
                       topomap_db_report *report)
{
    topomap_db *db;
    topomap_error err;
    int result = topomap_db_create(cli_database(call), &db, &err);

    if (result)
        return cli_fail(call, &err);
    result = topomap_db_import(db, call->operand[0], call->operand[1], options, report, &err);
    topomap_db_close(db);
    return result ? cli_fail(call, &err) : CLI_DONE;
}

static void print_report(const cli_call *call, const topomap_db_report *report)
{
    printf("%s: %s: %" PRIu64 " hosts, %" PRIu64 " switches, %" PRIu64 " links", call->operand[1],
           call->operand[0], report->hosts, report->switches, report->links);
    if (report->adapters)
        printf(", %" PRIu64 " adapters (%" PRIu64 " of unknown hosts)", report->adapters,
               report->unknown_adapters);
    if (report->classes)
        printf(", %" PRIu64 " node class", report->classes);
    printf("%s\n", report->partial ? "; partial" : "");
    if (report->warnings)
        fprintf(stderr, "topomap db import: warning: %s\n", report->first_warning);
    if (report->warnings > 1)
        fprintf(stderr, "topomap db import: %zu more warnings\n", report->warnings - 1);
}

static json_t *report_json(const cli_call *call, const topomap_db_report *report)
{
    return json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:I}", "format",
                     call->operand[0], "file", call->operand[1], "hosts", (json_int_t)report->hosts,
                     "switches", (json_int_t)report->switches, "links", (json_int_t)report->links,
                     "adapters", (json_int_t)report->adapters, "unknown_adapters",
                     (json_int_t)report->unknown_adapters, "classes", (json_int_t)report->classes,
                     "partial", report->partial, "warnings", (json_int_t)report->warnings);
}

static int run_import(const cli_call *call)
{
    topomap_db_import_options options = {.nodes = cli_get(call, "nodes"), .wrap = -1};
    topomap_db_report report;
    int status = take_option(call, &options);

    if (!status)
        status = import_file(call, &options, &report);
    if (status)
        return status;
    if (!cli_get(call, "json")) {
        print_report(call, &report);
        return CLI_DONE;
    }
    if (report.warnings)
        fprintf(stderr, "topomap db import: warning: %s\n", report.first_warning);
    return print_json(report_json(call, &report));
}

/* ---- show -------------------------------------------------------------------------------- */

static int print_summary(const cli_call *call, topomap_db *db)
{
    topomap_db_summary s;
    topomap_error err;

    if (topomap_db_summarise(db, &s, &err))
        return cli_fail(call, &err);
    if (cli_get(call, "json"))
        return print_json(json_pack("{s:I, s:I, s:I, s:I, s:s, s:s, s:f, s:I, s:I, s:b}", "hosts",
                                    (json_int_t)s.hosts, "switches", (json_int_t)s.switches,
                                    "links", (json_int_t)s.links, "classes", (json_int_t)s.classes,
                                    "topology", s.topology, "evidence", s.evidence, "confidence",
                                    s.confidence, "subnets",
                                    (json_int_t)s.subnets, "unknown_adapters",
                                    (json_int_t)s.unknown_adapters, "partial", s.partial));
    printf("hosts             %" PRIu64 "\n", s.hosts);
    printf("switches          %" PRIu64 "\n", s.switches);
    printf("links             %" PRIu64 "\n", s.links);
    printf("node classes      %" PRIu64 "\n", s.classes);
    printf("topology          %s\n", s.topology);
    printf("  because         %s\n", s.evidence);
    printf("  confidence      %.3g\n", s.confidence);
    printf("subnets           %" PRIu64 "\n", s.subnets);
    printf("unknown adapters  %" PRIu64 "\n", s.unknown_adapters);
    printf("partial           %s\n", s.partial ? "yes" : "no");
    return CLI_DONE;
}

static int print_host(const topomap_db_host *host, void *data)
{
    (void)data;
    printf("%-16s %-10s %-18s %-10s %s\n", host->name, host->status,
           host->class_name ? host->class_name : "-", host->type,
           *host->attached ? host->attached : "-");
    return 0;
}

static int keep_host(const topomap_db_host *host, void *data)
{
    return json_array_append_new(data, json_pack("{s:s, s:s, s:s?, s:s, s:s}", "name", host->name,
                                                 "status", host->status, "class", host->class_name,
                                                 "type", host->type, "attached", host->attached));
}

static int print_hosts(const cli_call *call, topomap_db *db)
{
    const char *only = call->operands ? call->operand[0] : NULL;
    json_t *list = cli_get(call, "json") ? json_array() : NULL;
    topomap_error err = {TOPOMAP_ESYSTEM, "out of memory: the list of hosts"};

    if (!list && !only)
        printf("%-16s %-10s %-18s %-10s %s\n", "NODE", "STATUS", "CLASS", "TYPE", "ATTACHED TO");
    if (topomap_db_hosts(db, only, list ? keep_host : print_host, list, &err)) {
        json_decref(list);
        return cli_fail(call, &err);
    }
    if (!list)
        return CLI_DONE;
    if (only) {
        json_t *one = json_incref(json_array_get(list, 0));

        json_decref(list);
        list = one;
    }
    return print_json(list);
}

static int run_show(const cli_call *call)
{
    topomap_db *db;
    topomap_error err;
    int status;

    if (cli_get(call, "summary") && call->operands)
        return cli_usage_error(call, "a node or --summary, not both");
    if (topomap_db_open(cli_database(call), &db, &err))
        return cli_fail(call, &err);
    status = cli_get(call, "summary") ? print_summary(call, db) : print_hosts(call, db);
    topomap_db_close(db);
    return status;
}

/* ---- distance ---------------------------------------------------------------------------- */

static json_t *route_json(const char *route)
{
    json_t *list = route ? json_array() : json_null();

    while (route && *route) {
        size_t length = strcspn(route, "\n");

        json_array_append_new(list, json_stringn(route, length));
        route += length + (route[length] == '\n');
    }
    return list;
}

static int print_distance(const cli_call *call, topomap_db_distance *distance)
{
    if (cli_get(call, "json"))
        return print_json(json_pack("{s:s, s:s, s:i, s:f, s:o}", "from", call->operand[0], "to",
                                    call->operand[1], "hops", (int)distance->hops, "cost",
                                    distance->cost, "route", route_json(distance->route)));
    printf("hops   %" PRIu32 "\ncost   %g (tenths of a hop, a byte)\n", distance->hops,
           distance->cost);
    for (char *at = distance->route; at && (at = strchr(at, '\n'));)
        *at = ' ';
    printf("route  %s\n", distance->route ? distance->route : "(links are not known)");
    return CLI_DONE;
}

static int run_distance(const cli_call *call)
{
    topomap_db *db;
    topomap_db_distance distance;
    topomap_error err;
    int status;

    if (topomap_db_open(cli_database(call), &db, &err))
        return cli_fail(call, &err);
    if (topomap_db_distance_between(db, call->operand[0], call->operand[1], &distance, &err)) {
        status = cli_fail(call, &err);
    } else {
        status = print_distance(call, &distance);
        free(distance.route);
    }
    topomap_db_close(db);
    return status;
}

/* ---- Tables ------------------------------------------------------------------------------ */

static const cli_option import_options[] = {
    {"db", "DB", "topology database; made where there is none", NULL},
    {"nodes", "HOSTLIST", "hwloc: the nodes that have this inside", NULL},
    {"option", "K=V", "xtdb2proc: wrap=no where the network is a mesh, not a torus", NULL},
    {"json", NULL, "for programs", NULL},
    {NULL, NULL, NULL, NULL},
};

static const cli_option show_options[] = {
    {"db", "DB", "topology database", NULL},
    {"summary", NULL, "counts and the kind of network", NULL},
    {"json", NULL, "for programs", NULL},
    {NULL, NULL, NULL, NULL},
};

static const cli_option distance_options[] = {
    {"db", "DB", "topology database", NULL},
    {"json", NULL, "for programs", NULL},
    {NULL, NULL, NULL, NULL},
};

const cli_command cli_db_commands[] = {
    {"db import", "FORMAT FILE", "import a dump; formats: `topomap formats`", import_options, 2, 2,
     run_import},
    {"db show", "[NODE]", "show the hosts, one host, or a summary", show_options, 0, 1, run_show},
    {"db distance", "NODE NODE", "hops, cost and route between two nodes", distance_options, 2, 2,
     run_distance},
    {NULL, NULL, NULL, NULL, 0, 0, NULL},
};
