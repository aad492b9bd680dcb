/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin in srun, sbatch and salloc: options, the step's request, its layout and its end. */
#pragma once

#include <slurm/spank.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "plugin/common/args.h"
#include "plugin/common/ranks.h"
#include "plugin/common/reply.h"
#include "plugin/policy/policy.h"
#include "plugin/srun/slurm_options.h"

/* ---- async --------------------------------------------------------------------- */
/* srun --async (26.05): steps that srun only queues. */

/** In srun, once it has read its options. An asynchronous step is launched by the job's stepmgr,
 *  which loads no SPANK plugin, and srun never reaches local_user_init (create_srun_job() in
 *  src/srun/srun_job.c, launch_common_create_job_step() in src/srun/launch.c, 26.05): it cannot be
 *  placed. Whoever asked for that is told; where it is required, srun ends here, before there is a
 *  step. Nothing, for any other step. */
void plugin_async_leave(spank_t spank, const plugin_args *args);

/* ---- breaker ------------------------------------------------------------------- */
/* A job whose planner has missed its deadline once does not wait for another: its further steps are
 * left as Slurm lays them out. */

/** For the steps of this user's job that are started on this machine. 0 is no job: its srun is the
 * only one. */
void plugin_breaker_trip(uint32_t job);
int plugin_breaker_is_tripped(uint32_t job);

/* ---- checked memory ------------------------------------------------------------ */
/* Reading and writing memory that may not be there, without a crash: the kernel copies, and says
 * EFAULT. What Slurm's handle points to is looked at this way, since a Slurm that we do not know
 * may keep something else there. */

/** A pipe that everything goes through, one page at a time. */
typedef struct plugin_memory {
    int in, out;
} plugin_memory;

/** \return 0, or -1 with errno */
int plugin_memory_open(plugin_memory *memory);
void plugin_memory_close(plugin_memory *memory);

/** Copies \p size bytes at \p from, which may be any address. \return 0, or -1: not readable */
int plugin_memory_read(const plugin_memory *memory, const void *from, void *to, size_t size);
/** Copies \p size bytes to \p to, which may be any address. \return 0, or -1: not writable; then
 *  a beginning may have been written */
int plugin_memory_write(const plugin_memory *memory, void *to, const void *from, size_t size);

/* ---- command line -------------------------------------------------------------- */
/* The command line of srun, salloc and sbatch, read before they read it themselves. */

typedef struct plugin_option_word {
    const char *name; /* the long name where there is one, else one letter; never abbreviated */
    char *value;      /* inside the words, or NULL */
    int words;        /* how many words it takes, 1 or 2 */
    int letter_at;    /* of several letters in one word (-lm): where in the word this one is;
                         0: a long option */
} plugin_option_word;

/** Which program this is, by the name of \p argv0. */
enum plugin_program plugin_command_line_program(const char *argv0);

/** Whether a list, "verbose,none", has a word that is none of \p words, which ends with NULL;
 * letters large and small are one. */
int plugin_command_line_has_other(const char *value, const char *const *words);

/** Calls \p visit for every option of words[1] .. up to the program's name, and stops where it
 *  does not know how to go on: a long option that this Slurm does not have, without '=', may
 *  take the next word or not (another plugin's option).
 *  \p words a NULL-terminated list of \p count words */
void plugin_command_line_scan(enum plugin_program program, int count, char **words,
                              void (*visit)(int index, const plugin_option_word *option,
                                            void *context),
                              void *context);

/* ---- gpu_options --------------------------------------------------------------- */
/* What srun's options, and what a job's leave to its steps, say of GPUs. */

enum { PLUGIN_GPUS_OPTIONS = 10 };

/** The values of options, as rows of gpu_options.c; NULL: not said. Lent. */
typedef struct plugin_gpus {
    const char *value[PLUGIN_GPUS_OPTIONS];
} plugin_gpus;

/** Reads the environment of srun, whose options win over it. */
void plugin_gpus_inherit(plugin_gpus *gpus);
/** Notes an option, where it is one of GPUs. */
void plugin_gpus_note(plugin_gpus *gpus, const char *option, const char *value);

/** Whether each task has GPUs of its own, which Slurm pairs with the task's CPUs; by
 *  --gpu-bind=none it has not. */
int plugin_gpus_are_bound(const plugin_gpus *gpus);

/** Writes the line "step-gpus" of a request (protocol.md), where something is said that it can
 *  tell. */
void plugin_gpus_write(FILE *out, const plugin_gpus *gpus);

/* ---- distribution -------------------------------------------------------------- */
/* --distribution=topomap, which Slurm's own parser would refuse. */

