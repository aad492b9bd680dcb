/* SPDX-License-Identifier: BSD-3-Clause */
/* option-table PROGRAM RELEASE: what the plugin knows of srun's, salloc's or sbatch's options in a
 * release (2405 is 24.05), for words.bats to compare with the program itself. A line each, "NAME
 * FULL-NAME TAKES" (none, value, maybe): all rows' names, those of standard input, one a line, and
 * what beginnings they have. "absent": no such option, or several begin so. Letters have one '-'.
 */
#include "plugin/srun/slurm_options.h"
#include "plugin/srun/srun.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const takes[] = {"none", "value", "maybe"};

static void show(const char *prefix, const char *name, const plugin_slurm_option *row)
{
    printf("%s%s %s %s\n", prefix, name, row ? row->name : "-", row ? takes[row->takes] : "absent");
}

static void show_name(enum plugin_program program, unsigned release, const char *name)
{
    static const size_t beginnings[] = {3, 5, 8};

    show("--", name, plugin_slurm_option_named(program, release, name, strlen(name)));
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        char begins[16] = "";

        if (strlen(name) <= beginnings[i])
            return;
        memcpy(begins, name, beginnings[i]);
        show("--", begins, plugin_slurm_option_named(program, release, begins, beginnings[i]));
    }
}

int main(int argc, char **argv)
{
    enum plugin_program program = argc == 3 ? plugin_command_line_program(argv[1]) : PLUGIN_OTHER;
    unsigned release = argc == 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    const plugin_slurm_option *row;
    char name[256];

    if (!program || !release)
        return 2;
    for (size_t i = 0; (row = plugin_slurm_option_row(i)); i++)
        show_name(program, release, row->name);
    while (scanf("%255s", name) == 1)
        show_name(program, release, name);
    for (char letter[] = "A"; *letter <= 'z'; ++*letter)
        if (*letter <= 'Z' || *letter >= 'a')
            show("-", letter, plugin_slurm_option_lettered(program, release, *letter));
    return 0;
}
