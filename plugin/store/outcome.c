/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/store/run.h"
#include "graph/formats/parts.h"
#include "graph/graph.h"
#include "plugin/store/store.h"
#include "plugin/store/program.h"
#include "util/alloc.h"
#include "util/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OTHERS = 4 }; /* folders that a new profile is compared with */

/* ---- The plan of a run ------------------------------------------------------------------- */

size_t store_plan_print(const store_plan *plan, char text[STORE_PLAN_TEXT])
{
    static const store_plan usual = {.purpose = STORE_PROFILES};

    plan = plan ? plan : &usual;
    return (size_t)snprintf(text, STORE_PLAN_TEXT, "plan %d %d %s\nloaded %u %016llx %u\n",
                            (int)plan->purpose, plan->placed, plan->against, plan->mpi,
                            (unsigned long long)plan->loaded, plan->nodes);
}

static store_plan read_plan(int run)
{
    char text[STORE_ENTRY_TEXT + STORE_PLAN_TEXT];
    store_plan plan = {.purpose = STORE_PROFILES};
    unsigned long long loaded;
    const char *line;
    int purpose;

    if (!store_file_read(run, STORE_RUN_TAKING, text, sizeof text) ||
        !(line = strstr(text, "\nplan ")) ||
        sscanf(line, "\nplan %d %d %16[0-9a-f]", &purpose, &plan.placed, plan.against) < 2)
        return plan;
    if (purpose >= STORE_PROFILES && purpose <= STORE_COMPARES)
        plan.purpose = (enum store_purpose)purpose;
    plan.placed = plan.placed != 0;
    plan.refused = plan.placed && !faccessat(run, STORE_RUN_REFUSED, F_OK, AT_SYMLINK_NOFOLLOW);
    line = strstr(line + 1, "\nloaded ");
    if (line && sscanf(line, "\nloaded %u %llx %u", &plan.mpi, &loaded, &plan.nodes) >= 2 &&
        plan.mpi < STORE_MPIS)
        plan.loaded = loaded;
    else
        plan.mpi = STORE_MPI_NONE;
    return plan;
}

/* ---- What it has left -------------------------------------------------------------------- */

typedef struct outcome {
    const store *store;
    const char *name;
    int run;
    store_plan plan;
    topomap_part_summary parts;
    int has_parts;
    topomap_graph *graph; /* what it sent, or NULL: it cannot be read */
} outcome;

static int failed(int status, topomap_error *why)
{
    if (WIFSIGNALED(status))
        return topomap_error_set(why, TOPOMAP_EINPUT, "the last run was ended by signal %d",
                                 WTERMSIG(status));
    return topomap_error_set(why, TOPOMAP_EINPUT, "the last run ended with status %d",
                             WEXITSTATUS(status));
}

/* A run that failed may have done anything; one that sent nothing says nothing. */
static int find(outcome *o, topomap_error *why)
{
    char path[STORE_PATH];

    o->has_parts = !topomap_parts_summary_open(o->run, "its folder", &o->parts, NULL);
    if (o->has_parts && o->parts.status)
        return failed(o->parts.status, why);
    if (faccessat(o->run, STORE_RUN_FILE, F_OK, AT_SYMLINK_NOFOLLOW) && store_join(o->run, 0, why))
        return -1;
    if (store_profile_check(o->run, o->store->most, why))
        return -1;
    if (o->has_parts && !o->parts.messages)
        return topomap_error_set(why, TOPOMAP_EINPUT, "the last run sent no messages");
    snprintf(path, sizeof path, "%s/run/%s/%s", o->store->root, o->name, STORE_RUN_FILE);
    if (topomap_graph_read(path, "tmg", &o->graph, NULL))
        o->graph = NULL;
    return 0;
}

/* How much of the run's traffic went as a stored profile has it; below 0: nobody knows. */
static double likeness(const outcome *o, const char *key)
{
    char path[STORE_PATH];
    topomap_graph *stored;
    double share;

    store_graph_path(o->store, key, 0, path);
    if (!o->graph || !*key || topomap_graph_read(path, "tmg", &stored, NULL))
        return -1;
    if (topomap_graph_likeness(stored, o->graph, &share, NULL))
        share = -1;
    topomap_graph_free(stored);
    return share;
}

