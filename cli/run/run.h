/* SPDX-License-Identifier: BSD-3-Clause */
/* `topomap run`: what its rooms know of each other. Whatever goes wrong in any of them, the
 * launcher is started as it was written. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "cli/subprocess.h"
#include "cli/cli.h"
#include "plugin/policy/policy.h"

/* ---- What is asked for (run_settings.c) ------------------------------------------------ */

typedef struct run_settings {
    policy_settings settings;
    const char *graph;        /* lent of the settings; NULL: nobody named one */
    char not_understood[120]; /* the first word of options that is none; "": there is none */
    int off, required, verbose;
} run_settings;

/** As srun's plugin has them, by the same precedence: the call's, the job's (sbatch --topomap), the
 * environment's. \return 0, or -1: no memory. run_settings_clear() after either */
int run_settings_read(const cli_call *call, run_settings *settings);
void run_settings_clear(run_settings *settings);
/** The database: what --db says, else plugstack.conf where TOPOMAP_DB does not; ends with free().
 *  \param ms  for finding out
 *  \return NULL: as `topomap map` has it */
char *run_settings_db(const cli_call *call, unsigned ms);

/* ---- Launchers (launcher.c) --------------------------------------------------------------- */

/** A row of the table. Lists are words with a blank between. */
typedef struct run_launcher {
    const char *name;
    const char *programs; /* by whose names it is called; NAME.anything, too */
    const char *verbs;    /* of which one is its first word; NULL: options are */
    const char *version;  /* what its --version has in it, one or the other, with a '|' between;
                             NULL: it is  not asked */
    const char *format;   /* of `topomap map` */
    const char *words;    /* what it is given; FILE and SHELL stand for the paths of files, TEXT for
                             what is in the file, HOSTS for the nodes, COUNT for their number; or
                             NULL */
    const char *variable; /* "NAME=VALUE" in its environment, FILE as above; or NULL */
    const char *counts;   /* options with the number of ranks behind them */
    const char *flags;    /* options without a word behind them, as far as they are usual */
    const char *pairs;    /* options with two words behind them */
    const char *contrary; /* options that place ranks themselves */
    int takes_all;        /* without a number there are as many ranks as there is room; else one */
    int one_each;         /* each node has one before any has two */
    int even;             /* it takes no plan for other than equally many ranks a node, in the order
                             of the nodes' names */
    const char *returns;  /* of the verbs, those that come back before the ranks end, but for */
    const char *waits;    /* these options */
    const char *sets;     /* what gives the ranks a variable; NAME and VALUE stand for it; NULL:
                             its own environment does */
    const char *blocks;   /* what is in the names of options and variables that keep such a variable
                             from the ranks, or are refused beside it, unless they say ALL */
    const char *mpi;      /* as srun's --mpi= would be for its programs' usual MPI */
} run_launcher;

/** A variable that ranks are to have. */
typedef struct run_variable {
    const char *name, *value;
} run_variable;

/** What is added to a command. */
typedef struct run_addition {
    const char *file;  /* of the plan; NULL: the launcher's own layout stays */
    const char *shell; /* in place of ssh */
    const char *text, *hosts;
    const run_variable *variable;
    size_t variables;
} run_addition;

/** A command with what was added to it. */
typedef struct run_command {
    char **word;         /* NULL at the end */
    size_t first, added; /* so many words from there on are owned; the others are lent */
} run_command;

/** What a command asks for. */
typedef struct run_asked {
    uint32_t ranks; /* 0: it does not say */
    int program;    /* where in it the program is */
} run_asked;

struct run_allocation;

/** Which one a command is. \return NULL, with the reason in \p why */
const run_launcher *run_launcher_find(char *const *command, char why[CLI_WHY]);
/** \return 0, or -1 with the reason in \p why: it places its ranks itself, or starts several
 * programs */
int run_launcher_ranks(const run_launcher *launcher, char *const *command, run_asked *asked,
                       char why[CLI_WHY]);
/** Whether the launcher, or Slurm, takes a plan for such nodes; \p why it does not. */
int run_launcher_fits(const run_launcher *launcher, const struct run_allocation *allocation,
                      char why[CLI_WHY]);
