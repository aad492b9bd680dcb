/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame of the command line: commands and options are rows of tables; parsing, `help`, and
 * whatever else lists them walk the same rows. */
#ifndef TOPOMAP_CLI_H
#define TOPOMAP_CLI_H

#include <jansson.h>

#include "cli/terminal/terminal.h"
#include "topomap/topomap.h"

/** Exit statuses of every command. */
enum cli_status { CLI_DONE = 0, CLI_NO = 1, CLI_USAGE = 2, CLI_INPUT = 3, CLI_FAILED = 4 };

enum { CLI_OPTIONS = 64, CLI_COMMON = 1, CLI_REPEATS = 16 };

typedef struct cli_option {
    const char *name;  /**< without the dashes; one letter is a short option */
    const char *value; /**< what it takes, for the help; NULL: it takes nothing; one that ends in
                          "..." may be given several times, CLI_REPEATS at most */
    const char *help;  /**< one line */
    const char *alias; /**< one letter for the same, or NULL */
} cli_option;

/** What commands that read a graph take for its format. */
#define CLI_FORMAT_OPTION                                                                          \
    {                                                                                              \
        "option", "K=V...",                                                                        \
            "an option of the input's format (`topomap formats` lists them), or unpacked=SIZE: "   \
            "what a packed file may unpack to",                                                    \
            NULL                                                                                   \
    }

typedef struct cli_call cli_call;

typedef struct cli_command {
    const char *name;                 /**< one word, or two: "graph info" */
    const char *operands;             /**< for the help: "FILE", "IN OUT", "" */
    const char *summary;              /**< one line */
    const cli_option *options;        /**< ends with a row whose name is NULL; or NULL */
    int least, most;                  /**< operands */
    int (*run)(const cli_call *call); /**< returns a cli_status */
    const char *text; /**< what help and the manual page say beyond, in lines; or NULL */
} cli_command;

struct cli_call {
    const cli_command *command;
    const char *value[CLI_OPTIONS + CLI_COMMON]; /**< by option row, as cli_option_at() counts;
                                       NULL: not given; "" for a flag; the first of several */
    const char *repeat[CLI_REPEATS + 1]; /**< all values of the option that may be repeated (a
                                            command has one at most), in order; ends with NULL */
    char **operand;
    int operands;
};

/** The tables, one a source file; each ends with a row whose name is NULL. */
extern const cli_command *const cli_tables[];
extern const cli_command cli_map_commands[], cli_registry_commands[];
extern const cli_command cli_db_commands[], cli_graph_commands[];
extern const cli_command cli_db_check_commands[], cli_db_diff_commands[], cli_db_export_commands[],
    cli_db_sources_commands[];
extern const cli_command cli_graph_edit_commands[], cli_graph_show_commands[];
extern const cli_command cli_calibrate_commands[];
extern const cli_command cli_distance_commands[], cli_synth_commands[], cli_policy_commands[],
    cli_profile_commands[], cli_why_commands[], cli_show_commands[], cli_doctor_commands[],
    cli_page_commands[], cli_fabric_commands[], cli_run_commands[], cli_collect_commands[],
    cli_refresh_commands[];

/** What a pattern is, for help and the manual page. */
extern const char cli_pattern_text[];
/** The table of patterns: all of it, or one row with its parameters (0: there is none). */
json_t *cli_pattern_json(void);
void cli_pattern_list(void);
int cli_pattern_one(const char *name);

/** The i-th option of a command: its own first, then those that every command takes; NULL after
 *  the last. */
const cli_option *cli_option_at(const cli_command *command, int i);

/** Value of an option, NULL where it was not given. */
const char *cli_get(const cli_call *call, const char *name);
/** Nonzero where the command has this option, without a value. */
int cli_is_flag(const cli_call *call, const char *name);
/** The same as a number within bounds; \p fallback where it was not given. Returns 0, or a
 *  CLI_USAGE after saying what is wrong. */
int cli_number(const cli_call *call, const char *name, double least, double most, double fallback,
               double *number);
int cli_integer(const cli_call *call, const char *name, uint64_t least, uint64_t most,
                uint64_t fallback, uint64_t *number);

