/* SPDX-License-Identifier: BSD-3-Clause */
/* The launchers, and what is known of their words. */
#define _GNU_SOURCE /* environ, strverscmp */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/run.h"
#include "util/alloc.h"
#include "util/clock.h"

enum {
    VERSION_MS = 5000,
    WORD_MOST = 128 << 10 /* of a program's words, with the NUL: execve(2), MAX_ARG_STRLEN */
};

#define OPEN_MPI_FLAGS                                                                             \
    "--oversubscribe -oversubscribe --allow-run-as-root --display-map --display-allocation "       \
    "--report-bindings --tag-output --timestamp-output -q --quiet -v --verbose --nolocal "         \
    "--use-hwthread-cpus --continuous"
#define OPEN_MPI_CONTRARY                                                                          \
    "--map-by -map-by --rank-by -rank-by --bind-to -bind-to -rf -rankfile --rankfile -H -host "    \
    "--host -hostfile --hostfile -machinefile --machinefile -bynode --bynode -byslot --byslot "    \
    "-pernode --pernode -npernode --npernode -N -npersocket --npersocket -cpus-per-proc "          \
    "--cpus-per-proc -app --app"
/* mpirun refuses -x beside it (orted_main's "conflict-env-set" of 4, schizo/ompi of PRRTE). */
#define OPEN_MPI_BLOCKS "mca_base_env_list"
#define OPEN_MPI_PAIRS "--mca -mca --gmca -gmca --prtemca --pmixmca"
/* What the mpirun of all of its releases has in common. */
#define OPEN_MPI                                                                                   \
    .counts = "-n --n -np --np -c", .flags = OPEN_MPI_FLAGS, .pairs = OPEN_MPI_PAIRS,              \
    .contrary = OPEN_MPI_CONTRARY, .takes_all = 1, .sets = "-x NAME=VALUE",                        \
    .blocks = OPEN_MPI_BLOCKS, .mpi = "pmix"
#define HYDRA_PAIRS "-env -genv"
#define HYDRA_FLAGS                                                                                \
    "-l -prepend-rank -verbose -v -info -print-rank-map -print-all-exitcodes -enable-x "           \
    "-disable-x "                                                                                  \
    "-envall -genvall -envnone -genvnone"
#define HYDRA_CONTRARY                                                                             \
    "-f -hostfile -machinefile -machine -hosts -host -ppn -perhost -map-by -bind-to -rankmap "     \
    "-order-nodes -grr -rr -launcher -bootstrap -rmk -configfile -membind"
#define HYDRA_SETS "-genv NAME VALUE"
#define HYDRA_WORDS "-launcher ssh -launcher-exec SHELL -f FILE"
/* And all who have made their mpiexec of hydra. */
#define HYDRA                                                                                      \
    .programs = "mpiexec mpirun mpiexec.hydra", .format = "machinefile", .words = HYDRA_WORDS,     \
    .counts = "-n -np", .flags = HYDRA_FLAGS, .pairs = HYDRA_PAIRS, .contrary = HYDRA_CONTRARY,    \
    .sets = HYDRA_SETS, .mpi = "pmi2"
#define SRUN_FLAGS                                                                                 \
    "-l --label -v --verbose -Q --quiet -u --unbuffered --exclusive --exact --overlap -O "         \
    "--overcommit -s -E --preserve-env -K -X"
#define SRUN_CONTRARY                                                                              \
    "-m --distribution -w --nodelist -x --exclude -N --nodes -r --relative --ntasks-per-node "     \
    "--multi-prog --het-group --topomap --topomap-options --tasks-per-node -A --jobid"

#define FLUX_FLAGS                                                                                 \
    "-v --verbose -x --exclusive -l --label-io --unbuffered --dry-run --quiet -u --wait --watch "  \
    "--progress --jps"
#define FLUX_CONTRARY "--taskmap --requires -N --nodes --tasks-per-node --tasks-per-core --cores"

/* PRRTE's prun and prterun: Open MPI's mpirun since 5 is the latter. Flux: flux-run(1),
 * --taskmap. */