/* What the command line and the environment said, besides what the options say. */
typedef struct plugin_launcher {
    enum plugin_program program;
    int on;         /* the distribution is topomap */
    int nodes_only; /* topomap:SOCKET..., the inside of a node is Slurm's */
    int other;      /* another distribution on the command line */
    int inherited;  /* another one in SLURM_DISTRIBUTION: the user's or the job's */
    int cpu_bind;   /* an explicit --cpu-bind */
    plugin_gpus gpus;
    int mem_bind; /* an explicit --mem-bind by local task */
    int pty;
    int async;                 /* the step is only queued; srun does not launch it */
    int multi;                 /* --multi-prog: the program is a list of programs */
    int het;                   /* a step in several components: separated by ":", or --het-group */
    unsigned cpus_per_task;    /* 0: not said */
    unsigned threads_per_core; /* 0: not said, all of them */
    const char *mpi;           /* --mpi, lent, or NULL */
    const char *chdir;         /* --chdir, lent, or NULL */
    const char *segment;       /* --segment, lent, or NULL */
    const char *input;         /* --input, lent, or NULL */
    const char *container;     /* --container and the like, pyxis's too, lent, or NULL */
} plugin_launcher;

/** What was found when the plugin was loaded. */
const plugin_launcher *plugin_launcher_get(void);

/** Rewrites the words and notes what they say; the library's constructor calls it, tests too.
 *  Words are replaced, never changed in place; a replacement stays allocated. */
void plugin_distribution_rewrite(int count, char **words, plugin_launcher *launcher);

/* ---- options ------------------------------------------------------------------- */
/* What the user says: --topomap, --topomap-options, --topomap-explain, and the environment. */

/* What the step's --topomap-explain says, or the job's. */
typedef struct plugin_explain {
    int wanted, own;  /* own: the step's */
    const char *file; /* NULL: standard error */
} plugin_explain;

/** Registers the options; to be called from slurm_spank_init in every context. */
int plugin_options_register(spank_t spank);

/** Before options are read: drops what an enclosing job or step left for its own steps. Slurm hands
 *  a job's SPANK options to its steps too (SLURM_SPANK__SLURM_SPANK_OPTION_..., plugstack.c), as
 *  they were written; ours travel in variables of our own, with paths made absolute.
 *  \param allocator  in sbatch and salloc, where a new job begins */
void plugin_options_forget(int allocator);

/** In sbatch and salloc: leaves what their options said in the environment, where srun inside the
 *  job finds it. SLURM_ names pass --export=NONE too. */
void plugin_options_export(void);

/** In srun: everything that was said. Lent until the next call. */
void plugin_options_said(const plugin_launcher *launcher, policy_said *said,
                         plugin_explain *explain);

/* ---- slurm_layout -------------------------------------------------------------- */
/* srun's step layout: finding it, checking that it is what we think, changing its task ids. */

typedef struct plugin_layout {
    uint32_t job, step;
    int arbitrary;      /* the user gave a host file or an arbitrary distribution */
    char *node_list;    /* the step's nodes, as a host list in the step's order */
    plugin_ranks ranks; /* Slurm's own task ids */
    uint32_t **tids;    /* [ranks.nodes] where they are in srun */
    uint32_t task_dist; /* the distribution that the layout says it is */
    void *task_dist_at; /* where that is in srun */
    plugin_memory memory;
    const char *version; /* of the Slurm that runs, lent */
    int version_known;   /* the layout was tried or read for it; else the checks decide */
} plugin_layout;

/** Finds the layout of the step that srun is about to launch; everything is compared with what
 *  Slurm's public items say, and copied. Nothing is changed. Only in slurm_spank_local_user_init.
 *  On failure nothing is left to clear. */
int plugin_layout_find(spank_t spank, plugin_layout *layout, topomap_error *err);

/** Puts new task ids in place of Slurm's, and the distribution that goes with them: all
 *  or, on failure, none. */
int plugin_layout_apply(const plugin_layout *layout, const plugin_ranks *ranks, uint32_t task_dist,
                        topomap_error *err);

void plugin_layout_clear(plugin_layout *layout);

/* ---- facts --------------------------------------------------------------------- */
/* What srun knows of a step, for the planner, which finds out the rest: srun itself touches no
 * file. */

typedef struct plugin_facts {
    spank_t spank;
    const plugin_args *args;
    const plugin_launcher *launcher;
    const policy_said *said;
    const plugin_explain *explain;
    const plugin_layout *layout; /**< NULL: the step is not to be placed, only judged */
    uint32_t job, step;
    const char *reason; /**< why the step is left alone, for the file of its explanation, or NULL */
} plugin_facts;

/** The lines with what plugstack.conf says, which every message to the planner has. */
void plugin_facts_site(FILE *out, const plugin_args *args);

