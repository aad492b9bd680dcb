/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap map, topomap eval */
#include <string.h>

#include "cli/graph/graph_files.h"
#include "cli/map/map_command.h"
#include "map/auto/portfolio.h"
#include "metric/metric.h"
#include "plan/plan.h"
#include "plan/writers/writers.h"
#include "plugin/planner/plan/plan.h"
#include "util/alloc.h"

static int print_perm(const cli_call *call, const cli_result *result)
{
    topomap_error err;

    return cli_mapping_write(cli_output(call), result->mapping->slot_of_rank,
                             result->mapping->ranks, &err) == 0
               ? CLI_DONE
               : cli_fail(call, &err);
}

static const struct {
    const char *name;
    cli_printer *print;
} formats[] = {
    {"text", cli_result_text},
    {"perm", print_perm},
    {"json", cli_result_json},
    {NULL, cli_launchers_print}, /* by any of their names */
};
enum { LAUNCHERS = sizeof formats / sizeof formats[0] - 1 };

static int choose_format(const cli_call *call, size_t *format)
{
    const char *name = call->options.format;
    char names[256] = "text, perm, json, plan";

    if (!name)
        name = call->options.json ? "json" : call->options.output ? "perm" : "text";
    for (*format = 0; *format < LAUNCHERS; ++*format)
        if (strcmp(formats[*format].name, name) == 0)
            return 0;
    if (topomap_plan_writer_find(name))
        return 0;
    cli_launchers_names(names, sizeof names);
    return cli_usage_error(call, "--format takes %s, not '%s'", names, name);
}

/* Slurm's layout, or on a machine without nodes of Slurm's rank r on slot r. */
static int copy_layout(const cli_target *target, uint32_t ranks, uint32_t **slots,
                       topomap_error *err)
{
    *slots = topomap_alloc(ranks, sizeof **slots, err);
    for (uint32_t r = 0; *slots && r < ranks; r++)
        (*slots)[r] = target->order.slot_of ? target->order.slot_of[r] : r;
    return *slots ? 0 : -1;
}

/* What a placement is compared with: the mapping that --mapping names, else the layout. Ends with
 * free(). */
static int read_baseline(const cli_call *call, const cli_target *target, uint32_t **slots)
{
    const char *path = call->options.mapping;
    uint32_t ranks = topomap_graph_ranks(target->graph);
    topomap_error err;

    *slots = NULL;
    return (path ? cli_mapping_read(path, ranks, slots, &err)
                 : copy_layout(target, ranks, slots, &err)) == 0
               ? 0
               : cli_fail(call, &err);
}

/* The congestion of the baseline, and of what was found. */
static int measure(const cli_target *target, const uint32_t *baseline, cli_result *result,
                   topomap_error *err)
{
    const char *model = result->mapping->congestion_model;

    if (!model)
        return 0;
    return topomap_congestion_evaluate(target->graph, target->machine, baseline, model,
                                       &result->congestion[0], err) != 0
               ? -1
               : topomap_congestion_evaluate(target->graph, target->machine,
                                             result->mapping->slot_of_rank, model,
                                             &result->congestion[1], err);
}

/* As a launch orders the GPUs of its nodes; none are known of a machine that was specified. */
static int order_gpus(const cli_target *target, cli_result *result, topomap_error *err)
{
    planner_inputs inputs = target->inputs; /* all of it is lent */
    planner_gpu_order order;

    inputs.graph = target->graph;
    if (!target->allocation)
        return 0;
    return planner_gpu_order_make(&inputs, &result->plan, &order, err) ||
                   planner_gpu_tasks(&inputs, &result->plan.bindings, &result->plan, err) ||
                   planner_gpu_tasks_of_slurm(&inputs, &result->plan, err)
               ? -1
               : 0;
}

static void result_clear(cli_result *result)
{
    topomap_plan_clear(&result->plan);
    topomap_mapping_free(result->mapping);
    topomap_cost_clear(&result->before);
    topomap_cost_clear(&result->after);
    topomap_time_clear(&result->time);
}

