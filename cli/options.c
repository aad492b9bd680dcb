/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a command's options by the rows of its table. getopt_long() is not used: it accepts
 * abbreviations, which a later option would make ambiguous, takes an optional value only behind
 * '=', and its own messages do not suggest the closest option. */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

/* What every command takes. */
static const cli_option common[CLI_COMMON] = {
    {"color", "WHEN", "colours: auto (default: on a terminal, without NO_COLOR), always or never",
     NULL},
};

const cli_option *cli_option_at(const cli_command *command, int i)
{
    int own = 0;

    while (command->options && command->options[own].name)
        own++;
    return i < own ? &command->options[i] : i < own + CLI_COMMON ? &common[i - own] : NULL;
}

static int find_row(const cli_command *command, const char *name, size_t length)
{
    const cli_option *row;

    for (int i = 0; (row = cli_option_at(command, i)); i++) {
        if (strlen(row->name) == length && strncmp(row->name, name, length) == 0)
            return i;
        if (length == 1 && row->alias && row->alias[0] == *name)
            return i;
    }
    return -1;
}

const char *cli_get(const cli_call *call, const char *name)
{
    int row = find_row(call->command, name, strlen(name));

    return row < 0 ? NULL : call->value[row];
}

int cli_is_flag(const cli_call *call, const char *name)
{
    int row = find_row(call->command, name, strlen(name));

    return row >= 0 && !cli_option_at(call->command, row)->value;
}

/* ---- Colours ----------------------------------------------------------------------------- */

int cli_is_coloured(const cli_call *call, FILE *out)
{
    return terminal_is_coloured(out == stderr ? STDERR_FILENO : STDOUT_FILENO,
                                cli_get(call, "color"));
}

void cli_paint(const cli_call *call, FILE *out, enum terminal_paint paint, const char *format, ...)
{
    int coloured = cli_is_coloured(call, out);
    va_list args;

    if (coloured)
        terminal_paint(out, paint);
    va_start(args, format);
    vfprintf(out, format, args);
    va_end(args);
    if (coloured)
        terminal_paint(out, TERMINAL_PLAIN);
}

static int check_colour(const cli_call *call)
{
    const char *when = cli_get(call, "color");

    if (!when || !strcmp(when, "auto") || !strcmp(when, "always") || !strcmp(when, "never"))
        return 0;
    return cli_usage_error(call, "--color takes auto, always or never, not '%s'", when);
}

/* ---- Errors ------------------------------------------------------------------------------ */

int cli_usage_error(const cli_call *call, const char *format, ...)
{
    va_list args;

    cli_paint(call, stderr, TERMINAL_BAD, "topomap %s:", call->command->name);
    fputc(' ', stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "; see `topomap help %s`\n", call->command->name);
    return CLI_USAGE;
}

int cli_fail(const cli_call *call, const topomap_error *err)
{
    static const int status[] = {[TOPOMAP_OK] = CLI_FAILED,
                                 [TOPOMAP_EUSAGE] = CLI_USAGE,
                                 [TOPOMAP_EINPUT] = CLI_INPUT,
                                 [TOPOMAP_ESYSTEM] = CLI_FAILED};

    cli_paint(call, stderr, TERMINAL_BAD, "topomap %s:", call->command->name);
    fprintf(stderr, " %s\n", err->text);
    return status[err->code];
}

/* ---- Values ------------------------------------------------------------------------------ */

int cli_number(const cli_call *call, const char *name, double least, double most, double fallback,
               double *number)
{
    const char *text = cli_get(call, name);
    char *end;

    *number = fallback;
    if (!text)
        return 0;
    *number = strtod(text, &end);
    if (end == text || *end || !(*number >= least && *number <= most))
        return cli_usage_error(call, "--%s takes a number from %g to %g, not '%s'", name, least,
                               most, text);
    return 0;
}

int cli_integer(const cli_call *call, const char *name, uint64_t least, uint64_t most,
                uint64_t fallback, uint64_t *number)
{
    const char *text = cli_get(call, name);
    char *end;

    *number = fallback;
    if (!text)
        return 0;
    errno = 0;
    *number = strtoull(text, &end, 10);
    if (errno || end == text || *end || *text == '-' || *number < least || *number > most)
        return cli_usage_error(call, "--%s takes a whole number from %llu to %llu, not '%s'", name,
                               (unsigned long long)least, (unsigned long long)most, text);
    return 0;
}

