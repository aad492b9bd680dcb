/* SPDX-License-Identifier: BSD-3-Clause */
/* Routes of a torus or mesh by rule. */
#ifndef TOPOMAP_DIMENSION_ORDER_H
#define TOPOMAP_DIMENSION_ORDER_H

#include "fabric/network.h"

/** Gives a grid of routers, numbered with the first dimension fastest, the rule: dimension by
 * dimension, the first one first, the shorter way round. That is deterministic e-cube routing
 * (Dally & Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE
 * ToC C-36, 1987), which Cray's Gemini and SeaStar follow where no link is down. Of two ways that
 * are as long it takes the one upwards, but from the middle to the first router the one downwards,
 * as SimGrid's torus does (3.32, TorusZone). */
int topomap_grid_routes(topomap_network *grid, uint32_t dims, const uint32_t *dim,
                        const uint8_t *wrap, topomap_error *err);

/** Of such a grid: [vertices * dims * 2] the links out of a vertex in each dimension, upwards and
 * downwards, UINT32_MAX where there is none. Lent. */
const uint32_t *topomap_grid_ports(const topomap_network *grid);

#endif
