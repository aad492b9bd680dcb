/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that run attempts ahead of the portfolio. The portfolio takes attempts in the order of
 * its table, decides by what they reached, and throws away what it would not have tried; so its
 * answer does not depend on the number of threads or on who was first. */
#ifndef TOPOMAP_CREW_H
#define TOPOMAP_CREW_H

#include <pthread.h>

#include "map/auto/attempt.h"

/** The next attempt that somebody idle may begin, waiting; NULL: none at present. Called with the
 *  crew's lock held. */
typedef topomap_attempt *topomap_crew_pick(void *data);

typedef struct topomap_crew {
    topomap_problem *problem;
    int is_auto;
    topomap_crew_pick *pick; /* or NULL: nobody runs ahead */
    void *data;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t threads; /* started, beside the caller */
    struct topomap_hand *hand;
    int closing;
} topomap_crew;

/** Starts threads - 1 threads; fewer where the system has no more. The lock is then held by the
 *  caller, who lets go of it in topomap_crew_take() only. */
int topomap_crew_open(topomap_crew *crew, topomap_problem *problem, uint32_t threads,
                      topomap_error *err);
/** Sees that a waiting attempt gets done: runs it, or waits for who runs it, and lends a hand
 *  elsewhere meanwhile. Its status is then the attempt's. */
void topomap_crew_take(topomap_crew *crew, topomap_attempt *attempt);
/** Has attempts looked for anew, after what pick() goes by has changed. */
void topomap_crew_wake(topomap_crew *crew);
/** Cancels what runs, waits for it and ends all threads; the lock is gone. */
void topomap_crew_close(topomap_crew *crew);

#endif
