/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap db collect: how a user without privileges gathers what the importers read. It prints the
 * commands, so that whoever runs them sees what is run on the nodes. */
#include <string.h>

#include "cli/cli.h"
#include "topomap/hosts.h"

/** What one kind takes. */
typedef struct kind {
    const char *name;
    const char *format;  /* of `topomap db import` */
    int one;             /* one node speaks for all of --nodes, to which the importer is told it */
    const char *command; /* in a shell of each node; $host is its name */
} kind;

/* A row a pipeline; of one name there may be several. */
static const kind kinds[] = {
    {"slingshot", "slingshot-ama", 0,
     "for i in /sys/class/net/hsn*; do echo \"$host: ${i##*/} $(cat \"$i/address\")\"; done"},
    {"lldp", "lldp", 0, "lldpcli show neighbors details -f json0 | sed \"s/^/$host: /\""},
    {"hwloc", "hwloc", 1, "lstopo-no-graphics --of xml -"},
    {"gpu", "gpu-matrix", 1, "nvidia-smi topo -m"},
    {"gpu", "nvlink-cliques", 0,
     "nvidia-smi --query-gpu=fabric.clusterUuid,fabric.cliqueId --format=csv,noheader | head -n 1 "
     "| sed \"s/^/$host, /\""},
    /* What an instance may ask of itself: Compute Engine's and OCI's metadata services. */
    {"gcp", "gcp-topology", 0,
     "ask() { curl -sf -m 10 -H \"Metadata-Flavor: Google\" "
     "\"http://metadata.google.internal/computeMetadata/v1/instance/$1\"; }; "
     "echo \"$(ask zone),$(ask attributes/physical_host),$host\""},
    {"oci", "oci-topology", 0,
     "{ curl -sf -m 10 -H \"Authorization: Bearer Oracle\" "
     "http://169.254.169.254/opc/v2/host/ || echo no answer; echo; } | sed -n \"s/./$host: &/p\""},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void put_option(const char *option, const char *value)
{
    if (!value)
        return;
    printf(" %s ", option);
    cli_shell_quote(value);
}

static void put_pipeline(const cli_call *call, const kind *k, const topomap_names *names)
{
    const char *words = call->options.srun;

    printf("TOPOMAP=off srun%s%s -N %zu --ntasks-per-node=1", words ? " " : "", words ? words : "",
           k->one ? 1 : names->count);
    put_option("-w", k->one ? names->name[0] : call->options.nodes);
    printf(" sh -c ");
    if (k->one) {
        cli_shell_quote(k->command);
    } else {
        char text[512];

        snprintf(text, sizeof text, "host=$(hostname -s); %s", k->command);
        cli_shell_quote(text);
    }
    printf(" |\n  topomap db import");
    put_option("--db", call->options.db);
    if (k->one)
        put_option("--nodes", call->options.nodes);
    printf(" %s -\n", k->format);
}

static int run(const cli_call *call)
{
    TOPOMAP_CLEANUP(topomap_names_clear) topomap_names names = {0};
    topomap_error err;
    int found = 0;

    if (!call->options.nodes)
        return cli_usage_error(call, "--nodes HOSTLIST: the nodes to ask");
    if (topomap_hostlist_expand(call->options.nodes, 0, &names, &err) != 0)
        return cli_fail(call, &err);
    for (size_t i = 0; i < KINDS; i++)
        if (!strcmp(call->operand[0], kinds[i].name)) {
            put_pipeline(call, &kinds[i], &names);
            found = 1;
        }
    if (found)
        return CLI_DONE;
    return cli_usage_error(call, "'%s' is none of slingshot, lldp, hwloc, gpu, gcp and oci",
                           call->operand[0]);
}

static const cli_option options[] = {
    {"nodes", "HOSTLIST", TEXT(nodes),
     "the nodes to ask; of hwloc and gpu the first is asked, and all are alike"},
    {"db", "DB", TEXT(db), "topology database; created if it does not exist"},
    {"srun", "WORDS", TEXT(srun), "srun's further options: '-p gpu --gpus-per-node=8 -t 5'"},
    {0},
};

static const char text[] =
    "It prints commands that a user without privileges can run, and runs nothing: look at them,\n"
    "then\n"
    "  topomap db collect slingshot --nodes 'nid[000001-000128]' --db site.db | sh\n"
    "slingshot  the address of each hsn interface holds its group, switch and port\n"
    "lldp       who is on the other end of each Ethernet port; switches are asked likewise,\n"
    "           by whoever may\n"
    "hwloc      the inside of one node, for all of --nodes\n"
    "gpu        GPUs and their links on one node, for all of --nodes; NVLink domains of all.\n"
    "           Where devices are constrained, --srun has to ask for the GPUs\n"
    "gcp, oci   Google's and Oracle's levels, which each instance may ask its metadata\n"
    "           service for. AWS has no such: `aws ec2 describe-instance-topology`, by whoever\n"
    "           may call its API\n";

CLI_COMMAND(cli_db_collect, "db collect", "slingshot|lldp|hwloc|gpu|gcp|oci",
            "the commands that gather a dump from nodes and import it", options, 1, 1, run, text);
