/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap db export */
#include "cli/cli.h"
#include "topology-db/db.h"

static int export_machine(const cli_call *call, const char *format, double latency)
{
    topomap_machine *machine;
    topomap_error err;
    int result = topomap_machine_parse(call->options.machine, &machine, &err);

    if (!result) {
        result = topomap_db_export_machine(machine, format, latency, cli_output(call), &err);
        topomap_machine_free(machine);
    }
    return result ? cli_fail(call, &err) : CLI_DONE;
}

static int run_export(const cli_call *call)
{
    const char *format = call->options.to, *list = call->options.nodes;
    TOPOMAP_CLEANUP(topomap_names_clear) topomap_names nodes = {0};
    CLI_DB_CLOSED topomap_db *db = NULL;
    topomap_error err;
    double latency = call->options.latency * 1e-6;

    if (!format)
        return cli_usage_error(call, "--to FORMAT is missing");
    if (call->options.machine && (list || call->options.db))
        return cli_usage_error(call, "--machine stands without --db and --nodes");
    if (call->options.machine)
        return export_machine(call, format, latency);
    return (list && topomap_hostlist_expand(list, 0, &nodes, &err)) ||
                   topomap_db_open(cli_database(call), &db, &err) ||
                   topomap_db_export(db, format, list ? &nodes : NULL, latency, cli_output(call),
                                     &err)
               ? cli_fail(call, &err)
               : CLI_DONE;
}

static const char export_text[] =
    "--to simgrid writes a platform of SimGrid: hosts with the nodes' names, links with their\n"
    "rates (100 Gb/s where none is known). Whole tori and fat trees of --machine are SimGrid's\n"
    "own zones; else all routes are written out: those of the routing tables, of the fabric's\n"
    "rule (D-mod-K, dimension order, minimal routing), else shortest paths shared out by\n"
    "destination. Links that lose nothing and are shared evenly, as those of credit-based\n"
    "fabrics, are simulated with --latency 0, since SimGrid shares by latency, as TCP does, and\n"
    "smpirun -platform FILE --cfg=network/crosstraffic:0 --cfg=network/weight-S:0\n"
    "--cfg=network/TCP-gamma:1e12 --cfg=smpi/bw-factor:0:1 --cfg=smpi/lat-factor:0:1 ...\n";

static const cli_option export_options[] = {
    {CLI_DB},
    {"to", "FORMAT", TEXT(to), "slurm-topology, links, scotch-arch, dot, json, svg or simgrid"},
    {"nodes", "HOSTLIST", TEXT(nodes), "these nodes, and every switch that may route between them"},
    {"machine", "SPEC", TEXT(machine),
     "--to simgrid: a machine without a database, as `topomap map` takes it"},
    {"latency", "US", NUMBER(latency, 0, 1e9, 0.1), "--to simgrid: of each link (default 0.1)"},
    {CLI_OUTPUT},
    {0},
};

CLI_COMMAND(cli_db_export, "db export", "", "write the network in another program's format",
            export_options, 0, 0, run_export, export_text);
