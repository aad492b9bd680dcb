/* SPDX-License-Identifier: BSD-3-Clause */
/* topomap run: a launcher's ranks where a plan wants them. */
#include "config.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/run.h"
#include "util/clock.h"

enum { WORDS = 96 };

/* A command line of `topomap map`, as it grows; the words are owned. */
typedef struct plan_words {
    char *word[WORDS + 1];
    int words;
} plan_words;

static int add(plan_words *p, const char *format, ...) TOPOMAP_PRINTF(2, 3);
static int add(plan_words *p, const char *format, ...)
{
    va_list args;
    int length = -1;

    va_start(args, format);
    if (p->words < WORDS)
        length = vasprintf(&p->word[p->words], format, args);
    va_end(args);
    p->words += length >= 0;
    return length < 0 ? -1 : 0;
}

static int add_value(plan_words *p, const char *option, const char *value)
{
    return value ? add(p, "--%s=%s", option, value) : 0;
}

static void clear(plan_words *p)
{
    while (p->words)
        free(p->word[--p->words]);
}

/* ---- --topomap and --topomap-options ------------------------------------------------------- */

static int is_auto(const run_settings *w)
{
    return w->graph && strcmp(w->graph, "auto") == 0;
}

/* Those of srun's words that `map` has no option for are passed over. What nobody says is as in a
 * launch, where it is not what `map` does by itself. */
static int add_settings(plan_words *p, const run_settings *w)
{
    int status = 0;

    if (is_auto(w)) /* the planner has them all */
        return 0;
    for (int k = TOPOMAP_REQUEST_GRAPH + 1; k < TOPOMAP_REQUEST_SETTINGS && status == 0; k++) {
        enum topomap_request_key key = (enum topomap_request_key)k;
        const topomap_request_row *row = topomap_request_row_of(key);
        const char *value =
            key == TOPOMAP_REQUEST_EFFORT ? policy_get(&w->settings, key) : w->settings.value[key];

        if (!value || key == TOPOMAP_REQUEST_REQUIRED || key == TOPOMAP_REQUEST_VERBOSE)
            continue;
        if (row->option && row->flag)
            status = strcmp(value, "1") == 0 ? add(p, "--%s", row->option) : 0;
        else if (row->option)
            status = add_value(p, row->option, value);
        else
            fprintf(stderr, "topomap run: %s is for srun alone: passed over\n", row->word);
    }
    return status;
}

/* Of a word that was not understood: what would have been. \return nonzero: it is no key at all */
static int explain_word(const run_settings *w, char why[CLI_WHY])
{
    char expected[CLI_WHY - sizeof w->not_understood - 8];
    size_t key = strcspn(w->not_understood, "=");

    policy_settings_expected(w->not_understood, expected, sizeof expected);
    snprintf(why, CLI_WHY, "'%s': %s", w->not_understood, expected);
    return strncmp(expected, w->not_understood, key) != 0;
}

/* ---- The plan ------------------------------------------------------------------------------- */

/* The text of the launcher's file; NULL, with the reason. */
static char *plan(const cli_call *call, plan_words *p, const run_settings *w,
                  const run_launcher *launcher, const run_allocation *a, unsigned ms,
                  char why[CLI_WHY])
{
    int64_t began = topomap_clock_ms();
    char chain[24], *text = NULL;
    TOPOMAP_FREED char *db = run_settings_db(call, ms);
    int status;

    snprintf(chain, sizeof chain, "chain:%u", a->ranks);
    if (!w->graph)
        fprintf(stderr, "topomap run: no graph was named: ranks are taken to talk to their "
                        "neighbours\n");
    status = add_value(p, "graph", w->graph ? w->graph : chain) || add_value(p, "db", db) ||
             add_value(p, "nodes", a->nodes) || add_value(p, "tasks-per-node", a->tasks) ||
             add_value(p, "cores-of", a->job) || add_value(p, "format", launcher->format);
    if (status) {
        snprintf(why, CLI_WHY, "too many options");
        return NULL;
    }
    p->word[p->words] = NULL;
    status = cli_capture(p->word, began, ms, &text, why);
    if (status == 0)
        return text;
    free(text);
    if (!*why)
        snprintf(why, CLI_WHY, "`topomap map` ended with status %d", status);
    return NULL;
}

