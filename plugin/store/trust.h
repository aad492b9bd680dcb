/* SPDX-License-Identifier: BSD-3-Clause */
/* How far a stored profile is trusted: which launches are counted or measured, and what their times
 * say. Nothing here looks at a file. */
#ifndef TOPOMAP_PLUGIN_STORE_TRUST_H
#define TOPOMAP_PLUGIN_STORE_TRUST_H

#include "plugin/store/store.h"

/** Below this much of its bytes between the ranks that its profile says, a run was another. */
#define STORE_CHANGED 0.8
/** From this much on the profiles of two folders agree. */
#define STORE_AGREES 0.95

/** What the next launch of a program with a profile is to do. */
typedef struct store_choice {
    int place;   /* else it runs in Slurm's layout */
    int count;   /* what it sends and how long it takes is of interest */
    int stopped; /* it is not placed, since the entry says so; else for the sake of its time */
} store_choice;

/** Launches 3 and 5 run in Slurm's layout, and then one in \p every (0: none does), so that there
 *  are times to compare with; the first three that are placed with a profile are counted, then each
 *  tenth.
 *  \param compare  both layouts by turns, until there are so many times of each; 0: not asked */
store_choice store_trust_choose(const store_entry *entry, uint64_t every, uint64_t compare);

/** Times in both layouts, of runs that can be compared with the last one: on as many nodes, with as
 *  many messages (2 %). */
typedef struct store_comparison {
    unsigned runs[2];         /* in Slurm's layout, placed */
    double wall[2], mpi[2];   /* medians, seconds; of no run: 0 */
    double least[2], most[2]; /* of wall */
    double noise;             /* what two medians may differ by, seconds */
    double gain;              /* percent of Slurm's wall time; 0 unless both have runs */
    int says;                 /* 1: the placed one is faster, by more than the noise; -1: slower;
                                 0: neither, or too few */
} store_comparison;
store_comparison store_trust_compare(const store_entry *entry);

/** Stops placing, where three runs of each layout say that it is slower by more than 2 %. \return
 *  nonzero: just now */
int store_trust_settle(store_entry *entry);

/** One line for people: "Slurm's layout 4.20 s (3 runs), placed 3.91 s (3 runs): 6.9 % faster".
 *  Empty where there are not times of both. */
void store_trust_print(const store_comparison *comparison, char text[160]);

#endif
