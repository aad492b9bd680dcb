/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_PLUGIN_HELPER_CELL_H
#define TOPOMAP_PLUGIN_HELPER_CELL_H

/** From here on the process can read and write what it has open, ask for memory, and end: nothing
 *  else, where the kernel has seccomp and this machine is one that the filter knows. What it has
 *  read comes from a user, and what decodes it may be wrong. */
void node_cell_close(void);

#endif
