/* SPDX-License-Identifier: BSD-3-Clause */
/* A subnet as the routing engines see it, and what they share. */
#pragma once

#include "fabric/opensm/opensm.h"
#include "util/alloc.h"

#define OPENSM_NONE UINT32_MAX

enum {
    OPENSM_PORTS = 256,   /* a switch has fewer */
    OPENSM_NO_PATH = 255, /* hops: unreachable; so is what is as far or farther */
};

/** A port of a switch that has a cable. */
typedef struct topomap_opensm_port {
    uint32_t peer; /* index of the switch at the other end; OPENSM_NONE: a host or router */
    uint32_t back; /* index of the port at the other end, if that is a switch's */
    uint32_t end;  /* index of the end there; OPENSM_NONE: a switch, or no destination */
    uint8_t number;
    uint8_t is_host; /* end is an adapter's, not a router's */
} topomap_opensm_port;

typedef struct topomap_opensm_switch {
    uint64_t guid;
    uint32_t vertex;
    uint32_t first;       /* its ports are port[first .. next switch's first) */
    uint32_t host_cables; /* its cables that do not lead to switches */
    uint16_t lid;
} topomap_opensm_switch;

typedef struct topomap_opensm_subnet {
    uint32_t count, ports, lids;
    topomap_opensm_switch *node; /* [count + 1] in the order of OpenSM's maps: by GUIDs whose bytes
                                    are reversed */
    topomap_opensm_port *port;   /* [ports] of a switch ascending by number */
    uint8_t **table;             /* [count][lids] */
    const topomap_opensm_end *end;
    uint8_t lmc;     /* the greatest of all ends */
    int joins_hosts; /* some cable joins two adapters */
    topomap_arena arena;
} topomap_opensm_subnet;

/** A search for shortest paths to a switch, for engines that choose among them. */
typedef struct topomap_opensm_search {
    const topomap_opensm_subnet *subnet;
    /** Fills least and via for the switch \p to. */
    void (*run)(struct topomap_opensm_search *search, uint32_t to);
    uint8_t *least;  /* [switches] hops of the shortest path */
    uint8_t *via;    /* [ports] hops of the shortest path that leaves by this port */
    uint32_t *queue; /* [switches] */
    void *context;   /* of run() */
} topomap_opensm_search;

/** Allocates the arrays of a search, which the arena of the subnet frees.
 *  Returns 0, or -1 with `err` set. */
int topomap_opensm_search_new(topomap_opensm_subnet *subnet, topomap_opensm_search *search,
                              topomap_error *err);
/** Fills hops[switches] with the distance from the nearest of the switches with which the queue
 *  begins: \p end of them, whose hops are 0; those of all others are OPENSM_NO_PATH before, and
 *  after it where no path leads.
 *  \param queue  [switches] out: the switches that have hops, ascending by these
 *  Returns how many the queue has. */
uint32_t topomap_opensm_spread(const topomap_opensm_subnet *subnet, uint8_t *hops, uint32_t *queue,
                               uint32_t end);
/** Fills least[] alone, with the number of cables between each switch and \p to. */
void topomap_opensm_distances(topomap_opensm_search *search, uint32_t to);
/** Fills the tables: of the ports that begin a shortest path, each destination gets the one with
 *  the fewest destinations so far.
 *  \param one_neighbour  nonzero: only ports to the same switch as the first of them take part
 *  Returns 0, or -1 with `err` set. */
int topomap_opensm_choose_ports(topomap_opensm_subnet *subnet, topomap_opensm_search *search,
                                int one_neighbour, topomap_error *err);

extern const topomap_opensm_engine topomap_opensm_minhop, topomap_opensm_dor, topomap_opensm_updn,
    topomap_opensm_ftree;
