/* SPDX-License-Identifier: BSD-3-Clause */
/* Starting another program, and what a process must watch. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "topomap/topomap.h"

/* ---- child --------------------------------------------------------------------- */
/* A process for another program, srun's planner, the planner's scontrol or slurmstepd's
 * topomap-node: it can neither stop who starts it nor keep anything of it open. */

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

/* ---- The step's control group -------------------------------------------------- */
/* The control group of what slurmstepd starts. Slurm waits at a step's end for the group that
 * slurmstepd and its children are in to be empty, a minute at least, and then drains the node
 * (proctrack/cgroup and cgroup/v2, slurm 22.05 to 26.05: proctrack_p_wait(), which counts
 * CG_LEVEL_STEP_SLURM). A process that a file system holds in the kernel is moved to where
 * slurmstepd itself goes then: SCOPE/system, of no step. */

enum { PLUGIN_GROUP_PATH = 1024 };

/** The file that takes a process of slurmstepd's out of its step.
 *  \param text  of /proc/self/cgroup \param path  PLUGIN_GROUP_PATH bytes
 *  \return 0, or -1: not slurmstepd's group, or not that of cgroup/v2 */
int plugin_group_outside(const char *text, char *path);

/* ---- descriptors --------------------------------------------------------------- */
/* Closing what a child inherited, between fork and exec: only system calls, no memory, no locks.
 * And what standard input is. */

/** Closes every descriptor from \p first up, by the first way below that works here. */
void plugin_descriptors_close_from(int first);

/** close_range, of Linux 5.9. Called by number: glibc has it since 2.34 only. \return 0 or -1 */
int plugin_descriptors_by_range(int first);

/** One by one, as /proc/self/fd lists them. \return 0 or -1, some of them closed */
int plugin_descriptors_by_folder(int first);

/** One by one up to the process' limit, 65536 at most. \return 0 */
int plugin_descriptors_by_number(int first);

/** What standard input is, where that is a file: a part of a program's case. The kernel names it,
 *  no file system is asked. \return nonzero: \p path has it */
int plugin_descriptors_input(char *path, size_t size);

/* ---- keyring ------------------------------------------------------------------- */
/* A note in the user's keyring of the kernel (user-keyring(7)), on this machine: no file system can
 * hold it up, nobody else can make it first, and it goes by itself after a week. */

/** \return the bytes of the note \p name, at most \p room of them into \p bytes; 0: there is none,
 * it is longer, or the kernel has no keyring for us */
size_t plugin_keyring_read(const char *name, void *bytes, size_t room);

/** Whoever writes last is read; without a keyring nothing happens. */
void plugin_keyring_write(const char *name, const void *bytes, size_t size);

/* ---- Scores for the OOM killer ---------------------------------------------- */
/* Who ends where memory does. */

/** Makes this process, and what it starts, the first that the kernel ends where a control group or
 *  the machine has no memory left: a job can do without topomap, not without its program. What
 *  slurmstepd starts would be the last otherwise (-1000 is slurmstepd's own, STEPD_OOM_ADJ in
 *  Slurm's slurmstepd/mgr.c 22.05 to 26.05). Where the kernel refuses, nothing changes. */
void plugin_oom_first(void);
