/* SPDX-License-Identifier: BSD-3-Clause */
/* A launch in the planner: what srun knows, the site's policy, the reply. */
#pragma once

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "plugin/common/args.h"
#include "plugin/planner/request/request.h"
#include "plugin/store/program.h"
#include "plugin/store/store.h"
#include "topomap/topomap.h"

/* ---- facts --------------------------------------------------------------------- */
/* What srun tells of a step (protocol.md, "Request of a launch"). */

/** Texts that a message brought. */
typedef struct planner_texts {
    char **text; /* [count + 1], NULL at the end */
    size_t count, room;
} planner_texts;

typedef struct planner_facts {
    uint32_t job, step, nodes, tasks;
    plugin_args args; /* what plugstack.conf says */
    policy_said said; /* what the user says; lent from `owned` */
    int explain, explain_own;
    const char *explain_file;
    int nodes_only;       /* the inside of nodes is Slurm's */
    int paired;           /* GPUs or memory go with Slurm's own binding */
    int memory_bound;     /* --mem-bind by local task */
    int several_programs; /* --multi-prog */
    int container;
    int asked, verbose; /* at a step's end: as its launch has settled them */
    const char *chdir;
    const char *input;   /* the file that the program reads from standard input, or NULL */
    const char *reason;  /* srun leaves the step alone: for the explanation's file; else NULL */
    planner_texts words; /* the program's command line */
    long room;           /* what the environment may still take, bytes */
    char *rest;          /* the lines of the planner's own request: nodes, tasks, layout, ... */
    char *of_job;        /* likewise those about the job's part of its nodes */
    int has_layout;      /* else the step is only to be judged */
    planner_texts later; /* what is to be done at the step's end, "run FOLDER" */
    planner_texts site, owned;
} planner_facts;

/** Reads what follows the first line, up to "end". \p facts is all zero before, and ends with
 *  planner_facts_clear(), after a failure too. */
int planner_facts_read(FILE *in, planner_facts *facts, topomap_error *err);
void planner_facts_clear(planner_facts *facts);

/* ---- launch -------------------------------------------------------------------- */
/* One launch, from what srun knows to what it is to do (protocol.md, "Request of a launch"). */

/** The answer to a request: the reply's text, which ends with free(), or NULL and \p err. */
typedef char *planner_answerer(const char *request, size_t *size, topomap_error *err);

/** Reads the request and plans it. */
planner_answerer planner_launch_answer;

/** Makes a graph's relative path an absolute one: it is meant where it was written (a job's in the
 *  job's folder, PLUGIN_ENV_JOB_FOLDER), and a record is read elsewhere. What is no existing file
 *  stays as it is: a pattern, a word, or a mistake that its reader names.
 *  \return 0, or -1: no memory */
int planner_launch_make_absolute(policy_settings *settings);

/** Plans the step of \p facts and tells the result, a failure too.
 *  \param answer  planner_launch_answer(), but in tests
 *  \param wait  called when more time is wanted than plugstack.conf's deadline: seconds of the
 *               search, which somebody has named
 *  \param size  without the NUL at its end
 *  \return the reply's text, which ends with free(); NULL: out of memory */
char *planner_launch(const planner_facts *facts, planner_answerer *answer,
                     void (*wait)(double seconds), size_t *size);

/* ---- The verdict on a launch --------------------------------------------------- */
/* It collects the rows of planner_launch()'s reply (resolve_placement.c). */

typedef struct planner_verdict {
    const planner_facts *facts;
    policy_decision decision;
    int verbose;
    int gpus_near; /* Slurm may choose each task's GPUs by its CPUs (see gres conf, below) */
    int gpus_left; /* which GPU has which number on a node is not known (see gres conf) */
    FILE *out;     /* further rows of the reply */
    char *why;     /* the step is left alone: why; owned */
} planner_verdict;

enum { PLANNER_LOG = -1 };

/** Adds a line to the reply, which srun prints.
 *  \param loud  nonzero: always; 0: with srun -v or the user's option verbose; PLANNER_LOG: with
 *      srun -v only */
void planner_tell(planner_verdict *verdict, int loud, const char *format, ...) TOPOMAP_PRINTF(3, 4);

/** Why the step is left as Slurm laid it out; without \p loud for srun -v only, and for a step that
 *  asked for an explanation. */
void planner_leave(planner_verdict *verdict, int loud, const char *why);

/* ---- auto ---------------------------------------------------------------------- */
/* --topomap=auto: a step is placed with the profile that an earlier run of its program has left;
 * where there is none, it runs as Slurm lays it out and leaves one. */

typedef struct planner_auto {
    planner_verdict *verdict;
    enum store_mpi mpi;
    int loads;       /* it is what earlier runs have loaded, or a guess: the program names none */
    int guessed;     /* it is a guess */
    uint64_t loaded; /* where it is remembered (program.h) */
    uint64_t once;   /* why it is left alone is said once, of this build; 0: each time */
    store store;
    int has_store;
    topomap_error no_store; /* why there is none */
    store_entry entry;
    char used[STORE_KEY + 1]; /* the entry whose graph is used, or "" */
    int is_own;   /* for who said "auto": whether and how the run is counted is ours to say */
    int counts;   /* what the run sends is to be compared with that */
    char *folder; /* where the run leaves what it sends; NULL: it is not counted */
    char request[3 * STORE_PATH]; /* lines that tell of the profile, or "" */
} planner_auto;

/** Where the graph is "auto", or none was named, looks for a stored profile and puts it in its
 *  place; where one is to be made, arranges it. \p now is all zero before.
 *  \return nonzero: the step is to be placed; 0: it is left as Slurm laid it out */
