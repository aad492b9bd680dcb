/* SPDX-License-Identifier: BSD-3-Clause */
/* The frame of the command line: commands and options are rows of tables; parsing, `help`, and
 * whatever else lists them walk the same rows. */
#pragma once

#include <jansson.h>
#include <stdarg.h>

#include "cli/terminal/terminal.h"
#include "request/request.h"
#include "topomap/db.h"
#include "topomap/topomap.h"
#include "util/alloc.h"

/** Exit statuses of every command. */
enum cli_status { CLI_DONE = 0, CLI_NO = 1, CLI_USAGE = 2, CLI_INPUT = 3, CLI_FAILED = 4 };

enum { CLI_OPTIONS = 64, CLI_COMMON = 1, CLI_REPEATS = 16 };

/** The values of a call's options. Each row of a command's table names the field that it fills.
 * NULL or 0: not given, or a number without a default. */
typedef struct cli_options {
    topomap_request request; /**< also graph, from and seed of commands that plan nothing */
    const char *db, *output, *nodes, *tasks_per_node, *machine, *mapping, *method, *to, *format;
    const char *slurm_order, *job_nodes, *cores_of, *time_costs;
    const char *job, *plan, *records, *replay, *from_plan, *store, *srun, *config, *pairs, *matrix;
    const char *topomap, *topomap_options, *default_mode, *slurm_conf, *plugstack;
    const char *color;
    const char *option[CLI_REPEATS + 1]; /**< ends with NULL */
    int json, time, summary, sources, unknown, guids, list, all, dry_run, force, print, compare;
    double deadline, factor, latency, max_age, rate, size;
    uint32_t cells, gpus_per_task, most, parts, path, rail, scale;
} cli_options;

enum cli_kind { CLI_FLAG, CLI_TEXT, CLI_WORD, CLI_LIST, CLI_NUMBER, CLI_COUNT, CLI_REQUEST };

typedef struct cli_option {
    const char *name;  /**< without the dashes */
    const char *value; /**< what it takes, for the help; NULL: it takes nothing; "[...]": it may
                            stand alone; of CLI_WORD the words, a '|' between two */
    enum cli_kind kind;
    double least, most, fallback;
    size_t at;         /**< in cli_options; of CLI_REQUEST the key */
    const char *help;  /**< one line */
    const char *alias; /**< one letter for the same, or NULL */
    int expert;        /**< nonzero: listed under "Expert options" */
} cli_option;

/** Initializers for a row: its field, and a number's range and default. EXPERT(FLAG(json)). */
#define EXPERT(...) .expert = 1, .kind = __VA_ARGS__
#define FLAG(field) CLI_FLAG, .at = offsetof(cli_options, field)
#define TEXT(field) CLI_TEXT, .at = offsetof(cli_options, field)
#define WORD(field) CLI_WORD, .at = offsetof(cli_options, field)
#define LIST(field) CLI_LIST, .at = offsetof(cli_options, field)
#define REQUEST(key) CLI_REQUEST, .at = TOPOMAP_REQUEST_##key
#define NUMBER(field, least, most, fallback)                                                       \
    CLI_NUMBER, least, most, fallback, .at = offsetof(cli_options, field)
#define COUNT(field, least, most, fallback)                                                        \
    CLI_COUNT, least, most, fallback, .at = offsetof(cli_options, field)

/** Rows that several tables have. */
#define CLI_JSON "json", NULL, FLAG(json), "for programs"
#define CLI_DB "db", "DB", TEXT(db), "topology database"
#define CLI_OUTPUT "output", "FILE", TEXT(output), "where to write (default: standard output)", "o"
#define CLI_FROM "from", "FORMAT", REQUEST(FROM), "the input's format (recognised if left out)"
#define CLI_TO "to", "FORMAT", TEXT(to), "the output's format (by its name's ending if left out)"
#define CLI_FORMAT_OPTION                                                                          \
    "option", "K=V...", LIST(option),                                                              \
        "an option of the input's format (`topomap formats` lists them), or unpacked=SIZE: "       \
        "what a packed file may unpack to"

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
    cli_options options;
    /** Of each option as it was typed, indexed as by cli_option_at(); NULL: not given; "" for a
     *  flag. */
    const char *value[CLI_OPTIONS + CLI_COMMON];
    char **operand;
    int operands;
};

/** All commands, as `topomap --help --all` lists them: the group, whether it is one of the twelve
 *  that `topomap --help` lists, and the command. */