static int may_repeat(const cli_option *option)
{
    size_t length = option->value ? strlen(option->value) : 0;

    return length > 3 && strcmp(option->value + length - 3, "...") == 0;
}

/* "[PLAN]": the option may stand alone. */
static int is_optional(const cli_option *option)
{
    return option->value && *option->value == '[';
}

static int take_value(cli_call *call, int row, const char *value)
{
    int count = 0;

    if (!call->value[row])
        call->value[row] = value;
    if (!may_repeat(cli_option_at(call->command, row)))
        return 0;
    while (call->repeat[count])
        count++;
    if (count == CLI_REPEATS)
        return cli_usage_error(call, "option '--%s' is given more than %d times",
                               cli_option_at(call->command, row)->name, CLI_REPEATS);
    call->repeat[count] = value;
    return 0;
}

/* One option at argv[*at]; advances *at past its value. */
static int parse_option(int argc, char **argv, int *at, cli_call *call)
{
    const char *word = argv[*at] + (argv[*at][1] == '-' ? 2 : 1);
    const char *equal = strchr(word, '=');
    size_t length = equal ? (size_t)(equal - word) : strlen(word);
    int row = find_row(call->command, word, length);

    if (row < 0 && (strncmp(argv[*at], "--help", 7) == 0 || strcmp(argv[*at], "-h") == 0))
        return -1;
    if (row < 0)
        return cli_no_option(call, argv[*at]);
    if (call->value[row] && !may_repeat(cli_option_at(call->command, row)))
        return cli_usage_error(call, "option '%s' is given twice", argv[*at]);
    if (!cli_option_at(call->command, row)->value) {
        if (equal)
            return cli_usage_error(call, "option '--%.*s' takes no value", (int)length, word);
        call->value[row] = "";
        return 0;
    }
    if (equal)
        return take_value(call, row, equal + 1);
    if (is_optional(cli_option_at(call->command, row)) &&
        (*at + 1 == argc || *argv[*at + 1] == '-'))
        return take_value(call, row, "");
    if (*at + 1 < argc)
        return take_value(call, row, argv[++*at]);
    return cli_usage_error(call, "option '%s' needs %s", argv[*at],
                           cli_option_at(call->command, row)->value);
}

int cli_parse(const cli_command *command, int argc, char **argv, cli_call *call)
{
    int only_operands = 0, rows = 0;

    while (command->options && command->options[rows].name)
        rows++;
    assert(rows <= CLI_OPTIONS); /* a table that has outgrown cli_call: whatever is typed */
    *call = (cli_call){.command = command, .operand = argv};
    for (int i = 0; i < argc; i++) {
        int status;

        if (!only_operands && strcmp(argv[i], "--") == 0) {
            only_operands = 1;
        } else if (only_operands || argv[i][0] != '-' || argv[i][1] == '\0') {
            argv[call->operands++] = argv[i]; /* operands move to the front */
        } else if ((status = parse_option(argc, argv, &i, call)) != 0) {
            return status;
        }
    }
    if (call->operands < command->least || call->operands > command->most)
        return cli_usage_error(call, "expected %s, found %d operand%s",
                               *command->operands ? command->operands : "no operands",
                               call->operands, call->operands == 1 ? "" : "s");
    return check_colour(call);
}

const char *cli_environment(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

const char *cli_database(const cli_call *call)
{
    const char *path = cli_get(call, "db");

    if (!path || !*path)
        path = cli_environment("TOPOMAP_DB");
    return path ? path : CLI_SITE_DATABASE;
}

int cli_ends_in(const char *name, const char *suffix)
{
    size_t length = name ? strlen(name) : 0;

    return length > strlen(suffix) && strcmp(name + length - strlen(suffix), suffix) == 0;
}

const char *cli_output(const cli_call *call)
{
    const char *path = cli_get(call, "output");

    return path ? path : "-";
}
