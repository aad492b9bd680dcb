/* SPDX-License-Identifier: BSD-3-Clause */
/* What a page's table of nodes has for rows: nodes, or parts of a large machine. */
#ifndef TOPOMAP_CLI_PAGE_UNITS_H
#define TOPOMAP_CLI_PAGE_UNITS_H

#include "topomap/topomap.h"

typedef struct page_units {
    uint32_t count;
    uint32_t *of;     /* [nodes of the machine] */
    uint32_t *first;  /* [count] the lowest of its nodes */
    uint32_t *nodes;  /* [count] how many it has */
    const char *what; /* "node", "site", "nodes": static; or the level's name, the machine's */
} page_units;

/** Nodes, where they are \p most at most; else the smallest groups that the machine has of them, if
 *  these are so few; else nodes one after the other, equally many. Numbered by their first nodes.
 *  \param units  ends with page_units_clear(), after a failure, too */
int page_units_make(const topomap_machine *machine, uint32_t most, page_units *units,
                    topomap_error *err);
void page_units_clear(page_units *units);

#endif