static const run_launcher launchers[] = {
    {.name = "Open MPI 4",
     .programs = "mpirun mpiexec orterun",
     .version = "(Open MPI) 4.|(OpenRTE) 4.",
     .format = "openmpi-rankfile",
     .words = "--rankfile FILE",
     OPEN_MPI},
    {.name = "Open MPI 5 and 6, PRRTE",
     .programs = "mpirun mpiexec prterun prun",
     .version = "(Open MPI) 5.|(Open MPI) 6.|(PRRTE) 3.|(PRRTE) 4.|(PRRTE) 5.",
     .format = "prrte-rankfile",
     .words = "--map-by rankfile:file=FILE",
     OPEN_MPI},
    {.name = "MPICH's hydra", .version = "HYDRA", HYDRA},
    {.name = "Intel MPI", .version = "Intel(R) MPI", HYDRA},
    {.name = "srun",
     .programs = "srun",
     .format = "slurm-hostfile",
     .words = "-m arbitrary",
     .variable = "SLURM_HOSTFILE=FILE",
     .counts = "-n --ntasks",
     .flags = SRUN_FLAGS,
     .contrary = SRUN_CONTRARY,
     .takes_all = 1,
     .one_each = 1,
     .blocks = "--export SLURM_EXPORT_ENV"},
    {.name = "Flux",
     .programs = "flux",
     .verbs = "run submit",
     .format = "flux-taskmap",
     .words = "--requires=hosts:HOSTS -N COUNT --taskmap=manual:TEXT",
     .counts = "-n --ntasks",
     .flags = FLUX_FLAGS,
     .contrary = FLUX_CONTRARY,
     .even = 1,
     .returns = "submit",
     .waits = "--wait --watch",
     .sets = "--env=NAME=VALUE",
     .mpi = "pmi2"},
};
enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

/* Is a word one of a list's? \p how many of its characters. */
static int is_in(const char *list, const char *word, size_t length)
{
    for (const char *at = list; length && at && *at; at += strspn(at, " ")) {
        size_t own = strcspn(at, " ");

        if (own == length && strncmp(at, word, length) == 0)
            return 1;
        at += own;
    }
    return 0;
}

