/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/auto/portfolio.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

enum { MOST = 256 };

struct topomap_worker {
    topomap_worker_pool *crew;
    pthread_t thread;
    uint32_t *scratch;
    topomap_attempt *attempt; /* that it runs */
};

static void work_on(topomap_worker_pool *crew, topomap_attempt *attempt, uint32_t *scratch)
{
    attempt->state = TOPOMAP_ATTEMPT_RUNNING;
    pthread_mutex_unlock(&crew->lock);
    topomap_attempt_run(attempt, crew->problem, scratch, crew->is_auto);
    pthread_mutex_lock(&crew->lock);
    attempt->state = TOPOMAP_ATTEMPT_DONE;
    pthread_cond_broadcast(&crew->changed);
}

static void *lend_a_hand(void *data)
{
    struct topomap_worker *hand = data;
    topomap_worker_pool *crew = hand->crew;

    pthread_mutex_lock(&crew->lock);
    while (!crew->closing) {
        hand->attempt = crew->pick(crew->data);
        if (hand->attempt)
            work_on(crew, hand->attempt, hand->scratch);
        else
            pthread_cond_wait(&crew->changed, &crew->lock);
        hand->attempt = NULL;
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* The caller's signals stay the caller's. METIS raises these two where memory is short, in the
 * thread that asked for it. */
static int start(topomap_worker_pool *crew, struct topomap_worker *hand)
{
    sigset_t own, before;
    int status;

    sigfillset(&own);
    sigdelset(&own, SIGABRT);
    sigdelset(&own, SIGTERM);
    pthread_sigmask(SIG_SETMASK, &own, &before);
    hand->crew = crew;
    status = pthread_create(&hand->thread, NULL, lend_a_hand, hand);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

int topomap_worker_pool_open(topomap_worker_pool *crew, topomap_problem *problem, uint32_t threads,
                             topomap_error *err)
{
    uint32_t more = !crew->pick || threads < 2 ? 0 : threads - 1 < MOST ? threads - 1 : MOST;
    uint32_t n = problem->weights.vertices;

    crew->problem = problem;
    crew->hand = topomap_alloc(more, sizeof *crew->hand, err);
    if (!crew->hand)
        return -1;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->changed, NULL);
    pthread_mutex_lock(&crew->lock);
    for (uint32_t i = 0; i < more; i++) {
        struct topomap_worker *hand = &crew->hand[i];
        topomap_error why;

        hand->scratch = topomap_alloc(n, sizeof *hand->scratch, &why);
        if (hand->scratch)
            memset(hand->scratch, 0xff, n * sizeof *hand->scratch);
        if (!hand->scratch || start(crew, hand) != 0) {
            free(hand->scratch);
            break;
        }
        crew->threads++;
    }
    return 0;
}

void topomap_worker_pool_take(topomap_worker_pool *crew, topomap_attempt *attempt)
{
    while (attempt->state != TOPOMAP_ATTEMPT_DONE) {
        topomap_attempt *next =
            attempt->state == TOPOMAP_ATTEMPT_WAITING ? attempt : crew->pick(crew->data);

        if (next)
            work_on(crew, next, crew->problem->work.scratch);
        else
            pthread_cond_wait(&crew->changed, &crew->lock);
    }
}

void topomap_worker_pool_wake(topomap_worker_pool *crew)
{
    pthread_cond_broadcast(&crew->changed);
}

void topomap_worker_pool_close(topomap_worker_pool *crew)
{
    crew->closing = 1;
    for (uint32_t i = 0; i < crew->threads; i++)
        if (crew->hand[i].attempt)
            atomic_store(&crew->hand[i].attempt->cancel, 1);
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
    for (uint32_t i = 0; i < crew->threads; i++) {
        pthread_join(crew->hand[i].thread, NULL);
        free(crew->hand[i].scratch);
    }
    pthread_cond_destroy(&crew->changed);
    pthread_mutex_destroy(&crew->lock);
    free(crew->hand);
}
