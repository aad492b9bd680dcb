/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap COMMAND ...: dispatch, help and version. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "util/safe_text.h"
#include "util/full_io.h"

static void print_option(const cli_option *o)
{
    char left[64];

    snprintf(left, sizeof left, "%s%s%s--%s%s%s", o->alias ? "-" : "", o->alias ? o->alias : "",
             o->alias ? ", " : "    ", o->name, o->value ? " " : "", o->value ? o->value : "");
    printf("  %-34s %s\n", left, o->help);
}

static void print_help(const cli_command *command)
{
    const cli_option *o;

    printf("usage: topomap %s [OPTION...]%s%s\n%s\n", command->name, *command->operands ? " " : "",
           command->operands, command->summary);
    for (int expert = 0; expert <= cli_has_experts(command); expert++) {
        if (expert)
            printf("\nExpert options:\n");
        for (int i = 0; (o = cli_option_at(command, i)); i++)
            if (o->expert == expert)
                print_option(o);
    }
    if (command->text)
        printf("\n%s", command->text);
}

/* The commands that begin with a word. */
static void print_group(const char *word)
{
    printf("usage: topomap COMMAND [OPTION...] [OPERAND...]\n");
    for (const cli_command_row *row = cli_commands; row->command; row++)
        if (cli_is_of_group(row->command, word))
            printf("  %-16s %s\n", row->command->name, row->command->summary);
    printf("`topomap help COMMAND` describes a command.\n");
}

static void print_overview(FILE *out, int all)
{
    fprintf(out, "usage: topomap COMMAND [OPTION...] [OPERAND...]\n");
    for (int group = 0; group < CLI_GROUPS; group++) {
        fprintf(out, "\n%s:\n", cli_group_titles[group]);
        for (const cli_command_row *row = cli_commands; row->command; row++)
            if ((int)row->group == group && (all || row->common))
                fprintf(out, "  %-16s %s\n", row->command->name, row->command->summary);
    }
    fprintf(out, "\n`topomap help COMMAND` describes a command%s.\n",
            all ? "" : ", `topomap --help --all` lists all of them");
}

static int help(int argc, char **argv)
{
    int words;
    const cli_command *command;

    if (argc && strcmp(argv[0], "--man") == 0)
        return cli_manual(argc > 1 ? argv[1] : "");
    if (argc && strcmp(argv[0], "--words") == 0)
        return cli_words(argc - 1, argv + 1);
    command = argc ? cli_find(argc, argv, &words) : NULL;
    if (command) {
        print_help(command);
    } else if (argc == 0 || strcmp(argv[0], "--all") == 0) {
        print_overview(stdout, argc);
    } else if (argc == 1 && cli_is_group(argv[0])) {
        print_group(argv[0]);
    } else {
        return cli_no_command(argc, argv);
    }
    return CLI_DONE;
}

static int dispatch(int argc, char **argv)
{
    int words, status;
    const cli_command *command = cli_find(argc, argv, &words);
    cli_call call;

    if (!command && argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
        return help(1, argv);
    if (!command)
        return cli_no_command(argc, argv);
    status = cli_parse(command, argc - words, argv + words, &call);
    if (status < 0) {
        print_help(command);
        status = CLI_DONE;
    } else if (status == 0) {
        status = command->run(&call);
    }
    topomap_request_clear(&call.options.request);
    return status;
}

/* All that is printed is for people, and JSON, which is written in ASCII; what has to be exact goes
 * through util/output.h. So no command can forget that names are other people's. */
static void guard_streams(void)
{
    FILE *out, *complaints;

    setvbuf(stdout, NULL, _IONBF, 0); /* the streams above have buffers */
    out = topomap_safe_stream(stdout);
    complaints = topomap_safe_stream(stderr);
    if (!out || !complaints) {
        fprintf(stderr, "topomap: out of memory\n");
        exit(CLI_FAILED);
    }
    setvbuf(out, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
    setvbuf(complaints, NULL, _IOLBF, BUFSIZ);
    stdout = out;
    stderr = complaints;
}

int main(int argc, char **argv)
{
    int status = topomap_standard_files_open() ? CLI_FAILED : cli_step(argc, argv);

    if (status >= 0)
        return status;
    status = cli_prepare();
    if (status != CLI_DONE)
        return status;
    guard_streams();
    if (argc < 2) {
        print_overview(stderr, 0);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("topomap %s\n", topomap_version());
        status = CLI_DONE;
    } else if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
               strcmp(argv[1], "-h") == 0) {
        status = help(argc - 2, argv + 2);
    } else {
        status = dispatch(argc - 1, argv + 1);
    }
    /* A full disk shows at the last flush. */
    if (fflush(stdout) != 0 && status == CLI_DONE) {
        fprintf(stderr, "topomap: cannot write standard output: %s\n", strerror(errno));
        return CLI_FAILED;
    }
    return status;
}
