/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/auto.h"
#include "plugin/environment.h"
#include "plugin/preload.h"
#include "plugin/report.h"
#include "plugin/store/program.h"
#include "plugin/store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 3 }; /* runs in a row that leave no profile, until somebody asks again */

/* The step of this srun. */
static struct {
    const plugin_args *args;
    const plugin_wish *wish;
    int asked; /* the user asked for topomap */
    int verbose;
    uint32_t job, step;
    enum store_mpi mpi;
    store store;
    store_entry entry;
    char used[STORE_KEY + 1]; /* the entry whose graph is used */
    char *folder;             /* where the run leaves its profile; NULL: it is not profiled */
    char request[3 * STORE_PATH];
} now;

void plugin_auto_forget(void)
{
    plugin_preload_forget();
}

const char *plugin_auto_request(void)
{
    return now.request;
}

/* ---- Which program it is ----------------------------------------------------------------- */

/* How an option names the MPI of a program whose file does not tell. */
static enum store_mpi said_mpi(const policy_settings *settings)
{
    const char *said = policy_get(settings, POLICY_MPI);

    for (int mpi = STORE_MPI_NONE + 1; said && mpi < STORE_MPIS; mpi++)
        if (!strcmp(said, store_mpi_name((enum store_mpi)mpi)))
            return (enum store_mpi)mpi;
    return STORE_MPI_NONE;
}

/* What a command starts: itself, or, where it is no MPI's, a program that is among its words.
 * \return its path, which ends with free(), or NULL: and why */
static char *find_program(char **words, store_program *program, topomap_error *why)
{
    const char *folder = plugin_launcher_get()->chdir, *search = getenv("PATH");
    char *path = store_program_find(words[0], folder, search), *started = NULL;

    if (!path) {
        topomap_error_set(why, TOPOMAP_EINPUT, "%.200s cannot be read here", words[0]);
        return NULL;
    }
    if (store_program_read(NULL, path, program, why)) {
        free(path);
        return NULL;
    }
    if (!program->mpi)
        started = store_program_started(NULL, words + 1, folder, search, program);
    if (!started)
        return path;
    free(path);
    return started;
}

static int look_at_program(const policy_settings *settings, char **words, uint32_t tasks,
                           topomap_error *why)
{
    enum store_mpi said = said_mpi(settings);
    store_program program;
    char *path = find_program(words, &program, why);
    int failed = 0;

    if (!path)
        return -1;
    if (!program.mpi && !said)
        failed = topomap_error_set(
            why, TOPOMAP_EINPUT,
            "%.200s: %s (--topomap-options=mpi=openmpi|mpich|mpi-abi says which MPI "
            "a program uses)",
            words[0], program.why);
    if (!failed) {
        now.mpi = said ? said : program.mpi;
        store_entry_name(&now.entry, path, program.id, words + 1, policy_get(settings, POLICY_KEY),
                         tasks);
    }
    free(path);
    return failed;
}

/* Fills the program's names. \return -1, and why it has none */
static int name_program(spank_t spank, const policy_settings *settings, topomap_error *why)
{
    const plugin_launcher *launcher = plugin_launcher_get();
    char **words = NULL;
    uint32_t tasks;
    int count = 0;

    if (spank_get_item(spank, S_JOB_ID, &now.job) ||
        spank_get_item(spank, S_JOB_STEPID, &now.step) ||
        spank_get_item(spank, S_JOB_TOTAL_TASK_COUNT, &tasks) ||
        spank_get_item(spank, S_JOB_ARGV, &count, &words) || count < 1 || !words || !words[0])
        return topomap_error_set(why, TOPOMAP_EINPUT, "Slurm does not tell the program");
    if (launcher->multi)
        return topomap_error_set(why, TOPOMAP_EINPUT, "several programs (--multi-prog)");
    if (launcher->container)
        return topomap_error_set(why, TOPOMAP_EINPUT, "a container");
    return look_at_program(settings, words, tasks, why);
}

/* ---- Profiling --------------------------------------------------------------------------- */

static int carry(topomap_error *why)
{
    char library[STORE_PATH], file[STORE_PATH + 32];

    if (snprintf(library, sizeof library, "%s/libtopomap-profile-%s.so", now.args->profiler,
                 store_mpi_name(now.mpi)) >= STORE_PATH ||
        strpbrk(library, ": \t"))
        return topomap_error_set(why, TOPOMAP_EINPUT, "%.200s cannot be preloaded: its name",
                                 library);
    if (access(library, R_OK))
        return topomap_error_set(why, TOPOMAP_EINPUT, "%.200s is not installed", library);
    if (store_run_begin(&now.store, now.job, now.step, &now.entry, &now.folder, why))
        return -1;
    snprintf(file, sizeof file, "%s/%s", now.folder, STORE_RUN_FILE);
    if (!plugin_preload_carry(now.job, now.step, library, file))
        return 0;
    store_run_drop(&now.store, now.folder);
    free(now.folder);
    now.folder = NULL;
    return topomap_error_set(why, TOPOMAP_ESYSTEM, "the environment is full");
}

