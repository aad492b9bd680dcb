/* SPDX-License-Identifier: BSD-3-Clause */
/* Closing what a child inherited, between fork and exec: only system calls, no memory, no locks. And
 * what standard input is. */
#ifndef TOPOMAP_PLUGIN_COMMON_DESCRIPTORS_H
#define TOPOMAP_PLUGIN_COMMON_DESCRIPTORS_H

#include <stddef.h>

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

#endif
