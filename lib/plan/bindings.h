/* SPDX-License-Identifier: BSD-3-Clause */
/* Which CPUs each task of a step gets: the part of a plan that travels to the compute nodes.
 *
 * It is written and read around a launch, so this file and bindings.c use libc alone: no hwloc, no
 * zstd, no other part of the library.
 *
 * What bindings are: topomap/plan.h. */
#ifndef TOPOMAP_BINDINGS_H
#define TOPOMAP_BINDINGS_H

#include "plan/node_plan.h"
#include "topomap/plan.h"

/** Encodes for an environment variable: printable ASCII without '=' trouble, versioned and
 *  checksummed (CRC-32). Aim: at most 2 characters a task where each task gets one core of a
 *  128-core node. NULL on failure; ends with free(). */
char *topomap_bindings_encode(const topomap_bindings *bindings, topomap_error *err);

/** The same CPUs dealt out in order: of each node's tasks, by local id, the first gets those that
 *  come first in the class's order. Nodes of one class with as many tasks are then all alike, and
 *  the text stays short however many they are.
 *  \p bindings  as topomap_bindings_decode() gives them; where a node has an order of GPUs, whose
 *  tasks have CPUs for them, it is TOPOMAP_EUSAGE
 *  \return the text, as topomap_bindings_encode()'s; NULL on failure; ends with free() */
char *topomap_bindings_in_order(const topomap_bindings *bindings, topomap_error *err);

/** Decodes what topomap_bindings_encode wrote; anything else is TOPOMAP_EINPUT. Sizes are bounded
 *  before memory is asked for: nodes and patterns by the text's length; a core by 256 PUs,
 *  a class by 8,192, all classes by 2^20; a node by 65,536 tasks, all of them by 2^24; all tasks'
 *  PUs by 2^25. */
int topomap_bindings_decode(const char *text, topomap_bindings *bindings, topomap_error *err);

/** The same for one node of the step alone, in time that grows with the text and the node's tasks,
 *  and with at most \p budget bytes: a text that wants more is refused before it has them.
 *  \param node    at or past the number of nodes is TOPOMAP_EINPUT
 *  \param memory  on success where the plan's arrays lie; ends with free() */
int topomap_bindings_decode_node(const char *text, size_t size, uint32_t node, size_t budget,
                                 topomap_node_plan *plan, void **memory, topomap_error *err);

/** Whether a text is bindings of this step, \p task_first as in topomap_bindings, without unfolding
 *  them: in time that grows with the text, and with at most four times its memory. What it takes,
 *  topomap_bindings_decode() does too, unless their PUs are over its bounds.
 *  \return 0, or -1: anything else, TOPOMAP_EINPUT */
int topomap_bindings_check(const char *text, uint32_t job, uint32_t step, uint32_t nodes,
                           const uint32_t *task_first, topomap_error *err);

/** CRC-32 (IEEE 802.3), for plans and replies. */
uint32_t topomap_crc32(uint32_t crc, const void *bytes, size_t size);

#endif
