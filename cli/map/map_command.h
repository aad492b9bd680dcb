/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap map and eval, and functions that `topomap report` uses, too. */
#pragma once

#include <jansson.h>

#include "cli/cli.h"
#include "plan/bindings.h"
#include "plan/plan.h"
#include "plugin/planner/plan/plan.h"
#include "plugin/planner/request/request.h"
#include "topology-db/db.h"
#include "topomap/time.h"

/** Rows for a command's option table. \p what  the option that needs the costs */
#define CLI_RATE                                                                                   \
    "rate", "GBITS", NUMBER(rate, 1e-6, 1e9, 0),                                                   \
        "rate of each cable, in Gb/s, where no cable's rate is known (default 100)"
#define CLI_TIME_COSTS(what)                                                                       \
    "time-costs", "KEY=VALUE,...", EXPERT(TEXT(time_costs)),                                       \
        "costs for " what ": latency=, hop= and overhead= in us (default 1, 0.1, 0.2), memory= "   \
        "in GB/s (10), rate= in Gb/s (as --rate, which comes first); a calibration in the "        \
        "database replaces the defaults"

enum { CLI_COSTS = 5 };
typedef struct cli_costs {
    topomap_time_costs value;
    unsigned measured; /**< by the database: enum topomap_db_measured */
    unsigned given;    /**< by --time-costs or --rate: bit i, the i-th of its keys */
    int left_out;      /**< what a message costs, as the graph counts none */
} cli_costs;

/** Replaces those costs that --rate and --time-costs give.
 *  \param predicts  zero: the command predicts no time, and the options are refused
 *  \return 0, or an exit status after an error message */
int cli_time_costs(const cli_call *call, int predicts, cli_costs *costs);
/** What goes by others of them: memory, where it is neither given nor measured. */
void cli_time_costs_complete(const topomap_machine *machine, cli_costs *costs);
json_t *cli_time_costs_json(const cli_costs *costs);
/** A line on what is measured, where something is. */
void cli_time_costs_print(FILE *out, const cli_costs *costs);
/** "given", "measured" or "assumed". */
const char *cli_rate_source(const cli_costs *costs);
json_t *cli_time_json(const topomap_time *time, const cli_costs *costs);
void cli_time_print(const topomap_time *time, const cli_costs *costs);

typedef struct cli_order {
    uint32_t *slot_of; /* [tasks] slots are numbered node by node; NULL: task t on slot t */
    const char *name;  /* what the report calls the layout */
} cli_order;

/** Frees what cli_order_make() has allocated. */
void cli_order_clear(cli_order *order);
/** Goes by --slurm-order, else by the database; the job's nodes are those of --job-nodes, else of
 *  the job that this runs in. */
int cli_order_make(const cli_call *call, topomap_db *db, const topomap_names *nodes,
                   const uint32_t *tasks, cli_order *order, topomap_error *err);

/** "topology" or "node-index". */
const char *cli_order_word(const topomap_db_slurm_order *order);

/** The way out where a topology.yaml may say otherwise. */
#define CLI_ORDER_UNSURE                                                                           \
    "a topology.yaml beside slurm.conf overrides TopologyPlugin and is not imported: `topomap db " \
    "import slurm-topology topology.yaml`; where there is none: `topomap db import slurm-config "  \
    "FILE --option topology.yaml=none`"

/** What srun would ask of the planner for the allocation of --nodes and --tasks-per-node.
 *  \p request ends with planner_request_clear(), \p order as cli_order_make() says.
 *  \return its text, which the caller frees; or NULL */
char *cli_request_make(const cli_call *call, planner_request *request, cli_order *order,
                       topomap_error *err);

/** A request's layout of so many tasks a node; the caller frees it. NULL after a failure.
 *  \param slot_of  [tasks] slots are numbered node by node; NULL: task t in slot t */
char *cli_layout_text(const topomap_names *nodes, const uint32_t *tasks, const uint32_t *slot_of,
                      topomap_error *err);

/** The request's lines that say whom to ask for a job's cores: the first scontrol in PATH that can
 * be run. Nothing where PATH names no folder. */
void cli_request_scontrol(FILE *out);

typedef struct cli_target {
    topomap_graph *graph;
    topomap_machine *machine;
    topomap_bindings bindings;             /* of an allocation; .nodes 0: none */
    int allocation;                        /* nonzero: made from a database */
    enum topomap_objective_kind objective; /* as asked; of `auto`, what it is here */
    cli_order order;                       /* Slurm's layout of an allocation */
    cli_costs costs;                       /* of predicted time: --time-costs are not in them */
    double read_seconds;
    planner_request request; /* of an allocation */
    planner_inputs inputs;   /* likewise: what was asked about it; machine and bindings are above */
} cli_target;

