/* SPDX-License-Identifier: BSD-3-Clause */
/** \file
 * \brief Slurm's ways to write nodes, tasks and cores.
 *
 * The conventions of topomap/topomap.h hold. */
#ifndef TOPOMAP_HOSTS_H
#define TOPOMAP_HOSTS_H

#include <topomap/topomap.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A list of names in the order given; duplicates are kept. */
typedef struct topomap_names {
    size_t count;
    char **name; /**< [count] */
} topomap_names;

/** Expands `tux[0-3,12,018-020]`, `a[1-2]b[3-4]`, `n1,n2` as Slurm does: the order is that of the
 *  text, padding is kept (018-020), several brackets vary the last fastest. At most \p limit
 *  names (0: 1,000,000). Fails on unbalanced brackets, empty names, descending ranges. */
TOPOMAP_PUBLIC int topomap_hostlist_expand(const char *text, size_t limit, topomap_names *names,
                                           topomap_error *err);

/** The shortest usual form: consecutive names that differ in one number become one bracket, in
 *  the order given (never sorted). NULL on failure; ends with free(). */
TOPOMAP_PUBLIC char *topomap_hostlist_fold(const topomap_names *names, topomap_error *err);

/** Frees what the list owns (not the struct) and zeroes it. */
TOPOMAP_PUBLIC void topomap_names_clear(topomap_names *names);

/** SLURM_TASKS_PER_NODE's `4(x3),2` or one number for all.
 *  \param nodes   how many nodes there are
 *  \param counts  [nodes] filled; the number of counts must match, or be one without (xN) */
TOPOMAP_PUBLIC int topomap_counts_parse(const char *text, size_t nodes, uint32_t *counts,
                                        topomap_error *err);

/** Which cores of each node a job has: "0-3,8;*(x2);0-127(x1024)". */
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
TOPOMAP_PUBLIC int topomap_cores_parse(const char *text, uint32_t nodes, topomap_cores *cores,
                                       topomap_error *err);
/** Frees what the cores own (not the struct) and zeroes it. */
TOPOMAP_PUBLIC void topomap_cores_clear(topomap_cores *cores);

#ifdef __cplusplus
}
#endif
#endif
