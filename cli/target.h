/* SPDX-License-Identifier: BSD-3-Clause */
/* What `map` and `eval` share: the graph, the machine (a specification or an allocation), and
 * mapping files. */
#ifndef TOPOMAP_CLI_TARGET_H
#define TOPOMAP_CLI_TARGET_H

#include "cli/request.h"
#include "cli/time.h"
#include "plan/bindings.h"
#include "plugin/planner/plan/inputs.h"

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

/** Reads a mapping file: line r is the slot of rank r. *slots is [ranks]; ends with free(). */
int cli_mapping_read(const char *path, uint32_t ranks, uint32_t **slots, topomap_error *err);
/** Writes one to \p path ("-": standard output), whole or not at all. */
int cli_mapping_write(const char *path, const uint32_t *slots, uint32_t ranks, topomap_error *err);

#endif