/* ---- The profile ------------------------------------------------------------------------- */

/* With those of other folders. */
static void compare_folders(const outcome *o, store_entry *now)
{
    TOPOMAP_FREED store_entry *others = calloc(OTHERS, sizeof *others);
    TOPOMAP_CLOSED int profiles = store_folder_open(o->store, "profiles", 0, NULL);
    unsigned count = 0;

    now->agrees = now->differs = 0;
    if (others && profiles >= 0 && now->place)
        count = store_kin_others(profiles, now, others, OTHERS);
    for (unsigned i = 0; i < count; i++) {
        double alike = likeness(o, others[i].key);

        now->agrees += alike >= STORE_AGREES;
        now->differs += alike >= 0 && alike < STORE_AGREES;
    }
}

/* Times of the layouts that the profile before has made say nothing of the next. */
static void forget_placed(store_entry *now)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < now->times; i++)
        if (!now->time[i].placed)
            now->time[kept++] = now->time[i];
    now->times = kept;
}

/* Stores the run's profile. A comparison run, in Slurm's layout, that sent what the stored profile
 * says does not restart a placement that another launch has stopped meanwhile. Returns 0, or -1
 * with \p why set, if the profile cannot be stored. */
static int take_profile(const outcome *o, store_entry *now, double alike, topomap_error *why)
{
    int same = now->has_graph && alike >= STORE_CHANGED;
    int restarts = now->stopped && !(same && o->plan.purpose == STORE_COMPARES);
    uint32_t ranks = o->graph ? topomap_graph_ranks(o->graph) : 0;

    compare_folders(o, now);
    if (store_profile_take(o->store, o->run, now->key, why))
        return -1;
    if (restarts || !same)
        forget_placed(now);
    if (restarts || !now->has_graph)
        now->number = 1;
    now->workers = now->ranks && ranks > now->ranks ? ranks / now->ranks : 0;
    now->made = topomap_clock_date();
    now->profiles++;
    now->launches = now->refused = now->tries = 0;
    now->has_graph = 1;
    if (o->plan.purpose == STORE_PROFILES)
        now->worse = 0;
    if (restarts || !same)
        now->stopped = STORE_GOES_ON;
    return 0;
}

/* A run that is not as its profile says leaves a better one. */
static enum store_left take_graph(const outcome *o, store_entry *now, topomap_error *why)
{
    int profiles = o->plan.purpose == STORE_PROFILES;
    double alike = likeness(o, profiles ? now->key : o->plan.against);

    if (o->plan.purpose == STORE_CHECKS && now->has_graph && (alike < 0 || alike >= STORE_CHANGED))
        return STORE_LEFT_COUNTS;
    now->changed = 0;
    if (!profiles && alike >= 0 && alike < STORE_CHANGED)
        now->changed = (uint32_t)(100 * (1 - alike) + 0.5);
    return take_profile(o, now, alike, why) ? STORE_LEFT_NOTHING : STORE_LEFT_PROFILE;
}

static void take_time(const outcome *o, store_entry *now)
{
    const store_time measured = {.placed = o->plan.placed && !o->plan.refused,
                                 .nodes = o->plan.nodes ? o->plan.nodes : o->parts.nodes,
                                 .messages = o->parts.messages,
                                 .wall = (double)o->parts.wall_ns * 1e-9,
                                 .mpi = (double)o->parts.mpi_ns * 1e-9,
                                 .when = topomap_clock_date()};

    if (o->has_parts && o->parts.has_time && measured.wall > 0)
        store_entry_time(now, &measured);
}

/* ---- Which MPI it loaded ----------------------------------------------------------------- */

/* Ranks that came to the end of MPI had the one whose profiler they have. */
static enum store_mpi find_loaded(const outcome *o)
{
    enum store_mpi found = o->has_parts ? store_loaded_number(o->parts.mpi) : STORE_MPI_NONE;

    return found || !o->has_parts || !o->parts.whole ? found : (enum store_mpi)o->plan.mpi;
}