int planner_auto_begin(planner_auto *now, planner_verdict *verdict);

/** Fills the names of the entry, and its MPI. \return -1, and why it has none */
int planner_identify(planner_auto *now, topomap_error *why);

/** The path of an MPI's profiler. \return 0, or -1: it is not there, or cannot be preloaded */
int planner_auto_library(const planner_facts *facts, enum store_mpi mpi, char library[STORE_PATH],
                         topomap_error *why);

/** The step is planned. \p placed: it runs as the plan says, else in Slurm's layout.
 *  \param request  what it was planned by
 *  \param layout  what came of it; NULL: Slurm's stays */
void planner_auto_planned(planner_auto *now, int placed, const char *request, const char *layout);

/** The stored profile turned out to be of no use: it goes, and this run makes another. */
void planner_auto_damaged(planner_auto *now);

void planner_auto_clear(planner_auto *now);

/* ---- compose_request ----------------------------------------------------------- */
/* From what srun knows, and what user and site want, to the request that a plan is made of, and
 * that a record keeps. */

/** Whether tasks are to be bound. */
int planner_compose_bind(const planner_verdict *verdict);

/** The text; NULL and \p err on failure. Ends with free().
 *  \param profile  further lines, or "" */
char *planner_compose(const planner_verdict *verdict, const char *profile, topomap_error *err);

/* ---- end ----------------------------------------------------------------------- */
/* What is to be done when a step has ended: "later" rows of its launch's reply, sent back. */

/** Does it all, and tells in the reply what is to be told. \return the reply's text, which ends
 * with free(); NULL: out of memory */
char *planner_end(const planner_facts *facts, size_t *size);

/* ---- explanation --------------------------------------------------------------- */
/* The file of --topomap-explain=FILE. */

/** Puts a text where \p path leads, whole or not at all; nothing is made where another user could
 *  have a hand in it (util/output.h). What is there and is no regular file (/dev/null, a FIFO),
 * and the planner's own standard output and error, is written to directly, and never waited for.
 *  \param until  of topomap_clock_wall(): when srun ends this process, whose unfinished file would
 *                stay. Where the file system has shown itself too slow for that, none is made. */
int planner_explanation_write(const char *path, const char *bytes, size_t size, double until,
                              topomap_error *err);

/* ---- forward bindings ---------------------------------------------------------- */
/* How a step's bindings travel from srun to its nodes: in the environment while they are short,
 * else in a file, and beside it in the environment what is short: the same CPUs, dealt out in
 * order. */

/** Writes the rows of the reply that say what srun is to put into the environment, and the file.
 *  \param text  as topomap_bindings_encode() writes it */
void planner_forward_bindings(planner_verdict *verdict, const char *text);

/** The same of the text of NICs, which has no other way than the environment. */
void planner_forward_nics(planner_verdict *verdict, const char *text);

/* ---- gres conf ----------------------------------------------------------------- */
/* What gres.conf tells of a site's GPUs. */

enum {
    /** Some node's files (File=) are not in the order of their numbers: Slurm's index of a GPU is
     * its place in gres.conf, and the database's follows bus ids, as the numbers of /dev/nvidia0
     * and the like do. */
    PLANNER_GRES_REORDERS = 1,
    /** Slurm may know which CPUs are next to GPUs (Cores=, AutoDetect=), and then chooses the GPUs
     *  of a task by its CPUs (_get_single_usable_gres() since 23.02, _get_gres_per_task() since
     *  23.11, in src/interfaces/gres.c). */
    PLANNER_GRES_CORES = 2
};

/** Returns these flags of the gres.conf \p path. If it cannot be read, it may exist on the
 *  nodes alone (configless Slurm): returns PLANNER_GRES_CORES. */
int planner_gres_flags(const char *path);

/** The one beside slurm.conf, which SLURM_CONF names. \param path [size] out */
void planner_gres_path(char *path, unsigned long size);

/* ---- resolve placement --------------------------------------------------------- */
/* Is a step to be placed, and how? What its user and its site want. */

/** Fills the verdict's decision (with a time) and tells what is to be told.
 *  \return 1: to be placed, 0: not, -1: \p err */
int planner_resolve_placement(planner_verdict *verdict, topomap_error *err);

/* ---- sandbox child ------------------------------------------------------------- */
/* Answers a request in a child process with the reader's sandbox (plugin/sandbox): the child reads
 * the database and the graph, which others have made, and writes the answer to a pipe. Its parent
 * asks scontrol and writes files. */

/** planner_answer_text() in such a process; where none can be made, in this one.
 *  \return the reply's text, which ends with free(); NULL: out of memory */
char *planner_sandboxed_answer(const planner_request *request, size_t *size);

/* ---- background_writers -------------------------------------------------------- */
/* The user's processes on this machine that write records and that nobody waits for. A file system
 * that is stuck holds each of them for good, and they count as the user's processes (ulimit -u). */

enum { PLANNER_WRITERS_MOST = 4 };

/** A process for which nobody waits, and which ends by itself after 20 s: in a session of its own,
 *  since srun kills the planner's group when the planner has ended, and without the reply.
 *  \return as fork(2) */
pid_t planner_writers_fork(void);

/** Makes the calling process one of those that write to \p folder, and waits two seconds at most
 * until they are few enough for that. Where the kernel has no keyring for us, all are. Two at the
 * very same moment may count as one, and who is in another container (pid_namespaces(7)) is not
 * seen. \return 0; -1: there are PLANNER_WRITERS_MOST others of that
 * folder */
int planner_writers_join(const char *folder);