static int map_and_report(const cli_call *call, const cli_target *target,
                          topomap_map_options *options, const uint32_t *baseline,
                          cli_printer *print)
{
    const topomap_request *asked = &call->options.request;
    const topomap_graph *graph = target->graph;
    const topomap_machine *machine = target->machine;
    TOPOMAP_CLEANUP(result_clear)
    cli_result result = {
        .target = target, .options = options, .baseline = baseline, .costs = target->costs};
    static const planner_constraints_fold none;
    TOPOMAP_CLEANUP(planner_constraints_clear) planner_constraints together = {0};
    topomap_watch watch = {.done = 0};
    terminal_progress *progress = terminal_progress_begin(call->command->name, &watch);
    topomap_error err;
    int failed;

    failed =
        planner_constraints_open(asked, graph, &none, machine, &together, options, &err) != 0 ||
        topomap_cost_evaluate(graph, machine, baseline, &result.before, &err) != 0 ||
        topomap_map_watched(graph, machine, options, &watch, &result.mapping, &err) != 0 ||
        topomap_cost_evaluate(graph, machine, result.mapping->slot_of_rank, &result.after, &err) !=
            0 ||
        measure(target, baseline, &result, &err) != 0 ||
        topomap_spread_measure(graph, machine, baseline, &result.spread[0], &err) != 0 ||
        topomap_spread_measure(graph, machine, result.mapping->slot_of_rank, &result.spread[1],
                               &err) != 0 ||
        topomap_plan_make(machine, result.mapping->slot_of_rank, &target->bindings, &result.plan,
                          &err) != 0 ||
        order_gpus(target, &result, &err) != 0;
    terminal_progress_end(progress);
    if (failed)
        return cli_fail(call, &err);
    planner_objective_settle(asked, result.mapping);
    planner_constraints_check(&together, options, result.mapping, machine);
    if (*together.line)
        fprintf(stderr, "topomap map: warning: %s\n", together.line);
    return print(call, &result);
}

int cli_map_print(const cli_call *call, cli_printer *print)
{
    const topomap_request *asked = &call->options.request;
    topomap_map_options options = planner_options(asked);
    TOPOMAP_FREED uint32_t *baseline = NULL;
    TOPOMAP_CLEANUP(cli_target_close) cli_target target = {0};
    int status, given = call->options.mapping != NULL, kind = asked->objective.kind;

    if (asked->congestion &&
        (kind == TOPOMAP_OBJECTIVE_J || kind == TOPOMAP_REQUEST_OBJECTIVE_AUTO))
        return cli_usage_error(call, "--congestion is for --objective congestion, mix or time");
    status = cli_target_open(call, &target);
    if (status != 0)
        return status;
    target.costs.left_out = planner_objective_costs(asked, target.graph, &target.costs.value);
    options.time_costs = &target.costs.value;
    options.objective = target.objective;
    status = read_baseline(call, &target, &baseline);
    if (status == 0)
        status = cli_time_costs(call, 1, &target.costs);
    if (status == 0)
        cli_time_costs_complete(target.machine, &target.costs);
    options.message_bytes = planner_message_bytes(
        asked, target.objective,
        target.allocation ? target.inputs.message_bytes
                          : planner_message_worth(target.machine, &target.costs.value));
    options.start = given ? baseline : target.order.slot_of;
    options.start_name = given ? "given" : target.allocation ? target.order.name : "identity";
    options.layout = target.inputs.layouts.row;
    options.layouts = target.inputs.layouts.count;
    return status ? status : map_and_report(call, &target, &options, baseline, print);
}

static int run_map(const cli_call *call)
{
    const cli_options *options = &call->options;
    size_t format;
    int status;

    if (options->from_plan)
        return cli_launchers_convert(call);
    if (options->format && strcmp(options->format, "plan") == 0 && !options->replay)
        return cli_plan(call);
    if ((status = choose_format(call, &format)) != 0)
        return status;
    if (options->replay && format == LAUNCHERS)
        return cli_usage_error(
            call, "--replay compares plans: the format of a launcher is for --from-plan");
    if (options->replay)
        return cli_replay(call, formats[format].name);
    return cli_map_print(call, formats[format].print);
}

/* What --congestion and --time ask for, which takes its time. */
static int evaluate_links(const cli_call *call, const cli_target *target, const uint32_t *slots,
                          cli_result *result, topomap_error *err)
{
    const char *model = call->options.request.congestion;
    topomap_watch watch = {.done = 0};
    terminal_progress *progress = terminal_progress_begin("eval", &watch);
    int status = 0;

    if (model)
        status = topomap_congestion_watched(target->graph, target->machine, slots, model, &watch,
                                            &result->congestion[0], err);
    if (status == 0 && call->options.time)
        status = topomap_time_watched(target->graph, target->machine, slots, &result->costs.value,
                                      &watch, &result->time, err);
    terminal_progress_end(progress);
    return status;
}

