/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading and writing memory that may not be there, without a crash: the kernel copies, and says
 * EFAULT. What Slurm's handle points to is looked at this way, since a Slurm that we do not know
 * may keep something else there. */
#ifndef TOPOMAP_PLUGIN_SRUN_CHECKED_MEMORY_H
#define TOPOMAP_PLUGIN_SRUN_CHECKED_MEMORY_H

#include <stddef.h>

/** A pipe that everything goes through, one page at a time. */
typedef struct plugin_memory {
    int in, out;
} plugin_memory;

/** \return 0, or -1 with errno */
int plugin_memory_open(plugin_memory *memory);
void plugin_memory_close(plugin_memory *memory);

/** Copies \p size bytes at \p from, which may be any address. \return 0, or -1: not readable */
int plugin_memory_read(const plugin_memory *memory, const void *from, void *to, size_t size);
/** Copies \p size bytes to \p to, which may be any address. \return 0, or -1: not writable; then
 *  a beginning may have been written */
int plugin_memory_write(const plugin_memory *memory, void *to, const void *from, size_t size);

#endif