/* "topomap map: ..." of its complaint is not said twice. */
static const char *reason(const char *why)
{
    static const char by[] = "topomap map: ";

    return strncmp(why, by, sizeof by - 1) ? why : why + sizeof by - 1;
}

/* ---- What is started ------------------------------------------------------------------------ */

static void print_word(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_=./:,@%+";

    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, stdout);
        return;
    }
    cli_shell_quote(word);
}

static int print(char *const *command, const run_launcher *launcher, const char *text)
{
    if (launcher && launcher->variable)
        printf("%s ", launcher->variable);
    for (int i = 0; command[i]; i++) {
        if (i)
            putchar(' ');
        print_word(command[i]);
    }
    putchar('\n');
    if (text)
        printf("\n%s", text);
    return CLI_DONE;
}

/* A launch as it is found out. */
typedef struct launch {
    const cli_call *call;
    const run_launcher *launcher;
    run_allocation allocation;
    run_asked asked;
    char *text; /* of the launcher's file; NULL: there is no plan */
    run_auto autos;
} launch;

/* Tools that the user preloads come first: ours must not take their calls away. \return how many
 * variables; 0: there is no profile, or no room for it, and nothing is left to be judged */
static size_t profile(launch *l, char both[8192], run_variable variable[2])
{
    const char *users = getenv("LD_PRELOAD");
    char why[CLI_WHY] = "LD_PRELOAD is too long";

    if (!l->autos.library)
        return 0;
    if (!run_launcher_sets(l->launcher, l->call->operand, l->asked.program, why) ||
        snprintf(both, 8192, "%s%s%s", users ? users : "", users && *users ? ":" : "",
                 l->autos.library) >= 8192) {
        fprintf(stderr, "topomap run: not profiled: %s\n", why);
        run_auto_drop(&l->autos);
        return 0;
    }
    variable[0] = (run_variable){"LD_PRELOAD", both};
    variable[1] = (run_variable){"TOPOMAP_PROFILE_FOLDER", l->autos.run};
    return 2;
}

/* With the plan's file, or without it. \return -1: it is not started, and why */
static int start_with(launch *l, const run_folder *folder, char why[CLI_WHY])
{
    char preload[8192], step[40];
    run_variable variable[2];
    run_addition addition = {.file = folder ? folder->file : NULL,
                             .shell = l->allocation.job ? step : "ssh",
                             .text = l->text,
                             .hosts = l->allocation.nodes,
                             .variable = variable};
    run_command whole;
    int status;

    run_step_path(step, sizeof step);
    addition.variables = profile(l, preload, variable);
    if (run_launcher_command(l->launcher, l->call->operand, &addition, &whole, why))
        return -1;
    if (folder && run_launcher_environment(l->launcher, folder->file)) {
        run_launcher_command_clear(&whole);
        snprintf(why, CLI_WHY, "out of memory");
        return -1;
    }
    for (size_t i = 0; i < addition.variables && !l->launcher->sets; i++)
        setenv(variable[i].name, variable[i].value, 1);
    if (!l->launcher->sets) /* srun: its plugin has nothing to do */
        setenv("TOPOMAP", "off", 1);
    status = run_start(whole.word);
    run_launcher_command_clear(&whole);
    if (folder)
        run_folder_remove(folder);
    run_auto_end(&l->autos, status);
    return run_finish(status);
}

