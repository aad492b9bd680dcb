/* SPDX-License-Identifier: BSD-3-Clause */
/* Closing what a child inherited, between fork and exec: only system calls, no memory, no locks. */
#ifndef TOPOMAP_PLUGIN_COMMON_DESCRIPTORS_H
#define TOPOMAP_PLUGIN_COMMON_DESCRIPTORS_H

/** Closes every descriptor from \p first up, by the first way below that works here. */
void plugin_descriptors_close_from(int first);

/** close_range, of Linux 5.9. Called by number: glibc has it since 2.34 only. \return 0 or -1 */
int plugin_descriptors_by_range(int first);

/** One by one, as /proc/self/fd lists them. \return 0 or -1, some of them closed */
int plugin_descriptors_by_folder(int first);

/** One by one up to the process' limit, 65536 at most. \return 0 */
int plugin_descriptors_by_number(int first);

#endif