/* Of a program that does not name one: its next run has the profiler of the one that this run has
 * loaded. One that came to a good end without any, and of which no run is known that had one, is
 * left alone from then on. \return nonzero: that is why there is no profile */
static int take_loaded(const outcome *o, store_entry *now, topomap_error *why)
{
    enum store_mpi found = find_loaded(o), before = STORE_MPI_NONE;
    int failed = o->has_parts && o->parts.status;
    int not_looked = o->has_parts && !o->parts.mpi; /* cli/run/run_auto.c */
    enum store_loaded known;

    if (!o->plan.mpi)
        return 0;
    known = store_loaded_read(o->store, o->plan.loaded, &before);
    if (!found && (failed || not_looked || now->mpi || known == STORE_LOADED_MPI))
        return 0;
    if (known == STORE_LOADED_UNKNOWN || found != before)
        store_loaded_write(o->store, o->plan.loaded, found);
    if (found)
        now->mpi = found;
    /* NCCL has its profiler, whichever else was preloaded. */
    if (failed || found == (enum store_mpi)o->plan.mpi || found == STORE_MPI_NCCL)
        return 0;
    if (found)
        topomap_error_set(why, TOPOMAP_EINPUT,
                          "the last run loaded another MPI than it was profiled for: %s",
                          store_mpi_name(found));
    else
        topomap_error_set(why, TOPOMAP_EINPUT, "the last run loaded no MPI that is known");
    return 1;
}

/* ---- The entry --------------------------------------------------------------------------- */

/* Below 0: the layout was worse than Slurm's for what the run sent. Once is a profile that was not
 * its own, which that of the run has replaced; twice is a program that is another each time. */
static void take_judgement(const outcome *o, store_entry *now, enum store_left left)
{
    char text[64];
    double gain;

    if (o->plan.refused || !store_file_read(o->run, STORE_RUN_JUDGED, text, sizeof text) ||
        sscanf(text, "%lf", &gain) != 1)
        return;
    now->worse = gain < 0 ? now->worse + 1 : 0;
    if (now->worse > 1 || (now->worse && left == STORE_LEFT_COUNTS))
        now->stopped = STORE_WORSE;
}

static enum store_left take(outcome *o, store_entry *now, topomap_error *why)
{
    enum store_left left = STORE_LEFT_NOTHING;

    now->refused += o->plan.refused && o->plan.purpose == STORE_CHECKS;
    if (!find(o, why))
        left = take_graph(o, now, why);
    if (left) {
        *now->last = 0;
        take_loaded(o, now, NULL);
        take_time(o, now);
        take_judgement(o, now, left);
        store_trust_settle(now);
    } else {
        if (!take_loaded(o, now, why))
            now->tries += o->plan.purpose == STORE_PROFILES;
        snprintf(now->last, sizeof now->last, "%.150s", why->text);
    }
    topomap_graph_free(o->graph);
    return left;
}

/* Whose it is, of one that was damaged. */
static void name(store_entry *now, const store_entry *entry)
{
    memcpy(now->program, entry->program, sizeof now->program);
    memcpy(now->words, entry->words, sizeof now->words);
    memcpy(now->folder, entry->folder, sizeof now->folder);
    memcpy(now->input, entry->input, sizeof now->input);
    now->id = entry->id;
    now->family = entry->family;
    now->place = entry->place;
    now->ranks = entry->ranks;
}

enum store_left store_outcome_take(const store *store, const char *folder, int run,
                                   store_entry *entry, topomap_error *why)
{
    outcome o = {.store = store, .name = folder, .run = run, .plan = read_plan(run)};
    store_entry now = *entry;
    int is_stored = store_entry_read(store, &now); /* others may have used it meanwhile */
    enum store_left left = take(&o, &now, why);
    topomap_error err;

    name(&now, entry);
    /* Of a script without MPI nothing is kept here: there are many. */
    if ((left || is_stored || !o.plan.mpi || now.mpi || now.tries) &&
        store_entry_write(store, &now, &err) && left)
        *why = err;
    *entry = now;
    return left;
}