static int read_pin(const cli_call *call, const cli_target *target, cli_result *result)
{
    const topomap_request *asked = &call->options.request;
    const char *why = asked->pin
                          ? planner_pin_read(asked->pin, topomap_graph_ranks(target->graph),
                                             target->machine, &result->pin.rank, &result->pin.node)
                          : NULL;

    result->pin.asked = asked->pin != NULL;
    return why ? cli_usage_error(call, "--pin %.60s: %s", asked->pin, why) : 0;
}

/* After all has been said of a placement that has not what is asked. */
static int report_cost(const cli_call *call, cli_result *result, const uint32_t *slots)
{
    int status;

    if (result->pin.asked)
        result->pin.on = topomap_machine_node_of(result->target->machine, slots[result->pin.rank]);
    status = cli_result_cost(call, result);
    return status == CLI_DONE && result->pin.on != result->pin.node ? CLI_NO : status;
}

static int evaluate(const cli_call *call)
{
    TOPOMAP_CLEANUP(cli_target_close) cli_target target = {0};
    TOPOMAP_CLEANUP(result_clear) cli_result result = {.target = &target};
    TOPOMAP_FREED uint32_t *baseline = NULL;
    topomap_error err;
    int status;

    if ((status = cli_target_open(call, &target)) != 0 ||
        (status = read_baseline(call, &target, &baseline)) != 0 ||
        (status = read_pin(call, &target, &result)) != 0 ||
        (status = cli_time_costs(call, call->options.time, &target.costs)) != 0)
        return status;
    cli_time_costs_complete(target.machine, &target.costs);
    result.costs = target.costs;
    if (topomap_cost_evaluate(target.graph, target.machine, baseline, &result.before, &err) != 0 ||
        topomap_spread_measure(target.graph, target.machine, baseline, &result.spread[0], &err) !=
            0 ||
        evaluate_links(call, &target, baseline, &result, &err) != 0)
        return cli_fail(call, &err);
    return report_cost(call, &result, baseline);
}

static int run_eval(const cli_call *call)
{
    cli_call with = *call;

    with.options.request.objective.kind =
        call->options.time ? TOPOMAP_OBJECTIVE_TIME : TOPOMAP_OBJECTIVE_J;
    return evaluate(&with);
}

