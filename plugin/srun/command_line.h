/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of srun, salloc and sbatch, read before they read it themselves. */
#ifndef TOPOMAP_PLUGIN_SRUN_COMMAND_LINE_H
#define TOPOMAP_PLUGIN_SRUN_COMMAND_LINE_H

#include "plugin/srun/slurm_options.h"

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

#endif
