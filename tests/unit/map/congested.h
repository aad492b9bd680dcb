/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines with links, graphs and what both together cost, for tests of maps for congestion. */
#pragma once

#include "tests/unit/map/maps.h"
#include "util/random.h"

/** Specifications of machines of every kind with links. */
enum { CONGESTED_SPECS = 9 };
extern const char *const congested_spec[CONGESTED_SPECS];

/** \p degree arcs a rank on average, some of them one way, of 1 to \p most bytes. */
topomap_graph *congested_graph(topomap_random *random, uint32_t ranks, uint32_t degree,
                               uint32_t most);
topomap_congestion congested_measured(const topomap_graph *graph, const topomap_machine *machine,
                                      const uint32_t *slot_of, const char *model);
/** Fails where they differ by more than rounding. */
void congested_close(double a, double b);
/** A map for congestion. */
topomap_mapping *congested_mapping(const topomap_graph *graph, const topomap_machine *m,
                                   topomap_map_options options);
void congested_permutation(const topomap_mapping *mapping, const topomap_machine *m);
