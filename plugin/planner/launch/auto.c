/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/launch/auto.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin/common/environment.h"
#include "plugin/common/percent.h"
#include "plugin/store/program.h"

enum {
    TRIES = 3,           /* runs in a row that leave no profile, until somebody asks again */
    FOLDS = 4,           /* runs whose srun was killed that one launch looks at */
    PRELOAD_ROOM = 16384 /* bytes of the environment, for two paths */
};

/* ---- Which program it is ----------------------------------------------------------------- */

/* How an option names the MPI of a program whose file does not tell. */
static enum store_mpi said_mpi(const policy_settings *settings)
{
    const char *said = policy_get(settings, TOPOMAP_REQUEST_MPI);

    for (int mpi = STORE_MPI_NONE + 1; said && mpi < STORE_MPIS; mpi++)
        if (!strcmp(said, store_mpi_name((enum store_mpi)mpi)))
            return (enum store_mpi)mpi;
    return STORE_MPI_NONE;
}

/* What a command starts: itself, or, where it is no MPI's, a program that is among its words.
 * \return its path, which ends with free(), or NULL: and why */
static char *find_program(const planner_auto *now, store_program *program, topomap_error *why)
{
    const planner_facts *facts = now->verdict->facts;
    const store *memory = now->has_store ? &now->store : NULL;
    const char *folder = facts->chdir, *search = getenv("PATH");
    char **words = facts->words.text;
    char *path = store_program_find(words[0], folder, search), *started = NULL;

    if (!path) {
        topomap_error_set(why, TOPOMAP_EINPUT, "%.200s cannot be read here", words[0]);
        return NULL;
    }
    if (store_program_read(memory, path, program, why)) {
        free(path);
        return NULL;
    }
    if (!program->mpi)
        started = store_program_started(memory, words + 1, folder, search, program);
    if (!started)
        return path;
    free(path);
    return started;
}

/* Fills the program's names. \return -1, and why it has none */
static int name_program(planner_auto *now, topomap_error *why)
{
    const planner_facts *facts = now->verdict->facts;
    const policy_settings *settings = &now->verdict->decision.settings;
    enum store_mpi said = said_mpi(settings);
    store_program program;
    char *path;

    if (!facts->words.count || !facts->tasks)
        return topomap_error_set(why, TOPOMAP_EINPUT, "Slurm does not tell the program");
    if (facts->several_programs)
        return topomap_error_set(why, TOPOMAP_EINPUT, "several programs (--multi-prog)");
    if (facts->container)
        return topomap_error_set(why, TOPOMAP_EINPUT, "a container");
    path = find_program(now, &program, why);
    if (!path)
        return -1;
    now->mpi = said ? said : program.mpi;
    store_entry_name(&now->entry, path, program.id, facts->words.text + 1,
                     policy_get(settings, TOPOMAP_REQUEST_KEY), facts->tasks);
    free(path);
    if (now->mpi)
        return 0;
    return topomap_error_set(
        why, TOPOMAP_EINPUT,
        "%.200s: %s (--topomap-options=mpi=openmpi|mpich|mpi-abi says which MPI a program uses)",
        facts->words.text[0], program.why);
}

/* ---- Profiling --------------------------------------------------------------------------- */

/* Where a step leaves its profile, told to srun, which carries it to the nodes. */
static int carry(planner_auto *now, topomap_error *why)
{
    const planner_facts *facts = now->verdict->facts;
    char library[STORE_PATH];

    if (snprintf(library, sizeof library, "%s/libtopomap-profile-%s.so", facts->args.profiler,
                 store_mpi_name(now->mpi)) >= STORE_PATH ||
        strpbrk(library, ": \t"))
        return topomap_error_set(why, TOPOMAP_EINPUT, "%.200s cannot be preloaded: its name",
                                 library);
    if (access(library, R_OK))
        return topomap_error_set(why, TOPOMAP_EINPUT, "%.200s is not installed", library);
    if (facts->room < PRELOAD_ROOM)
        return topomap_error_set(why, TOPOMAP_ESYSTEM, "the environment is full");
    if (store_run_begin(&now->store, facts->job, facts->step, &now->entry, &now->folder, why))
        return -1;
    fprintf(now->verdict->out, "preload %s %s/%s\n", library, now->folder, STORE_RUN_FILE);
    plugin_percent_line(now->verdict->out, "later run", now->folder);
    return 0;
}

/* Arranges that this run leaves a profile. \return -1, and why it cannot */
static int profile(planner_auto *now, topomap_error *why)
{
    const char *own = getenv(PLUGIN_ENV_PROFILE);

    if (now->folder)
        return 0;
    if (own && *own)
        return topomap_error_set(why, TOPOMAP_EUSAGE, "%s is set: the user profiles",
                                 PLUGIN_ENV_PROFILE);
    if (now->entry.tries >= TRIES &&
        !policy_flag(&now->verdict->decision.settings, TOPOMAP_REQUEST_PROFILE))
        return topomap_error_set(why, TOPOMAP_EUSAGE,
                                 "the last %u runs left no profile (--topomap-options=profile "
                                 "tries again)",
                                 now->entry.tries);
    return carry(now, why);
}

