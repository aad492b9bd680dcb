/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap db import|show|forget */
#include <inttypes.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/db/db_node.h"
#include "cli/map/map_command.h"
#include "topology-db/db.h"
#include "topology-db/import/import.h"

enum { FILES = 32 }; /* operands of an import */

/* ---- import ------------------------------------------------------------------------------ */

static int import_file(const cli_call *call, const topomap_db_import_options *options,
                       topomap_db_report *report)
{
    topomap_watch watch = {.done = 0};
    terminal_progress *progress;
    CLI_DB_CLOSED topomap_db *db = NULL;
    topomap_error err;
    int result;

    if (topomap_db_create(cli_database(call), &db, &err))
        return cli_fail(call, &err);
    progress = terminal_progress_begin("db import", &watch);
    result =
        db_import_watched(db, call->operand[0], call->operand[1], options, &watch, report, &err);
    terminal_progress_end(progress);
    return result ? cli_fail(call, &err) : CLI_DONE;
}

/* What a configuration is imported for. */
static int print_order(const cli_call *call)
{
    topomap_db_slurm_order order;
    CLI_DB_CLOSED topomap_db *db = NULL;
    topomap_error err;

    if (topomap_db_open(cli_database(call), &db, &err) ||
        topomap_db_slurm_order_of(db, NULL, &order, &err))
        return cli_fail(call, &err);
    printf("%s: %s: Slurm's order is %s: %s\n", call->operand[1], call->operand[0],
           cli_order_word(&order), order.because);
    if (order.unsure)
        printf("%s\n", CLI_ORDER_UNSURE);
    return CLI_DONE;
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
    if (report->entries)
        printf(", %" PRIu64 " table entries", report->entries);
    if (report->ports)
        printf(", what %" PRIu64 " ports carry", report->ports);
    printf("%s\n", report->partial ? "; partial" : "");
    if (report->warnings)
        fprintf(stderr, "topomap db import: warning: %s\n", report->first_warning);
    if (report->warnings > 1)
        fprintf(stderr, "topomap db import: %zu more warnings\n", report->warnings - 1);
}

static json_t *report_json(const cli_call *call, const topomap_db_report *report)
{
    return cli_json_object(
        "format:s file:s hosts:U switches:U links:U adapters:U unknown_adapters:U classes:U "
        "ports:U partial:b warnings:z",
        call->operand[0], call->operand[1], report->hosts, report->switches, report->links,
        report->adapters, report->unknown_adapters, report->classes, report->ports, report->partial,
        report->warnings);
}

static int run_import(const cli_call *call)
{
    const char *more[FILES] = {0};
    topomap_db_import_options options = {
        .nodes = call->options.nodes, .option = call->options.option, .more = more};
    topomap_db_report report;
    int status;

    for (int i = 2; i < call->operands; i++)
        more[i - 2] = call->operand[i];
    status = import_file(call, &options, &report);

    if (status)
        return status;
    if (!call->options.json && strcmp(call->operand[0], "slurm-config") == 0)
        return print_order(call);
    if (!call->options.json) {
        print_report(call, &report);
        return CLI_DONE;
    }
    if (report.warnings)
        fprintf(stderr, "topomap db import: warning: %s\n", report.first_warning);
    return cli_json(stdout, report_json(call, &report), 0);
}

/* ---- show -------------------------------------------------------------------------------- */

static int print_summary(const cli_call *call, topomap_db *db)
{
    topomap_db_summary s;
    topomap_db_times times;
    topomap_error err;
    char age[160];

    if (topomap_db_summarise(db, &s, &err) || topomap_db_times_of(db, &times, &err))
        return cli_fail(call, &err);
    topomap_db_times_put(&times, age, sizeof age);
    if (call->options.json)
        return cli_json(
            stdout,
            cli_json_object(
                "hosts:U switches:U links:U classes:U topology:s evidence:s confidence:r subnets:U "
                "planes:U unknown_adapters:U partial:b slurm_order:s slurm_order_evidence:s sources:U "
                "oldest:U newest:U changed:U",
                s.hosts, s.switches, s.links, s.classes, s.topology, s.evidence, s.confidence,
                s.subnets, s.planes, s.unknown_adapters, s.partial, cli_order_word(&s.slurm),
                s.slurm.because, times.sources, times.oldest, times.newest, times.changed),
            JSON_REAL_PRECISION(12));
    printf("hosts             %" PRIu64 "\n", s.hosts);
    printf("switches          %" PRIu64 "\n", s.switches);
    printf("links             %" PRIu64 "\n", s.links);
    printf("node classes      %" PRIu64 "\n", s.classes);
    printf("topology          %s\n", s.topology);
    printf("  because         %s\n", s.evidence);
    printf("  confidence      %.3g\n", s.confidence);
    printf("subnets           %" PRIu64 "\n", s.subnets);
    printf("planes            %" PRIu64 "\n", s.planes);
    printf("unknown adapters  %" PRIu64 "\n", s.unknown_adapters);
    printf("partial           %s\n", s.partial ? "yes" : "no");
    printf("Slurm's order     %s\n", cli_order_word(&s.slurm));
    printf("  because         %s\n", s.slurm.because);
    printf("sources           %" PRIu64 ", %s\n", times.sources, age);
    return CLI_DONE;
}

