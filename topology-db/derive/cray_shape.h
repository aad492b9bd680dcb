/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a Cray node's coordinates follow from its place on the floor: named machine shapes.
 *
 *   aries:columns=K     Aries in cabinets of three chassis of 16 blades, two cabinets a group, K
 *                       cabinet columns a row of the floor plan: group, chassis, blade. Checked on
 *                       two machines' full lists and 499 nodes of a third.
 *   xt-class3:columns=C,rows=R
 *                       Gemini torus of C x 2R x 24 with folded cabling in both directions of the
 *                       floor. Checked on all 19,200 nodes of Titan.
 *
 * Shapes of known machines have a name of their own: titan, theta, cori, edison. A shape that
 * gives one node other coordinates than a dump does is refused. */
#ifndef TOPOMAP_DB_CRAY_SHAPE_H
#define TOPOMAP_DB_CRAY_SHAPE_H

#include "topology-db/derive/cray.h"
#include "fabric/coordinates.h"
#include "topomap/topomap.h"

struct cray_shape {
    const struct cray_shape_rule *rule;
    uint32_t columns, rows; /* rows 0: any number */
};

struct cray_shape_rule {
    const char *name, *values;
    int needs_rows;
    const char *topology; /* "torus", "dragonfly" */
    void (*place)(const struct cray_shape *shape, const struct cray_name *name,
                  topomap_coordinates *point);
};

/** Reads the text of an option; what is wrong with it is a usage error. */
int cray_shape_parse(const char *text, struct cray_shape *shape, topomap_error *err);
/** The coordinates of a node; none where it lies outside of the shape. */
void cray_shape_place(const struct cray_shape *shape, const struct cray_name *name,
                      topomap_coordinates *point);
/** Size of the torus; 0 dimensions where the shape does not bound them. \param dim  [TOPOMAP_DIMS]
 */
uint32_t cray_shape_dims(const struct cray_shape *shape, uint32_t *dim);

#define CRAY_SHAPE_VALUES "titan|theta|cori|edison|aries:columns=N|xt-class3:columns=N,rows=N"
#define CRAY_SHAPE_HELP                                                                            \
    "coordinates from component names, where no dump has them; must agree with those known"

#endif
