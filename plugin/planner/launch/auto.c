/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/planner/launch/launch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/common/environment.h"
#include "plugin/common/reply.h"
#include "plugin/store/program.h"
#include "plugin/store/run.h"

enum {
    TRIES = 3,           /* runs in a row that leave no profile, until somebody asks again */
    FOLDS = 4,           /* runs whose srun was killed that one launch looks at */
    PRELOAD_ROOM = 16384 /* bytes of the environment, for two paths */
};

static int wants(const planner_auto *now, enum topomap_request_key flag)
{
    return policy_flag(&now->verdict->decision.settings, flag);
}

/* ---- Counting --------------------------------------------------------------------------- */

/* Where a step leaves its profile, told to srun, which carries it to the nodes. */
static int carry(planner_auto *now, const store_plan *plan, topomap_error *why)
{
    const planner_facts *facts = now->verdict->facts;
    store_plan own = *plan;
    char library[STORE_PATH];

    if (planner_auto_library(facts, now->mpi, library, why))
        return -1;
    if (facts->room < PRELOAD_ROOM)
        return topomap_error_set(why, TOPOMAP_ESYSTEM, "the environment is full");
    own.mpi = now->loads ? now->mpi : STORE_MPI_NONE;
    own.loaded = now->loaded;
    own.nodes = facts->nodes;
    if (store_run_begin(&now->store, facts->job, facts->step, &now->entry, &own, &now->folder, why))
        return -1;
    fprintf(now->verdict->out, "preload %s %s/%s\n", library, now->folder, STORE_RUN_FILE);
    plugin_percent_line(now->verdict->out, "later run", now->folder);
    return 0;
}

/* Arranges that this run is counted. \return -1, and why it cannot */
static int count(planner_auto *now, const store_plan *plan, topomap_error *why)
{
    const char *own = getenv(PLUGIN_ENV_PROFILE);

    if (now->folder)
        return 0;
    if (own && *own)
        return topomap_error_set(why, TOPOMAP_EUSAGE, "%s is set: the user profiles",
                                 PLUGIN_ENV_PROFILE);
    if (now->entry.tries >= TRIES && !wants(now, TOPOMAP_REQUEST_PROFILE))
        return topomap_error_set(why, TOPOMAP_EUSAGE,
                                 "the last %u runs left no profile (%s; --topomap-options=profile "
                                 "tries again)",
                                 now->entry.tries, now->entry.last);
    return carry(now, plan, why);
}

