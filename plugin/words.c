/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/words.h"

#include <stddef.h>
#include <string.h>

/* Does an option take a value? MAYBE: only in the same word (getopt's optional argument).
 * WAIT: srun's --wait takes seconds, sbatch's nothing. */
enum takes { NONE, VALUE, MAYBE, WAIT };

/* The options of srun, salloc and sbatch with their letters: Slurm 22.05's table (the
 * slurm_cli_opt_t objects of slurm_opt.c), and what slurm_opt.c and the manual pages have added
 * up to 26.05; then topomap's own. */
static const struct row {
    const char *name;
    char letter;
    enum takes takes;
} rows[] = {
    {"accel-bind", 0, VALUE},
    {"account", 'A', VALUE},
    {"acctg-freq", 0, VALUE},
    {"admin-comment", 0, VALUE},
    {"array", 'a', VALUE},
    {"async", 0, NONE},
    {"autocomplete", 0, VALUE},
    {"batch", 0, VALUE},
    {"bb", 0, VALUE},
    {"bbf", 0, VALUE},
    {"bcast", 0, MAYBE},
    {"bcast-exclude", 0, VALUE},
    {"begin", 'b', VALUE},
    {"bell", 0, NONE},
    {"chdir", 'D', VALUE},
    {"cluster", 0, VALUE},
    {"cluster-constraint", 0, VALUE},
    {"clusters", 'M', VALUE},
    {"comment", 0, VALUE},
    {"compress", 0, MAYBE},
    {"consolidate-segments", 0, NONE},
    {"constraint", 'C', VALUE},
    {"container", 0, VALUE},
    {"container-id", 0, VALUE},
    {"context", 0, VALUE},
    {"contiguous", 0, NONE},
    {"core-spec", 'S', VALUE},
    {"cores-per-socket", 0, VALUE},
    {"cpu-bind", 0, VALUE},
    {"cpu-freq", 0, VALUE},
    {"cpu_bind", 0, VALUE},
    {"cpus-per-gpu", 0, VALUE},
    {"cpus-per-task", 'c', VALUE},
    {"deadline", 0, VALUE},
    {"debugger-test", 0, NONE},
    {"delay-boot", 0, VALUE},
    {"dependency", 'd', VALUE},
    {"disable-status", 'X', NONE},
    {"distribution", 'm', VALUE},
    {"environment", 0, VALUE},
    {"epilog", 0, VALUE},
    {"error", 'e', VALUE},
    {"exact", 0, NONE},
    {"exclude", 'x', VALUE},
    {"exclusive", 0, MAYBE},
    {"export", 0, VALUE},
    {"export-file", 0, VALUE},
    {"external-launcher", 0, NONE},
    {"extra", 0, VALUE},
    {"extra-node-info", 'B', VALUE},
    {"get-user-env", 0, MAYBE},
    {"gid", 0, VALUE},
    {"gpu-bind", 0, VALUE},
    {"gpu-freq", 0, VALUE},
    {"gpus", 'G', VALUE},
    {"gpus-per-node", 0, VALUE},
    {"gpus-per-socket", 0, VALUE},
    {"gpus-per-task", 0, VALUE},
    {"gres", 0, VALUE},
    {"gres-flags", 0, VALUE},
    {"help", 'h', NONE},
    {"het-group", 0, VALUE},
    {"hint", 0, VALUE},
    {"hold", 'H', NONE},
    {"ignore-pbs", 0, NONE},
    {"immediate", 'I', MAYBE},
    {"input", 'i', VALUE},
    {"interactive", 0, NONE},
    {"job-name", 'J', VALUE},
    {"jobid", 0, VALUE},
    {"kill-command", 'K', MAYBE},
    {"kill-on-bad-exit", 'K', MAYBE},
    {"kill-on-invalid-dep", 0, VALUE},
    {"label", 'l', NONE},
    {"licenses", 'L', VALUE},
    {"mail-type", 0, VALUE},
    {"mail-user", 0, VALUE},
    {"mcs-label", 0, VALUE},
    {"mem", 0, VALUE},
    {"mem-bind", 0, VALUE},
    {"mem-per-cpu", 0, VALUE},
    {"mem-per-gpu", 0, VALUE},
    {"mincpus", 0, VALUE},
    {"mpi", 0, VALUE},
    {"msg-timeout", 0, VALUE},
    {"multi-prog", 0, NONE},
    {"network", 0, VALUE},
    {"nice", 0, MAYBE},
    {"no-allocate", 'Z', NONE},
    {"no-bell", 0, NONE},
    {"no-kill", 'k', MAYBE},
    {"no-requeue", 0, NONE},
    {"no-shell", 0, NONE},
    {"nodefile", 'F', VALUE},
    {"nodelist", 'w', VALUE},
    {"nodes", 'N', VALUE},
    {"ntasks", 'n', VALUE},
    {"ntasks-per-core", 0, VALUE},
    {"ntasks-per-gpu", 0, VALUE},
    {"ntasks-per-node", 0, VALUE},
    {"ntasks-per-socket", 0, VALUE},
    {"ntasks-per-tres", 0, VALUE},
    {"oom-kill-step", 0, MAYBE},
    {"open-mode", 0, VALUE},
    {"output", 'o', VALUE},
    {"overcommit", 'O', NONE},
    {"overlap", 0, MAYBE},
    {"oversubscribe", 's', NONE},
    {"pack-group", 0, VALUE},
    {"parsable", 0, NONE},
    {"partition", 'p', VALUE},
    {"power", 0, VALUE},
    {"prefer", 0, VALUE},
    {"preserve-env", 'E', NONE},
    {"priority", 0, VALUE},
    {"profile", 0, VALUE},
    {"prolog", 0, VALUE},
    {"propagate", 0, MAYBE},
    {"pty", 0, NONE},
    {"qos", 'q', VALUE},
    {"quiet", 'Q', NONE},
    {"quit-on-interrupt", 0, NONE},
    {"reboot", 0, NONE},
    {"relative", 'r', VALUE},
    {"requeue", 0, NONE},
    {"reservation", 0, VALUE},
    {"resv-ports", 0, MAYBE},
    {"segment", 0, VALUE},
    {"send-libs", 0, MAYBE},
    {"signal", 0, VALUE},
    {"slurmd-debug", 0, VALUE},
    {"sockets-per-node", 0, VALUE},
    {"spread-job", 0, NONE},
    {"spread-segments", 0, NONE},
    {"stepmgr", 0, NONE},
    {"switches", 0, VALUE},
    {"task-epilog", 0, VALUE},
    {"task-prolog", 0, VALUE},
    {"tasks-per-node", 0, VALUE},
    {"test-only", 0, NONE},
    {"thread-spec", 0, VALUE},
    {"threads", 'T', VALUE},
    {"threads-per-core", 0, VALUE},
    {"time", 't', VALUE},
    {"time-min", 0, VALUE},
    {"tmp", 0, VALUE},
    {"topomap", 0, VALUE},
    {"topomap-explain", 0, MAYBE},
    {"topomap-options", 0, VALUE},
    {"tree-width", 0, VALUE},
    {"treewidth", 0, VALUE},
    {"tres-bind", 0, VALUE},
    {"tres-freq", 0, VALUE},
    {"tres-per-task", 0, VALUE},
    {"uid", 0, VALUE},
    {"unbuffered", 'u', NONE},
    {"usage", 0, NONE},
    {"use-min-nodes", 0, NONE},
    {"verbose", 'v', NONE},
    {"version", 'V', NONE},
    {"wait", 'W', WAIT},
    {"wait-all-nodes", 0, VALUE},
    {"wait-for-children", 0, NONE},
    {"wckey", 0, VALUE},
    {"whole", 0, NONE},
    {"wrap", 0, VALUE},
    {"x11", 0, MAYBE},
};

