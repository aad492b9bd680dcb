/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines from hosts, switches and the cables between them: distances between hosts, and the
 * network that congestion is worked out on. */
#ifndef TOPOMAP_MACHINE_FABRIC_H
#define TOPOMAP_MACHINE_FABRIC_H

#include "fabric/fabric.h"
#include "machine/spec.h"

enum { TOPOMAP_FABRIC_SITES = 16384 }; /* a matrix of 1.5 GiB */

/** The machine of all hosts, or of those in the specification's alloc=, with its network.
 *
 *  Hops are those of the shortest path; its cost, the cheapest of the shortest ones, is HOP
 *  (`@INSIDE:HOP`, 0 and 1 without) a link of the reference rate, and more in proportion on slower
 *  links, in whole thousandths. The reference is the rate that most links between vertices that
 *  route have (of two, the higher; without such links, of all), as in the topology database; links
 *  of unknown rate count as the reference. Pairs without a path are put 2 hops beyond the farthest.
 *
 *  Capacities are the rates, unknown ones the most common rate (the lower of equals) (unit "s");
 *  1 a cable (unit "bytes") where no rate is known.
 *  \param fabric  has hosts; its links are used up
 *  \param named   nonzero: nodes get the hosts' names */
int topomap_fabric_machine(topomap_fabric *fabric, const topomap_spec *spec, int named,
                           topomap_machine **machine, topomap_error *err);

#endif