/* Into the list, where there is one. */
static int show_host(const topomap_db_host *host, void *list)
{
    if (list)
        return cli_json_add(list, "name:s status:s class:s type:s attached:s", host->name,
                            host->status, host->class_name, host->type, host->attached);
    printf("%-16s %-10s %-18s %-10s %s\n", host->name, host->status,
           host->class_name ? host->class_name : "-", host->type,
           *host->attached ? host->attached : "-");
    return 0;
}

/* ---- Ports of adapters */

static void print_ends(const topomap_db_port *port)
{
    char rate[32] = "";

    if (port->width)
        snprintf(rate, sizeof rate, "  %" PRIu32 "x%s", port->width,
                 *port->speed ? port->speed : "???");
    if (*port->switch_label)
        printf("  plane %" PRIu32 "  %s[%" PRIu32 "]%s", port->plane, port->switch_label,
               port->switch_port, rate);
    else if (*port->state)
        printf("  %s", strcmp(port->state, "up") == 0 ? "no switch" : port->state);
    if (port->lid)
        printf("  lid %" PRIu32, port->lid);
}

static int print_port(const topomap_db_port *port, void *data)
{
    (void)data;
    if (port->rail)
        printf("  rail %-3" PRIu32, port->rail);
    else
        printf("  %-8s", "-");
    printf("  0x%016" PRIx64 "  %-8s  port %" PRIu32, port->guid,
           *port->adapter ? port->adapter : "-", port->port);
    print_ends(port);
    putchar('\n');
    return 0;
}

static int print_unknown(const topomap_db_port *port, void *data)
{
    (void)data;
    printf("0x%016" PRIx64 "  port %" PRIu32, port->guid, port->port);
    print_ends(port);
    printf("  \"%s\"\n", port->description);
    return 0;
}

static json_t *guid_json(uint64_t guid)
{
    char text[24];

    snprintf(text, sizeof text, "0x%016" PRIx64, guid);
    return guid ? json_string(text) : json_null();
}

static int keep_port(const topomap_db_port *port, void *data)
{
    return cli_json_add(
        data,
        "guid:o adapter:S description:s port:c port_guid:o lid:c rail:c plane:c switch:S "
        "switch_port:c width:c speed:S state:S",
        guid_json(port->guid), port->adapter, port->description, port->port,
        guid_json(port->port_guid), port->lid, port->rail, port->plane, port->switch_label,
        port->switch_port, port->width, port->speed, port->state);
}

/* Counts of the rails, and the planes that they are on. */
static void add_rails(json_t *host, json_t *ports)
{
    json_t *planes = json_array(), *port;
    json_int_t rails = 0;
    size_t i, k;

    json_array_foreach(ports, i, port)
    {
        json_int_t rail = json_integer_value(json_object_get(port, "rail"));
        json_int_t plane = json_integer_value(json_object_get(port, "plane"));
        int known = 0;

        rails = rail > rails ? rail : rails;
        for (k = 0; k < json_array_size(planes); k++)
            known |= json_integer_value(json_array_get(planes, k)) == plane;
        if (rail && !known)
            json_array_append_new(planes, json_integer(plane));
    }
    cli_json_set(host, "rails:o planes:o ports:O", json_integer(rails), planes, ports);
}

static int print_unknown_adapters(const cli_call *call, topomap_db *db)
{
    json_t *list = call->options.json ? json_array() : NULL;
    topomap_error err = {TOPOMAP_ESYSTEM, "out of memory: the list of ports"};

    return cli_answer(call,
                      topomap_db_ports(db, NULL, list ? keep_port : print_unknown, list, &err),
                      &err, list, 0);
}

/* ---- Hosts */

static int print_all_hosts(const cli_call *call, topomap_db *db)
{
    json_t *list = call->options.json ? json_array() : NULL;
    topomap_error err = {TOPOMAP_ESYSTEM, "out of memory: the list of hosts"};

    if (!list)
        printf("%-16s %-10s %-18s %-10s %s\n", "NODE", "STATUS", "CLASS", "TYPE", "ATTACHED TO");
    return cli_answer(call, topomap_db_hosts(db, NULL, show_host, list, &err), &err, list, 0);
}

/* One host, with the ports of its adapters and its inside. */
static int print_one_host(const cli_call *call, topomap_db *db)
{
    int json = call->options.json;
    json_auto_t *list = json ? json_array() : NULL, *ports = json ? json_array() : NULL;
    topomap_error err = {TOPOMAP_ESYSTEM, "out of memory: the ports of a host"};
    json_t *host;
    int failed;

    if (topomap_db_hosts(db, call->operand[0], show_host, list, &err) ||
        topomap_db_ports(db, call->operand[0], json ? keep_port : print_port, ports, &err))
        return cli_fail(call, &err);
    host = json_incref(json_array_get(list, 0));
    failed = cli_db_node(db, call->operand[0], host, &err);
    if (!failed && json)
        add_rails(host, ports);
    return cli_answer(call, failed, &err, host, 0);
}

