/* SPDX-License-Identifier: BSD-3-Clause */
/* Importing a finished run: its claim, its profile, and whether placing pays. */
#pragma once

#include "plugin/store/store.h"
#include "topomap/topomap.h"

/* ---- run claim ----------------------------------------------------------------- */
/* Who takes a run in: one process at a time, and the next one where that was killed over it. */

/* In the folder of a run: whose profile it will be; and what that is called once somebody has begun
 * to take it in. */
#define STORE_RUN_ABOUT "entry"
#define STORE_RUN_TAKING "entry.taken"

/** Claims the run of a folder for this process, as long as the descriptor is open: it holds a lock
 * that ends with the process. Where the file system has no locks, the first claim is the only one.
 *  \return a descriptor, which the caller closes, or -1 with errno, ENOENT: it is another's, or is
 * gone */
int store_claim(int run);

/* ---- join ---------------------------------------------------------------------- */

/** Makes STORE_RUN_FILE of the parts in the folder of a run, where every rank is there and whole.
 *  Several may do so at once.
 *  \param soon  a launch waits for it: many parts, or large ones, are left to the end of a step
 *  \return 0, or -1: and why there is none */
int store_join(int run, int soon, topomap_error *why);

/* ---- outcome ------------------------------------------------------------------- */
/* What becomes of an entry when one of its runs has ended. */

enum { STORE_PLAN_TEXT = 128 };

/** A run's plan as lines behind those of its entry. NULL: it leaves a profile. \return their
 *  length */
size_t store_plan_print(const store_plan *plan, char text[STORE_PLAN_TEXT]);

/** Takes in what a run has left: its profile, where that is wanted or the stored one is no longer
 *  like it; its time; or why there is nothing.
 *  \param name, run  the run's folder, claimed
 *  \param entry  whose run it was; brought up to date */
enum store_left store_outcome_take(const store *store, const char *name, int run,
                                   store_entry *entry, topomap_error *why);

/* ---- trust --------------------------------------------------------------------- */
/* How far a stored profile is trusted: which launches are counted or measured, and the verdict
 * on their times. Nothing here looks at a file. */

/** Below this much of its bytes between the ranks that its profile says, a run was another. */
#define STORE_CHANGED 0.8
/** From this much on the profiles of two folders agree. */
#define STORE_AGREES 0.95

/** What the next launch of a program with a profile is to do. */
typedef struct store_choice {
    int place; /* else it runs in Slurm's layout */
    int count; /* profile this launch and record its time; if it is not placed, its profile replaces
                  the stored one */
    int stopped; /* it is not placed since the entry says so; else to measure Slurm's layout */
} store_choice;

/** Launches 3 and 5, and then one in \p every (0: none), use Slurm's layout for comparison and are
 * profiled again. A program that is no longer placed is profiled in one launch in \p every. The
 * first three launches that are placed with a profile are counted, then each tenth. */
store_choice store_trust_choose(const store_entry *entry, uint64_t every);

enum store_verdict { STORE_UNDECIDED, STORE_LOSS, STORE_WITHIN_NOISE, STORE_GAIN };
enum { STORE_ENOUGH = 3 /* runs of each layout for a verdict */, STORE_VERDICT_TEXT = 256 };

/** All counts, times and verdicts of a profile. Index 0 is Slurm's layout, index 1 topomap's. */
typedef struct store_comparison {
    uint32_t placed, refused; /* launches since it was profiled; refused: kept Slurm's layout */
    enum store_stop stopped;
    unsigned runs[2];         /* timed */
    double wall[2], mpi[2];   /* medians, seconds; without a run: 0 */
    double least[2], most[2]; /* of wall */
    double noise;             /* of a difference of medians, seconds; -1: unknown, too few runs */
    double gain;              /* percent of Slurm's time, negative: loss; 0 unless both have runs */
    unsigned missing[2];      /* runs that a verdict still needs */
    enum store_verdict verdict;
} store_comparison;

/** Judges from `runs`, `wall` and `noise`: sets `gain`, `missing` and `verdict`. */
void store_trust_judge(store_comparison *times);

/** Compares the timed runs that are like the last one: on as many nodes, with as many messages
 *  (2 %). Placed runs do not count if their profile is gone. */
store_comparison store_trust_compare(const store_entry *entry);

/** Stops placing if the verdict is a loss of more than 2 %. \return nonzero: just now */
int store_trust_settle(store_entry *entry);

/** The verdicts in JSON. */
extern const char *const store_verdict_word[STORE_GAIN + 1];
/** The verdict for people, "6.9 % faster (noise: 1.2 %)", or how many runs are missing. */
void store_verdict_print(const store_comparison *times, char text[STORE_VERDICT_TEXT]);
/** The same behind both times: "Slurm's layout 4.20 s (3 runs), placed 3.91 s (3 runs): ...". Empty
 *  unless both layouts have runs. */
void store_trust_print(const store_comparison *times, char text[STORE_VERDICT_TEXT]);