static int start(launch *l, char why[CLI_WHY])
{
    const char *words = l->launcher->words ? l->launcher->words : "";
    run_folder folder;
    int status;

    if (run_folder_make(&folder, l->text, !strstr(words, "file="), why))
        return -1;
    status = start_with(l, &folder, why);
    if (status < 0)
        run_folder_remove(&folder);
    return status;
}

/* Whoever asked for it to be required is told by the status; all others' programs run. */
static int as_it_stands(launch *l, const run_settings *w, const char *why)
{
    int off = w->off, required = w->required || l->autos.required, status = -1;
    char again[CLI_WHY];

    if (!off && *why)
        fprintf(stderr, "topomap run: %s: %s\n", required ? "not started" : "not placed",
                reason(why));
    if (required && !off && *why) {
        run_auto_drop(&l->autos);
        return CLI_NO;
    }
    if (l->call->options.print)
        return print(l->call->operand, NULL, NULL);
    if (l->text) /* the store has it as placed */
        run_auto_drop(&l->autos);
    if (l->autos.later)
        status = start_with(l, NULL, again);
    if (status >= 0)
        return status;
    run_auto_drop(&l->autos);
    return run_finish(run_start(l->call->operand));
}

/* \return nonzero: there is something to plan */
static int find_out(launch *l, const run_settings *w, char why[CLI_WHY])
{
    char *const *command = l->call->operand;

    if (*w->not_understood || w->off || !(l->launcher = run_launcher_find(command, why)) ||
        run_launcher_ranks(l->launcher, command, &l->asked, why))
        return 0;
    if (!l->asked.ranks && !l->launcher->takes_all)
        l->asked.ranks = 1;
    return run_allocation_find(l->call, &l->asked, l->launcher->one_each, &l->allocation, why) ==
               0 &&
           run_launcher_fits(l->launcher, &l->allocation, why);
}

static void plan_auto(launch *l, unsigned ms, char why[CLI_WHY])
{
    const run_question question = {.call = l->call,
                                   .launcher = l->launcher,
                                   .program = l->call->operand + l->asked.program,
                                   .allocation = &l->allocation,
                                   .ms = ms};

    if (l->call->options.print) {
        snprintf(why, CLI_WHY, "with auto, the launch itself finds out what it is to be");
        return;
    }
    if (run_auto_plan(&question, &l->autos, why) == 0)
        *why = '\0';
    l->text = l->autos.text;
    l->autos.text = NULL;
}

/* \return -1: it cannot be, and why */
static int print_plan(const launch *l, char why[CLI_WHY])
{
    const run_addition addition = {
        .file = "FILE", .shell = "SHELL", .text = l->text, .hosts = l->allocation.nodes};
    run_command whole;
    int status = -1;

    if (run_launcher_command(l->launcher, l->call->operand, &addition, &whole, why) == 0)
        status = print(whole.word, l->launcher, l->text);
    run_launcher_command_clear(&whole);
    return status;
}

static int place(const cli_call *call, plan_words *p, const run_settings *w, unsigned ms)
{
    launch l = {.call = call};
    char why[CLI_WHY] = "";
    int status = -1;

    if (*w->not_understood && explain_word(w, why))
        return cli_usage_error(call, "--topomap-options: %s", why);
    if (find_out(&l, w, why)) {
        if (is_auto(w))
            plan_auto(&l, ms, why);
        else
            l.text = plan(call, p, w, l.launcher, &l.allocation, ms, why);
    }
    if (l.text && call->options.print) {
        status = print_plan(&l, why);
    } else if (l.text) {
        if (w->verbose)
            fprintf(stderr, "topomap run: %u ranks placed for %s on %s\n", l.allocation.ranks,
                    l.launcher->name, l.allocation.nodes);
        status = start(&l, why);
    }
    if (status < 0)
        status = as_it_stands(&l, w, why);
    free(l.text);
    run_auto_clear(&l.autos);
    run_allocation_clear(&l.allocation);
    return status;
}

