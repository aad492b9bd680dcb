/* SPDX-License-Identifier: BSD-3-Clause */
/* How a step's bindings travel from srun to its nodes: in the environment while they are short,
 * else in a file, and beside it in the environment what is short: the same CPUs, dealt out in
 * order. */
#ifndef TOPOMAP_PLUGIN_CARRY_H
#define TOPOMAP_PLUGIN_CARRY_H

#include "topomap/topomap.h"

enum plugin_carried {
    PLUGIN_CARRIED_WHOLE,    /**< in the environment */
    PLUGIN_CARRIED_SPOOLED,  /**< in a file */
    PLUGIN_CARRIED_IN_ORDER, /**< only the short ones */
    PLUGIN_CARRIED_NOT,
};

/** Bytes that the environment may still take. A program whose environment and words take more than
 *  the kernel's limit does not start; there is room left for what slurmd adds. */
long plugin_carry_room(void);

/** Sets what of environment.h the nodes need.
 *  \param text    as topomap_bindings_encode() writes it
 *  \param room    plugin_carry_room()
 *  \param folder  for the file, or NULL
 *  \param note    the file's, for plugin_spool_remove(), or NULL; ends with free()
 *  \param err     for IN_ORDER and NOT: why there is no file */
enum plugin_carried plugin_carry_bindings(const char *text, long room, const char *folder,
                                          uint32_t job, uint32_t step, char **note,
                                          topomap_error *err);

#endif
