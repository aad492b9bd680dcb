/* SPDX-License-Identifier: BSD-3-Clause */
/* What somebody who mistyped a command or an option may have meant. */
#include <string.h>

#include "cli/cli.h"
#include "util/names/near.h"

int cli_is_group(const char *word)
{
    size_t length = strlen(word);

    for (size_t t = 0; cli_tables[t]; t++)
        for (const cli_command *c = cli_tables[t]; c->name; c++)
            if (strncmp(c->name, word, length) == 0 && c->name[length] == ' ')
                return 1;
    return 0;
}

/* The next word of a command of \p group, with NULL of any command; NULL if it is not of it. */
static const char *next_word(const cli_command *command, const char *group, char *word, size_t size)
{
    size_t skip = group ? strlen(group) : 0;

    if (group && (strncmp(command->name, group, skip) != 0 || command->name[skip] != ' '))
        return NULL;
    skip += group != NULL;
    snprintf(word, size, "%.*s", (int)strcspn(command->name + skip, " "), command->name + skip);
    return word;
}

/* Writes the name of a command that is near: its group was forgotten, or a word has other letters.
 * \return nonzero if there is one */
static int near_command(const char *group, const char *word, char *name, size_t size)
{
    topomap_near near = {NULL, TOPOMAP_NEAR_EDITS};
    char next[64];

    for (size_t t = 0; cli_tables[t]; t++)
        for (const cli_command *c = cli_tables[t]; c->name; c++) {
            const char *second = strchr(c->name, ' ');
            size_t edits = near.edits;

            if (!group && second && strcmp(second + 1, word) == 0) {
                snprintf(name, size, "%s", c->name);
                return 1;
            }
            if (next_word(c, group, next, sizeof next))
                topomap_near_try(&near, word, strlen(word), next);
            if (near.edits < edits)
                snprintf(name, size, "%s%s%s", group ? group : "", group ? " " : "", next);
        }
    return near.name != NULL;
}

int cli_no_command(int argc, char **argv)
{
    const char *group = cli_is_group(argv[0]) ? argv[0] : NULL;
    const char *space = group ? " " : "", *name = group ? group : "";
    char meant[160];

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
    const char *word = option + strspn(option, "-");
    topomap_near near = {NULL, TOPOMAP_NEAR_EDITS};
    const cli_option *row;

    for (int i = 0; (row = cli_option_at(call->command, i)); i++)
        topomap_near_try(&near, word, strcspn(word, "="), row->name);
    if (near.name)
        return cli_usage_error(call, "unknown option '%s' (did you mean '--%s'?)", option,
                               near.name);
    return cli_usage_error(call, "unknown option '%s'", option);
}
