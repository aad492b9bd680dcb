/* SPDX-License-Identifier: BSD-3-Clause */
/* A graph's messages between the vertices of a network, for lib/metric only. */
#ifndef TOPOMAP_TRAFFIC_H
#define TOPOMAP_TRAFFIC_H

#include "graph/graph.h"
#include "fabric/network.h"
#include "watch/watch.h"

/** What a model works on. Traffic between ranks of one vertex is on no link. */
typedef struct topomap_traffic {
    const topomap_machine *machine;
    const topomap_network *network;
    const topomap_graph *graph; /* or one of its phases */
    const uint32_t *slot_of;    /* [ranks]; the caller's */
    uint32_t *vertex_of;        /* [ranks] of the network */
    uint32_t *node_of;          /* [ranks] */
    topomap_network *grid;      /* owned: a torus's own */
    topomap_watch *watch;       /* the caller's: how far a model has come; or NULL */
} topomap_traffic;

/** \param slot_of  [ranks]; TOPOMAP_EINPUT where one is no slot of the machine
 *  TOPOMAP_EUSAGE where the machine's links are not known. */
int topomap_traffic_open(const topomap_graph *graph, const topomap_machine *machine,
                         const uint32_t *slot_of, topomap_traffic *traffic, topomap_error *err);
void topomap_traffic_close(topomap_traffic *traffic);

/** "leaf1"; "router 5" where vertices have no names. What does not fit is cut. */
void topomap_vertex_name(const topomap_network *network, uint32_t vertex, char *text, size_t size);
/** "leaf1 -> spine2" */
void topomap_link_name(const topomap_network *network, uint32_t link, char *text, size_t size);

#endif
