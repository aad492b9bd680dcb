/* SPDX-License-Identifier: BSD-3-Clause */
/* Task ids of each node, and their text: "0-3;4,6-8". */
#pragma once

#include "topomap/topomap.h"

typedef struct plugin_ranks {
    uint32_t nodes, tasks;
    uint32_t *first; /* [nodes + 1] task ids of node i are id[first[i]] .. id[first[i + 1]] */
    uint32_t *id;    /* [tasks] */
} plugin_ranks;

/** Memory for \p nodes and \p tasks; both arrays are zero. */
int plugin_ranks_alloc(plugin_ranks *ranks, uint32_t nodes, uint32_t tasks, topomap_error *err);
void plugin_ranks_clear(plugin_ranks *ranks);

/** Each id below `tasks` once, ascending within every node? (mpi/pmix aborts srun where they do
 *  not ascend: slurm 22.05, src/plugins/mpi/pmix.) */
int plugin_ranks_check(const plugin_ranks *ranks, topomap_error *err);

/** The counts as Slurm writes them, "4(x3),2"; NULL and \p err on failure. Ends with free(). */
char *plugin_ranks_counts(const plugin_ranks *ranks, topomap_error *err);

/** Reads a text for the nodes and counts of \p like; anything but a permutation with the same
 *  counts, ascending in each node, is TOPOMAP_EINPUT. */
int plugin_ranks_parse(const char *text, const plugin_ranks *like, plugin_ranks *ranks,
                       topomap_error *err);
