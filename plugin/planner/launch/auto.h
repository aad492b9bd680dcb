/* SPDX-License-Identifier: BSD-3-Clause */
/* --topomap=auto: a step is placed with the profile that an earlier run of its program has left;
 * where there is none, it runs as Slurm lays it out and leaves one. */
#ifndef TOPOMAP_PLANNER_AUTO_H
#define TOPOMAP_PLANNER_AUTO_H

#include "plugin/planner/launch/verdict.h"
#include "plugin/store/program.h"
#include "plugin/store/store.h"

typedef struct planner_auto {
    planner_verdict *verdict;
    enum store_mpi mpi;
    int loads;       /* it is what earlier runs have loaded, or a guess: the program names none */
    int guessed;     /* it is a guess */
    uint64_t loaded; /* where it is remembered (loaded.h) */
    uint64_t once;   /* why it is left alone is said once, of this build; 0: each time */
    store store;
    int has_store;
    topomap_error no_store; /* why there is none */
    store_entry entry;
    char used[STORE_KEY + 1]; /* the entry whose graph is used, or "" */
    int is_own;   /* for who said "auto": whether and how the run is counted is ours to say */
    int counts;   /* what the run sends is to be compared with that */
    char *folder; /* where the run leaves what it sends; NULL: it is not counted */
    char request[3 * STORE_PATH]; /* lines that tell of the profile, or "" */
} planner_auto;

/** Where the graph is "auto", or none was named, looks for a stored profile and puts it in its
 *  place; where one is to be made, arranges it. \p now is all zero before.
 *  \return nonzero: the step is to be placed; 0: it is left as Slurm laid it out */
int planner_auto_begin(planner_auto *now, planner_verdict *verdict);

/** Fills the names of the entry, and its MPI. \return -1, and why it has none */
int planner_identify(planner_auto *now, topomap_error *why);

/** The path of an MPI's profiler. \return 0, or -1: it is not there, or cannot be preloaded */
int planner_auto_library(const planner_facts *facts, enum store_mpi mpi, char library[STORE_PATH],
                         topomap_error *why);

/** The step is planned. \p placed: it runs as the plan says, else in Slurm's layout.
 *  \param request  what it was planned by
 *  \param layout  what came of it; NULL: Slurm's stays */
void planner_auto_planned(planner_auto *now, int placed, const char *request, const char *layout);

/** The stored profile turned out to be of no use: it goes, and this run makes another. */
void planner_auto_damaged(planner_auto *now);

void planner_auto_clear(planner_auto *now);

#endif
