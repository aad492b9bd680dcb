/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_EMBEDDING_H
#define TOPOMAP_EMBEDDING_H

#include "map/papers/mesh.h"

/** Where the ranks lie in space: position[rank * mesh->axes + axis], from 0 to 1, the objects'
 *  bounding box stretched over the processors' (Bhatele, AFFN). A grid of as many dimensions as
 *  the allocation gives its own coordinates. Any other graph is laid out: hop distances from a few
 *  pivots, reduced to their principal axes, the longest along the longest of the machine (Brandes
 *  and Pich, "Eigensolver methods for progressive multidimensional scaling of large data", 2006).
 *  Deterministic; O(edges) a pivot. Coordinates that are given (the algorithm's parameter) are
 * taken instead. \param position [ranks * axes] */
int topomap_embedding_make(const topomap_mesh *mesh, double *position, topomap_error *err);

/** The positions that the algorithm's parameter `coordinates` names: a line for each rank, its
 * first column along the machine's first axis that has an extent, and so on. Columns that the
 * machine has no axis for are not looked at; on axes without a column all ranks are at 0. */
int topomap_embedding_read(const topomap_mesh *mesh, const char *path, double *position,
                           topomap_error *err);
/** Stretches each axis over 0 to 1. */
void topomap_embedding_stretch(const topomap_mesh *mesh, double *position);

#endif
