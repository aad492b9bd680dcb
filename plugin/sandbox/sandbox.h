/* SPDX-License-Identifier: BSD-3-Clause */
/* clang-format off */
/* The privileges of topomap's processes during a launch, and the functions that restrict them.
 * SECURITY.md has the same table (tests/cli/book.bats).
 *
 * | process | restricted by | opens files | writes files | starts processes | sockets | memory |
 * |---|---|---|---|---|---|---|
 * | `topomap-planner` | | yes | yes | `scontrol`, its reader | yes | grows with tasks |
 * | the planner's reader | `plugin_reader_sandbox()` | read-only | no | no | no | the planner's |
 * | `topomap-node plan`, reading | `plugin_drop_privileges()` | read-only | no | no | yes | 64 MiB+ |
 * | `topomap-node plan`, decoding | `plugin_decoder_sandbox()` | no | no | no | no | 64 MiB+ |
 * | `topomap-node collect` | `plugin_drop_privileges_to()` | yes | yes | no | yes | 256 MiB |
 */
/* clang-format on */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* ---- Between fork and exec of what slurmstepd starts ---------------------------------------
 * In slurmstepd the real and the saved user are root, and the effective one is the step's. These
 * make system calls only. */

/** Makes the process the effective user's for good: it can gain no privilege, start no other
 *  process, write no file, and has few descriptors.
 *  Returns 0, or an errno, after which nothing may be executed. */
int plugin_drop_privileges(void);

/** The user that a process becomes if its effective user is still root (slurm_spank_task_exit). */
struct plugin_user {
    uid_t uid;
    gid_t gid;
    const gid_t *groups; /* [groups_count] */
    size_t groups_count;
};

/** The same for this user, and the process may write files. */
int plugin_drop_privileges_to(const struct plugin_user *user);

/** Makes root the effective user again in a process that does one thing and exits.
 *  Returns 0, or -1 if the process never was root. */
int plugin_regain_root(void);

/** Lowers a resource's limits to \p most. */
void plugin_lower_limit(int resource, unsigned long long most);

/* ---- A process that reads graphs and databases, which others have made ---------------------- */

/** From here on this process and its threads read files and use what they have open; they write,
 *  make and remove no file, start no program or process, open no socket, reach no other process and
 *  gain no privilege. What is tried fails with EPERM, EACCES or ENOSYS. If the kernel supports only
 * one of the two layers, that one applies; with neither, the process is not restricted. Must be
 * called before any other thread is started. */
void plugin_reader_sandbox(void);

/** Its layers. Each returns 0, or -1 if the kernel does not have it. */
int plugin_reader_landlock(void);
int plugin_reader_seccomp(void);

/* ---- A process that decodes a plan, which a user has made ----------------------------------- */

/** From here on the process can read and write what it has open, ask for memory, and end: nothing
 *  else, if the kernel has seccomp and the filter knows this machine. */
void plugin_decoder_sandbox(void);