static const size_t row_count = sizeof rows / sizeof *rows;

enum plugin_program plugin_words_program(const char *argv0)
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

/* A long option by its name or, as getopt_long does, by a beginning that only one option has.
 * (srun's own table is smaller than this one, so that a beginning may be unique for srun and not
 * here; it is then unknown here, and the scan is merely careful.) */
static const struct row *row_of_name(const char *name, size_t length)
{
    const struct row *found = NULL;

    for (size_t i = 0; i < row_count; i++) {
        if (strncmp(rows[i].name, name, length))
            continue;
        if (!rows[i].name[length])
            return &rows[i];
        if (found)
            return NULL;
        found = &rows[i];
    }
    return found;
}

static const struct row *row_of_letter(char letter)
{
    for (size_t i = 0; letter && i < row_count; i++)
        if (rows[i].letter == letter)
            return &rows[i];
    return NULL;
}

static enum takes takes_of(const struct row *row, enum plugin_program program)
{
    if (row->takes == WAIT)
        return program == PLUGIN_SRUN ? VALUE : NONE;
    return row->takes;
}

struct scan {
    enum plugin_program program;
    int count;
    char **words;
    void (*visit)(int index, const plugin_option_word *option, void *context);
    void *context;
};

/* \return the number of words taken, 0: the scan ends here */
static int scan_long(const struct scan *scan, int index)
{
    char *word = scan->words[index] + 2;
    char *equals = strchr(word, '=');
    const struct row *row = row_of_name(word, equals ? (size_t)(equals - word) : strlen(word));
    plugin_option_word option = {.words = 1, .value = equals ? equals + 1 : NULL};

    if (!row) {
        const char *next = index + 1 < scan->count ? scan->words[index + 1] : NULL;

        return equals || (next && *next == '-') ? 1 : 0;
    }
    option.name = row->name;
    if (!equals && takes_of(row, scan->program) == VALUE) {
        if (index + 1 >= scan->count)
            return 0;
        option.value = scan->words[index + 1];
        option.words = 2;
    }
    scan->visit(index, &option, scan->context);
    return option.words;
}

static int scan_letters(const struct scan *scan, int index)
{
    char *word = scan->words[index];

    for (int at = 1; word[at]; at++) {
        const struct row *row = row_of_letter(word[at]);
        plugin_option_word option = {.words = 1, .letter_at = at};
        enum takes takes;

        if (!row)
            return 0;
        takes = takes_of(row, scan->program);
        option.name = row->name;
        if (takes != NONE && word[at + 1]) {
            option.value = word + at + 1;
        } else if (takes == VALUE) {
            if (index + 1 >= scan->count)
                return 0;
            option.value = scan->words[index + 1];
            option.words = 2;
        }
        scan->visit(index, &option, scan->context);
        if (takes != NONE)
            return option.words;
    }
    return 1;
}

void plugin_words_scan(enum plugin_program program, int count, char **words,
                       void (*visit)(int index, const plugin_option_word *option, void *context),
                       void *context)
{
    const struct scan scan = {program, count, words, visit, context};

    for (int index = 1, taken; index < count && words[index]; index += taken) {
        const char *word = words[index];

        if (word[0] != '-' || !word[1] || !strcmp(word, "--"))
            return; /* their getopt strings begin with '+': options end at the first other word */
        taken = word[1] == '-' ? scan_long(&scan, index) : scan_letters(&scan, index);
        if (!taken)
            return;
    }
}
