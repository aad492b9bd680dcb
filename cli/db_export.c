/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap db export */
#include "cli/cli.h"
#include "topology-db/db.h"

static int export_to(const cli_call *call, const char *format, const topomap_names *nodes)
{
    topomap_error err;
    topomap_db *db;
    int result = topomap_db_open(cli_database(call), &db, &err);

    if (!result) {
        result = topomap_db_export(db, format, nodes, cli_output(call), &err);
        topomap_db_close(db);
    }
    return result ? cli_fail(call, &err) : CLI_DONE;
}

static int run_export(const cli_call *call)
{
    const char *format = cli_get(call, "to"), *list = cli_get(call, "nodes");
    topomap_names nodes = {0};
    topomap_error err;
    int status;

    if (!format)
        return cli_usage_error(call, "--to FORMAT is missing");
    if (list && topomap_hostlist_expand(list, 0, &nodes, &err))
        return cli_fail(call, &err);
    status = export_to(call, format, list ? &nodes : NULL);
    topomap_names_clear(&nodes);
    return status;
}

static const cli_option export_options[] = {
    {"db", "DB", "topology database", NULL},
    {"to", "FORMAT", "slurm-topology, links, scotch-arch, dot or json", NULL},
    {"nodes", "HOSTLIST", "these nodes, and every switch that may route between them", NULL},
    {"output", "FILE", "write there (default: standard output)", "o"},
    {NULL, NULL, NULL, NULL},
};

const cli_command cli_db_export_commands[] = {
    {"db export", "", "write the network in another program's format", export_options, 0, 0,
     run_export, NULL},
    {NULL, NULL, NULL, NULL, 0, 0, NULL, NULL},
};
