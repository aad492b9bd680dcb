/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that a file calls by name: numbered in the order in which their names come. */
#ifndef TOPOMAP_GRAPH_FORMATS_NAMES_H
#define TOPOMAP_GRAPH_FORMATS_NAMES_H

#include "graph/graph.h"

/** Starts as all zeros; ends with topomap_name_table_clear. */
typedef struct topomap_name_table {
    char *text; /* names, each with a NUL after it */
    size_t size, capacity_text;
    size_t *begin; /* [count] where each begins in text */
    size_t count, capacity_begin;
    uint32_t *slot; /* [slots] ids and one, by hash; 0: empty */
    size_t slots;
} topomap_name_table;

/** The id of a name (without NULs), a new one where it was not known. */
int topomap_name_table_id(topomap_name_table *table, const char *name, size_t length, uint32_t *id,
                          topomap_error *err);
void topomap_name_table_clear(topomap_name_table *table);

#endif