/** Nonzero: text for stdout or stderr may be in colours, as --color and NO_COLOR say. */
int cli_is_coloured(const cli_call *call, FILE *out);
/** The text in a colour where these may be. */
void cli_paint(const cli_call *call, FILE *out, enum terminal_paint paint, const char *format, ...)
    TOPOMAP_PRINTF(4, 5);

/** Prints "topomap COMMAND: text" to standard error; returns CLI_USAGE. */
int cli_usage_error(const cli_call *call, const char *format, ...) TOPOMAP_PRINTF(2, 3);
/** Prints an error of the library in the same form; returns its exit status. */
int cli_fail(const cli_call *call, const topomap_error *err);

/** Parses what follows the command's name. Options may stand anywhere, as --name VALUE,
 *  --name=VALUE, -n VALUE; "--" ends them. Returns 0 or CLI_USAGE; -1: help was asked for. */
int cli_parse(const cli_command *command, int argc, char **argv, cli_call *call);

/** Reads a graph as --from and --option say and prints its note as a warning. Returns 0 or the exit
 *  status after saying what is wrong. */
int cli_graph_read(const cli_call *call, const char *what, topomap_graph **graph);
/** topomap_graph_open(), which on a terminal says how far it has come where it takes long. */
int cli_graph_read_as(const cli_call *call, const char *what, const char *format,
                      const char *const *option, topomap_graph **graph, topomap_error *err);
/** Prints a graph's note, where it has one, as a warning. */
void cli_graph_note(const cli_call *call, const topomap_graph *graph);
/** Prints a line, where a graph has phases: the label, how many, and what share each has. */
void cli_graph_print_phases(const char *label, const topomap_graph *graph);
/** The keys of all profiles of the user's, for completion. */
void cli_profile_words(void);
/** "48x32, exact" or "48x32, explains 95.24 % of the pairs and ...", and the end of the line. */
void cli_graph_print_fit(const topomap_recognition *pattern);
/** Writes a graph as --to says and frees it; returns the exit status. */
int cli_graph_write(const cli_call *call, topomap_graph *graph, const char *path);

/** Where a command writes: --output, else "-", standard output. */
const char *cli_output(const cli_call *call);

/** Whether a file's name is more than, and ends in, \p suffix; NULL does not. */
int cli_ends_in(const char *name, const char *suffix);

/** The variable's value, lent; NULL: it is not set, or empty, which is the same. */
const char *cli_environment(const char *name);

#define CLI_SITE_DATABASE "/var/lib/topomap/topology.db"
/** The database that a command works on: --db, else $TOPOMAP_DB, else the site's. */
const char *cli_database(const cli_call *call);

/** Before all else: what ends the command leaves no unfinished file. Returns the exit status where
 *  the limits of the process are too small, after saying so. */
int cli_prepare(void);
/** Becomes a step of srun if `topomap run` has mpiexec call this program in place of ssh
 * (run/step.c). Returns -1 if it was called otherwise, else the exit status. */
int cli_step(int argc, char **argv);

/** Finds the command that argv begins with; *words is how many words its name has. */
const cli_command *cli_find(int argc, char **argv, int *words);
/** Help of one command, or of all whose first word is \p group (NULL: every command). */
void cli_help(FILE *out, const cli_command *command);
void cli_help_group(FILE *out, const char *group);
/** Nonzero if the command's name is that word and a second one; if some command's is. */
int cli_is_of_group(const cli_command *command, const char *group);
int cli_is_group(const char *word);
/** Says that argv begins with no command, or an option is none of a command's, and which one is
 *  near; returns CLI_USAGE. */
int cli_no_command(int argc, char **argv);
int cli_no_option(const cli_call *call, const char *option);
/** `help --man PAGE`: the manual page of a command or of all commands of one first word ("": of
 *  topomap itself), or one of another section ("policy.5"), in roff, on standard output. */
int cli_manual(const char *page);
/** `help --words [COMMAND... [--OPTION]]`: what can follow, one word a line, for completion. */
int cli_words(int argc, char **argv);

#endif
