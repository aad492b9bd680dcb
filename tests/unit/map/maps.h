/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines, graphs and mappings for the tests of algorithms. */
#pragma once

#include "topomap/topomap.h"

/** A machine of a specification that is good. */
topomap_machine *map_machine(const char *spec);
/** \p arcs random ones of 1 to \p most bytes, self-loops among them. */
topomap_graph *map_graph(uint32_t ranks, uint32_t arcs, uint64_t most, uint64_t seed);
/** J of a placement. */
double map_J(const topomap_graph *graph, const topomap_machine *m, const uint32_t *slot_of);
/** J of what an algorithm makes, which is a permutation. */
double map_cost(const topomap_graph *graph, const topomap_machine *m, const char *algorithm);
