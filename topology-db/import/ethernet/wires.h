/* SPDX-License-Identifier: BSD-3-Clause */
/* A fabric whose sources tell which port of which system is joined to which, ports by name. */
#pragma once

#include "topology-db/import/lists/named_fabric.h"

/** What one end says of its port's neighbour; systems are vertices of the fabric. */
struct wire {
    uint32_t from, from_port, to, to_port; /* ports: numbers of names in wires.ports */
    uint32_t mbps;                         /* 0: not known */
    size_t line;
};

/** Starts as all zeros. */
struct wires {
    topomap_fabric fabric; /* no links before wires_join() */
    topomap_known systems; /* the vertices' names in small letters */
    topomap_known ports;   /* the vertex' number, then the name with its NUL */
    struct db_list list;   /* of struct wire */
};

/** A system by its name, of which the domain is left out and the case does not count, as in DNS:
 * the name is that which comes first. It is of unknown kind where it is new. */
int wires_system(struct wires *wires, const char *name, uint32_t *vertex, topomap_error *err);
/** The same of one that is there; UINT32_MAX: none. */
uint32_t wires_find(const struct wires *wires, const char *name);
/** A port of it. An empty name: one that is not known, and another one each time. */
int wires_port(struct wires *wires, uint32_t vertex, const char *name, uint32_t *port,
               topomap_error *err);

/** Makes links of all wires: what both ends say is joined, also where they name one port
 *  differently, and ports get numbers: a switch's are those in its name (swp17: 17; of several
 *  numbers, as swp17s1 and Ethernet3/1 have them, 1000 times the first and the second), a host's
 *  count its ports in the order of their names. A port that several others name has none. Wires
 *  between hosts are left out, with a warning. */
int wires_join(struct db_import *import, void *wires);
void wires_clear(void *wires);

/** Writes it; another source with one of its switches, of lldp and netq, goes. */
int wires_write(struct db_import *import, void *wires);
