/* SPDX-License-Identifier: BSD-3-Clause */
/* Slurm's host list expressions and its counts per node. */
#ifndef TOPOMAP_UTIL_HOSTLIST_H
#define TOPOMAP_UTIL_HOSTLIST_H

#include "topomap/topomap.h"

/** A list of names in the order given; duplicates are kept. */
typedef struct topomap_names {
    size_t count;
    char **name; /**< [count] */
} topomap_names;

/** Expands `tux[0-3,12,018-020]`, `a[1-2]b[3-4]`, `n1,n2` as Slurm does: the order is that of the
 *  text, padding is kept (018-020), several brackets vary the last fastest. At most \p limit
 *  names (0: 1,000,000). Fails on unbalanced brackets, empty names, descending ranges. */
int topomap_hostlist_expand(const char *text, size_t limit, topomap_names *names,
                            topomap_error *err);

/** The shortest usual form: consecutive names that differ in one number become one bracket, in
 *  the order given (never sorted). NULL on failure; ends with free(). */
char *topomap_hostlist_fold(const topomap_names *names, topomap_error *err);

void topomap_names_clear(topomap_names *names);

/** Where \p name is, looked for from \p at on and round. Lists in nearly the same order so cost one
 *  comparison a name, where the next search starts behind the last.
 *  \return names->count: nowhere */
size_t topomap_names_find(const topomap_names *names, const char *name, size_t at);

/** SLURM_TASKS_PER_NODE's `4(x3),2` or one number for all.
 *  \param nodes   how many nodes there are
 *  \param counts  [nodes] filled; the number of counts must match, or be one without (xN) */
int topomap_counts_parse(const char *text, size_t nodes, uint32_t *counts, topomap_error *err);

/** The inverse of topomap_counts_parse. NULL on failure; ends with free(). */
char *topomap_counts_format(const uint32_t *counts, size_t nodes, topomap_error *err);

#endif
