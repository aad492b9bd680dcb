/* SPDX-License-Identifier: BSD-3-Clause */
/* A request to the planner, and what it asks of scontrol. */
#pragma once

#include "plan/bindings.h"
#include "request/request.h"
#include "topology-db/db.h"
#include "topomap/topomap.h"
#include "util/cores.h"
#include "util/hostlist.h"
#include "watch/watch.h"

/* ---- read_request -------------------------------------------------------------- */
/* What the plugin asks (protocol.md, "Request"). */

/** What the graph is, where it is no user's own: a stored profile of the program, at this size or
 * at another. */
enum planner_profile_kind { PLANNER_PROFILE_NONE, PLANNER_PROFILE_EXACT, PLANNER_PROFILE_SCALE };

/** What is asked, and what its texts say. */
typedef struct planner_request {
    topomap_request asked;
    topomap_names nodes;
    uint32_t *tasks;     /* [nodes.count] */
    uint32_t *first;     /* [nodes.count + 1] sums of tasks */
    uint32_t *layout;    /* [first[nodes.count]] Slurm's own task ids, node by node */
    topomap_cores cores; /* that the job has; nodes 0: not known */
    uint32_t *job_cpus;  /* [nodes.count] that the job has of each; NULL: not known */
    /* Asks scontrol; NULL: the process that has the request does (see job_cores, below). */
    char *(*ask)(void *with, const char *commands, topomap_error *err);
    void *ask_with;
    topomap_watch *watch; /* says how far the plan has come; NULL: nobody looks */
} planner_request;

/** Reads the first line. \p kind 1: a request, which planner_request_rest() reads; 2: what srun
 * knows of a launch, which planner_facts_read() reads. */
int planner_request_kind(FILE *in, int *kind, topomap_error *err);
/** Takes a line, which it may change, and its number. \return 0, or -1: \p err */
typedef int planner_line_taker(void *with, size_t number, char *line, topomap_error *err);
/** Reads what follows the first line, up to "end". */
int planner_request_lines(FILE *in, planner_line_taker *take, void *with, topomap_error *err);
int planner_request_rest(FILE *in, planner_request *request, topomap_error *err);
/** Reads a whole request from \p in; anything that is not one is TOPOMAP_EINPUT with its line. */
int planner_request_read(FILE *in, planner_request *request, topomap_error *err);
void planner_request_clear(planner_request *request);

/* ---- job_cores ----------------------------------------------------------------- */
/* The cores that a job has of nodes that it shares with others. */

/** Bytes of a question, with its NUL, and of an answer at most. */
enum { PLANNER_CORES_COMMANDS = 4000, PLANNER_CORES_ANSWER = 32 << 20 };

/** Whether somebody is to be asked: tasks are bound, whom to ask is known and the cores are not,
 *  and of some node whose inside is known the job has not as many CPUs as that has PUs.
 *  \param insides  whose node_class and class_of are those of the request's nodes */
int planner_cores_wanted(const planner_request *request, const topomap_bindings *insides);

/** Asks scontrol about the job. \return what it has printed, which ends with free(), or NULL */
char *planner_cores_ask(const planner_request *request, const topomap_bindings *insides,
                        topomap_error *err);
/** The two halves of it: whether \p commands are a question that this asks for that request, and
 * scontrol's answer to it, which ends with free(), or NULL. */
int planner_cores_is_question(const planner_request *request, const char *commands);
char *planner_cores_question(const planner_request *request, const char *commands,
                             topomap_error *err);

/** The job's cores from what scontrol has printed, in Slurm's numbering: socket by socket, the
 *  classes' order. A node of which the job has all, or whose inside is not known, gets none listed.
 *  \param cores  ends with topomap_cores_clear() */
int planner_cores_read(const planner_request *request, const topomap_bindings *insides,
                       const char *text, topomap_cores *cores, topomap_error *err);

/* ---- run program --------------------------------------------------------------- */
/* Another program's answer, in bounded time and size. */

/** Runs the first of \p paths ("/usr/bin/scontrol:/opt/slurm/bin/scontrol") that can be run, with
 *  \p words (the last NULL) and \p input on its standard input, and reads its
 *  standard output to the end. Its other descriptors are /dev/null or closed. One that takes longer
 *  than \p seconds, or writes more than \p most bytes, is killed; one that the kernel holds is left
 *  behind.
 *  \return what it wrote, with a NUL; NULL and \p err where there is no whole answer. Ends with
 *  free(). */
char *planner_run_program(const char *paths, const char *const *words, const char *input,
                          double seconds, size_t most, topomap_error *err);

/* ---- scontrol ------------------------------------------------------------------ */
/* What scontrol prints of a job and of nodes (`scontrol -a -d -o`, 22.05 to 26.05), given
 * `show job ID` and `show node LIST` on its standard input. */

/** How Slurm counts a node: `show node`. */
typedef struct planner_slurm_node {
    uint32_t cores;   /**< sockets times cores of a socket; 0: scontrol does not say */
    uint32_t threads; /**< of a core, by slurm.conf, which need not be the hardware's */
} planner_slurm_node;

/** Reads the record of node \p name in \p text. Where there is none, scontrol was not shown the
 *  nodes (PrivateData=nodes), and counts one thread a core in CPU_IDs, too: {0, 1}. */
planner_slurm_node planner_scontrol_node(const char *text, const char *name);

/** Where the job's CPUs are, as `show job` prints them: "Nodes=n[1-2] CPU_IDs=0-3 Mem=0 GRES=". */
typedef struct planner_slurm_job {
    topomap_names names; /**< in the job's order */
    const char **cpus;   /**< [names.count] into the text, each to the next blank */
    const char **gres;   /**< [names.count] likewise; "" where there is none */
} planner_slurm_job;

/** Reads the record of job \p id in \p text, which has all components and members with a
 *  heterogeneous job's or an array's number. TOPOMAP_EINPUT where there is none, or none with
 *  cores. \p job  ends with planner_slurm_job_clear() */
int planner_scontrol_job(const char *text, uint32_t id, planner_slurm_job *job, topomap_error *err);
void planner_slurm_job_clear(planner_slurm_job *job);

/** CPU_IDs as Slurm's cores: "0-3,8-9" with two threads is 0, 1, 4. A core has all of its threads
 *  there or none.
 *  \param cores    how many the node has
 *  \param core     [cores] filled, ascending
 *  \param count    how many were filled
 *  \return -1: the text is no such list of this node */
int planner_scontrol_cores(const char *cpus, uint32_t threads, uint32_t cores, uint32_t *core,
                           uint32_t *count);

/** The GPUs in such a "gpu:a100:2(IDX:0-1),gpu:v100:1(IDX:3),nic:1", ascending.
 *  \param gpu  [room] \return 0, or -1: it has GPUs, but not which, or more than there is room */
int planner_scontrol_gpus(const char *gres, uint32_t *gpu, uint32_t room, uint32_t *count);
