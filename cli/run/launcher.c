/* SPDX-License-Identifier: BSD-3-Clause */
/* The launchers, and what is known of their words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/run.h"

enum { VERSION_MS = 5000 };

#define OPEN_MPI_FLAGS                                                                             \
    "--oversubscribe -oversubscribe --allow-run-as-root --display-map --display-allocation "       \
    "--report-bindings --tag-output --timestamp-output -q --quiet -v --verbose --nolocal "         \
    "--use-hwthread-cpus --continuous"
#define OPEN_MPI_CONTRARY                                                                          \
    "--map-by -map-by --rank-by -rank-by --bind-to -bind-to -rf -rankfile --rankfile -H -host "    \
    "--host -hostfile --hostfile -machinefile --machinefile -bynode --bynode -byslot --byslot "    \
    "-pernode --pernode -npernode --npernode -N -npersocket --npersocket -cpus-per-proc "          \
    "--cpus-per-proc -app --app"
#define OPEN_MPI_PAIRS "--mca -mca --gmca -gmca --prtemca --pmixmca"
#define HYDRA_PAIRS "-env -genv"
#define HYDRA_FLAGS                                                                                \
    "-l -prepend-rank -verbose -v -info -print-rank-map -print-all-exitcodes -enable-x "           \
    "-disable-x "                                                                                  \
    "-envall -genvall -envnone -genvnone"
#define HYDRA_CONTRARY                                                                             \
    "-f -hostfile -machinefile -machine -hosts -host -ppn -perhost -map-by -bind-to -rankmap "     \
    "-order-nodes -grr -rr -launcher -bootstrap -rmk -configfile -membind"
#define HYDRA_WORDS "-launcher ssh -launcher-exec SHELL -f FILE"
#define SRUN_FLAGS                                                                                 \
    "-l --label -v --verbose -Q --quiet -u --unbuffered --exclusive --exact --overlap -O "         \
    "--overcommit -s -E --preserve-env -K -X -W"
#define SRUN_CONTRARY                                                                              \
    "-m --distribution -w --nodelist -x --exclude -N --nodes -r --relative --ntasks-per-node "     \
    "--multi-prog --het-group --topomap --topomap-options --tasks-per-node -A --jobid"

static const run_launcher launchers[] = {
    {"Open MPI 4", "mpirun mpiexec orterun", "(Open MPI) 4.|(OpenRTE) 4.", "openmpi-rankfile",
     "--rankfile FILE", NULL, "-n --n -np --np -c", OPEN_MPI_FLAGS, OPEN_MPI_PAIRS,
     OPEN_MPI_CONTRARY, 1, 0},
    {"Open MPI 5 and 6", "mpirun mpiexec prterun",
     "(Open MPI) 5.|(Open MPI) 6.|(PRRTE) 3.|(PRRTE) 4.", "prrte-rankfile",
     "--map-by rankfile:file=FILE", NULL, "-n --n -np --np -c", OPEN_MPI_FLAGS, OPEN_MPI_PAIRS,
     OPEN_MPI_CONTRARY, 1, 0},
    {"MPICH's hydra", "mpiexec mpirun mpiexec.hydra", "HYDRA", "machinefile", HYDRA_WORDS, NULL,
     "-n -np", HYDRA_FLAGS, HYDRA_PAIRS, HYDRA_CONTRARY, 0, 0},
    {"Intel MPI", "mpiexec mpirun mpiexec.hydra", "Intel(R) MPI", "machinefile", HYDRA_WORDS, NULL,
     "-n -np", HYDRA_FLAGS, HYDRA_PAIRS, HYDRA_CONTRARY, 0, 0},
    {"srun", "srun", NULL, "slurm-hostfile", "-m arbitrary", "SLURM_HOSTFILE", "-n --ntasks",
     SRUN_FLAGS, "", SRUN_CONTRARY, 1, 1},
};
enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

/* Is a word one of a list's? \p how many of its characters. */
static int is_in(const char *list, const char *word, size_t length)
{
    for (const char *at = list; length && *at; at += strspn(at, " ")) {
        size_t own = strcspn(at, " ");

        if (own == length && strncmp(at, word, length) == 0)
            return 1;
        at += own;
    }
    return 0;
}

/* ---- Which one it is ---------------------------------------------------------------------- */

/* "/usr/bin/mpiexec.hydra" is called mpiexec.hydra and mpiexec. */
static int is_called(const run_launcher *launcher, const char *program)
{
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;

    return is_in(launcher->programs, name, strlen(name)) ||
           is_in(launcher->programs, name, strcspn(name, "."));
}

/* Does a text have one of a row's versions? */
static int has_version(const run_launcher *launcher, const char *text)
{
    char part[64];

    for (const char *at = launcher->version; *at; at += *at == '|') {
        size_t length = strcspn(at, "|");

        snprintf(part, sizeof part, "%.*s", (int)length, at);
        if (strstr(text, part))
            return 1;
        at += length;
    }
    return 0;
}

const run_launcher *run_launcher_find(char *const *command, char why[CLI_WHY])
{
    char *const words[] = {command[0], "--version", NULL};
    char *text = NULL;
    int called = 0, status = 0;

    *why = '\0';
    for (size_t i = 0; i < LAUNCHERS; i++) {
        if (!is_called(&launchers[i], command[0]))
            continue;
        called = 1;
        if (launchers[i].version && !text && status == 0)
            status = cli_capture(words, VERSION_MS, &text, why);
        if (!launchers[i].version || (text && has_version(&launchers[i], text))) {
            free(text);
            return &launchers[i];
        }
    }
    free(text);
    if (!called)
        snprintf(why, CLI_WHY, "%.100s is no launcher that is known", command[0]);
    else if (status == 0 || !*why)
        snprintf(why, CLI_WHY, "%.100s --version tells of no launcher that is known", command[0]);
    return NULL;
}