/** Rows for a command's option table. */
#define CLI_TARGET_OPTIONS                                                                         \
    {"graph", "FILE|PATTERN", REQUEST(GRAPH), "communication graph", "g"},                         \
        {"from", "FORMAT", EXPERT(REQUEST(FROM)),                                                  \
         "format of the graph file (default: by its content)"},                                    \
        {"machine", "SPEC", TEXT(machine),                                                         \
         "machine without a database, such as tree:4:16:8@1:10:100; `topomap help map` has all "   \
         "kinds"},                                                                                 \
        {CLI_DB},                                                                                  \
        {"nodes", "HOSTLIST", TEXT(nodes), "nodes of the allocation, as Slurm writes them"},       \
        {"tasks-per-node", "N|LIST", TEXT(tasks_per_node), "tasks on each node: 4, or 4(x3),2"},   \
        {"cpus-per-task", "N", REQUEST(CPUS_PER_TASK), "CPUs of each task (default 1)"},           \
        {"threads-per-core", "N", EXPERT(REQUEST(THREADS_PER_CORE)),                               \
         "of each core's hardware threads only so many (default: all)"},                           \
        {"gpus-per-task", "N", COUNT(gpus_per_task, 1, 1024, 0),                                   \
         "GPUs that Slurm gives each task, as srun's option says"},                                \
        {"cores", "LISTS", EXPERT(REQUEST(CORES)),                                                 \
         "cores that the job has on each node: 0-3,8;*(x2) (default: all)"},                       \
        {"cores-of", "JOB", EXPERT(TEXT(cores_of)),                                                \
         "the cores that this Slurm job has, as scontrol tells them"},                             \
        {"slurm-order", "ORDER", EXPERT(TEXT(slurm_order)),                                        \
         "order in which Slurm fills the nodes: node-index, topology[:NAME], or a FILE with the "  \
         "node of each task (default: as the database has it)"},                                   \
        {"job-nodes", "HOSTLIST", EXPERT(TEXT(job_nodes)),                                         \
         "all nodes of the job, where --nodes is a part of them: they count in a ring or torus "   \
         "(default: those of the job that this runs in, else --nodes)"},                           \
        {"bind", "UNIT", EXPERT(REQUEST(BIND)), "core (default), pu, numa, none or gpu"},          \
    {                                                                                              \
        "layout", "WORD", EXPERT(REQUEST(INSIDE)),                                                 \
            "tasks on a node that they do not fill: spread (default) or compact"                   \
    }

#define CLI_BACKGROUND                                                                             \
    "background", "measured|FILE", EXPERT(REQUEST(CAPACITY)),                                      \
        "other jobs' traffic: as the database has it (`topomap db import counters`), or "          \
        "node/switch,port,node/switch,port,Gb/s (./measured is a file)"

/** Reads what the options name. Returns 0 or an exit status after saying what is wrong. */
int cli_target_open(const cli_call *call, cli_target *target);
void cli_target_close(cli_target *target);

typedef struct cli_result {
    const cli_target *target;
    const topomap_map_options *options;
    const uint32_t *baseline; /* [ranks of the graph] the layout before */
    topomap_mapping *mapping;
    topomap_plan plan;
    topomap_cost before, after;
    topomap_spread spread[2];         /* before and after, of groups that are known */
    topomap_congestion congestion[2]; /* before and after; model NULL: not asked for */
    cli_costs costs;
    topomap_time time; /* of `before`; model NULL: not asked for */
    struct {
        int asked;
        uint32_t rank, node, on; /* where it is to be, and where it is */
    } pin;                       /* of `before` */
} cli_result;

/** Returns an exit status; --output is where it writes. */
typedef int cli_printer(const cli_call *call, const cli_result *result);

int cli_result_text(const cli_call *call, const cli_result *result);
int cli_result_json(const cli_call *call, const cli_result *result);
/** The cost `before` alone, as text or (--json) JSON. */
int cli_result_cost(const cli_call *call, const cli_result *result);

/** Maps what a command's options name, as `map` does, and has the result printed. */
int cli_map_print(const cli_call *call, cli_printer *print);

/** `map --format plan`: what the planner makes of an allocation, as the record that a launch
 * leaves. */
int cli_plan(const cli_call *call);
/** planner_answer_text(), which on a terminal says how far it has come where it takes long. */
char *cli_plan_answer(const cli_call *call, planner_request *request, size_t *size);

/** `map --format` of another launcher (lib/plan/writers): what was found, by the name of --format.
 * \return an exit status */
int cli_launchers_print(const cli_call *call, const cli_result *result);
/** `map --from-plan`: the plan of a record in the format of another launcher, as it is; nothing is
 * planned. */
int cli_launchers_convert(const cli_call *call);
/** Adds the names of those formats to \p text, each behind ", ". */
void cli_launchers_names(char *text, size_t size);

/** Plans a record's step again and compares: CLI_DONE where the plan is the same, CLI_NO where it
 * is not. \param format  "text", "json" or "perm" */
int cli_replay(const cli_call *call, const char *format);
