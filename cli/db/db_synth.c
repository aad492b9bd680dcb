/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap db synth */
#include <inttypes.h>

#include "cli/cli.h"
#include "topology-db/db.h"

/* Into the list, where there is one. */
static void show_fault(const char *text, void *list)
{
    if (list)
        json_array_append_new(list, cli_json_text(text));
    else
        printf("fault: %s\n", text);
}

static void print_report(const topomap_db_synth_report *r, const char *folder)
{
    printf("%s: %" PRIu64 " hosts, %" PRIu64 " switches, %" PRIu64 " adapters, %" PRIu64
           " links, %" PRIu64 " faults:",
           folder, r->hosts, r->switches, r->adapters, r->links, r->faults);
    for (size_t i = 0; i < r->files; i++)
        printf(" %s", r->file[i]);
    putchar('\n');
}

static json_t *report_json(const topomap_db_synth_report *r, const char *folder, json_t *faults)
{
    json_t *files = json_array();

    for (size_t i = 0; i < r->files; i++)
        json_array_append_new(files, cli_json_text(r->file[i]));
    return cli_json_object("folder:s files:o hosts:U switches:U adapters:U links:U faults:O",
                           folder, files, r->hosts, r->switches, r->adapters, r->links, faults);
}

static int run_synth(const cli_call *call)
{
    const char *folder = call->options.output;
    json_auto_t *faults = call->options.json ? json_array() : NULL;
    topomap_db_synth_report report;
    topomap_error err;

    if (!folder)
        return cli_usage_error(call, "-o DIR is needed");
    if (topomap_db_synth(call->operand[0], folder, show_fault, faults, &report, &err))
        return cli_fail(call, &err);
    if (faults)
        return cli_json(stdout, report_json(&report, folder, faults), 0);
    print_report(&report, folder);
    return CLI_DONE;
}

static const cli_option synth_options[] = {
    {"output", "DIR", TEXT(output), "folder for the dumps; created if it does not exist", "o"},
    {CLI_JSON},
    {0},
};

static const char synth_text[] =
    "SPEC is KIND:WORD,WORD... The same SPEC gives the same bytes.\n"
    "  fat-tree:k=16,levels=3           switches of k ports; taper=2 halves a leaf's uplinks;\n"
    "                                   hosts=N hosts a leaf\n"
    "  fat-tree:leaves=8,hosts=16,spines=4,links=4\n"
    "  fat-tree:m=16x8x4,w=1x4x4,p=1x2x1  any tree: children, parents and cables by level from\n"
    "                                   the hosts up\n"
    "  torus:8x8x8 mesh:4x4             hosts=N a switch, links=N cables between two\n"
    "  dragonfly:a=8,p=4,h=4            routers a group, hosts and global links of each; groups=N\n"
    "  torus:25x16x24,cray=gemini       xtprocadmin and xtdb2proc dumps; also cray=seastar, and\n"
    "  dragonfly:groups=8,cray=aries    chassis=6,blades=16\n"
    "and after any of the InfiniBand ones\n"
    "  speed=EDR host=HDR trunk=NDR     of all links, of hosts', between switches; spine= (fat\n"
    "                                   tree of 3 levels and more), global= (dragonfly);\n"
    "                                   2xHDR: lanes\n"
    "  rails=N                          adapters a host: in a fat tree on N neighbouring leaves,\n"
    "                                   else all on its switch\n"
    "  names=node%04d first=1 scatter=1 host names; scatter deals them round the switches\n"
    "  lft=no                           no routing tables\n"
    "  as=opa|lldp|aws|slingshot        also as Omni-Path's opareport, LLDP of all systems, AWS\n"
    "                                   (parts in each other; of fat trees), or Slingshot's\n"
    "                                   cables and addresses (of dragonflies; names are xnames)\n"
    "  fault=degraded:5,missing:3%,one-way:1,unnamed:10  counts, or per cent with a % after it:\n"
    "                                   cables that run slower or narrower, that are not there\n"
    "                                   (switches stay joined), that only one end lists; adapters\n"
    "                                   without their host's name. On a Cray: missing, nodes down\n"
    "  seed=N                           which ones\n";

CLI_COMMAND(cli_db_synth, "db synth", "SPEC",
            "write the dumps of a made machine: fat trees, tori, dragonflies, with faults",
            synth_options, 1, 1, run_synth, synth_text);