/* ---- What it is told ------------------------------------------------------------------------- */

/* "-n 4", "--np=4", "-n4". NULL: this word is not about the number. */
static const char *count_in(const run_launcher *launcher, char *const *command, int at, int *used)
{
    const char *word = command[at], *equals = strchr(word, '=');
    size_t option = strcspn(word, "0123456789");

    *used = 0;
    if (is_in(launcher->counts, word, strlen(word))) {
        *used = 1;
        return command[at + 1];
    }
    if (equals && is_in(launcher->counts, word, (size_t)(equals - word)))
        return equals + 1;
    return word[option] && option == 2 && is_in(launcher->counts, word, option) ? word + option
                                                                                : NULL;
}

/* Options end where a word is neither one nor the value of one. */
static int is_program(const run_launcher *launcher, char *const *command, int at)
{
    const char *before = command[at - 1];

    if (*command[at] == '-')
        return 0;
    if (at > 1 && is_in(launcher->pairs, command[at - 2], strlen(command[at - 2])))
        return 0;
    return at == 1 || *before != '-' || strchr(before, '=') ||
           is_in(launcher->flags, before, strlen(before));
}

static int refuse(char why[CLI_WHY], const char *word, const char *what)
{
    snprintf(why, CLI_WHY, "%.*s%s", (int)strcspn(word, "="), word, what);
    return -1;
}

int run_launcher_ranks(const run_launcher *launcher, char *const *command, uint32_t *ranks,
                       char why[CLI_WHY])
{
    int at = 1, used;

    *ranks = 0;
    for (; command[at] && !is_program(launcher, command, at); at += 1 + used) {
        const char *number = count_in(launcher, command, at, &used);
        char *end;
        unsigned long read;

        if (number || used) {
            read = number ? strtoul(number, &end, 10) : 0;
            if (!number || *number < '0' || *number > '9' || *end || read == 0 || read > UINT32_MAX)
                return refuse(why, command[at], " tells no number of ranks");
            *ranks = (uint32_t)read;
            if (used && command[at + 2] && *command[at + 2] != '-') {
                at += 2; /* the program */
                break;
            }
        } else if (is_in(launcher->contrary, command[at], strcspn(command[at], "="))) {
            return refuse(why, command[at], " places the ranks itself");
        }
    }
    for (; command[at]; at++)
        if (strcmp(command[at], ":") == 0)
            return refuse(why, "it starts several programs", "");
    return 0;
}

/* With topology/block Slurm refuses -m arbitrary (src/plugins/select, 24.05 on). */
int run_launcher_fits(const run_launcher *launcher, char why[CLI_WHY])
{
    char *const words[] = {"scontrol", "show", "config", NULL};
    char *text, *plugin;
    int fits;

    if (!strstr(launcher->words, "arbitrary"))
        return 1;
    if (cli_capture(words, VERSION_MS, &text, why) != 0) {
        free(text);
        if (!*why)
            snprintf(why, CLI_WHY, "scontrol does not tell Slurm's configuration");
        return 0;
    }
    plugin = strstr(text, "TopologyPlugin");
    fits = plugin && !strstr(plugin, "topology/block");
    free(text);
    if (!fits)
        snprintf(why, CLI_WHY, "srun takes no host file (-m arbitrary) with topology/block");
    return fits;
}

/* The part of a word before FILE or SHELL, the path, what is behind it. */
static char *spelt(const char *word, size_t length, const char *file, const char *shell)
{
    static const char *const names[] = {"FILE", "SHELL"};
    const char *const paths[] = {file, shell};
    size_t size = length + strlen(file) + strlen(shell) + 1;
    char *made = malloc(size);

    if (!made)
        return NULL;
    snprintf(made, size, "%.*s", (int)length, word);
    for (int i = 0; i < 2; i++) {
        char *found = strstr(made, names[i]);

        if (!found)
            continue;
        snprintf(found, size - (size_t)(found - made), "%s", paths[i]);
        break; /* it is the last of its word */
    }
    return made;
}

static size_t words_of(const run_launcher *launcher)
{
    size_t words = 1;

    for (const char *at = launcher->words; *at; at++)
        words += *at == ' ';
    return words;
}

void run_launcher_command_free(const run_launcher *launcher, char **command)
{
    for (size_t i = 1; command && i <= words_of(launcher); i++)
        free(command[i]);
    free(command);
}

char **run_launcher_command(const run_launcher *launcher, char *const *command, const char *file,
                            const char *shell)
{
    size_t words = 0, added = words_of(launcher), made = 1;
    char **all;

    while (command[words])
        words++;
    all = calloc(words + added + 1, sizeof *all);
    if (!all)
        return NULL;
    all[0] = command[0];
    for (const char *at = launcher->words; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");

        all[made] = spelt(at, length, file, shell);
        if (!all[made++]) {
            run_launcher_command_free(launcher, all);
            return NULL;
        }
        at += length;
    }
    memcpy(all + made, command + 1, (words - 1) * sizeof *all);
    return all;
}