static const char map_text[] =
    "--objective auto minimizes the predicted communication time (see time, below) if links are\n"
    "known: on tori, meshes, fattree:, dragonfly:, percs:, links: and gpus: machines, and with a\n"
    "database of a fabric. Elsewhere it minimizes J. If no rate is known, all cables are assumed\n"
    "to have 100 Gb/s (--rate). If the graph has no message counts, latencies are ignored. If no\n"
    "placement reduces the time, J is minimized, and the gain is that in J.\n"
    "--objective J makes the sum over pairs of bytes times distance small. --objective congestion\n"
    "makes the maximum over links of bytes / bandwidth small, of equals the mean over links, then\n"
    "J, on machines whose links are known (tori, meshes, fattree:, dragonfly:, percs:, links:,\n"
    "gpus:, a database of a fabric). Messages take these routes (model routes): those of the\n"
    "routing tables, imported or predicted, if these lead everywhere; on fattree: D-mod-K, on tori\n"
    "and meshes dimension by dimension, on dragonfly: minimal routing; with valiant=V adaptive\n"
    "routing (model adaptive): V per cent of the traffic between groups passes a third group,\n"
    "all of them alike, and the rest goes minimally (J. Kim et al., ISCA 2008, sections 4.1 and\n"
    "4.2: UGAL chooses by queues, for each packet; 0 is for quiet networks, 50 where single\n"
    "groups send to single groups). Else all shortest paths have equal shares (model exact). What\n"
    "is reported is what `topomap eval --congestion MODEL` says. --objective mix:ALPHA makes\n"
    "ALPHA J/J0 + (1 - ALPHA) C/C0 small, where C is that maximum and J0 and C0 are the\n"
    "baseline's, so that the baseline's mix is 1; mix alone is mix:0.5. --objective time makes\n"
    "the predicted communication time small (see `topomap help eval`), of equals J.\n"
    "--weight bytes+messages adds to a pair's bytes, for each message, the bytes that a cable\n"
    "carries during one hop's latency; the rest of a message's latency is the same wherever two\n"
    "nodes are. Latency and rate are those of the database's calibration. Without one, the latency\n"
    "is 0.1 us, and the rate that of most cables of a database, the mean of a --machine's, or\n"
    "100 Gb/s: 1,250 bytes. The gain and the candidates' J are of that sum; the J of bytes stands\n"
    "beside it. This is the default, but not for the objective time, where latencies count by\n"
    "themselves. A graph without message counts has bytes alone, and `eval` reports J of bytes.\n"
    "Where ranks have unequal loads (a METIS file's vertex weights), --balance PERCENT makes the\n"
    "objective small among placements whose fullest node (loads of its ranks / its slots) is at\n"
    "most so much above what ranks reach that are dealt out heaviest first to the node that has\n"
    "least. J may then be above the baseline's.\n"
    "Beside what it finds, and the baseline, the algorithm auto has the layouts for candidates\n"
    "that Slurm could have made, with the same number of tasks on each node: block, a node after\n"
    "the other; cyclic, a task to each node in turn; plane=N, N at a time, half of what the\n"
    "fullest node takes, 2 at least; topology, blocks along the nodes in the order of Slurm's\n"
    "topology file, else switch by switch. Those of them that differ are listed, and the answer\n"
    "is worse than none. `--algorithm refine` improves a mapping for each; `NAME+relieve`\n"
    "relieves what NAME makes; `threshold` goes by LibTopoMap's fast estimate where the objective\n"
    "is congestion.\n"
    "\n"
    "Where the database knows the nodes' GPUs and nothing is said of --bind, a task takes the GPU\n"
    "of its number on the node, in an order that puts those that talk on GPUs near each other,\n"
    "and has CPUs next to it. Where GPUs use several rails or NVLink joins nodes, places are\n"
    "GPUs, if no node has more tasks than GPUs and --objective names none that goes by links.\n"
    "--json has `gpus`, by Slurm's index on the node, and `nics` of each rank. With\n"
    "--gpus-per-task Slurm gives N GPUs to each task of a node in turn: `gpus` are these, and the\n"
    "task has CPUs next to the first.\n"
    "\n"
    "--slurm-order says what Slurm's layout of an allocation is, against which the gain counts.\n"
    "node-index: a block of ranks for one node after the other, as --nodes has them. topology: by\n"
    "leaf switches (blocks, rings, along the curve of a torus) in the order of Slurm's topology\n"
    "file, which `db import slurm-topology` read; topology:NAME is another one of topology.yaml,\n"
    "for a partition that has it. That is how Slurm 26.05 lays steps out where it has a topology\n"
    "plugin and select/cons_tres, earlier ones with SwitchAsNodeRank (from 23.02 on) and\n"
    "BlockAsNodeRank (25.11).\n"
    "FILE: line r is the node of rank r. Without it the database decides: `db import\n"
    "slurm-config`. In a ring or torus the place of a step's nodes depends on the job's others:\n"
    "--job-nodes.\n"
    "\n"
    "The formats for other launchers begin with a line that says how they are used, where they\n"
    "can. slurm-hostfile has a host a task, for srun -m arbitrary where the plugin is not\n"
    "installed. openmpi-rankfile (Open MPI 4) and prrte-rankfile (Open MPI 5) have hosts and\n"
    "cores: hwloc's logical numbers of the job's own cores (--cores), which is what an orted in\n"
    "the job's cgroup counts; of hardware threads where tasks have parts of cores. machinefile is\n"
    "for MPICH's and Intel MPI's mpiexec with -launcher ssh (its launcher for Slurm takes no host\n"
    "twice, and waits for good), mpich-rank-order for MPICH_RANK_REORDER_FILE of Cray MPICH,\n"
    "flux-taskmap for flux run --taskmap=manual (RFC 34), pjsub-vcoord for Fujitsu's mpiexec\n"
    "--vcoordfile and pjsub --mpi rank-map-hostfile=FILE, with the nodes in a row as --nodes has\n"
    "them. --from-plan writes a launch's record so.\n"
    "\n"
    "Machines without a database; costs are of a byte, alloc=FILE lists the nodes that there are,\n"
    "a number a line (of a matrix its rows, from 0 on), and *N is N slots a node:\n"
    "  tree:4:16:8[*N]@1:10:100[,node=N]  sizes from the inside out; N levels are a node; *N: a\n"
    "                                  leaf's slots, a level more inside, free without a cost\n"
    "  torus:XxYxZ, mesh:XxY[*N][@INSIDE:HOP][,wrap=xz][,base=B][,routers=N]\n"
    "  matrix:FILE[*N][@INSIDE]        distances, n x n\n"
    "  fattree:k=K,levels=L, dragonfly:p=P,a=A,h=H[,valiant=V], percs:supernodes=S, links:FILE\n"
    "                                  [*N][@INSIDE:HOP]; links as CSV of\n"
    "                                  node/switch,port,node/switch,port,Gb/s\n"
    "  gpus:nodes=N,gpus=G[@NVLINK:HOP]  slots are GPUs, G a node; @1:10 where it is left out:\n"
    "    nvlink=GPUS    joined by NVLink in groups of so many (all; 1: none), at 1\n"
    "    switch=, numa=, package=GPUS    that share one, where NVLink does not join them: 4, 6,\n"
    "                   7 times that; 8 across the node\n"
    "    domain=NODES   an NVLink domain: twice an NVLink between two of its nodes\n"
    "    rails=R        NICs a node, GPU g's is number g * R / G; each is on its own rail's leaf\n"
    "    unit=NODES     on the same leaves (all): 2 hops on one rail; between rails an NVLink\n"
    "                   more, to the GPU that has it, or without NVLink 2 hops more, over a spine\n"
    "    pod=NODES      below the same spines (all): 4 hops, and 6 from pod to pod\n"
    "    taper=N        a cable upwards for N below, for --congestion and --time (1)\n"
    "    For --time memory= is 450 GB/s where NVLink joins GPUs (an H100's, one way), else 25\n"
    "    (PCI Express 4).\n";

