/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/srun/srun.h"
#include "util/alloc.h"

#include <slurm/slurm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of 1,024 bytes MPICH 4.0 keeps room for the longest name and key that Slurm announces (256 and
 * 64) and the words around them: maps of 656 characters arrived, 689 were refused. */
enum { MAP_MOST = 640 };

/* Consecutive ranks of one node from \p rank on. */
static uint32_t run_length(const uint32_t *node_of, uint32_t tasks, uint32_t rank, uint32_t most)
{
    uint32_t length = 1;

    while (length < most && rank + length < tasks && node_of[rank + length] == node_of[rank])
        length++;
    return length;
}

/* Length of the map: blocks of \p most ranks at most (1: cyclic), as long as each next block is as
 * long as the first and on the next node. */
static size_t map_length(const uint32_t *node_of, uint32_t tasks, uint32_t most)
{
    size_t length = strlen("(vector)");

    for (uint32_t rank = 0; rank < tasks;) {
        uint32_t block = run_length(node_of, tasks, rank, most), next = rank + block, count = 1;

        while (next < tasks && node_of[next] == node_of[next - 1] + 1 &&
               run_length(node_of, tasks, next, most) == block) {
            next += block;
            count++;
        }
        length += (size_t)snprintf(NULL, 0, ",(%u,%u,%u)", node_of[rank], count, block);
        rank = next;
    }
    return length;
}

int plugin_procmap_is_honest(const plugin_ranks *ranks, uint32_t task_dist)
{
    uint32_t state = task_dist & SLURM_DIST_STATE_BASE;

    if ((state & SLURM_DIST_NODEMASK) == SLURM_DIST_NODECYCLIC || state == SLURM_DIST_PLANE ||
        state == SLURM_DIST_ARBITRARY)
        return 1;
    for (uint32_t i = 0; i < ranks->tasks; i++)
        if (ranks->id[i] != i)
            return 0;
    return 1;
}

int plugin_procmap_choose(const plugin_ranks *ranks, uint32_t task_dist, int pmi2, int plane,
                          uint32_t *honest, topomap_error *err)
{
    uint32_t nodes = task_dist & SLURM_DIST_NODEMASK;
    int is_plane = (task_dist & SLURM_DIST_STATE_BASE) == SLURM_DIST_PLANE;
    TOPOMAP_FREED uint32_t *node_of = topomap_alloc(ranks->tasks, sizeof *node_of, err);
    size_t cyclic, blocks;

    if (!node_of)
        return -1;
    for (uint32_t node = 0; node < ranks->nodes; node++)
        for (uint32_t i = ranks->first[node]; i < ranks->first[node + 1]; i++)
            node_of[ranks->id[i]] = node;
    cyclic = map_length(node_of, ranks->tasks, 1);
    blocks = map_length(node_of, ranks->tasks, UINT32_MAX);
    if (is_plane && (!pmi2 || blocks <= MAP_MOST))
        *honest = task_dist;
    else if (!is_plane && (!pmi2 || cyclic <= MAP_MOST))
        *honest = nodes == SLURM_DIST_NODECYCLIC
                      ? task_dist
                      : (task_dist & ~(uint32_t)SLURM_DIST_NODEMASK) | SLURM_DIST_NODECYCLIC;
    else if (!is_plane && plane && blocks <= MAP_MOST)
        *honest = (task_dist & ~(uint32_t)SLURM_DIST_STATE_BASE) | SLURM_DIST_PLANE;
    else
        return topomap_error_set(
            err, TOPOMAP_EINPUT,
            "mpi/pmi2 gives MPICH %d bytes for the map of ranks to nodes, this "
            "placement takes %zu: use --mpi=pmix",
            MAP_MOST, is_plane || (plane && blocks < cyclic) ? blocks : cyclic);
    return 0;
}

/* srun puts the name of the plugin that it has loaded, MpiDefault's too, into its environment
 * before the step's hook runs (mpi_g_client_init, 22.05 to 26.05). */
int plugin_mpi_may_be_pmi2(const char *option)
{
    const char *type = option && *option ? option : getenv("SLURM_MPI_TYPE");

    return !type || !*type || strstr(type, "pmi2") != NULL;
}