#define CLI_COMMANDS(ROW)                                                                          \
    ROW(CLI_PLACE, 1, cli_map)                                                                     \
    ROW(CLI_PLACE, 1, cli_run)                                                                     \
    ROW(CLI_PLACE, 1, cli_eval)                                                                    \
    ROW(CLI_PLACE, 0, cli_algorithms)                                                              \
    ROW(CLI_EXPLAIN, 1, cli_show)                                                                  \
    ROW(CLI_EXPLAIN, 1, cli_why)                                                                   \
    ROW(CLI_EXPLAIN, 1, cli_report)                                                                \
    ROW(CLI_EXPLAIN, 0, cli_profile_list)                                                          \
    ROW(CLI_EXPLAIN, 0, cli_profile_show)                                                          \
    ROW(CLI_EXPLAIN, 0, cli_profile_rm)                                                            \
    ROW(CLI_DATABASE, 1, cli_db_import)                                                            \
    ROW(CLI_DATABASE, 1, cli_db_show)                                                              \
    ROW(CLI_DATABASE, 1, cli_db_check)                                                             \
    ROW(CLI_DATABASE, 0, cli_db_report)                                                            \
    ROW(CLI_DATABASE, 0, cli_db_diff)                                                              \
    ROW(CLI_DATABASE, 0, cli_db_distance)                                                          \
    ROW(CLI_DATABASE, 0, cli_db_export)                                                            \
    ROW(CLI_DATABASE, 0, cli_db_forget)                                                            \
    ROW(CLI_DATABASE, 0, cli_db_collect)                                                           \
    ROW(CLI_DATABASE, 0, cli_db_calibrate)                                                         \
    ROW(CLI_DATABASE, 0, cli_db_synth)                                                             \
    ROW(CLI_GRAPHS, 1, cli_graph_info)                                                             \
    ROW(CLI_GRAPHS, 1, cli_graph_show)                                                             \
    ROW(CLI_GRAPHS, 0, cli_graph_generate)                                                         \
    ROW(CLI_GRAPHS, 0, cli_graph_recognise)                                                        \
    ROW(CLI_GRAPHS, 0, cli_graph_convert)                                                          \
    ROW(CLI_GRAPHS, 0, cli_graph_merge)                                                            \
    ROW(CLI_GRAPHS, 0, cli_graph_scale)                                                            \
    ROW(CLI_GRAPHS, 0, cli_graph_permute)                                                          \
    ROW(CLI_GRAPHS, 0, cli_graph_partition)                                                        \
    ROW(CLI_GRAPHS, 0, cli_formats)                                                                \
    ROW(CLI_SITE, 1, cli_doctor)                                                                   \
    ROW(CLI_SITE, 0, cli_policy_check)                                                             \
    ROW(CLI_SITE, 0, cli_db_refresh)

#define CLI_ROW(group, common, command) extern const cli_command command;
CLI_COMMANDS(CLI_ROW)
#undef CLI_ROW
/** Defines a command: CLI_COMMAND(cli_map, "map", ...); the arguments are the members of
 * cli_command in order. */
#define CLI_COMMAND(symbol, ...) const cli_command symbol = {__VA_ARGS__}

enum cli_group { CLI_PLACE, CLI_EXPLAIN, CLI_DATABASE, CLI_GRAPHS, CLI_SITE, CLI_GROUPS };

typedef struct cli_command_row {
    enum cli_group group;
    int common;
    const cli_command *command;
} cli_command_row;

/** Ends with a row whose command is NULL. */
extern const cli_command_row cli_commands[];
/** The headings of the groups. */
extern const char *const cli_group_titles[CLI_GROUPS];

/** What a pattern is, for help and the manual page. */
extern const char cli_pattern_text[];

/** The i-th option of a command: its own first, then those that every command takes; NULL after
 *  the last. */
const cli_option *cli_option_at(const cli_command *command, int i);
/** Nonzero if some of the command's own options are for experts. */
int cli_has_experts(const cli_command *command);

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
 *  --name=VALUE, -n VALUE; "--" ends them. Returns 0 or CLI_USAGE, or -1 if help was requested. In
 * each case the caller then calls topomap_request_clear(&call->options.request). */
int cli_parse(const cli_command *command, int argc, char **argv, cli_call *call);

/** The keys of all profiles of the user's, and the steps of all records in the site's place and the
 *  user's own, for completion. */
void cli_profile_words(void);
void cli_record_words(void);
/** Where a command writes: --output, else "-", standard output. */
const char *cli_output(const cli_call *call);

/** Whether a file's name is more than, and ends in, \p suffix; NULL does not. */
int cli_ends_in(const char *name, const char *suffix);

/** Nonzero if a text is 1 to \p most decimal digits and nothing else. */
int cli_is_digits(const char *text, size_t most);

/** The variable's value, lent; NULL: it is not set, or empty, which is the same. */
const char *cli_environment(const char *name);

/** Attribute of a local pointer to a database: it is closed with the scope. The pointer must be
 *  initialised. */
