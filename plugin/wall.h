/* SPDX-License-Identifier: BSD-3-Clause */
/* Between fork and exec of what slurmstepd starts: in slurmstepd the real and the saved user are
 * root, and the effective one is the step's. */
#ifndef TOPOMAP_PLUGIN_WALL_H
#define TOPOMAP_PLUGIN_WALL_H

/** Makes the process the effective user's for good, one that can gain no privilege, start no other,
 *  write no file, and has few descriptors. System calls only.
 *  \return 0; or an errno, and then nothing may be executed */
int plugin_wall_raise(void);

/** Cuts a resource's limits to \p most. */
void plugin_wall_limit(int resource, unsigned long long most);

#endif
