/* SPDX-License-Identifier: BSD-3-Clause */
/* Which cores of each node a job has: "0-3,8;*(x2);0-127(x1024)". */
#ifndef TOPOMAP_UTIL_CORES_H
#define TOPOMAP_UTIL_CORES_H

#include "topomap/topomap.h"

typedef struct topomap_cores {
    uint32_t nodes;
    uint32_t *first; /**< [nodes + 1] cores of node i are core[first[i]] .. core[first[i + 1]) */
    uint32_t *core;  /**< Slurm's abstract numbers, ascending in each node; a node without any:
                          all of them, or not known */
} topomap_cores;

/** Reads one list a node, separated by ';': core numbers below 8,192 and ranges of them,
 *  ascending, or '*' for a node that is all the job's. "(xN)" behind a list: N such nodes. One list
 *  without it is for all nodes. At most 2^25 cores in all; anything else is TOPOMAP_EINPUT.
 *  \param cores  ends with topomap_cores_clear() */
int topomap_cores_parse(const char *text, uint32_t nodes, topomap_cores *cores, topomap_error *err);
/** The inverse of topomap_cores_parse(). NULL on failure; ends with free(). */
char *topomap_cores_format(const topomap_cores *cores, topomap_error *err);
void topomap_cores_clear(topomap_cores *cores);

#endif
