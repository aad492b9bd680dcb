/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of all commands, and suggestions for mistyped ones. */
#include <string.h>

#include "cli/cli.h"
#include "util/names/near.h"

#define ROW(group, common, command) {group, common, &(command)},
const cli_command_row cli_commands[] = {CLI_COMMANDS(ROW){CLI_PLACE, 0, NULL}};
#undef ROW

const char *const cli_group_titles[CLI_GROUPS] = {
    [CLI_PLACE] = "Place ranks",
    [CLI_EXPLAIN] = "Understand a placement",
    [CLI_DATABASE] = "Topology database",
    [CLI_GRAPHS] = "Communication graphs",
    [CLI_SITE] = "Run a site",
};

/* Returns how many words of argv form the command's name, or 0 if argv does not begin with it. */
static int matches(const char *name, int argc, char **argv)
{
    int words = 0;

    while (*name) {
        size_t length = strcspn(name, " ");

        if (words == argc || strlen(argv[words]) != length ||
            strncmp(argv[words], name, length) != 0)
            return 0;
        words++;
        name += length + (name[length] == ' ');
    }
    return words;
}

const cli_command *cli_find(int argc, char **argv, int *words)
{
    for (const cli_command_row *row = cli_commands; row->command; row++)
        if ((*words = matches(row->command->name, argc, argv)) > 0)
            return row->command;
    return NULL;
}

int cli_is_of_group(const cli_command *command, const char *word)
{
    size_t length = strlen(word);

    return strncmp(command->name, word, length) == 0 && command->name[length] == ' ';
}

int cli_is_group(const char *word)
{
    for (const cli_command_row *row = cli_commands; row->command; row++)
        if (cli_is_of_group(row->command, word))
            return 1;
    return 0;
}

/* Writes the name of a command that is near: its group was forgotten, or a word has other letters.
 * \return nonzero if there is one */
static int near_command(const char *group, const char *word, char *name, size_t size)
{
    size_t least = TOPOMAP_NEAR_EDITS, skip = group ? strlen(group) + 1 : 0;

    for (const cli_command_row *row = cli_commands; row->command; row++) {
        const char *full = row->command->name, *second = strchr(full, ' ');
        char compared[64]; /* the word, and what is before it */
        size_t edits;

        if (!group && second && strcmp(second + 1, word) == 0) {
            snprintf(name, size, "%s", full);
            return 1;
        }
        if (group && !cli_is_of_group(row->command, group))
            continue;
        snprintf(compared, sizeof compared, "%.*s", (int)(skip + strcspn(full + skip, " ")), full);
        edits = topomap_near_edits(word, strlen(word), compared + skip);
        if (edits < least)
            snprintf(name, size, "%s", compared);
        least = edits < least ? edits : least;
    }
    return least < TOPOMAP_NEAR_EDITS;
}

int cli_no_command(int argc, char **argv)
{
    const char *group = cli_is_group(argv[0]) ? argv[0] : NULL;
    const char *space = group ? " " : "", *name = group ? group : "";
    char meant[64];

    if (group && (argc < 2 || *argv[1] == '-')) {
        fprintf(stderr, "topomap: which command of '%s'; see `topomap help %s`\n", group, group);
        return CLI_USAGE;
    }
    fprintf(stderr, "topomap: no command '%s%s%s'", name, space, argv[group != NULL]);
    if (near_command(group, argv[group != NULL], meant, sizeof meant))
        fprintf(stderr, " (did you mean '%s'?)", meant);
    fprintf(stderr, "; see `topomap help%s%s`\n", space, name);
    return CLI_USAGE;
}
