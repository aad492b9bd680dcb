/* SPDX-License-Identifier: BSD-3-Clause */
/* Slurm's host list expressions and its counts per node, inside topomap; for all: topomap/hosts.h.
 */
#pragma once

#include "topomap/hosts.h"

/** Nonzero if a node of Slurm's can have this name of \p length bytes: 1 to 255 letters and digits
 * of ASCII, '.', '-' and '_', of which the first is neither '-' nor '.'. Files that name nodes
 * separate them by other characters (topology.conf(5): '#', '=', ','), and a program that gets "-o"
 * as a host's name reads an option. */
int topomap_is_node_name(const char *name, size_t length);

/** Where \p name is, looked for from \p at on and round. Lists in nearly the same order so cost one
 *  comparison a name, where the next search starts behind the last.
 *  \return names->count: nowhere */
size_t topomap_names_find(const topomap_names *names, const char *name, size_t at);

/** The inverse of topomap_counts_parse. NULL on failure; ends with free(). */
char *topomap_counts_format(const uint32_t *counts, size_t nodes, topomap_error *err);
