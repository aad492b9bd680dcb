/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap db distance */
#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"
#include "topology-db/db.h"
#include "util/input.h"

static json_t *distance_json(const char *from, const char *to, const topomap_db_distance *d)
{
    json_t *one = cli_json_object("from:s to:s hops:i cost:r routing:s route:o", from, to,
                                  (int)d->hops, d->cost, d->routing,
                                  d->route ? cli_json_words(d->route, '\n') : json_null());
    json_t *ports;

    if (d->note)
        cli_json_set(one, "note:s", d->note);
    if (!d->step)
        return one;
    cli_json_set(one, "lids:o end_ports:o", json_pack("[i, i]", d->from_lid, d->to_lid),
                 json_pack("[i, i]", d->from_port, d->to_port));
    ports = json_array();
    for (size_t i = 0; i < d->steps; i++)
        json_array_append_new(ports, json_pack("[i, i]", d->step[i].in, d->step[i].out));
    json_object_set_new(one, "ports", ports);
    return one;
}

static void print_route(const char *route)
{
    for (const char *at = route; *at; at++)
        putchar(*at == '\n' ? ' ' : *at);
}

static void warn_note(const cli_call *call, const char *from, const char *to, const char *note)
{
    if (note)
        fprintf(stderr, "topomap %s: warning: %s to %s: %s; a shortest path is given instead\n",
                call->command->name, from, to, note);
}

/* ---- Two nodes --------------------------------------------------------------------------- */

static int one_pair(const cli_call *call, topomap_db_router *router,
                    const topomap_db_route_options *options)
{
    topomap_db_distance d;
    topomap_error err;

    if (topomap_db_router_route(router, call->operand[0], call->operand[1], options, &d, &err))
        return cli_fail(call, &err);
    warn_note(call, call->operand[0], call->operand[1], d.note);
    if (call->options.json) {
        cli_json(stdout, distance_json(call->operand[0], call->operand[1], &d),
                 JSON_REAL_PRECISION(12));
    } else {
        printf("hops   %" PRIu32 "\ncost   %g (tenths of a hop, a byte)\nroute  ", d.hops, d.cost);
        print_route(d.route ? d.route : "(links are not known)");
        printf("\nby     %s\n", strcmp(d.routing, "lft") == 0 ? "the routing tables" : d.routing);
    }
    topomap_db_distance_clear(&d);
    return CLI_DONE;
}

/* ---- Many pairs -------------------------------------------------------------------------- */

static int print_pair(const cli_call *call, const char *from, const char *to,
                      topomap_db_distance *d)
{
    warn_note(call, from, to, d->note);
    if (call->options.json)
        return cli_json(stdout, distance_json(from, to, d), JSON_COMPACT | JSON_REAL_PRECISION(12));
    printf("%s %s %" PRIu32 " %g %s ", from, to, d->hops, d->cost, d->routing);
    print_route(d->route ? d->route : "-");
    putchar('\n');
    return CLI_DONE;
}

/* Other pairs go on; why is on standard error. */
static void print_unanswered(const cli_call *call, const char *from, const char *to)
{
    if (!call->options.json)
        printf("%s %s - - none\n", from, to);
    else
        cli_json(stdout, cli_json_object("from:s to:s hops:n cost:n route:n", from, to),
                 JSON_COMPACT);
}

static int answer(const cli_call *call, topomap_db_router *router,
                  const topomap_db_route_options *options, topomap_input *input, char *line)
{
    char *keep, *from = strtok_r(line, " \t", &keep), *to = strtok_r(NULL, " \t", &keep);
    topomap_db_distance d;
    topomap_error err, where;

    if (!from || *from == '#')
        return CLI_DONE;
    if (!to || strtok_r(NULL, " \t", &keep)) {
        topomap_input_fail(input, &err, "expected two nodes");
        return cli_fail(call, &err);
    }
    if (topomap_db_router_route(router, from, to, options, &d, &where)) {
        topomap_error_set(&err, where.code, "%s:%zu: %s", topomap_input_path(input),
                          topomap_input_lineno(input), where.text);
        print_unanswered(call, from, to);
        return cli_fail(call, &err);
    }
    print_pair(call, from, to, &d);
    topomap_db_distance_clear(&d);
    return CLI_DONE;
}

static int many_pairs(const cli_call *call, topomap_db_router *router,
                      const topomap_db_route_options *options)
{
    const char *path = call->options.pairs;
    topomap_error err;
    TOPOMAP_INPUT_CLOSED topomap_input *input = NULL;
    size_t length;
    char *line;
    int got = 0, status = CLI_DONE;

    if (topomap_input_open(path, &input, &err))
        return cli_fail(call, &err);
    while ((got = topomap_input_line(input, 4096, &line, &length, &err)) > 0) {
        int answered = answer(call, router, options, input, line);

        status = answered > status ? answered : status;
    }
    return got < 0 ? cli_fail(call, &err) : status;
}

static int run_distance(const cli_call *call)
{
    const topomap_db_route_options options = {.rail = call->options.rail,
                                              .path = call->options.path};
    CLI_DB_CLOSED topomap_db *db = NULL;
    topomap_db_router *router;
    topomap_error err;
    int status, pairs = call->options.pairs != NULL;

    if (call->operands != (pairs ? 0 : 2))
        return cli_usage_error(call, "two nodes, or --pairs FILE");
    if (topomap_db_open(cli_database(call), &db, &err) || topomap_db_router_open(db, &router, &err))
        return cli_fail(call, &err);
    status = pairs ? many_pairs(call, router, &options) : one_pair(call, router, &options);
    topomap_db_router_close(router);
    return status;
}

static const cli_option distance_options[] = {
    {CLI_DB},
    {"pairs", "FILE", TEXT(pairs), "two nodes a line (-: standard input); an answer a line"},
    {"rail", "N", COUNT(rail, 1, 255, 0),
     "from and to each node's N-th port (by GUID), not the nearest ones"},
    {"path", "N", COUNT(path, 0, 127, 0),
     "to the destination's base LID + N, where its LMC is not 0"},
    {"json", NULL, FLAG(json), "for programs; with --pairs an object a line"},
    {0},
};

static const char distance_text[] =
    "Where routing tables were imported (`topomap db import lft FILE`) the route is theirs: from\n"
    "the source's leaf switch by the tables for the destination port's LID. Of nodes with several\n"
    "ports the two with the fewest hops between them count, and of several such the first by\n"
    "GUID, then port. Where the tables do not lead there, a warning says why, and it is a\n"
    "shortest path. --pairs prints `FROM TO HOPS COST ROUTING ROUTE...` for each line, and `FROM\n"
    "TO - - none` where there is no answer (exit 3 at the end).\n";

CLI_COMMAND(
    cli_db_distance, "db distance", "NODE NODE",
    "hops, cost and route between two nodes: over the routing tables where they were imported, "
    "else a shortest path",
    distance_options, 0, 2, run_distance, distance_text);