/* ---- Sources ----------------------------------------------------------------------------- */

static int show_source(const topomap_db_source *source, void *list)
{
    char date[32];

    if (list)
        return cli_json_add(list, "format:s name:s imported:U partial:b warnings:U",
                            source->importer, source->name, source->time, source->partial,
                            source->warnings);
    topomap_db_date_put(source->time, date);
    printf("%-17s %-16s %s%s", source->importer, date, *source->name ? source->name : "-",
           source->partial ? "; partial" : "");
    if (source->warnings)
        printf("; %" PRIu64 " warning%s", source->warnings, source->warnings == 1 ? "" : "s");
    printf("\n");
    return 0;
}

static int print_sources(const cli_call *call, topomap_db *db)
{
    json_t *list = call->options.json ? json_array() : NULL;
    topomap_error err;

    return cli_answer(call, topomap_db_sources(db, show_source, list, &err), &err, list, 0);
}

static int run_show(const cli_call *call)
{
    CLI_DB_CLOSED topomap_db *db = NULL;
    topomap_error err;

    if ((call->options.summary) + (call->options.sources) + (call->options.unknown) +
            call->operands >
        1)
        return cli_usage_error(call, "a node, --summary, --sources or --unknown, not two of them");
    if (topomap_db_open(cli_database(call), &db, &err))
        return cli_fail(call, &err);
    return call->options.summary   ? print_summary(call, db)
           : call->options.sources ? print_sources(call, db)
           : call->options.unknown ? print_unknown_adapters(call, db)
           : call->operands        ? print_one_host(call, db)
                                   : print_all_hosts(call, db);
}

/* ---- forget ------------------------------------------------------------------------------ */

static int run_forget(const cli_call *call)
{
    const char *name = call->operands > 1 ? call->operand[1] : NULL, *nodes = call->options.nodes;
    topomap_db_summary left;
    CLI_DB_CLOSED topomap_db *db = NULL;
    topomap_error err;

    if (nodes && !name)
        return cli_usage_error(call, "--nodes are those of a SOURCE: name it");
    if (topomap_db_create(cli_database(call), &db, &err) ||
        topomap_db_forget(db, call->operand[0], name, nodes, &err) ||
        topomap_db_summarise(db, &left, &err))
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

/* ---- Tables ------------------------------------------------------------------------------ */

static const cli_option import_options[] = {
    {"db", "DB", TEXT(db), "topology database; created if it does not exist"},
    {"nodes", "HOSTLIST", TEXT(nodes),
     "hwloc, gpu-matrix, nccl-topology: the nodes that have this inside; lldp: the one system that "
     "FILE is of"},
    {"option", "K=V...", LIST(option),
     "an option of the format's own (`topomap formats` lists them), or unpacked=SIZE: what a "
     "packed file may unpack to"},
    {CLI_JSON},
    {0},
};

static const char import_text[] =
    "FILE - is standard input: ibnetdiscover | topomap db import ibnetdiscover -. All that comes\n"
    "from it with one FORMAT is one source, which a new import replaces.\n"
    "\n"
    "Counters of ports are two readings some seconds apart, which make a rate; one FILE has both,\n"
    "or each is a FILE. A dump of the fabric tells whose the LIDs are, in whichever order they\n"
    "come:\n"
    "  date '+timestamp %s.%N' >before; ibqueryerrors --counters >>before; sleep 60\n"
    "  date '+timestamp %s.%N' >after; ibqueryerrors --counters >>after\n"
    "  topomap db import --db DB counters before after\n"
    "  topomap eval --db DB --graph G --nodes N --tasks-per-node T --time --background measured\n"
    "perfquery -x LID PORT for each port will do, too. Without timestamps, --option seconds=60;\n"
    "of one reading, that is the time since the counters were reset. Counters that were reset in\n"
    "between or, of 32 bits, stand at their top are left out. What a port sends is what its cable\n"
    "carries; where a port was not read, what the other end receives. A new import takes the\n"
    "place of the earlier.\n";

static const cli_option show_options[] = {
    {CLI_DB},
    {"summary", NULL, FLAG(summary), "counts and the kind of network"},
    {"sources", NULL, FLAG(sources), "what was imported, and when"},
    {"unknown", NULL, FLAG(unknown), "InfiniBand adapters whose host is not known"},
    {CLI_JSON},
    {0},
};

CLI_COMMAND(cli_db_import, "db import", "FORMAT FILE...",
            "import a dump; formats: `topomap formats`", import_options, 2, FILES, run_import,
            import_text);
CLI_COMMAND(cli_db_show, "db show", "[NODE]",
            "show the hosts, one host with its adapters and its inside, or a summary", show_options,
            0, 1, run_show, NULL);
