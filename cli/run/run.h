/* SPDX-License-Identifier: BSD-3-Clause */
/* `topomap run`: what its rooms know of each other. Whatever goes wrong in any of them, the
 * launcher is started as it was written. */
#ifndef TOPOMAP_CLI_RUN_H
#define TOPOMAP_CLI_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "cli/capture.h"
#include "cli/cli.h"

/* ---- Launchers (launcher.c) --------------------------------------------------------------- */

/** A row of the table. Lists are words with a blank between. */
typedef struct run_launcher {
    const char *name;
    const char *programs; /* by whose names it is called; NAME.anything, too */
    const char *version;  /* what its --version has in it, one or the other, with a '|' between;
                             NULL: it is  not asked */
    const char *format;   /* of `topomap map` */
    const char *words;    /* what it is given; FILE and SHELL stand for the paths of files */
    const char *variable; /* in the environment, with the file's path; or NULL */
    const char *counts;   /* options with the number of ranks behind them */
    const char *flags;    /* options without a word behind them, as far as they are usual */
    const char *pairs;    /* options with two words behind them */
    const char *contrary; /* options that place ranks themselves */
    int takes_all;        /* without a number there are as many ranks as there is room; else one */
    int one_each;         /* each node has one before any has two */
} run_launcher;

/** Which one a command is. \return NULL, with the reason in \p why */
const run_launcher *run_launcher_find(char *const *command, char why[CLI_WHY]);
/** How many ranks a command asks for, 0: it does not say.
 * \return 0, or -1 with the reason in \p why: it places its ranks itself, or starts several
 * programs */
int run_launcher_ranks(const run_launcher *launcher, char *const *command, uint32_t *ranks,
                       char why[CLI_WHY]);
/** Whether Slurm takes such a command; \p why it does not. */
int run_launcher_fits(const run_launcher *launcher, char why[CLI_WHY]);
/** The command with what the launcher is given behind its first word; the command's own words are
 * lent. Ends with run_launcher_command_free(). NULL: memory is short */
char **run_launcher_command(const run_launcher *launcher, char *const *command, const char *file,
                            const char *shell);
void run_launcher_command_free(const run_launcher *launcher, char **command);

/* ---- What there is to place on (allocation.c) ---------------------------------------------- */

typedef struct run_allocation {
    char *nodes, *tasks; /* as --nodes and --tasks-per-node have them; of nodes with ranks alone */
    uint32_t ranks;
    const char *job; /* Slurm's number; NULL: there is none */
} run_allocation;

/** From --nodes and --tasks-per-node, else Slurm's environment: node by node in that order, as
 * launchers fill them. \param ranks  0: all that there is room for
 * \param one_each  as the launcher has it
 * \return 0, or -1 with the reason in \p why */
int run_allocation_find(const cli_call *call, uint32_t ranks, int one_each,
                        run_allocation *allocation, char why[CLI_WHY]);
void run_allocation_clear(run_allocation *allocation);

/* ---- The launcher itself (start.c) ---------------------------------------------------------- */

/** Two files of a private folder, which run_folder_remove() takes away again. */
typedef struct run_folder {
    char path[256], file[288], shell[288];
} run_folder;
/** \param shell  nonzero: a program that stands for ssh, by srun
 *  \param dashes  0: not in the path, which PRRTE 3 takes for two words of an option */
int run_folder_make(run_folder *folder, const char *text, int shell, int dashes, char why[CLI_WHY]);
void run_folder_remove(const run_folder *folder);

/** Starts a command with our input and output; signals that are sent to us are handed on.
 * \param folder  or NULL: taken away before we end
 * \return its exit status; of a signal that has ended it, we die, too */
int run_start(char *const *command, const run_folder *folder);

#endif
