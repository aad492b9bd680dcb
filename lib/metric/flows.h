/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages that flow along their routes and share links, for lib/metric/fluid.c and overlap.c. */
#ifndef TOPOMAP_FLOWS_H
#define TOPOMAP_FLOWS_H

#include "metric/traffic.h"
#include "util/arena.h"
#include "util/keyed.h"

/** Flows that end within this part of the time since others did count as ended together. */
#define TOPOMAP_FLUID_PART 1e-3
enum { TOPOMAP_FLUID_EVENTS = 8 }; /* a budget for fewer ends of flows is not worth beginning */

/** Each flow that is under way has its max-min fair rate (Bertsekas & Gallager, Data Networks,
 * section 6.5.2: the link that gives its flows least is filled first). */
typedef struct topomap_flows {
    const topomap_network *network;
    double rate; /* bytes a second of a link of capacity 1 */
    topomap_arena arena;
    uint32_t count;
    uint64_t *first; /* [count + 1] the links of flow i: link[first[i] .. first[i + 1]) */
    uint32_t *link;
    size_t links, link_room;
    double *left, *speed; /* [count] bytes that are left of it; bytes a second now */
    uint8_t *is_fixed;    /* [count] its speed is known, or it is not under way */
    uint32_t *under_way;  /* [flows] in the order of their beginnings */
    uint32_t flows;
    /* Those over each link, as they were when `listed` were under way: on[on_first .. on_end);
     * those that have ended since are still there. Made anew when half of them have, or one has
     * begun. */
    uint32_t listed;
    int has_begun;
    uint64_t *on_first, *on_end; /* [network links] */
    uint32_t *on;
    uint32_t *shared; /* [shared_links] links with flows in the lists */
    uint32_t shared_links;
    struct topomap_link_flows {
        double room;     /* bytes a second that no flow has */
        uint32_t now;    /* flows over it that are under way */
        uint32_t shares; /* likewise whose speed is not known */
    } * over;            /* [network links] */
    topomap_heap heap;
    uint64_t looked, budget; /* links of flows */
} topomap_flows;

/** \param most  flows at most; ends with topomap_flows_clear() also where it fails */
int topomap_flows_open(topomap_flows *flows, const topomap_network *network, double rate,
                       uint64_t most, uint64_t budget, topomap_error *err);
void topomap_flows_clear(topomap_flows *flows);

/** Adds what rank \p u sends to \p v, not under way yet. TOPOMAP_EINPUT where there is no route. */
int topomap_flows_add(topomap_flows *flows, const topomap_traffic *traffic, uint32_t u, uint32_t v,
                      uint64_t bytes, topomap_error *err);
/** Once all are added. */
int topomap_flows_ready(topomap_flows *flows, topomap_error *err);
void topomap_flows_begin(topomap_flows *flows, uint32_t flow);

/** \return 0; 1 where it is over the budget; -1: no memory */
int topomap_flows_share(topomap_flows *flows, topomap_error *err);
/** Seconds until the next one ends. */
double topomap_flows_next(const topomap_flows *flows);
/** After \p seconds: what is left of less than \p slack seconds, or a small part of the time that
 * has passed (TOPOMAP_FLUID_PART), has ended, too.
 * \param ended  NULL, or out: [count] those that have
 * \return how many have */
uint32_t topomap_flows_advance(topomap_flows *flows, double seconds, double slack, uint32_t *ended);

#endif