/** Whether ranks are given variables, and their end is waited for; \p why not. */
int run_launcher_sets(const run_launcher *launcher, char *const *command, int program,
                      char why[CLI_WHY]);
/** The command with what the launcher is given behind its first word. \p made ends with
 * run_launcher_command_clear(). \return 0, or -1 with the reason in \p why: the kernel does not
 * take so long a word, or memory is short */
int run_launcher_command(const run_launcher *launcher, char *const *command,
                         const run_addition *addition, run_command *made, char why[CLI_WHY]);
void run_launcher_command_clear(run_command *made);
/** Puts what is to be in its environment into ours. \return 0, or -1: memory is short */
int run_launcher_environment(const run_launcher *launcher, const char *file);

/* ---- What there is to place on (allocation.c) ---------------------------------------------- */

typedef struct run_allocation {
    char *nodes, *tasks; /* as --nodes and --tasks-per-node have them; of nodes with ranks alone */
    uint32_t ranks;
    const char *job; /* Slurm's number; NULL: there is none */
} run_allocation;

/** From --nodes and --tasks-per-node, else Slurm's environment: node by node in that order, as
 * launchers fill them. \param asked  no ranks: all that there is room for
 * \param one_each  as the launcher has it
 * \return 0, or -1 with the reason in \p why */
int run_allocation_find(const cli_call *call, const run_asked *asked, int one_each,
                        run_allocation *allocation, char why[CLI_WHY]);
void run_allocation_clear(run_allocation *allocation);

/* ---- The plan's file (run_folder.c) ---------------------------------------------------- */

/** A file in a private folder, which run_folder_remove() removes again. */
typedef struct run_folder {
    char path[256], file[288];
} run_folder;
/** Makes the folder in $TMPDIR, or in /tmp if launchers would misread that path.
 *  \param dashes  0: there may be no '-' in the path, at which PRRTE 3 splits an option
 *  Returns 0, or -1 with the reason in \p why. */
int run_folder_make(run_folder *folder, const char *text, int dashes, char why[CLI_WHY]);
void run_folder_remove(const run_folder *folder);

/* ---- A step in place of ssh (run_step.c) ----------------------------------------------- */

/** The path of this program for mpiexec's -launcher-exec, while this process runs. */
void run_step_path(char *path, size_t size);

/* ---- The launcher's process (process.c) ---------------------------------------------------- */

/** Starts a command with our input and output. It gets each signal that is sent to us, to our
 *  process group or to all processes of the job once, and we stop while it is stopped.
 *  Returns its status as waitpid(2) has it. */
int run_start(char *const *command);
/** \return the exit status of what ended so; of a signal that has ended it, we die, too */
int run_finish(int status);

/* ---- topomap=auto (run_auto.c) --------------------------------------------------------- */

typedef struct run_question {
    const cli_call *call;
    const run_launcher *launcher;
    char *const *program; /* with its arguments */
    const run_allocation *allocation;
    unsigned ms;
} run_question;

/** What a launch with a stored profile, or for one, is to be. */
typedef struct run_auto {
    char *text;          /* the launcher's file; NULL: its own layout stays, and why was said */
    char *library, *run; /* the ranks are to load this, and to leave their parts there; or NULL */
    char *later;         /* what is to be done at the end, for the planner; or NULL */
    uint32_t ranks;
    int required; /* nothing is to be started where it cannot be placed */
} run_auto;

/** Asks for it as srun's plugin asks the planner, with the same store. Says what srun would say.
 *  \p made ends with run_auto_clear(), after a failure, too.
 *  \return 0, or -1 with the reason in \p why: it cannot be placed, but may be profiled */
int run_auto_plan(const run_question *question, run_auto *made, char why[CLI_WHY]);
/** Takes what the run has left into the store.
 *  \param status  of the launcher, as waitpid(2) has it */
void run_auto_end(const run_auto *made, int status);
/** Takes away what was begun for a run that is not profiled, or not placed as was planned: it is
 * not to be judged. */
void run_auto_drop(run_auto *made);
void run_auto_clear(run_auto *made);
