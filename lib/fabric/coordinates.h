/* SPDX-License-Identifier: BSD-3-Clause */
/* Coordinates of hosts, routers and switches: 1 to 8 numbers, as text "1,2,3"; and the hops between
 * them in a torus, a mesh or an Aries dragonfly. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    TOPOMAP_DIMS = 8,
    TOPOMAP_COORDINATE_MOST = 65534,
    TOPOMAP_COORDINATES_TEXT = TOPOMAP_DIMS * 6,
};

typedef struct topomap_coordinates {
    uint32_t dims; /* 0: none */
    uint16_t at[TOPOMAP_DIMS];
} topomap_coordinates;

/** Reads numbers with \p separator between them. Returns 0, or -1 if \p text is anything else. */
int topomap_coordinates_parse(const char *text, char separator, topomap_coordinates *coordinates);
/** Writes "" if there are no dimensions. \param text  [TOPOMAP_COORDINATES_TEXT] */
void topomap_coordinates_format(const topomap_coordinates *coordinates, char *text);
int topomap_coordinates_same(const topomap_coordinates *a, const topomap_coordinates *b);

/** Reads "25x16x24": sizes, each at least 1. Returns 0, or -1 if \p text is anything else.
 *  \param dim  [TOPOMAP_DIMS] */
int topomap_dims_parse(const char *text, uint32_t *dims, uint32_t *dim);
/** \param text  [TOPOMAP_COORDINATES_TEXT] */
void topomap_dims_format(uint32_t dims, const uint32_t *dim, char *text);

/** The size of a torus or mesh. */
typedef struct topomap_grid {
    uint32_t dims; /* 0: none */
    uint32_t dim[TOPOMAP_DIMS];
    uint8_t wrap[TOPOMAP_DIMS];
} topomap_grid;

/** Whether the coordinates have the grid's dimensions and lie in it. */
int topomap_grid_has(const topomap_grid *grid, const topomap_coordinates *coordinates);
/** Hops along the grid between two coordinates in it. */
uint32_t topomap_grid_hops(const topomap_grid *grid, const topomap_coordinates *a,
                           const topomap_coordinates *b);

/** Hops on an Aries dragonfly. x, y, z are group, chassis and blade (one router a blade): routers
 *  of a chassis are joined all to all, and so are those of one blade position in a group; other
 *  routers of the group are 2 hops away. Routers of two groups are 1 to 5 hops apart, depending on
 *  optical links that xtdb2proc does not list; 4 stands for them (all shortest paths over the full
 *  link list of one real machine: 3.4 on average, at most 4). */
enum { TOPOMAP_DRAGONFLY_FAR = 4 };

/** How hops follow from coordinates. */
typedef struct topomap_coordinate_network {
    enum { TOPOMAP_NO_COORDINATES, TOPOMAP_COORDINATES_TORUS, TOPOMAP_COORDINATES_DRAGONFLY } kind;
    topomap_grid grid;
    uint32_t base; /* cost of leaving a node, thousandths of a hop */
} topomap_coordinate_network;

/** Hops between two coordinates of the network. */
uint32_t topomap_coordinate_hops(const topomap_coordinate_network *network,
                                 const topomap_coordinates *a, const topomap_coordinates *b);
