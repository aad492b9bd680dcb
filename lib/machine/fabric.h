/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines from hosts, switches and the cables between them: distances between hosts, and the
 * network that congestion is worked out on. */
#ifndef TOPOMAP_FABRIC_H
#define TOPOMAP_FABRIC_H

#include "fabric/fattree.h"
#include "fabric/network.h"
#include "machine/spec.h"

enum {
    TOPOMAP_FABRIC_VERTICES = 1 << 21,
    TOPOMAP_FABRIC_CABLES = 1 << 23,
    TOPOMAP_FABRIC_SITES = 16384, /* a matrix of 1.5 GiB */
};

/** Vertices 0..hosts-1 are the hosts, the others switches. Starts as all zeros. */
typedef struct topomap_fabric {
    uint32_t hosts, vertices;
    int hosts_route;      /* traffic of others goes through hosts, too */
    topomap_cable *cable; /* [cables] capacity: bytes a second, 0: not known */
    size_t cables, room;
    char **name;                 /* [vertices] */
    const topomap_fattree *tree; /* of a fat tree, for its routes; or NULL */
} topomap_fabric;

/** Makes room for the names; EUSAGE where a bound above is passed. */
int topomap_fabric_init(topomap_fabric *fabric, const topomap_spec *spec, uint64_t hosts,
                        uint64_t switches, uint64_t cables, topomap_error *err);
int topomap_fabric_name(topomap_fabric *fabric, uint32_t vertex, topomap_error *err,
                        const char *format, ...) TOPOMAP_PRINTF(4, 5);
/** One cable; rate in bytes a second, 0: not known. */
int topomap_fabric_join(topomap_fabric *fabric, uint32_t a, uint32_t b, double rate,
                        topomap_error *err);
void topomap_fabric_clear(topomap_fabric *fabric);

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
 *  \param named  nonzero: nodes get the hosts' names */
int topomap_fabric_machine(const topomap_fabric *fabric, const topomap_spec *spec, int named,
                           topomap_machine **machine, topomap_error *err);

#endif