static int run(const cli_call *call)
{
    TOPOMAP_CLEANUP(clear) plan_words p = {.words = 0};
    TOPOMAP_CLEANUP(run_settings_clear) run_settings w = {.off = 0};

    call->operand[call->operands] = NULL;
    if (add(&p, "/proc/self/exe") || add(&p, "map") || run_settings_read(call, &w) ||
        add_settings(&p, &w))
        return CLI_FAILED;
    return place(call, &p, &w, (unsigned)(call->options.deadline * 1000));
}

static const cli_option run_options[] = {
    {"topomap", "WHAT", TEXT(topomap),
     "who talks to whom: a graph's file, a pattern, auto, or off (default: the job's "
     "of sbatch or salloc, else $TOPOMAP_GRAPH, else a chain of the ranks)"},
    {"topomap-options", "K=V,...", TEXT(topomap_options),
     "as srun has them: objective=, effort=, bind=, pin=, ...; required: nothing is started where "
     "it cannot be placed. min-gain= and tasks= count with auto alone"},
    {"db", "DB", TEXT(db), "topology database (default: $TOPOMAP_DB, else db= in plugstack.conf)"},
    {"nodes", "HOSTLIST", TEXT(nodes),
     "nodes to place on (default: those of the Slurm job that this runs in)"},
    {"tasks-per-node", "N|LIST", TEXT(tasks_per_node),
     "tasks that each has room for: 4, or 4(x3),2 (default: as Slurm says)"},
    {"deadline", "SECONDS", NUMBER(deadline, 0.001, 86400, 20),
     "how long planning may take (default 20)"},
    {"print", NULL, FLAG(print), "print the command and the launcher's file instead"},
    {0},
};

static const char run_text[] =
    "LAUNCHER is mpirun or mpiexec of Open MPI 4 to 6, of MPICH or of Intel MPI, prterun or prun\n"
    "of PRRTE, `flux run` or `flux submit`, or srun where the plugin is not installed; which one\n"
    "it is, its --version tells. The ranks that it is asked for (-n,\n"
    "-np; Open MPI and srun take all that there is room for) are planned as srun's plugin plans a\n"
    "step, the plan is written as the launcher's own file, to a private folder that is taken away\n"
    "in the end, and the launcher is given that file. Input, output, signals and exit status are\n"
    "the launcher's own.\n"
    "\n"
    "What cannot be placed runs as it stands, and one line says why: no allocation, no database,\n"
    "a graph that cannot be read, no plan before the deadline, options of the launcher that place\n"
    "ranks themselves (--map-by, -H, -ppn, -f, -w and the like), several programs with ':'\n"
    "between them. With --topomap-options=required nothing is started then, and the exit status\n"
    "is 1.\n"
    "\n"
    "  salloc -N 16 topomap run --topomap halo.tmg -- mpirun -np 512 ./a.out\n"
    "\n"
    "With auto the program is profiled, and placed from its next run on, as by srun's\n"
    "--topomap=auto, with the same store: the launcher is told to preload the profiler's library\n"
    "(-x, -genv and the like; for srun it is in the environment), and each rank leaves its part\n"
    "in the store, which all nodes have to see. Nothing is profiled, and a line says so, where\n"
    "variables do not reach the ranks (srun's --export=NONE, Open MPI's mca_base_env_list), where\n"
    "the command sets LD_PRELOAD itself, and by `flux submit` without --wait or --watch.\n"
    "Plugstack.conf's words count where there is one. --print does not show such a launch.\n"
    "\n"
    "MPICH's and Intel MPI's mpiexec take a host several times by ssh alone; in a Slurm job steps\n"
    "of srun stand in for ssh. Slurm refuses host files with topology/block. Flux is given a plan\n"
    "where its nodes have equally many ranks and are in ascending order.\n";

CLI_COMMAND(cli_run, "run", "-- LAUNCHER ARGUMENT...",
            "start another launcher than srun with a plan", run_options, 1, 1 << 20, run, run_text);
