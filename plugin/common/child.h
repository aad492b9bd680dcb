/* SPDX-License-Identifier: BSD-3-Clause */
/* A process for another program, srun's planner, the planner's scontrol or slurmstepd's
 * topomap-node: it can neither stop who starts it nor keep anything of it open. */
#ifndef TOPOMAP_PLUGIN_COMMON_CHILD_H
#define TOPOMAP_PLUGIN_COMMON_CHILD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "topomap/topomap.h"

/** What the program finds open. No other descriptor is but /dev/null: who reads our output to its
 * end must not wait for a program that a file system holds. */
struct plugin_child_files {
    int request;          /* its descriptor 0; above 9 here */
    int reply;            /* its descriptor 3; above 9 here */
    int prints;           /* nonzero: the reply is what it prints, its descriptor 1 */
    int ends_with_us;     /* nonzero: killed where the thread that starts it ends */
    uint64_t memory;      /* bytes of addresses at most; 0: 8 GiB */
    unsigned cpu_seconds; /* at most; 0: any */
    int unprivileged;     /* nonzero: drops privileges (sandbox.h) and has no environment */
    const struct plugin_user *user; /* or NULL; drops them to this user, who may write files */
    int kill_ms; /* how long one that was killed is waited for; 0: half a second */
};

/** A pipe, closed at exec, whose ends are both above 9. \return 0, or -1 with errno */
int plugin_child_pipe(int ends[2]);

/** Two of them, or none. \return 0, or -1 with errno */
int plugin_child_pipes(int request[2], int reply[2]);

/** Closes what is open of \p *fd and makes it -1. */
void plugin_child_close(int *fd);

/** Starts \p path with \p words, of which the first is its name, in a session of its own, with no
 *  signal blocked or ignored, and returns when it runs. Ended with plugin_child_end(). On failure
 * nothing runs, or a process that a file system holds in the kernel and that ends when that lets go
 * of it. \param until  in topomap_clock_ms()'s milliseconds \return 0, or an errno; ETIMEDOUT: it
 * does not run yet */
int plugin_child_start(const char *path, const char *const *words,
                       const struct plugin_child_files *files, int64_t until, pid_t *pid);

/** Waits \p wait_ms for it to end and kills it and what it started. One that a file system holds in
 *  the kernel ends when that lets go of it, and the step does not wait for that.
 *  \return its status as of waitpid(2), 0 where it is not known */
int plugin_child_end(pid_t pid, int wait_ms);

/** The same, and waits \p kill_ms for one that was killed. */
int plugin_child_kill(pid_t pid, int wait_ms, int kill_ms);

/** What a program is told, and who hears its reply. */
struct plugin_child_talk {
    const void *bytes;
    size_t size;
    /* Reads what there is of the reply, which does not block, and may move the end of the time.
     * \return 1: more may come, 0: the end, -1: failure */
    int (*receive)(int reply, int64_t *until, void *with);
    void *with;
    int64_t until; /* in topomap_clock_ms()'s milliseconds */
};

/** Starts a program with two pipes, tells it all and hears its reply to the end; neither waits
 *  alone. One that takes no more may still answer.
 *  \param files  its request and reply are filled; -1: there was no pipe
 *  \param pid    of what runs now, and the caller ends; -1: it did not start, and why is returned
 *  \return 0, -1 where `receive` has failed, errno as it left it, or an errno; ETIMEDOUT */
int plugin_child_ask(const char *path, const char *const *words, struct plugin_child_files *files,
                     const struct plugin_child_talk *talk, pid_t *pid);

/** An answer as it comes. */
struct plugin_child_answer {
    char *bytes;           /* a NUL is behind them; ends with free() */
    size_t size, capacity; /* capacity counts the NUL */
    size_t most;           /* bytes of it */
    topomap_error *err;    /* says that there is no memory; may be NULL */
};

/** Receives such an answer. On failure errno says why; EMSGSIZE: it is longer */
int plugin_child_receive(int reply, int64_t *until, void *answer);

#endif
