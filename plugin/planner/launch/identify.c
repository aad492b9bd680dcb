/* SPDX-License-Identifier: BSD-3-Clause */
/* Which program a step starts, and which case of it. */
#include "config.h"
#include "plugin/planner/launch/launch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin/store/program.h"
#include "util/alloc.h"

enum { WORDS = 32 };

int planner_auto_library(const planner_facts *facts, enum store_mpi mpi, char library[STORE_PATH],
                         topomap_error *why)
{
    if (snprintf(library, STORE_PATH, "%s/libtopomap-profile-%s.so", facts->args.profiler,
                 store_mpi_name(mpi)) >= STORE_PATH ||
        strpbrk(library, ": \t"))
        return topomap_error_set(why, TOPOMAP_EINPUT, "%.200s cannot be preloaded: its name",
                                 library);
    if (access(library, R_OK))
        return topomap_error_set(why, TOPOMAP_EINPUT, "%.200s is not installed", library);
    return 0;
}

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
    char **words = facts->words.text, *started = NULL;
    TOPOMAP_FREED char *path = store_program_find(words[0], folder, search);

    if (!path) {
        topomap_error_set(why, TOPOMAP_EINPUT, "%.200s cannot be read here", words[0]);
        return NULL;
    }
    if (store_program_read(memory, path, program, why))
        return NULL;
    if (!program->mpi)
        started = store_program_started(memory, words + 1, folder, search, program);
    return started ? started : topomap_take(&path);
}

/* ---- Programs that name no MPI ----------------------------------------------------------- */

/* What is inside a container is another system's. */
static int is_of_container(const char *word)
{
    static const char *const names[] = {"apptainer", "singularity", "podman",  "docker",
                                        "ch-run",    "enroot",      "shifter", "charliecloud"};
    const char *slash = strrchr(word, '/'), *name = slash ? slash + 1 : word;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return 1;
    return 0;
}

static int starts_container(const planner_facts *facts)
{
    for (size_t i = 0; i < facts->words.count && i < WORDS; i++)
        if (is_of_container(facts->words.text[i]))
            return 1;
    return 0;
}

/* srun puts the name of its MPI plugin there (srun/procmap.c). Slurm's own protocols are MPICH's
 * and its kin's: Open MPI 5 has PMIx alone, and 4 is rarely built with another one. */
static enum store_mpi likely(void)
{
    const char *type = getenv("SLURM_MPI_TYPE");

    return type && (strstr(type, "pmi2") || strstr(type, "cray")) ? STORE_MPI_MPICH
                                                                  : STORE_MPI_OPENMPI;
}

/* The likely one, else the first, whose profiler is installed: that finds out which one it is, and
 * lets all calls of another one go through. */
static enum store_mpi guess(const planner_facts *facts)
{
    char library[STORE_PATH];

    if (!planner_auto_library(facts, likely(), library, NULL))
        return likely();
    for (int mpi = STORE_MPI_NONE + 1; mpi < STORE_MPIS; mpi++) /* NCCL's last */
        if (!planner_auto_library(facts, (enum store_mpi)mpi, library, NULL))
            return (enum store_mpi)mpi;
    return STORE_MPI_OPENMPI;
}

static const char how[] =
    "--topomap-options=mpi=openmpi|mpich|mpi-abi|nccl says which MPI a program uses";

/* An interpreter or a script loads its MPI when it runs, if any.
 * \return -1: nothing is to be tried, and why */
static int find_loaded(planner_auto *now, const store_program *program, topomap_error *why)
{
    const planner_facts *facts = now->verdict->facts;
    const char *word = facts->words.text[0];
    enum store_loaded known = STORE_LOADED_UNKNOWN;

    if (!program->loads || starts_container(facts))
        return topomap_error_set(why, TOPOMAP_EINPUT, "%.200s: %s (%s)", word,
                                 program->loads ? "it starts a container" : program->why, how);
    now->loads = 1;
    if (now->has_store)
        known = store_loaded_read(&now->store, now->loaded, &now->mpi);
    if (known == STORE_LOADED_NOTHING &&
        !policy_flag(&now->verdict->decision.settings, TOPOMAP_REQUEST_PROFILE))
        return topomap_error_set(why, TOPOMAP_EINPUT,
                                 "%.200s: the last run loaded no MPI that is known (%s; "
                                 "--topomap-options=profile tries again)",
                                 word, how);
    now->guessed = known != STORE_LOADED_MPI;
    if (now->guessed)
        now->mpi = guess(facts);
    return 0;
}

/* Nothing can be done about it: once is enough. */
static int refuse(planner_auto *now, const store_program *program, topomap_error *why)
{
    now->once = program->id;
    return topomap_error_set(why, TOPOMAP_EINPUT,
                             "%.200s: %s (--topomap=FILE or a pattern places it)",
                             now->verdict->facts->words.text[0], program->why);
}

/* A key of the user's joins all cases. */
static void name_case(planner_auto *now, const char *key)
{
    const planner_facts *facts = now->verdict->facts;
    char here[STORE_PATH];

    if (!key && (facts->chdir || getcwd(here, sizeof here)))
        store_entry_case(&now->entry, facts->chdir ? facts->chdir : here, facts->input);
}

int planner_identify(planner_auto *now, topomap_error *why)
{
    const planner_facts *facts = now->verdict->facts;
    const policy_settings *settings = &now->verdict->decision.settings;
    enum store_mpi said = said_mpi(settings);
    store_program program;
    TOPOMAP_FREED char *path = NULL;

    if (!facts->words.count || !facts->tasks)
        return topomap_error_set(why, TOPOMAP_EINPUT, "Slurm does not tell the program");
    if (facts->several_programs)
        return topomap_error_set(why, TOPOMAP_EINPUT, "several programs (--multi-prog)");
    if (facts->container)
        return topomap_error_set(why, TOPOMAP_EINPUT, "a container");
    if (is_of_container(facts->words.text[0]))
        return topomap_error_set(why, TOPOMAP_EINPUT, "%.200s: it starts a container",
                                 facts->words.text[0]);
    path = find_program(now, &program, why);
    if (!path)
        return -1;
    now->mpi = said ? said : program.mpi;
    store_entry_name(
        &now->entry, path, store_script_id(path, facts->words.text + 1, facts->chdir, program.id),
        facts->words.text + 1, policy_get(settings, TOPOMAP_REQUEST_KEY), facts->tasks);
    name_case(now, policy_get(settings, TOPOMAP_REQUEST_KEY));
    now->loaded = store_loaded_key(now->entry.family, path);
    if (program.has_own_mpi)
        return refuse(now, &program, why);
    return now->mpi ? 0 : find_loaded(now, &program, why);
}