#define CLI_DB_CLOSED TOPOMAP_CLEANUP(cli_close_db)
static inline void cli_close_db(topomap_db **db)
{
    topomap_db_close(*db);
}

#define CLI_SITE_DATABASE "/var/lib/topomap/topology.db"
/** The database that a command works on: --db, else $TOPOMAP_DB, else the site's. */
const char *cli_database(const cli_call *call);

/** Before all else: what ends the command leaves no unfinished file. Returns the exit status where
 *  the limits of the process are too small, after saying so. */
int cli_prepare(void);
/** Becomes a step of srun if `topomap run` has mpiexec call this program in place of ssh
 * (run/run_step.c). Returns -1 if it was called otherwise, else the exit status. */
int cli_step(int argc, char **argv);

/** Finds the command that argv begins with; *words is how many words its name has. */
const cli_command *cli_find(int argc, char **argv, int *words);
/** Nonzero if the command's name is that word and a second one; if some command's is. */
int cli_is_of_group(const cli_command *command, const char *word);
int cli_is_group(const char *word);
/** Reports an unknown command and suggests the closest one; returns CLI_USAGE. */
int cli_no_command(int argc, char **argv);
/** `help --man PAGE`: the manual page of a command or of all commands of one first word ("": of
 *  topomap itself), or one of another section ("policy.5"), in roff, on standard output. */
int cli_manual(const char *page);
/** `help --words [COMMAND... [--OPTION]]`: what can follow, one word a line, for completion. */
int cli_words(int argc, char **argv);

/* ---- Output ---- */

/** Prints by a format: for %s, \p put writes the next of \p texts escaped; %% is a per cent sign;
 *  there are no other conversions. */
void cli_put_escaped(FILE *out, void (*put)(FILE *out, const char *text), const char *format,
                     va_list texts);

/** Prints a value in ASCII and a newline, and takes the reference; NULL is what memory was short
 *  for.
 *  \param flags  jansson's: JSON_COMPACT, without which lines are indented, JSON_REAL_PRECISION()
 *  \return CLI_DONE, or CLI_FAILED */
int cli_json(FILE *out, json_t *value, size_t flags);

/** Ends a command: prints \p json (NULL: the command has printed text), or the error if it has
 *  \p failed. Takes the reference in either case. \param flags  as in cli_json()
 *  Returns the exit status. */
int cli_answer(const cli_call *call, int failed, const topomap_error *err, json_t *json,
               size_t flags);

/** Writes a value in ASCII. \param escaped  the ASCII characters that strings may hold and that are
 *  written as \uXXXX, in addition to those that JSON requires: DEL, which a terminal obeys, and in
 *  HTML "<". Returns 0, or -1 if memory is short. */
int cli_json_write(FILE *out, const json_t *value, const char *escaped, size_t flags);

/** Makes an object.
 *  \param format  "KEY:TYPE KEY:TYPE ...". Each TYPE takes one argument, of exactly this C type,
 *                 which no compiler checks: s (cli_json_text()) and S (cli_json_filled()) a text, b
 *                 an int that is a truth value, i an int, u a uint32_t, c a uint32_t that becomes
 *                 null if it is 0, U a uint64_t or int64_t, z a size_t, r a double, o a json_t *
 *                 whose reference is taken, O one whose reference is not. n takes no argument and
 *                 is null. A key has at most 63 characters.
 *  Returns NULL if memory is short, a double is not finite, or a json_t * is NULL. */
json_t *cli_json_object(const char *format, ...);
/** Makes such an object and appends it to a list. Returns 0, or -1 if it could not be made. */
#define cli_json_add(list, ...) json_array_append_new(list, cli_json_object(__VA_ARGS__))
/** Sets members of an object by such a format, and leaves out those that have no value: a double
 *  that is not finite, a json_t * that is NULL. */
void cli_json_set(json_t *object, const char *format, ...);

/** The words of a text, one of these characters between two; none of NULL. */
json_t *cli_json_words(const char *text, char separator);
/** A text from outside: a name, a path. A text that is not UTF-8 is escaped by
 *  topomap_safe_text() ("caf\xe9"). NULL becomes JSON's null. */
json_t *cli_json_text(const char *text);
/** The same; an empty text becomes null, too. */
json_t *cli_json_filled(const char *text);
/** A number, or null in place of 0. */
json_t *cli_json_count(uint64_t count);
/** A list of numbers. */
json_t *cli_json_numbers(const uint32_t *number, uint32_t count);
/** A computed number of bytes, which sums of doubles may round up to 2^63. */
json_t *cli_json_bytes(double bytes);

/** Prints any text as one word, in quotes. */
void cli_shell_quote(const char *text);