/* Arranges that this run leaves a profile. \return -1, and why it cannot */
static int profile(topomap_error *why)
{
    const char *own = getenv(PLUGIN_ENV_PROFILE);

    if (now.folder)
        return 0;
    if (own && *own)
        return topomap_error_set(why, TOPOMAP_EUSAGE, "%s is set: the user profiles",
                                 PLUGIN_ENV_PROFILE);
    if (now.entry.tries >= TRIES && !policy_flag(&now.wish->decision.settings, POLICY_PROFILE))
        return topomap_error_set(why, TOPOMAP_EUSAGE,
                                 "the last %u runs left no profile (--topomap-options=profile "
                                 "tries again)",
                                 now.entry.tries);
    return carry(why);
}

/* Whether a profile that is there is to be made anew. */
static int is_due(const policy_settings *settings)
{
    unsigned long every = strtoul(policy_get(settings, POLICY_PROFILE_EVERY), NULL, 10);

    return policy_flag(settings, POLICY_PROFILE) || (every && now.entry.launches >= every);
}

static void again(void)
{
    topomap_error why;

    if (!profile(&why))
        plugin_report_detail(now.verbose, "this run of %s is profiled again", now.entry.program);
    else
        plugin_report_detail(now.verbose, "no new profile of %s: %s", now.entry.program, why.text);
}

/* ---- Placing ----------------------------------------------------------------------------- */

/* The graph takes the place of "auto"; whoever said that said this. */
static int use(policy_settings *settings, const store_entry *from, int exact)
{
    char path[STORE_PATH], before[STORE_PATH];
    int length;

    store_graph_path(&now.store, from->key, 0, path);
    store_graph_path(&now.store, from->key, 1, before);
    if (policy_set(settings, POLICY_GRAPH, path,
                   policy_get(settings, POLICY_GRAPH) ? settings->origin[POLICY_GRAPH]
                                                      : POLICY_BY_DEFAULT))
        return -1;
    memcpy(now.used, from->key, sizeof now.used);
    length = snprintf(now.request, sizeof now.request, "profile %s\nprofiled %s, %u ranks\n",
                      exact ? "exact" : "scale", from->program, from->ranks);
    if (exact && from->has_before)
        snprintf(now.request + length, sizeof now.request - (size_t)length, "profiled-before %s\n",
                 before);
    return 0;
}

static void count_launch(void)
{
    topomap_error err;

    now.entry.launches++;
    if (store_entry_write(&now.store, &now.entry, &err)) /* a read-only home: nothing is counted */
        plugin_report_detail(now.verbose, "%s", err.text);
}

/* There is no profile for this number of ranks. \return nonzero: one of another may do */
static int without_profile(policy_settings *settings)
{
    store_entry other = {0};
    int scaled = store_other_size(&now.store, &now.entry, &other) && !use(settings, &other, 0);
    topomap_error why;

    if (!profile(&why)) {
        if (!scaled)
            plugin_wish_leave(&now.wish->explain, now.asked,
                              "no profile of this program at this size is stored: it "
                              "runs with Slurm's layout and leaves one");
        return scaled;
    }
    if (!scaled) {
        char line[700];

        snprintf(line, sizeof line,
                 "no profile of this program is stored, and this run leaves "
                 "none: %s; it runs with Slurm's layout",
                 why.text);
        plugin_wish_leave(&now.wish->explain, now.asked, line);
    }
    return scaled;
}

static int begin(policy_settings *settings, int wants_profile)
{
    topomap_error why;

    if (store_open(now.args->store, &now.store, &why)) {
        if (wants_profile)
            plugin_report_line("%s; the step runs with Slurm's own layout", why.text);
        return !wants_profile;
    }
    store_entry_read(&now.store, &now.entry);
    if (!now.entry.has_graph)
        return wants_profile ? without_profile(settings) : 1;
    if (use(settings, &now.entry, 1))
        return 1;
    if (wants_profile && is_due(settings))
        again();
    count_launch();
    return 1;
}

int plugin_auto_begin(spank_t spank, const plugin_args *args, plugin_wish *wish)
{
    policy_settings *settings = &wish->decision.settings;
    const char *graph = policy_get(settings, POLICY_GRAPH);
    int wants_profile = graph && !strcmp(graph, "auto");
    topomap_error why;

    now.args = args;
    now.wish = wish;
    now.asked = wish->decision.asked;
    now.verbose = wish->verbose;
    *now.request = 0;
    if (graph && !wants_profile)
        return 1;
    if (name_program(spank, settings, &why)) {
        if (wants_profile) {
            char line[600];

            snprintf(line, sizeof line, "auto: %s: left alone", why.text);
            /* A job has steps of all kinds. */
            plugin_wish_leave(&now.wish->explain, now.asked && now.wish->own, line);
        }
        return !wants_profile;
    }
    return begin(settings, wants_profile);
}

void plugin_auto_damaged(void)
{
    topomap_error why;

    store_remove_graphs(&now.store, now.used);
    now.entry.has_graph = now.entry.has_before = 0;
    if (profile(&why))
        plugin_report_detail(now.verbose, "no new profile: %s", why.text);
}

/* ---- The end ----------------------------------------------------------------------------- */

void plugin_auto_end(void)
{
    topomap_error why;

    if (!now.folder)
        return;
    if (store_run_end(&now.store, now.folder, &now.entry, &why))
        plugin_report_detail(now.verbose, "profile of %s on %u ranks stored: %s", now.entry.program,
                             now.entry.ranks, now.entry.key);
    else if (now.asked)
        plugin_report_line("no profile of %s was stored: %s", now.entry.program, why.text);
    free(now.folder);
    now.folder = NULL;
}
