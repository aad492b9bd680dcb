/* SPDX-License-Identifier: BSD-3-Clause */
/* Below another launcher than Slurm's nobody on the nodes lends memory: each rank leaves its part
 * in the run's folder, which whoever started the launcher brings together. A thread writes it, so
 * that a rank goes on where the file system holds it; what the kernel then ends with the process.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "part.h"

enum { SECONDS = 5 }; /* that a rank waits for its part to be written */

/* Of its own, since what the rank has is freed before the thread may be done. */
struct leaving {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int done;
    char *path;
    profile_part part;
    profile_record record[];
};

static struct leaving *copy_of(const char *path, const profile_part *part)
{
    size_t size = part->count * sizeof *part->record;
    struct leaving *leaving = calloc(1, sizeof *leaving + size);

    if (!leaving)
        return NULL;
    leaving->part = *part;
    leaving->part.record = leaving->record;
    memcpy(leaving->record, part->record, size);
    leaving->path = strdup(path);
    if (leaving->path)
        return leaving;
    free(leaving);
    return NULL;
}

static void clear(struct leaving *leaving)
{
    free(leaving->path);
    free(leaving);
}

static void *leave(void *with)
{
    struct leaving *leaving = with;
    int folder = open(leaving->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (folder >= 0) {
        (void)profile_file_part(folder, &leaving->part);
        close(folder);
    }
    pthread_mutex_lock(&leaving->lock);
    leaving->done = 1;
    pthread_cond_signal(&leaving->changed);
    pthread_mutex_unlock(&leaving->lock);
    return NULL;
}

/* The program's signals are for its own threads. */
static int start(struct leaving *leaving, pthread_t *thread)
{
    sigset_t all, before;
    int failed;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    failed = pthread_create(thread, NULL, leave, leaving);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

static int wait_for(struct leaving *leaving)
{
    struct timespec until;
    int failed = 0, done;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += SECONDS;
    pthread_mutex_lock(&leaving->lock);
    while (!leaving->done && !failed)
        failed = pthread_cond_timedwait(&leaving->changed, &leaving->lock, &until);
    done = leaving->done;
    pthread_mutex_unlock(&leaving->lock);
    return done;
}

void profile_folder_leave(const char *path, const profile_part *part)
{
    struct leaving *leaving = copy_of(path, part);
    pthread_condattr_t by_clock;
    pthread_t thread;

    if (!leaving)
        return;
    pthread_mutex_init(&leaving->lock, NULL);
    pthread_condattr_init(&by_clock);
    pthread_condattr_setclock(&by_clock, CLOCK_MONOTONIC);
    pthread_cond_init(&leaving->changed, &by_clock);
    pthread_condattr_destroy(&by_clock);
    if (start(leaving, &thread)) {
        clear(leaving);
    } else if (wait_for(leaving)) {
        pthread_join(thread, NULL);
        clear(leaving);
    } else { /* what it has stays its own */
        pthread_detach(thread);
    }
}