static const cli_option map_options[] = {
    CLI_TARGET_OPTIONS,
    {"algorithm", "NAME", REQUEST(ALGORITHM),
     "see `topomap algorithms`; parameters after ',', refinements after '+' (default auto)", "a"},
    {"objective", "WHAT", REQUEST(OBJECTIVE),
     "what to make small: J, congestion (the most loaded link), mix[:ALPHA] of both, time "
     "(predicted), or auto (default): time if links are known, else J"},
    {"congestion", "MODEL", EXPERT(REQUEST(CONGESTION)),
     "of --objective congestion and mix: routes (default where known), adaptive or exact"},
    {CLI_RATE},
    {CLI_TIME_COSTS("predicted time")},
    {CLI_BACKGROUND},
    {"weight", "WHAT", EXPERT(REQUEST(WEIGHT)),
     "weight of a pair of ranks in J: bytes, bytes+messages (a hop's latency for each, in bytes), "
     "or auto (default): bytes+messages, or bytes if predicted time is minimized"},
    {"effort", "LEVEL", REQUEST(EFFORT), "fast (launches), default (default here) or strong"},
    {"time", "SECONDS", REQUEST(TIME), "stop searching after so long, with the best so far"},
    {"seed", "N", REQUEST(SEED), "the same seed gives the same map (default 1)"},
    {"threads", "N", REQUEST(THREADS),
     "threads of the search; the map is the same for any number (default 1)"},
    {"balance", "PERCENT|off", EXPERT(REQUEST(BALANCE)),
     "ranks of unequal load: how much above the most even the fullest node may be (default off)"},
    {"levels", "WHICH", EXPERT(REQUEST(LEVELS)), "inter (nodes only) or inter+intra (default)"},
    {"contiguous", NULL, EXPERT(REQUEST(CONTIGUOUS)),
     "every node keeps consecutive ranks: only blocks move"},
    {"keep", "GROUP[:LEVEL]", EXPERT(REQUEST(KEEP)),
     "groups of a parallel: graph (tp, cp, ep, dp, pp) that never leave a node, a leaf, an NVLink "
     "domain (ep's where there are some), a segment, or a level between nodes of a tree; domain or "
     "segment: consecutive ranks of a whole one"},
    {"segment", "NODES", EXPERT(REQUEST(SEGMENT)),
     "Slurm's --segment: so many nodes of a domain are one"},
    {"pin", "RANK:NODE|RANK:first", EXPERT(REQUEST(PIN)), "a rank's node; first: of --nodes"},
    {"mapping", "FILE", TEXT(mapping),
     "an existing mapping: the baseline, and what `refine` improves"},
    {"records", "DIR", EXPERT(TEXT(records)),
     "the site's folder of records (else plugstack.conf's), for --replay JOB[.STEP]"},
    {"replay", "[PLAN|JOB[.STEP]]", TEXT(replay),
     "plan the step of a record again (default: of the last launch), and compare; --db and --graph "
     "may be given"},
    {"from-plan", "[PLAN|JOB[.STEP]]", EXPERT(TEXT(from_plan)),
     "the plan of a record (default: of the last launch) in the --format of another launcher"},
    {"format", "NAME", TEXT(format),
     "text, perm, json, or plan: as the record of a launch, for `why` and --replay; for other "
     "launchers slurm-hostfile, openmpi-rankfile, prrte-rankfile, machinefile, mpich-rank-order, "
     "flux-taskmap or pjsub-vcoord"},
    {"output", "FILE", TEXT(output), "where the result goes (default: standard output)", "o"},
    {"json", NULL, FLAG(json), "the same as --format json"},
    {0},
};

