/* SPDX-License-Identifier: BSD-3-Clause */
/* What somebody who mistyped a command or an option may have meant. */
#include <string.h>

#include "cli/cli.h"
#include "util/names/near.h"

int cli_is_of_group(const cli_command *command, const char *group)
{
    size_t length = strlen(group);

    return strncmp(command->name, group, length) == 0 && command->name[length] == ' ';
}

int cli_is_group(const char *word)
{
    for (size_t t = 0; cli_tables[t]; t++)
        for (const cli_command *c = cli_tables[t]; c->name; c++)
            if (cli_is_of_group(c, word))
                return 1;
    return 0;
}

/* Writes the name of a command that is near: its group was forgotten, or a word has other letters.
 * \return nonzero if there is one */
static int near_command(const char *group, const char *word, char *name, size_t size)
{
    size_t least = TOPOMAP_NEAR_EDITS, skip = group ? strlen(group) + 1 : 0;

    for (size_t t = 0; cli_tables[t]; t++)
        for (const cli_command *c = cli_tables[t]; c->name; c++) {
            const char *second = strchr(c->name, ' ');
            char compared[64]; /* the word, and what is before it */
            size_t edits;

            if (!group && second && strcmp(second + 1, word) == 0) {
                snprintf(name, size, "%s", c->name);
                return 1;
            }
            if (group && !cli_is_of_group(c, group))
                continue;
            snprintf(compared, sizeof compared, "%.*s", (int)(skip + strcspn(c->name + skip, " ")),
                     c->name);
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

int cli_no_option(const cli_call *call, const char *option)
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
