/* SPDX-License-Identifier: BSD-3-Clause */
/* The loads of a network's links under a placement, kept while vertices of the traffic change
 * places: the ways of the edges that move come off, the new ones go on, and the maximum is known
 * throughout. The vertices are ranks, or whole nodes' ranks together. */
#ifndef TOPOMAP_LOADS_H
#define TOPOMAP_LOADS_H

#include "graph/graph.h"
#include "map/links/maxima.h"
#include "metric/shares.h"
#include "util/arena.h"

/** Who sends how much to whom, both directions in each row; rows ascend. */
typedef struct topomap_traffic_rows {
    uint32_t vertices;
    uint64_t *offset; /* [vertices + 1] */
    uint32_t *other;  /* [offset[vertices]] */
    double *out, *in; /* likewise: bytes to the other one, and from it */
} topomap_traffic_rows;

/** \param vertices  at least the graph's ranks; the rest send nothing */
int topomap_traffic_rows_new(const topomap_graph *graph, uint32_t vertices,
                             topomap_traffic_rows *rows, topomap_error *err);
void topomap_traffic_rows_clear(topomap_traffic_rows *rows);

/** A load is bytes / capacity, relative to `scale`. The potential is the sum over all links of
 *  load^power + slope * load: with a high power it falls when the highest loads do, be it one of
 *  several; the slope decides between what leaves them as they are. With a floor it is the sum of
 *  what loads have above it, + slope * load^2: only what is to be lowered counts, however many
 *  links are just below. */
typedef struct topomap_loads {
    topomap_arena memory;
    topomap_shares *shares;
    const topomap_network *network;
    const topomap_traffic_rows *rows;
    const uint32_t *at; /* [rows->vertices] network vertex */
    double scale, slope;
    double floor;     /* 0: none */
    unsigned power;   /* a power of two; 1 with a floor */
    uint64_t *looked; /* links looked at so far */
    int is_short;     /* memory was short: what was priced since is not to be used */

    double *bytes;       /* [links] */
    topomap_maxima load; /* [links] bytes / capacity */
    double peak;         /* the highest bytes / capacity that the swap priced last gives a link */
    double *change;      /* [links] bytes, likewise */
    uint32_t *seen, *touched, epoch, count;
    double *out, *in; /* [vertices of the network] of the swap priced last */
    uint32_t *met, *met_seen, met_count;
} topomap_loads;

/** \param at      [rows->vertices] the caller's, who changes it with each swap
 *  \param looked  the caller's, counted up
 *  Starts with scale 1 (bytes / capacity), power 1 and slope 0. -1 too where an edge has no way
 *  (TOPOMAP_EINPUT). On failure it is to be cleared, too. */
int topomap_loads_init(topomap_loads *loads, topomap_shares *shares, const topomap_network *network,
                       const topomap_traffic_rows *rows, const uint32_t *at, uint64_t *looked,
                       topomap_error *err);
/** The same again after init, of what `at` says by now: its memory is used again. */
int topomap_loads_restart(topomap_loads *loads, topomap_error *err);
void topomap_loads_clear(topomap_loads *loads);

/** The sum of bytes / capacity, O(links); topomap_maxima_max(&loads->load) is the maximum. */
double topomap_loads_sum(const topomap_loads *loads);
double topomap_loads_potential(const topomap_loads *loads);
/** What exchanging two vertices adds to the potential; INFINITY where an edge would have no way. */
double topomap_loads_price(topomap_loads *loads, uint32_t u, uint32_t x);
/** Takes the links' part in the swap that was priced last: `at` is the caller's. */
void topomap_loads_swap(topomap_loads *loads);

#endif