static void again(planner_auto *now, int placed)
{
    const store_plan plan = {.purpose = STORE_PROFILES, .placed = placed};
    topomap_error why;

    if (!count(now, &plan, &why))
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

static void note_launch(planner_auto *now, int planned, int placed)
{
    topomap_error err;

    now->entry.number++;
    now->entry.launches += planned != 0;
    now->entry.refused += planned && !placed;
    now->entry.changed = 0;
    if (store_entry_write(&now->store, &now->entry, &err)) /* read-only: nothing is counted */
        planner_tell(now->verdict, 0, "%s", err.text);
}

static void leave(planner_auto *now, const char *format, ...) TOPOMAP_PRINTF(2, 3);
static void leave(planner_auto *now, const char *format, ...)
{
    char line[700];
    va_list values;

    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    planner_leave(now->verdict, now->verdict->decision.asked, line);
}

/* ---- A program with a profile ------------------------------------------------------------ */

static void leave_stopped(planner_auto *now)
{
    store_comparison times = store_trust_compare(&now->entry);
    char text[STORE_VERDICT_TEXT] =
        "the messages of its last runs had shorter routes in Slurm's layout";

    if (now->entry.stopped == STORE_SLOWER && times.verdict == STORE_LOSS)
        store_trust_print(&times, text);
    else if (now->entry.stopped == STORE_SLOWER)
        snprintf(text, sizeof text, "it was slower than in Slurm's layout");
    leave(now, "%s is not placed: %s (--topomap-options=profile tries again)", now->entry.program,
          text);
}

/* Counted in Slurm's layout, or not at all. */
static int stay(planner_auto *now, const store_entry *from, const store_choice *choice)
{
    store_plan plan = {.purpose = STORE_COMPARES};
    topomap_error why;

    memcpy(plan.against, from->key, sizeof plan.against);
    if (choice->stopped) {
        leave_stopped(now);
        if (choice->count || wants(now, TOPOMAP_REQUEST_PROFILE))
            again(now, 0);
    } else if (!count(now, &plan, &why)) {
        leave(now, "launch %u of %s uses Slurm's layout to measure its time (compare=%s)",
              now->entry.number + 1, now->entry.program,
              policy_get(&now->verdict->decision.settings, TOPOMAP_REQUEST_COMPARE));
    } else {
        planner_tell(now->verdict, 0, "no times of %s: %s", now->entry.program, why.text);
        return 1;
    }
    note_launch(now, 0, 0);
    return 0;
}

/* \return nonzero: it is to be placed */
static int with_profile(planner_auto *now, const store_entry *from)
{
    const char *every = policy_get(&now->verdict->decision.settings, TOPOMAP_REQUEST_COMPARE);
    store_choice choice = store_trust_choose(&now->entry, strtoull(every, NULL, 10));

    if (now->entry.changed)
        planner_tell(now->verdict, now->verdict->decision.asked,
                     "in its last run %u %% of the bytes of %s went between other ranks than in "
                     "its profile, which that of the run replaces",
                     now->entry.changed, now->entry.program);
    if (!choice.place && !stay(now, from, &choice))
        return 0;
    now->counts = choice.count;
    now->is_own = !use(now, from, 1);
    return 1;
}

/* For the judgement at the end of a run that is checked. One that is profiled again is not: what it
 * leaves takes the profile's place, whatever that was worth. */
static void keep_plan(const planner_auto *now, const char *request, const char *layout)
{
    char *text = NULL;
    int length = asprintf(&text, "layout %s\n%s", layout, request);

    if (length > 0 && length < STORE_PLANNED)
        store_run_write(now->folder, STORE_RUN_PLANNED, text, (size_t)length);
    if (length >= 0)
        free(text);
}

void planner_auto_planned(planner_auto *now, int placed, const char *request, const char *layout)
{
    store_plan plan = {.purpose = STORE_CHECKS, .placed = placed};
    topomap_error why;

    if (now->folder && !placed)
        store_run_write(now->folder, STORE_RUN_REFUSED, "1", 1);
    if (!now->is_own)
        return;
    memcpy(plan.against, now->used, sizeof plan.against);
    if (wants(now, TOPOMAP_REQUEST_PROFILE))
        again(now, placed);
    else if (now->counts && count(now, &plan, &why))
        planner_tell(now->verdict, 0, "this run of %s is not counted: %s", now->entry.program,
                     why.text);
    else if (now->counts && layout)
        keep_plan(now, request, layout);
    note_launch(now, 1, placed);
}

/* ---- One without ------------------------------------------------------------------------- */

/* Why the launches before have left none, or what is there elsewhere. */
static void say_why(const planner_auto *now, const store_kin *kin, char text[320])
{
    *text = 0;
    if (*now->entry.last)
        snprintf(text, 320, " (%s)", now->entry.last);
    else if (kin->differ)
        snprintf(text, 320, " (those of other folders differ: each has its own)");
    else if (kin->folders)
        snprintf(text, 320, " for this folder (%u other%s; used where two agree)", kin->folders,
                 kin->folders == 1 ? " has one" : "s have one");
}

/* There is no profile for this number of ranks. \return nonzero: one of another may do */
static int without_profile(planner_auto *now, const store_kin *kin)
{
    /* A pattern of workers is none of tasks. */
    int scaled = kin->has_size && !kin->size.workers && !use(now, &kin->size, 0);
    const store_plan plan = {.purpose = STORE_PROFILES, .placed = scaled};
    topomap_error why;
    char more[320];

    say_why(now, kin, more);
    if (!count(now, &plan, &why)) {
        if (!scaled)
            leave(now,
                  "no profile of this program at this size is stored%s: it runs with Slurm's "
                  "layout and leaves one%s",
                  more, now->guessed ? ", if it turns out to load an MPI" : "");
        return scaled;
    }
    if (scaled)
        return 1;
    leave(now,
          "no profile of this program is stored, and this run leaves none: %s; it runs with "
          "Slurm's layout",
          why.text);
    return 0;
}

/* ---- All of it --------------------------------------------------------------------------- */

static int begin(planner_auto *now, int wants_profile)
{
    const store_entry *from;
    store_kin kin = {.has_alike = 0};
    topomap_error why;

    if (!now->has_store) {
        if (wants_profile)
            planner_tell(now->verdict, now->verdict->decision.asked,
                         "%s; the step runs with Slurm's own layout", now->no_store.text);
        return !wants_profile;
    }
    store_fold_some(&now->store, FOLDS, &why);
    store_entry_read(&now->store, &now->entry);
    if (now->guessed && now->entry.mpi && now->entry.mpi < STORE_MPIS) {
        now->mpi = (enum store_mpi)now->entry.mpi;
        now->guessed = 0;
    }
    if (!now->entry.has_graph)
        store_kin_find(&now->store, &now->entry, &kin);
    from = now->entry.has_graph ? &now->entry : kin.has_alike ? &kin.alike : NULL;
    if (!wants_profile) { /* somebody wants it placed, with whatever there is */
        if (from)
            use(now, from, 1);
        return 1;
    }
    return from ? with_profile(now, from) : without_profile(now, &kin);
}

int planner_auto_begin(planner_auto *now, planner_verdict *verdict)
{
    const planner_facts *facts = verdict->facts;
    const char *graph = policy_get(&verdict->decision.settings, TOPOMAP_REQUEST_GRAPH);
    int wants_profile = graph && !strcmp(graph, "auto");
    int loud = verdict->decision.asked && (facts->said.step || facts->said.distribution);
    topomap_error why;
    char line[600];

    now->verdict = verdict;
    if (graph && !wants_profile)
        return 1;
    now->has_store = !store_open(facts->args.store, &now->store, &now->no_store);
    if (!planner_identify(now, &why))
        return begin(now, wants_profile);
    if (!wants_profile)
        return 1;
    snprintf(line, sizeof line, "auto: %s: left alone", why.text);
    if (loud && now->once && now->has_store)
        loud = !store_loaded_told(&now->store, now->once);
    planner_leave(verdict, loud, line); /* a job has steps of all kinds */
    return 0;
}

void planner_auto_damaged(planner_auto *now)
{
    const store_plan plan = {.purpose = STORE_PROFILES};
    topomap_error why;

    store_remove_graphs(&now->store, now->used);
    now->entry.has_graph = now->entry.has_before = 0;
    now->is_own = 0;
    if (count(now, &plan, &why))
        planner_tell(now->verdict, 0, "no new profile: %s", why.text);
}

void planner_auto_clear(planner_auto *now)
{
    free(now->folder);
    memset(now, 0, sizeof *now);
}
