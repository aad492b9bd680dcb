/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes of a torus or mesh, each dimension that wraps turned so that the largest gap that they
 * leave open is at the seam. */
#ifndef TOPOMAP_MAP_SPLIT_TORUS_SEAM_H
#define TOPOMAP_MAP_SPLIT_TORUS_SEAM_H

#include "machine/machine.h"

typedef struct topomap_torus_seam {
    const topomap_machine *machine;
    int sees_wrap;                         /* zero: nothing is turned */
    uint32_t origin[TOPOMAP_MACHINE_DIMS]; /* coordinate that becomes 0 */
    uint32_t cut;  /* the dimension of the longest extent, the first of such */
    uint8_t *seen; /* [largest dimension] scratch */
} topomap_torus_seam;

/** Its scratch ends with free(). */
int topomap_torus_seam_open(topomap_torus_seam *turn, const topomap_machine *machine, int sees_wrap,
                            topomap_error *err);
/** Turns towards some nodes, and finds where they are to be cut.
 *  \param items    [count] nodes, or what is on them
 *  \param node_of  [items] or NULL: they are nodes */
void topomap_torus_seam_towards(topomap_torus_seam *turn, const uint32_t *items, uint32_t count,
                                const uint32_t *node_of);
/** Order of two nodes along the dimension to cut, then along the others, then by number. */
int topomap_torus_seam_order(const topomap_torus_seam *turn, uint32_t p, uint32_t q);

/** A node's coordinate, turned. */
static inline uint32_t topomap_torus_seam_at(const topomap_torus_seam *turn, uint32_t node,
                                             uint32_t d)
{
    const topomap_machine *m = turn->machine;
    uint32_t c = m->coord[(size_t)node * m->dims + d];

    return c >= turn->origin[d] ? c - turn->origin[d] : c + m->dim[d] - turn->origin[d];
}

#endif
