/* SPDX-License-Identifier: BSD-3-Clause */
/* The jobs of topomap-node, each named by its first word: question on standard input, answer on
 * descriptor 3. */
#ifndef TOPOMAP_PLUGIN_HELPER_JOBS_H
#define TOPOMAP_PLUGIN_HELPER_JOBS_H

enum { NODE_REPLY_FD = 3 };

/** `plan`: this node's part of a plan, decoded. \return the program's status */
int node_plan_main(void);

/** `collect`: this node's part of a profile, written as a file. Standard input is the memory in
 * which the tasks have left it (graph/formats/part_memory.h). \return the program's status */
int node_collect_main(void);

#endif