/* Is one of a list's parts in a text, before its character \p most? */
static int has_part(const char *list, char between, const char *text, size_t most)
{
    char part[64];

    for (const char *at = list, *found; at && *at; at += *at == between) {
        size_t length = (size_t)(strchrnul(at, between) - at);

        snprintf(part, sizeof part, "%.*s", (int)length, at);
        found = strstr(text, part);
        if (found && (size_t)(found - text) < most)
            return 1;
        at += length;
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

static int has_verb(const run_launcher *launcher, const char *word)
{
    return !launcher->verbs || (word && is_in(launcher->verbs, word, strlen(word)));
}

const run_launcher *run_launcher_find(char *const *command, char why[CLI_WHY])
{
    char *const words[] = {command[0], "--version", NULL};
    TOPOMAP_FREED char *text = NULL;
    int called = 0, status = 0;

    *why = '\0';
    for (size_t i = 0; i < LAUNCHERS; i++) {
        if (!is_called(&launchers[i], command[0]) || !has_verb(&launchers[i], command[1]))
            continue;
        called = 1;
        if (launchers[i].version && !text && status == 0)
            status = cli_capture(words, topomap_clock_ms(), VERSION_MS, &text, why);
        if (!launchers[i].version || (text && has_part(launchers[i].version, '|', text, SIZE_MAX)))
            return &launchers[i];
    }
    if (!called)
        snprintf(why, CLI_WHY, "%.100s is no launcher that is known", command[0]);
    else if (status == 0 || !*why)
        snprintf(why, CLI_WHY, "%.100s --version tells of no launcher that is known", command[0]);
    return NULL;
}

/* ---- What it is told ------------------------------------------------------------------------- */

/* "-n 4", "--np=4", "-n4". \return 1: this word is one of those options, \p value may be missing;
 * \p used: it is the next word */
static int value_in(const char *options, char *const *command, int at, const char **value,
                    int *used)
{
    const char *word = command[at], *equals = strchr(word, '=');
    size_t option = strcspn(word, "0123456789");

    if (is_in(options, word, strlen(word))) {
        *used = 1;
        *value = command[at + 1];
        return 1;
    }
    *value = equals ? equals + 1 : word + option;
    if (equals)
        return is_in(options, word, (size_t)(equals - word));
    return word[option] && option == 2 && is_in(options, word, option);
}

static int read_number(const char *text, uint32_t *number)
{
    char *end;
    unsigned long read;

    if (!text || *text < '0' || *text > '9')
        return -1;
    read = strtoul(text, &end, 10);
    if (*end || read == 0 || read > UINT32_MAX)
        return -1;
    *number = (uint32_t)read;
    return 0;
}

/* How many words of a command are the launcher's name. */
static int head_words(const run_launcher *launcher)
{
    return launcher->verbs ? 2 : 1;
}

/* Options end where a word is neither one nor the value of one. */
static int is_program(const run_launcher *launcher, char *const *command, int at)
{
    const char *before = command[at - 1];
    int first = head_words(launcher);

    if (*command[at] == '-')
        return 0;
    if (strcmp(before, "--") == 0)
        return 1;
    if (at > first && is_in(launcher->pairs, command[at - 2], strlen(command[at - 2])))
        return 0;
    return at == first || *before != '-' || strchr(before, '=') ||
           is_in(launcher->flags, before, strlen(before));
}

static int refuse(char why[CLI_WHY], const char *word, const char *what)
{
    snprintf(why, CLI_WHY, "%.*s%s", (int)strcspn(word, "="), word, what);
    return -1;
}

/* "-N 8", "--nodes=8", "-N8". */
static int is_contrary(const run_launcher *launcher, const char *word)
{
    size_t length = strcspn(word, "=");

    return is_in(launcher->contrary, word, length) ||
           (length > 2 && word[0] == '-' && word[1] != '-' && is_in(launcher->contrary, word, 2));
}

int run_launcher_ranks(const run_launcher *launcher, char *const *command, run_asked *asked,
                       char why[CLI_WHY])
{
    int at = head_words(launcher), used;

    *asked = (run_asked){.ranks = 0};
    for (; command[at] && !is_program(launcher, command, at); at += 1 + used) {
        const char *value;
        int counts;

        used = 0;
        counts = value_in(launcher->counts, command, at, &value, &used);
        if (counts && read_number(value, &asked->ranks))
            return refuse(why, command[at], " tells no number of ranks");
        if (counts && command[at + 1 + used] && *command[at + 1 + used] != '-') {
            at += 1 + used; /* the program */
            break;
        }
        if (!counts && is_contrary(launcher, command[at]))
            return refuse(why, command[at], " places the ranks itself");
    }
    asked->program = at;
    for (; command[at]; at++)
        if (strcmp(command[at], ":") == 0)
            return refuse(why, "it starts several programs", "");
    return 0;
}

/* \return 0, with the reason: of this word, or this variable, no further ones reach the ranks */
static int lets_through(const run_launcher *launcher, const char *word, char why[CLI_WHY])
{
    size_t name = strcspn(word, "=");

    if (!has_part(launcher->blocks, ' ', word, name) || strncmp(word + name, "=ALL", 4) == 0)
        return 1;
    snprintf(why, CLI_WHY, "%.*s keeps the profiler from the ranks", (int)name, word);
    return 0;
}

int run_launcher_sets(const run_launcher *launcher, char *const *command, int program,
                      char why[CLI_WHY])
{
    int returns = launcher->returns && is_in(launcher->returns, command[1], strlen(command[1]));

    for (int i = head_words(launcher); i < program; i++) {
        if (strstr(command[i], "LD_PRELOAD")) {
            snprintf(why, CLI_WHY, "the command sets LD_PRELOAD itself");
            return 0;
        }
        if (!lets_through(launcher, command[i], why))
            return 0;
        returns &= !is_in(launcher->waits, command[i], strlen(command[i]));
    }
    for (char **variable = environ; variable && *variable; variable++)
        if (!lets_through(launcher, *variable, why))
            return 0;
    if (returns)
        snprintf(why, CLI_WHY, "%.100s %.100s returns before the program has ended", command[0],
                 command[1]);
    return !returns;
}

/* A manual map of Flux's has its own numbers of ranks for the nodes, by their ranks in its instance
 * (flux-run(1), RFC 34): equal ones, in the usual order, are what it arrives at. */
static int is_even(const run_allocation *a)
{
    TOPOMAP_FREED char *nodes = strdup(a->nodes);
    char *rest = NULL, *before = NULL;
    size_t first = strcspn(a->tasks, ",");
    int even = nodes != NULL;

    for (const char *at = a->tasks; *at && even; at += strspn(at, ",")) {
        size_t length = strcspn(at, ",");

        even = length == first && strncmp(at, a->tasks, length) == 0;
        at += length;
    }
    for (char *at = nodes ? strtok_r(nodes, ",", &rest) : NULL; at && even;
         at = strtok_r(NULL, ",", &rest)) {
        even = !before || strverscmp(before, at) < 0;
        before = at;
    }
    return even;
}

/* With topology/block Slurm refuses -m arbitrary (src/plugins/select, 24.05 on). */
int run_launcher_fits(const run_launcher *launcher, const run_allocation *a, char why[CLI_WHY])
{
    char *const words[] = {"scontrol", "show", "config", NULL};
    TOPOMAP_FREED char *text = NULL;
    const char *plugin;
    int fits;

    if (launcher->even && !is_even(a)) {
        snprintf(why, CLI_WHY, "%s is placed on nodes with equally many ranks, in ascending order",
                 launcher->name);
        return 0;
    }
    if (!launcher->words || !strstr(launcher->words, "arbitrary"))
        return 1;
    if (cli_capture(words, topomap_clock_ms(), VERSION_MS, &text, why) != 0) {
        if (!*why)
            snprintf(why, CLI_WHY, "scontrol does not tell Slurm's configuration");
        return 0;
    }
    plugin = strstr(text, "TopologyPlugin");
    fits = plugin && !strstr(plugin, "topology/block");
    if (!fits)
        snprintf(why, CLI_WHY, "srun takes no host file (-m arbitrary) with topology/block");
    return fits;
}

/* What the words of the table stand for. */
enum { FILE_PATH, SHELL_PATH, TEXT, HOSTS, COUNT, NAME, VALUE, MEANINGS };

static const char *const meant[MEANINGS] = {"FILE",  "SHELL", "TEXT", "HOSTS",
                                            "COUNT", "NAME",  "VALUE"};

static size_t meaning_at(const char *word, size_t length, int *which)
{
    for (*which = 0; *which < MEANINGS; ++*which) {
        size_t own = strlen(meant[*which]);

        if (own <= length && strncmp(word, meant[*which], own) == 0)
            return own;
    }
    return 0;
}

/* A word of the table with what it stands for; NULL: memory is short. */
static char *spelt(const char *word, size_t length, const char *const meaning[MEANINGS])
{
    char *made = NULL;
    size_t size, used;
    FILE *out = open_memstream(&made, &size);
    int which;

    for (size_t i = 0; out && i < length; i += used ? used : 1) {
        /* SLURM_HOSTFILE has none in it. */
        used = i && (isalpha((unsigned char)word[i - 1]) || word[i - 1] == '_')
                   ? 0
                   : meaning_at(word + i, length - i, &which);
        if (used && meaning[which])
            fwrite(meaning[which], 1, strcspn(meaning[which], "\n"), out);
        else
            fwrite(word + i, 1, used ? used : 1, out);
    }
    if (out && fclose(out) == 0)
        return made;
    free(made);
    return NULL;
}

/* How many there are in a list, which may be NULL. */
static size_t count_in(const char *list, char between)
{
    size_t count = list && *list;

    for (const char *at = list; at && *at; at++)
        count += *at == between;
    return count;
}

static int add_words(run_command *made, const char *words, const char *const meaning[MEANINGS],
                     char why[CLI_WHY])
{
    for (const char *at = words; at && *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        char *word = spelt(at, length, meaning);

        if (!word)
            return refuse(why, "out of memory", "");
        made->word[made->first + made->added++] = word;
        if (strlen(word) >= WORD_MOST) {
            snprintf(why, CLI_WHY, "the plan is longer than a word of a command may be, %d KiB",
                     WORD_MOST >> 10);
            return -1;
        }
        at += length;
    }
    return 0;
}

void run_launcher_command_clear(run_command *made)
{
    for (size_t i = 0; made->word && i < made->added; i++)
        free(made->word[made->first + i]);
    free(made->word);
    *made = (run_command){.word = NULL};
}

int run_launcher_command(const run_launcher *launcher, char *const *command,
                         const run_addition *addition, run_command *made, char why[CLI_WHY])
{
    char count[24];
    const char *meaning[MEANINGS] = {[FILE_PATH] = addition->file,
                                     [SHELL_PATH] = addition->shell,
                                     [TEXT] = addition->text,
                                     [HOSTS] = addition->hosts,
                                     [COUNT] = count};
    size_t words = 0, room = count_in(launcher->words, ' '), head = (size_t)head_words(launcher);
    int failed;

    snprintf(count, sizeof count, "%zu", count_in(addition->hosts, ','));
    while (command[words])
        words++;
    room += addition->variables * count_in(launcher->sets, ' ');
    *made = (run_command){.word = calloc(words + room + 1, sizeof *made->word)};
    if (!made->word)
        return refuse(why, "out of memory", "");
    made->first = head;
    memcpy(made->word, command, head * sizeof *made->word);
    failed = addition->file && add_words(made, launcher->words, meaning, why);
    for (size_t i = 0; i < addition->variables && !failed; i++) {
        meaning[NAME] = addition->variable[i].name;
        meaning[VALUE] = addition->variable[i].value;
        failed = add_words(made, launcher->sets, meaning, why);
    }
    memcpy(made->word + head + made->added, command + head, (words - head) * sizeof *made->word);
    if (failed)
        run_launcher_command_clear(made);
    return failed ? -1 : 0;
}

int run_launcher_environment(const run_launcher *launcher, const char *file)
{
    const char *meaning[MEANINGS] = {[FILE_PATH] = file};
    TOPOMAP_FREED char *word = NULL;
    char *equals;

    if (!launcher->variable)
        return 0;
    word = spelt(launcher->variable, strlen(launcher->variable), meaning);
    equals = word ? strchr(word, '=') : NULL;
    if (!equals)
        return -1;
    *equals = '\0';
    return setenv(word, equals + 1, 1);
}