/** Writes the request's lines about which part of its nodes a job has, as far as srun's environment
 *  tells: job-cpus, job-nodes, scontrol, scontrol-time (protocol.md). No file is looked for. */
void plugin_job_write(FILE *out, uint32_t job, const plugin_args *args);

/** Asks the planner about a step, and notes where it misses its deadline, which sets \p late.
 *  \param bytes  what \p *reply points into, or NULL; ends with free(), after a failure, too
 *  \return 0, or -1: \p err */
int plugin_facts_ask(const plugin_facts *facts, char **bytes, plugin_reply *reply, int *late,
                     topomap_error *err);

/** The same about a step that is not placed, unless it has missed a deadline in this job.
 *  \param late  set where it misses this one \return what \p *reply points into, for free(), or
 * NULL: there is no answer, and nobody says why */
char *plugin_not_placed_ask(const plugin_facts *facts, plugin_reply *reply, int *late);

/** Prints the lines that a reply has for the user. */
void plugin_reply_print(const plugin_reply *reply);

/** Has the planner write \p why into the file that the user has named, so that a former step's text
 *  does not pass for this one's: srun itself writes no file. Silent where it cannot. */
void plugin_not_placed_explain(plugin_facts facts, const char *why);

/* ---- procmap ------------------------------------------------------------------- */
/* The map of ranks to nodes that mpi/pmi2 gives to MPICH and its kin, "(vector,(0,4,1),...)".
 *
 * mpi/pmi2 makes it from the step layout, in a way that hangs on what distribution the layout says
 * it is (slurm 22.05 to 26.05, src/plugins/mpi/pmi2/setup.c, _get_proc_mapping): for block it
 * counts ranks up and never looks at the task ids; for cyclic and plane it follows them. MPICH
 * reads the map as one line of its PMI wire protocol and dies in MPI_Init where it is too long. */

/** Does the map that mpi/pmi2 makes of a layout with this distribution agree with its task ids? Not
 *  Slurm's own block layout of 26.05 along its topology: MPICH aborts where task counts differ. */
int plugin_procmap_is_honest(const plugin_ranks *ranks, uint32_t task_dist);

/** Chooses the distribution that a permuted layout must say it is, so that MPICH learns the truth.
 *  Only the part for nodes changes, unless \p plane is allowed: plane is shorter where ranks of a
 *  node follow one another, but task/affinity lays tasks out in another way inside nodes for it.
 *  \param task_dist  what the layout says
 *  \param pmi2       nonzero: the step may use mpi/pmi2, so the map must be short enough
 *  \return 0 and *honest, or -1 and \p err: no distribution gives a map that fits */
int plugin_procmap_choose(const plugin_ranks *ranks, uint32_t task_dist, int pmi2, int plane,
                          uint32_t *honest, topomap_error *err);

/** Nonzero unless the step surely uses another mpi plugin than pmi2.
 *  \param option  value of --mpi, or NULL */
int plugin_mpi_may_be_pmi2(const char *option);

/* ---- step ---------------------------------------------------------------------- */
/* A step in srun, from options to a new layout. */

/** Forgets what an enclosing step left in the environment. */
void plugin_step_forget(void);

/** In slurm_spank_local_user_init. Whatever goes wrong, the step runs as Slurm would run it, with
 *  one line; where topomap is required, its tasks end before they start their program. */
void plugin_step_place(spank_t spank, const plugin_args *args);

/* ---- step end ------------------------------------------------------------------ */
/* What is to be done when the step of this srun has ended: the planner does it, in a process of its
 * own, for which srun waits end_ms of plugstack.conf at most, a tenth of a second by default. */

/** In slurm_spank_exit of srun: starts the planner and waits until it is done, end_ms at most. What
 *  is not done by then goes on by itself, or, where the job's end kills it, is done by a later
 *  launch. */
void plugin_step_end(void);

/* ---- step request -------------------------------------------------------------- */
/* Which steps are left alone, as far as srun itself can tell, and what is said of that. */

typedef struct plugin_step_request {
    policy_said said;
    int own; /* the step itself asks, not its job or site */
    plugin_explain explain;
    /* By the options and plugstack.conf alone, until the planner has read the site's rules. */
    int asked, verbose, required, bind;
    char left[640]; /* why the step is left alone, for the file of --topomap-explain, or "" */
} plugin_step_request;

/** Finds out, and says what is to be said. \p wish is all zero before.
 *  \return nonzero: the planner is to be asked */
int plugin_step_request_find(spank_t spank, const plugin_args *args,
                             const plugin_launcher *launcher, uint32_t step_id,
                             plugin_step_request *wish);

/** One line on why a step is left alone; without \p loud for srun -v only, and for a step that
 *  asked for an explanation. */
void plugin_step_request_leave(plugin_step_request *wish, int loud, const char *why);