static const char eval_text[] =
    "The lower bound is a J that no placement goes below: each rank has its partners on the\n"
    "closest places that there are. It is coarser in a torus of more than 4,096 nodes, and in a\n"
    "fabric whose nodes and switches make more than eight million pairs.\n"
    "\n"
    "--time predicts how long the graph's communication takes, phase by phase, all messages of a\n"
    "phase being under way at once: the longest of what any link carries / its rate, what any\n"
    "rank copies from ranks of its node / the memory's rate, and a rank's messages * their\n"
    "overhead; and, beside it, the largest latency of a pair, base + hops * a hop's. Where no\n"
    "barrier divides phases a rank goes on when its own part of one has ended, and all phases are\n"
    "followed together (by routes, where that is not too much work): the whole may be less than\n"
    "their sum, which it is with barriers, as between a profile's phases; of 64 KiB and less at a\n"
    "time a sender does not wait for the end. `map` judges its candidates so where that is cheap\n"
    "enough for all of them, and its result; its algorithms descend on the phases' sum. Messages\n"
    "take the routes of model routes where these are known, else shares of all shortest paths.\n"
    "That links are shared evenly (max-min), so that one exchange takes as long as its most\n"
    "loaded link, holds where nothing is lost and nobody is favoured; SimGrid simulates the same\n"
    "(`make bench-sim` compares). Overheads and latencies are those of LogGP (Alexandrov et al.,\n"
    "SPAA 1995). Rates are those of the cables; of a machine whose cables have none, and for the\n"
    "rest, --time-costs.\n"
    "\n"
    "Where the database has a calibration (`db import calibration`) its times take the place of\n"
    "what is assumed: latency is that of the level router, and what links of a class of their own\n"
    "to most hosts take more than a hop; hop= that of the level hop; rate=, for cables without a\n"
    "rate, what router and hop let through together; memory= the slowest level inside nodes.\n"
    "Where nothing tells memory=, it is 10 GB/s, or what a node's own links carry where that is\n"
    "more. --time-costs sets one or the other all the same, and --json tells where each is from.\n"
    "Measured bandwidths scale no rate that the fabric's dump has: they are those of one pair of\n"
    "processes, which need not fill a cable that many share. Latencies of one message size alone,\n"
    "in which the bytes' time is, are not gone by.\n"
    "\n"
    "--background takes other jobs' traffic off the cables' rates, for --congestion and --time:\n"
    "FILE has it, or `measured`: what `db import counters` imported last, in each direction. It\n"
    "has what every job sent then, also one that is evaluated here, and is no forecast. A link\n"
    "keeps at least a hundredth of its rate, however full it is, since who comes anew gets a\n"
    "share, too.\n";

static const cli_option eval_options[] = {
    CLI_TARGET_OPTIONS,
    {"mapping", "FILE", TEXT(mapping), "the mapping (default: Slurm's block layout)"},
    {"pin", "RANK:NODE|RANK:first", EXPERT(REQUEST(PIN)),
     "whether it has the rank on that node, first of --nodes: status 1 where it has not"},
    {"congestion", "MODEL", REQUEST(CONGESTION),
     "loads of links: exact, fast, routes (the routing tables) or adaptive"},
    {"time", NULL, FLAG(time), "predicted communication time"},
    {CLI_RATE},
    {CLI_TIME_COSTS("--time")},
    {CLI_BACKGROUND},
    {CLI_JSON},
    {0},
};

CLI_COMMAND(cli_map, "map", "", "find a placement of a graph's ranks on a machine or an allocation",
            map_options, 0, 0, run_map, map_text);
CLI_COMMAND(cli_eval, "eval", "", "what a placement costs", eval_options, 0, 0, run_eval,
            eval_text);
