/* SPDX-License-Identifier: BSD-3-Clause */
/* What coordinates span: the options that the importers of coordinates share. */
#pragma once

#include "topology-db/derive/derive.h"
#include "topology-db/import/import.h"

#define GEOMETRY_WRAP                                                                              \
    {                                                                                              \
        "wrap", "yes|no|AXES",                                                                     \
            "which dimensions wrap around: all (a torus, as without it), none (a mesh), or those " \
            "named, such as xz (x y z t, or a to h)"                                               \
    }
#define GEOMETRY_SHAPE                                                                             \
    {                                                                                              \
        "shape", CRAY_SHAPE_VALUES, CRAY_SHAPE_HELP                                                \
    }

/** Of importers that know the coordinates' dimensions: wrap and shape. */
extern const topomap_graph_option db_geometry_options[];

/** Looks at the options dims, wrap and shape before a file is read: a bad value is a usage error.
 *  \param dims  of the coordinates, 0: not known yet */
int db_geometry_check(const struct db_import *import, uint32_t dims);
/** The same as an importer of three coordinates begins. */
int db_geometry_begin(struct db_import *import, void *content);
/** Writes them where one was given. \p wrap: what the importer itself knows where the option is not
 *  given ("1", "0", or a digit a dimension), or NULL */
int db_geometry_write(struct db_import *import, uint32_t dims, const char *wrap);
