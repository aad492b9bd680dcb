/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that run attempts ahead of the portfolio. The portfolio takes attempts in the order of
 * its table, decides by what they reached, and throws away what it would not have tried; so its
 * answer does not depend on the number of threads or on who was first. */
#ifndef TOPOMAP_MAP_AUTO_WORKER_POOL_H
#define TOPOMAP_MAP_AUTO_WORKER_POOL_H

#include <pthread.h>

#include "map/auto/attempt.h"

/** The next attempt that somebody idle may begin, waiting; NULL: none at present. Called with the
 *  crew's lock held. */
typedef topomap_attempt *topomap_worker_pool_pick(void *data);

typedef struct topomap_worker_pool {
    topomap_problem *problem;
    int is_auto;
    topomap_worker_pool_pick *pick; /* or NULL: nobody runs ahead */
    void *data;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t threads; /* started, beside the caller */
    struct topomap_worker *hand;
    int closing;
} topomap_worker_pool;

/** Starts threads - 1 threads; fewer where the system has no more. The lock is then held by the
 *  caller, who lets go of it in topomap_worker_pool_take() only. */
int topomap_worker_pool_open(topomap_worker_pool *crew, topomap_problem *problem, uint32_t threads,
                             topomap_error *err);
/** Sees that a waiting attempt gets done: runs it, or waits for who runs it, and lends a hand
 *  elsewhere meanwhile. Its status is then the attempt's. */
void topomap_worker_pool_take(topomap_worker_pool *crew, topomap_attempt *attempt);
/** Has attempts looked for anew, after what pick() goes by has changed. */
void topomap_worker_pool_wake(topomap_worker_pool *crew);
/** Cancels what runs, waits for it and ends all threads; the lock is gone. */
void topomap_worker_pool_close(topomap_worker_pool *crew);

#endif
