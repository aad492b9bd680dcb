/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/srun/srun.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

enum plugin_program plugin_command_line_program(const char *argv0)
{
    static const struct {
        const char *name;
        enum plugin_program program;
    } programs[] = {{"srun", PLUGIN_SRUN}, {"salloc", PLUGIN_SALLOC}, {"sbatch", PLUGIN_SBATCH}};
    const char *slash = strrchr(argv0, '/');
    const char *name = slash ? slash + 1 : argv0;

    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (!strcmp(name, programs[i].name))
            return programs[i].program;
    return PLUGIN_OTHER;
}

int plugin_command_line_has_other(const char *value, const char *const *words)
{
    while (value && *value) {
        size_t length = strcspn(value, ",;");
        int known = !length;

        for (size_t i = 0; words[i]; i++)
            known |= strlen(words[i]) == length && !strncasecmp(value, words[i], length);
        if (!known)
            return 1;
        value += length + (value[length] != 0);
    }
    return 0;
}

struct scan {
    enum plugin_program program;
    unsigned release;
    int count;
    char **words;
    void (*visit)(int index, const plugin_option_word *option, void *context);
    void *context;
};

/* The next word is the option's value. \return 0: there is none */
static int take_next(const struct scan *scan, int index, plugin_option_word *option)
{
    if (index + 1 >= scan->count)
        return 0;
    option->value = scan->words[index + 1];
    option->words = 2;
    return 1;
}

/* What pyxis adds to them, which starts containers of enroot (its args.c). Abbreviations are left
 * to who types them. */
static const plugin_slurm_option of_pyxis[] = {
    {"container-entrypoint", 0, PLUGIN_TAKES_NONE, 0, 0, 0},
    {"container-entrypoint-log", 0, PLUGIN_TAKES_NONE, 0, 0, 0},
    {"container-env", 0, PLUGIN_TAKES_VALUE, 0, 0, 0},
    {"container-image", 0, PLUGIN_TAKES_VALUE, 0, 0, 0},
    {"container-mount-home", 0, PLUGIN_TAKES_NONE, 0, 0, 0},
    {"container-mounts", 0, PLUGIN_TAKES_VALUE, 0, 0, 0},
    {"container-name", 0, PLUGIN_TAKES_VALUE, 0, 0, 0},
    {"container-readonly", 0, PLUGIN_TAKES_NONE, 0, 0, 0},
    {"container-remap-root", 0, PLUGIN_TAKES_NONE, 0, 0, 0},
    {"container-save", 0, PLUGIN_TAKES_VALUE, 0, 0, 0},
    {"container-workdir", 0, PLUGIN_TAKES_VALUE, 0, 0, 0},
    {"container-writable", 0, PLUGIN_TAKES_NONE, 0, 0, 0},
    {"no-container-entrypoint", 0, PLUGIN_TAKES_NONE, 0, 0, 0},
    {"no-container-mount-home", 0, PLUGIN_TAKES_NONE, 0, 0, 0},
    {"no-container-remap-root", 0, PLUGIN_TAKES_NONE, 0, 0, 0},
};

static const plugin_slurm_option *named_beside(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof of_pyxis / sizeof *of_pyxis; i++)
        if (strlen(of_pyxis[i].name) == length && !strncmp(of_pyxis[i].name, name, length))
            return &of_pyxis[i];
    return NULL;
}

/* \return the number of words taken, 0: the scan ends here */
static int scan_long(const struct scan *scan, int index)
{
    char *word = scan->words[index] + 2;
    char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    const plugin_slurm_option *row =
        plugin_slurm_option_named(scan->program, scan->release, word, length);
    plugin_option_word option = {.words = 1, .value = equals ? equals + 1 : NULL};

    if (!row)
        row = named_beside(word, length);
    if (!row) {
        const char *next = index + 1 < scan->count ? scan->words[index + 1] : NULL;

        return equals || (next && *next == '-') ? 1 : 0;
    }
    option.name = row->name;
    if (!equals && row->takes == PLUGIN_TAKES_VALUE && !take_next(scan, index, &option))
        return 0;
    scan->visit(index, &option, scan->context);
    return option.words;
}

static int scan_letters(const struct scan *scan, int index)
{
    char *word = scan->words[index];

    for (int at = 1; word[at]; at++) {
        const plugin_slurm_option *row =
            plugin_slurm_option_lettered(scan->program, scan->release, word[at]);
        plugin_option_word option = {.words = 1, .letter_at = at};

        if (!row)
            return 0;
        option.name = row->name;
        if (row->takes != PLUGIN_TAKES_NONE && word[at + 1])
            option.value = word + at + 1;
        else if (row->takes == PLUGIN_TAKES_VALUE && !take_next(scan, index, &option))
            return 0;
        scan->visit(index, &option, scan->context);
        if (row->takes != PLUGIN_TAKES_NONE)
            return option.words;
    }
    return 1;
}

void plugin_command_line_scan(enum plugin_program program, int count, char **words,
                              void (*visit)(int index, const plugin_option_word *option,
                                            void *context),
                              void *context)
{
    const struct scan scan = {program, plugin_slurm_release(), count, words, visit, context};

    for (int index = 1, taken; index < count && words[index]; index += taken) {
        const char *word = words[index];

        if (word[0] != '-' || !word[1] || !strcmp(word, "--"))
            return; /* their getopt strings begin with '+': options end at the first other word */
        taken = word[1] == '-' ? scan_long(&scan, index) : scan_letters(&scan, index);
        if (!taken)
            return;
    }
}
