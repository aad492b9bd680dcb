/* SPDX-License-Identifier: BSD-3-Clause */
/* Between fork and exec of what slurmstepd starts: in slurmstepd the real and the saved user are
 * root, and the effective one is the step's. */
#ifndef TOPOMAP_PLUGIN_COMMON_WALL_H
#define TOPOMAP_PLUGIN_COMMON_WALL_H

#include <stddef.h>
#include <sys/types.h>

/** Makes the process the effective user's for good, one that can gain no privilege, start no other,
 *  write no file, and has few descriptors. System calls only.
 *  \return 0; or an errno, and then nothing may be executed */
int plugin_wall_raise(void);

/** Who a process is to be, where its effective user is root still (slurm_spank_task_exit). */
struct plugin_wall_user {
    uid_t uid;
    gid_t gid;
    const gid_t *groups;
    size_t groups_count;
};

/** The same for this user, and it may write files. */
int plugin_wall_raise_for(const struct plugin_wall_user *user);

/** The opposite, for a moment: the effective user is root again in this process, which does one
 * thing and exits. System calls only. \return 0, or -1: it never was */
int plugin_wall_lower(void);

/** Cuts a resource's limits to \p most. */
void plugin_wall_limit(int resource, unsigned long long most);

#endif
