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
#include "util/names/near.h"
#include "util/text.h"

int cli_has_experts(const cli_command *command)
{
    for (const cli_option *o = command->options; o && o->name; o++)
        if (o->expert)
            return 1;
    return 0;
}

const cli_option *cli_option_at(const cli_command *command, int i)
{
#define HELP "colours (default auto: on a terminal, without NO_COLOR)"
    static const cli_option common[2] = {
        {"color", "auto|always|never", WORD(color), HELP},
        {"color", "auto|always|never", EXPERT(WORD(color)), HELP},
    };
    int own = 0;

    while (command->options && command->options[own].name)
        own++;
    return i < own ? &command->options[i] : i == own ? &common[cli_has_experts(command)] : NULL;
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

/* ---- Colours ----------------------------------------------------------------------------- */

int cli_is_coloured(const cli_call *call, FILE *out)
{
    return terminal_is_coloured(out == stderr ? STDERR_FILENO : STDOUT_FILENO, call->options.color);
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

/* Reports an unknown option and suggests the closest one. */
static int unknown_option(const cli_call *call, const char *option)
{
    const char *word = option + strspn(option, "-"), *near = NULL;
    size_t least = TOPOMAP_NEAR_EDITS;
    const cli_option *row;

    for (int i = 0; (row = cli_option_at(call->command, i)); i++) {
        size_t edits = topomap_near_edits(word, strcspn(word, "="), row->name);

        near = edits < least ? row->name : near;
        least = edits < least ? edits : least;
    }
    if (near)
        return cli_usage_error(call, "unknown option '%s' (did you mean '--%s'?)", option, near);
    return cli_usage_error(call, "unknown option '%s'", option);
}

/* ---- Values ------------------------------------------------------------------------------ */

/* "auto, always or never" of "auto|always|never", where the text is one of these; else 0. */
static int is_word(const char *words, const char *text, char *names, size_t size)
{
    int found = 0;

    *names = '\0';
    while (*words) {
        size_t length = strcspn(words, "|");
        const char *between = !*names ? "" : words[length] ? ", " : " or ";

        found |= length == strlen(text) && strncmp(words, text, length) == 0;
        topomap_text_append(names, size, "%s%.*s", between, (int)length, words);
        words += length + (words[length] == '|');
    }
    return found;
}

static int read_number(cli_call *call, const cli_option *row, const char *text, double *number)
{
    char *end;

    *number = strtod(text, &end);
    if (end == text || *end || !(*number >= row->least && *number <= row->most))
        return cli_usage_error(call, "--%s takes a number from %g to %g, not '%s'", row->name,
                               row->least, row->most, text);
    return 0;
}

static int read_count(cli_call *call, const cli_option *row, const char *text, uint32_t *count)
{
    char *end;
    unsigned long long number;

    errno = 0;
    number = strtoull(text, &end, 10);
    *count = (uint32_t)number;
    if (errno || end == text || *end || *text == '-' || (double)number < row->least ||
        (double)number > row->most)
        return cli_usage_error(call, "--%s takes a whole number from %.0f to %.0f, not '%s'",
                               row->name, row->least, row->most, text);
    return 0;
}

static int read_list(cli_call *call, const cli_option *row, const char *text, const char **list)
{
    int count = 0;

    while (list[count])
        count++;
    if (count == CLI_REPEATS)
        return cli_usage_error(call, "option '--%s' is given more than %d times", row->name,
                               CLI_REPEATS);
    list[count] = text;
    return 0;
}

static int read_request(cli_call *call, const cli_option *row, const char *text)
{
    enum topomap_request_key key = (enum topomap_request_key)row->at;
    char takes[160];
    topomap_error err;

    if (topomap_request_set(&call->options.request, key, row->value ? text : "1", &err) == 0)
        return 0;
    if (err.code != TOPOMAP_EINPUT)
        return cli_fail(call, &err);
    topomap_request_takes(key, takes, sizeof takes);
    return cli_usage_error(call, "--%s takes %s, not '%s'", row->name, takes, text);
}

static int read_value(cli_call *call, const cli_option *row, const char *text)
{
    void *to = (char *)&call->options + row->at;
    char names[160];

    switch (row->kind) {
    case CLI_FLAG:
        *(int *)to = 1;
        return 0;
    case CLI_WORD:
        if (!is_word(row->value, text, names, sizeof names))
            return cli_usage_error(call, "--%s takes %s, not '%s'", row->name, names, text);
        /* fall through */
    case CLI_TEXT:
        *(const char **)to = text;
        return 0;
    case CLI_LIST:
        return read_list(call, row, text, to);
    case CLI_NUMBER:
        return read_number(call, row, text, to);
    case CLI_COUNT:
        return read_count(call, row, text, to);
    case CLI_REQUEST:
        return read_request(call, row, text);
    }
    return 0;
}

static void set_defaults(cli_call *call)
{
    const cli_option *row;
    topomap_error err;

    for (int i = 0; (row = cli_option_at(call->command, i)); i++) {
        void *to = (char *)&call->options + row->at;

        if (row->kind == CLI_NUMBER)
            *(double *)to = row->fallback;
        if (row->kind == CLI_COUNT)
            *(uint32_t *)to = (uint32_t)row->fallback;
    }
    topomap_request_init(&call->options.request);
    (void)topomap_request_set(&call->options.request, TOPOMAP_REQUEST_EFFORT, "default", &err);
}

/* One option at argv[*at]; advances *at past its value. */
static int parse_option(int argc, char **argv, int *at, cli_call *call)
{
    const char *word = argv[*at] + (argv[*at][1] == '-' ? 2 : 1);
    const char *equal = strchr(word, '=');
    size_t length = equal ? (size_t)(equal - word) : strlen(word);
    int i = find_row(call->command, word, length);
    const cli_option *row = i < 0 ? NULL : cli_option_at(call->command, i);

    if (!row && (strncmp(argv[*at], "--help", 7) == 0 || strcmp(argv[*at], "-h") == 0))
        return -1;
    if (!row)
        return unknown_option(call, argv[*at]);
    if (call->value[i] && row->kind != CLI_LIST)
        return cli_usage_error(call, "option '%s' is given twice", argv[*at]);
    if (!row->value && equal)
        return cli_usage_error(call, "option '--%.*s' takes no value", (int)length, word);
    if (equal)
        call->value[i] = equal + 1;
    else if (!row->value || (*row->value == '[' && (*at + 1 == argc || *argv[*at + 1] == '-')))
        call->value[i] = "";
    else if (*at + 1 < argc)
        call->value[i] = argv[++*at];
    else
        return cli_usage_error(call, "option '%s' needs %s", argv[*at], row->value);
    return read_value(call, row, call->value[i]);
}

int cli_parse(const cli_command *command, int argc, char **argv, cli_call *call)
{
    int only_operands = 0, rows = 0;

    while (command->options && command->options[rows].name)
        rows++;
    assert(rows <= CLI_OPTIONS); /* a table that has outgrown cli_call: whatever is typed */
    *call = (cli_call){.command = command, .operand = argv};
    set_defaults(call);
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
    return 0;
}

int cli_is_digits(const char *text, size_t most)
{
    size_t digits = strspn(text, "0123456789");

    return digits && digits <= most && !text[digits];
}

const char *cli_environment(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

const char *cli_database(const cli_call *call)
{
    const char *path = call->options.db;

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
    return call->options.output ? call->options.output : "-";
}
