/* SPDX-License-Identifier: BSD-3-Clause */
/* A network that is too large for a picture, as groups of its vertices: nodes with their switch,
 * switches that have the same neighbours, boxes of a grid. */
#ifndef TOPOMAP_CLI_PAGE_COARSE_H
#define TOPOMAP_CLI_PAGE_COARSE_H

#include "cli/page/page.h"
#include "machine/machine.h"

typedef struct page_coarse {
    topomap_network *network; /* of groups; all links of two groups are one */
    uint32_t *group_of;       /* [vertices of the network] */
    uint32_t *first; /* [groups] the lowest vertex that is no node alone, else the lowest */
    uint32_t *switches, *nodes;         /* [groups] vertices that are no nodes alone, and others */
    uint32_t dim[TOPOMAP_MACHINE_DIMS]; /* of grids: groups a dimension */
} page_coarse;

/** Each vertex's hops from the nearest node; what is joined to none has the most.
 *  \param level  [vertices] out
 *  \return how many there are, 0: memory is short */
uint32_t page_network_levels(const topomap_network *network, uint32_t *level, topomap_error *err);

/** Groups, \p most at most.
 *  \param grid  whose routers the vertices are; NULL: it is no grid
 *  \param coarse  ends with page_coarse_clear(), after a failure, too
 *  Deterministic: groups are numbered by their lowest vertices. */
int page_coarse_make(const topomap_network *network, const topomap_machine *grid, uint32_t most,
                     page_coarse *coarse, topomap_error *err);
void page_coarse_clear(page_coarse *coarse);

#endif
