/* SPDX-License-Identifier: BSD-3-Clause */
/* Words for completion, from the same rows as the help. */
#include <string.h>

#include "cli/cli.h"
#include "plugin/policy/policy.h"
#include "request/request.h"
#include "topology-db/db.h"

/* Defines a function that returns the name of a table's row, or NULL after the last. */
#define NAMES(function, type, row_at)                                                              \
    static const char *function(size_t i)                                                          \
    {                                                                                              \
        const type *row = row_at(i);                                                               \
                                                                                                   \
        return row ? row->name : NULL;                                                             \
    }
NAMES(pattern_word, topomap_graph_pattern_info, topomap_graph_pattern_row)
NAMES(algorithm_word, topomap_algorithm, topomap_algorithm_row)
NAMES(importer_word, topomap_db_importer_row, topomap_db_importers)
NAMES(exporter_word, topomap_db_exporter_row, topomap_db_exporter_row_at)
NAMES(format_word, topomap_graph_format, topomap_graph_format_row)

/* What may stand behind a command beside its options and files. */
static const struct {
    const char *command;
    const char *(*word)(size_t i);
} operands[] = {
    {"graph generate", pattern_word}, {"formats", pattern_word},    {"map", algorithm_word},
    {"db import", importer_word},     {"db export", exporter_word}, {"db forget", importer_word},
};

/* What may stand behind an option; of a value that the help writes as JOB, the steps that have
 * records. A file is the shell's own business. */
static const struct {
    const char *option;
    const char *(*word)(size_t i);
} taken[] = {
    {"graph", pattern_word},
    {"algorithm", algorithm_word},
    {"from", format_word},
};

/* Returns 0 if the option takes no value, or the command has no such option. */
static int put_option_words(const cli_command *command, const char *name)
{
    int writes_db = strcmp(command->name, "db export") == 0;
    const cli_option *o;
    int k = 0;

    while ((o = cli_option_at(command, k++)) && strcmp(o->name, name) != 0)
        continue;
    if (!o || !o->value)
        return 0;
    if (strstr(o->value, "JOB"))
        cli_record_words();
    for (const char *word = o->value; o->kind == CLI_WORD && *word;) {
        size_t length = strcspn(word, "|");

        printf("%.*s\n", (int)length, word);
        word += length + (word[length] == '|');
    }
    for (size_t t = 0; t < sizeof taken / sizeof *taken; t++)
        for (size_t i = 0; !strcmp(name, taken[t].option) && taken[t].word(i); i++)
            puts(taken[t].word(i));
    if (strcmp(name, "to") != 0)
        return 1;
    for (size_t i = 0; writes_db && exporter_word(i); i++)
        puts(exporter_word(i));
    for (size_t i = 0; !writes_db && format_word(i); i++)
        if (topomap_graph_format_row(i)->can_write)
            puts(format_word(i));
    return 1;
}

/* What a user may put behind srun's option, or the options. */
static void put_job_words(const char *option)
{
#define PUT(which, name, value, has_value, help) puts((has_value) == 1 ? "--" name "=" : "--" name);
    if (!option) {
        POLICY_OPTIONS(PUT)
    }
#undef PUT
    if (option && strcmp(option, "--distribution") == 0)
        printf("topomap\ntopomap:block\ntopomap:cyclic\ntopomap:fcyclic\n");
    if (option && strcmp(option, "--topomap") == 0) {
        printf("auto\non\noff\n");
        for (size_t i = 0; pattern_word(i); i++)
            printf("%s:\n", pattern_word(i));
    }
    if (!option || strcmp(option, "--topomap-options") != 0)
        return;
    for (int k = TOPOMAP_REQUEST_GRAPH + 1; k < TOPOMAP_REQUEST_SETTINGS; k++) {
        const topomap_request_row *row = topomap_request_row_of((enum topomap_request_key)k);

        printf("%s%s\n", row->word, row->flag ? "" : "=");
    }
}

int cli_words(int argc, char **argv)
{
    int words;
    const cli_command *command = argc ? cli_find(argc, argv, &words) : NULL;
    const cli_option *o;

    if (command && !strncmp(argv[argc - 1], "--", 2) &&
        put_option_words(command, argv[argc - 1] + 2))
        return CLI_DONE;
    for (int i = 0; command && (o = cli_option_at(command, i)); i++)
        printf("--%s\n", o->name);
    for (size_t k = 0; command && k < sizeof operands / sizeof *operands; k++)
        for (size_t i = 0; strcmp(command->name, operands[k].command) == 0 && operands[k].word(i);
             i++)
            puts(operands[k].word(i));
    if (command && (!strcmp(command->name, "profile show") || !strcmp(command->name, "profile rm")))
        cli_profile_words();
    if (command)
        return CLI_DONE;
    if (argc && strcmp(argv[0], "srun") == 0) {
        put_job_words(argc > 1 ? argv[1] : NULL);
        return CLI_DONE;
    }
    for (const cli_command_row *row = cli_commands; row->command; row++) {
        const char *word = row->command->name;

        if (argc && !cli_is_of_group(row->command, argv[0]))
            continue;
        if (argc)
            word += strlen(argv[0]) + 1;
        printf("%.*s\n", (int)strcspn(word, " "), word);
    }
    return CLI_DONE;
}