/* Whether a profile that is there is to be made anew. */
static int is_due(const planner_auto *now)
{
    const policy_settings *settings = &now->verdict->decision.settings;
    unsigned long every = strtoul(policy_get(settings, TOPOMAP_REQUEST_PROFILE_EVERY), NULL, 10);

    return policy_flag(settings, TOPOMAP_REQUEST_PROFILE) ||
           (every && now->entry.launches >= every);
}

static void again(planner_auto *now)
{
    topomap_error why;

    if (!profile(now, &why))
        planner_tell(now->verdict, 0, "this run of %s is profiled again", now->entry.program);
    else
        planner_tell(now->verdict, 0, "no new profile of %s: %s", now->entry.program, why.text);
}

/* ---- Placing ----------------------------------------------------------------------------- */

/* The graph takes the place of "auto"; whoever said that said this. */
static int use(planner_auto *now, const store_entry *from, int exact)
{
    policy_settings *settings = &now->verdict->decision.settings;
    char path[STORE_PATH], before[STORE_PATH];
    int length;

    store_graph_path(&now->store, from->key, 0, path);
    store_graph_path(&now->store, from->key, 1, before);
    if (policy_set(settings, TOPOMAP_REQUEST_GRAPH, path,
                   policy_get(settings, TOPOMAP_REQUEST_GRAPH)
                       ? settings->origin[TOPOMAP_REQUEST_GRAPH]
                       : POLICY_BY_DEFAULT))
        return -1;
    memcpy(now->used, from->key, sizeof now->used);
    length = snprintf(now->request, sizeof now->request, "profile %s\nprofiled %s, %u ranks\n",
                      exact ? "exact" : "scale", from->program, from->ranks);
    if (exact && from->has_before)
        snprintf(now->request + length, sizeof now->request - (size_t)length,
                 "profiled-before %s\n", before);
    return 0;
}

static void count_launch(planner_auto *now)
{
    topomap_error err;

    now->entry.launches++;
    if (store_entry_write(&now->store, &now->entry, &err)) /* read-only: nothing is counted */
        planner_tell(now->verdict, 0, "%s", err.text);
}

/* There is no profile for this number of ranks. \return nonzero: one of another may do */
static int without_profile(planner_auto *now)
{
    store_entry other = {0};
    int scaled = store_other_size(&now->store, &now->entry, &other) && !use(now, &other, 0);
    topomap_error why;
    char line[700];

    if (!profile(now, &why)) {
        if (!scaled)
            planner_leave(now->verdict, now->verdict->decision.asked,
                          "no profile of this program at this size is stored: it "
                          "runs with Slurm's layout and leaves one");
        return scaled;
    }
    if (scaled)
        return 1;
    snprintf(line, sizeof line,
             "no profile of this program is stored, and this run leaves "
             "none: %s; it runs with Slurm's layout",
             why.text);
    planner_leave(now->verdict, now->verdict->decision.asked, line);
    return 0;
}

static int begin(planner_auto *now, int wants_profile)
{
    topomap_error why;

    if (!now->has_store) {
        if (wants_profile)
            planner_tell(now->verdict, now->verdict->decision.asked,
                         "%s; the step runs with Slurm's own layout", now->no_store.text);
        return !wants_profile;
    }
    store_fold_some(&now->store, FOLDS, &why);
    store_entry_read(&now->store, &now->entry);
    if (!now->entry.has_graph)
        return wants_profile ? without_profile(now) : 1;
    if (use(now, &now->entry, 1))
        return 1;
    if (wants_profile && is_due(now))
        again(now);
    count_launch(now);
    return 1;
}

int planner_auto_begin(planner_auto *now, planner_verdict *verdict)
{
    const planner_facts *facts = verdict->facts;
    const char *graph = policy_get(&verdict->decision.settings, TOPOMAP_REQUEST_GRAPH);
    int wants_profile = graph && !strcmp(graph, "auto");
    int own = facts->said.step || facts->said.distribution;
    topomap_error why;
    char line[600];

    now->verdict = verdict;
    if (graph && !wants_profile)
        return 1;
    now->has_store = !store_open(facts->args.store, &now->store, &now->no_store);
    if (!name_program(now, &why))
        return begin(now, wants_profile);
    if (!wants_profile)
        return 1;
    snprintf(line, sizeof line, "auto: %s: left alone", why.text);
    planner_leave(verdict, verdict->decision.asked && own, line); /* a job has steps of all kinds */
    return 0;
}

void planner_auto_damaged(planner_auto *now)
{
    topomap_error why;

    store_remove_graphs(&now->store, now->used);
    now->entry.has_graph = now->entry.has_before = 0;
    if (profile(now, &why))
        planner_tell(now->verdict, 0, "no new profile: %s", why.text);
}

void planner_auto_clear(planner_auto *now)
{
    free(now->folder);
    memset(now, 0, sizeof *now);
}
