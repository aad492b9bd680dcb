/* SPDX-License-Identifier: BSD-3-Clause */
/* Below another launcher than Slurm's nobody on the nodes lends memory: each rank leaves its part
 * in the run's folder, which whoever started the launcher brings together. A process of its own
 * writes it: a thread that a file system holds in the kernel would keep the rank from its end,
 * whatever kills it. It shares the rank's memory (clone(2), CLONE_VM), since fork(2) would take
 * away from the rank the pages that its network writes to (ibv_fork_init(3)), and it is no child
 * that the program's own waiting finds, nor a SIGCHLD. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "part.h"
#include "util/clock.h"

enum {
    STACK = 256 << 10,
    MOST_FILES = 65536, /* where they are closed one by one */
    STEP_NS = 200000
};
/* That a rank waits for its part to be written; then for the process that was killed. */
static const double SECONDS = 5, KILL_SECONDS = 0.1;

/* Of its own, since what the rank has is freed before the process may be done. */
struct leaving {
    char *stack, *path;
    profile_part part;
    profile_record record[];
};

static void clear(struct leaving *leaving)
{
    if (leaving->stack && leaving->stack != MAP_FAILED)
        munmap(leaving->stack, STACK);
    free(leaving->path);
    free(leaving);
}

/* The environment is read here: it may change while the process runs. */
static struct leaving *copy_of(const char *path, const profile_part *part)
{
    size_t size = part->count * sizeof *part->record;
    struct leaving *leaving = calloc(1, sizeof *leaving + size);

    if (!leaving)
        return NULL;
    leaving->part = *part;
    leaving->part.run = profile_file_run();
    leaving->part.record = leaving->record;
    if (size)
        memcpy(leaving->record, part->record, size);
    leaving->path = strdup(path);
    leaving->stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (leaving->path && leaving->stack != MAP_FAILED)
        return leaving;
    clear(leaving);
    return NULL;
}

/* Whoever reads the rank's output to its end, or talks to it, must not wait for this process.
 * close_range is of Linux 5.9, and called by number, since glibc has it from 2.34 on. */
static void close_all(void)
{
    struct rlimit limit;
    int most = MOST_FILES;

#ifdef SYS_close_range
    if (!syscall(SYS_close_range, 0U, ~0U, 0U))
        return;
#endif
    if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < MOST_FILES)
        most = (int)limit.rlim_cur;
    for (int fd = 0; fd < most; fd++)
        close(fd);
}

/* In that process: system calls alone. */
static int leave(void *with)
{
    const struct leaving *leaving = with;
    int folder;

    close_all();
    folder = open(leaving->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0)
        (void)profile_file_part(folder, &leaving->part);
    return 0;
}

/* The program's signals are for itself, and a limit on file sizes is no signal. */
static pid_t start(struct leaving *leaving)
{
    sigset_t all, before;
    pid_t pid;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pid = clone(leave, leaving->stack + STACK, CLONE_VM, leaving);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pid;
}

static int wait_for(pid_t pid, double seconds)
{
    const double until = topomap_clock_wall() + seconds;
    const struct timespec step = {0, STEP_NS};
    int ended;

    while (!(ended = waitpid(pid, NULL, WNOHANG | __WALL) != 0) && topomap_clock_wall() < until)
        nanosleep(&step, NULL);
    return ended;
}

void profile_folder_leave(const char *path, const profile_part *part)
{
    struct leaving *leaving = copy_of(path, part);
    int ended = 1;
    pid_t pid;

    if (!leaving)
        return;
    pid = start(leaving);
    if (pid > 0 && !wait_for(pid, SECONDS)) {
        kill(pid, SIGKILL);
        ended = wait_for(pid, KILL_SECONDS);
    }
    if (ended) /* else what it has stays its own */
        clear(leaving);
}
