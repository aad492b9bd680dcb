/* SPDX-License-Identifier: BSD-3-Clause */
/* What a placement costs. */
#pragma once

#include "fabric/network.h"
#include "graph/graph.h"
#include "machine/machine.h"
#include "topomap/time.h"
#include "topomap/topomap.h"
#include "util/alloc.h"
#include "util/keyed.h"
#include "watch/watch.h"

/* ---- bound --------------------------------------------------------------------- */

/** From any slot, at most `slots` others are no farther than `distance`. */
typedef struct topomap_shell {
    double distance, slots;
} topomap_shell;

/** Distances ascend, and slots with them. */
typedef struct topomap_shells {
    topomap_shell *shell;
    size_t count, capacity;
} topomap_shells;

static inline void topomap_shells_clear(topomap_shells *shells)
{
    free(shells->shell);
}

/** Every rank's partners, heaviest first, on the closest slots; half the sum over ranks. */
int topomap_shells_cost(const topomap_weights *weights, const topomap_shells *shells, double *bound,
                        topomap_error *err);

/** A J that no placement goes below. Every rank's heaviest partners are put, for that rank alone,
 *  on the closest places that any slot of the machine has; half the sum over ranks.
 *  Tori of more than 4,096 nodes, and matrices whose nodes and sites multiply to more than 2^23,
 *  get the bound of topomap_bound_quick, which is weaker. */
int topomap_bound_lower(const topomap_weights *weights, const topomap_machine *machine,
                        double *bound, topomap_error *err);

/** The same or less, in O(arcs log degree) and without a look at pairs of nodes: from the largest
 *  group of each level, from all nodes of the torus or mesh, from the closest two sites. */
int topomap_bound_quick(const topomap_weights *weights, const topomap_machine *machine,
                        double *bound, topomap_error *err);

/* ---- traffic ------------------------------------------------------------------- */
/* A graph's messages between the vertices of a network, for lib/metric only. */

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
/** Sets \p err to "no path", with the names of the vertices \p from and \p to. Returns -1. */
int topomap_traffic_unreachable(const topomap_traffic *traffic, uint32_t from, uint32_t to,
                                topomap_error *err);

/** "leaf1"; "router 5" where vertices have no names. What does not fit is cut. */
void topomap_vertex_name(const topomap_network *network, uint32_t vertex, char *text, size_t size);
/** "leaf1 -> spine2" */
void topomap_link_name(const topomap_network *network, uint32_t link, char *text, size_t size);

/* ---- congestion ---------------------------------------------------------------- */
/* The loads of links by each model of congestion, for lib/metric and who waits for them. */

/** Adds each link's bytes to \p load [links]. -1 where a rank cannot reach another. */
typedef int topomap_congestion_model(const topomap_traffic *traffic, double *load,
                                     topomap_error *err);

/** All shortest paths, each path of a pair with the same share (Hoefler & Snir, ICS 2011, section
 *  2.5), parallel cables being paths of their own. One breadth-first search and one way back for
 *  each vertex that sends, O(sending vertices * links); on a torus's own grid, where that is less,
 *  the boxes between the ends instead (see shares, below). */
topomap_congestion_model topomap_congestion_exact;
/** One path for each arc, heaviest arc first: of the shortest ones, the one with the least sum of
 *  bytes / capacity so far (LibTopoMap's estimate: the same paper, section 5.1, Alg. 3; hops and
 *  loads are compared as a pair instead of adding a large constant). Equal arcs in the order of
 *  (from, to), equal paths by the lower link. */
topomap_congestion_model topomap_congestion_fast;
/** Along the routing tables (topomap_network.next). */
topomap_congestion_model topomap_congestion_routes;

/** A row of the table that topomap_congestion_row() walks. */
typedef struct topomap_congestion_way {
    topomap_congestion_info info;
    topomap_congestion_model *add;
} topomap_congestion_way;
/** The row of that name, or NULL. */
const topomap_congestion_way *topomap_congestion_find(const char *name);

/** The model that goes by most of what is known of the network. */
const char *topomap_congestion_usual(const topomap_network *network);

/** topomap_congestion_evaluate() of traffic that is open, with what it goes by.
 *  \param model  or NULL, as there
 *  \param all  [links] begins with zeros: the bytes of each link, all phases together */
int topomap_congestion_measure(topomap_traffic *traffic, const char *model, double *all,
                               topomap_congestion *congestion, topomap_error *err);

/** The same as topomap_congestion_evaluate(), and \p watch says how far it has come. */
int topomap_congestion_watched(const topomap_graph *graph, const topomap_machine *machine,
                               const uint32_t *slot_of_rank, const char *model,
                               topomap_watch *watch, topomap_congestion *congestion,
                               topomap_error *err);

/* ---- flows --------------------------------------------------------------------- */
/* Messages that flow along their routes and share links, for lib/metric/fluid.c and overlap.c. */

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

/* ---- fluid --------------------------------------------------------------------- */
/* How long messages take that are all under way at once, for lib/metric only. */

/** Every message flows along its route at its max-min fair rate (Bertsekas & Gallager, Data
 * Networks, section 6.5.2: the link that gives its flows least is filled first), which changes when
 * some of them end; what SimGrid simulates with links that lose nothing. Never less than the most
 * loaded link takes, and mostly just that: more where a flow that was slow elsewhere is late at it.
 *
 * \param rate     bytes a second of a link of capacity 1
 * \param budget   links of flows to look at, at most: some (flows * hops) for each time at which
 *                 some flows end
 * \param seconds  until the last one ends
 * \return 0; 1 where that is over the budget; -1: TOPOMAP_EINPUT where a pair has no route, or no
 *         memory. Only for networks with routes.
 */
int topomap_fluid(const topomap_traffic *traffic, double rate, uint64_t budget, double *seconds,
                  topomap_error *err);

/* ---- link loads ---------------------------------------------------------------- */
/* What each link of a machine's network carries by a placement, all phases together: for pictures
 * and tables of links. */

typedef struct topomap_link_loads topomap_link_loads;

/** By the model that topomap_congestion_evaluate() has by that name; NULL: by routes where the
 *  network has some that lead everywhere, else exact. Graph and machine are lent, as long as the
 *  loads live; \p slot_of [ranks] is not needed afterwards.
 *  \return 0 with *loads, which ends with topomap_link_loads_free(); -1: TOPOMAP_EUSAGE where the
 *  machine's links are not known, TOPOMAP_EINPUT where nodes that communicate are not joined */
int topomap_link_loads_new(const topomap_graph *graph, const topomap_machine *machine,
                           const uint32_t *slot_of, const char *model, topomap_link_loads **loads,
                           topomap_error *err);
void topomap_link_loads_free(topomap_link_loads *loads);

/** What topomap_congestion_evaluate() says of the same: the model, the unit of shares, how many
 *  directed links there are, the same ones for every placement on a machine. Lent. */
const topomap_congestion *topomap_link_loads_congestion(const topomap_link_loads *loads);
/** Bytes over the link / its capacity. */
double topomap_link_loads_share(const topomap_link_loads *loads, uint32_t link);
/** Whose links they are, lent with the loads. */
const topomap_network *topomap_link_loads_network(const topomap_link_loads *loads);
/** What a vertex of it is called; what does not fit is cut. */
void topomap_link_loads_vertex(const topomap_link_loads *loads, uint32_t vertex, char *text,
                               size_t size);
/** "leaf1 -> spine2"; what does not fit is cut. */
void topomap_link_loads_name(const topomap_link_loads *loads, uint32_t link, char *text,
                             size_t size);

/** Bytes of one rank to another over a link. */
typedef struct topomap_link_pair {
    uint32_t from, to;
    uint64_t bytes; /* 0: no pair */
} topomap_link_pair;
/** The pairs of ranks that have most of each of some links' bytes, most first, of equals the lower
 *  ranks; of all phases together. Where traffic does not go by routes there are none.
 *  \param link  [count] which
 *  \param pair  [count * each] out
 *  \param bytes [count] out: of all pairs over the link */
int topomap_link_loads_pairs(const topomap_link_loads *loads, const uint32_t *link, uint32_t count,
                             uint32_t each, topomap_link_pair *pair, double *bytes,
                             topomap_error *err);

/* ---- overlap ------------------------------------------------------------------- */
/* How long phases take that no barrier divides, for lib/metric only. */

/** What is predicted. */
typedef struct topomap_overlap {
    const topomap_traffic *traffic;
    topomap_graph *const *phase;
    uint32_t phases;
    const topomap_time_costs *costs;
    double rate;     /* bytes a second of a link of capacity 1 */
    double slack;    /* seconds: what happens within them happens together */
    uint64_t budget; /* as topomap_fluid() has it */
} topomap_overlap;

/** A rank begins its part of a phase when it has ended its part of the one before: when what it
 * receives there and what it sends in messages of more than 64 KiB has arrived, the largest latency
 * of those is over, and so are its overheads. A message flows from when both of its ranks have
 * begun the phase, at its max-min fair rate among all that are under way, of whatever phase.
 *
 * \param seconds  until the last rank has ended
 * \return as topomap_fluid()
 */
int topomap_overlap_predict(const topomap_overlap *of, double *seconds, topomap_error *err);

/* ---- prediction ---------------------------------------------------------------- */
/* topomap_time_evaluate() in as much work as its caller has time for. */

/** What the links carry, as topomap_congestion_evaluate() has it by the same model. */
typedef struct topomap_time_loads {
    double max, mean; /* bytes / capacity */
} topomap_time_loads;

/** Bytes a second that a rank copies from another one of its node, where nobody has measured that:
 * what the machine's kind tells (gpus:), else as \p costs have it, but no slower than what a node's
 * own links carry, or a pair that talks would be taken apart on the word of an assumption. */
double topomap_time_memory(const topomap_machine *machine, const topomap_time_costs *costs);

/** What a prediction goes by: \p given, or what topomap/time.h says of NULL and of a memory_rate of
 * 0. TOPOMAP_EUSAGE where it is out of range. */
int topomap_time_costs_take(const topomap_machine *machine, const topomap_time_costs *given,
                            topomap_time_costs *costs, topomap_error *err);

/**
 * \param model   "routes", "adaptive" or "exact": TOPOMAP_EINPUT where it does not lead everywhere;
 *                NULL: adaptive on dragonflies with detours (valiant=), else routes; exact where
 *                that does not
 * \param budget  of max-min sharing, links of flows to look at (see fluid); 0: the bound
 *                alone, by the most loaded link
 * \param loads   NULL, or out: of all phases, one after the other
 */
int topomap_time_predict(const topomap_graph *graph, const topomap_machine *machine,
                         const uint32_t *slot_of_rank, const topomap_time_costs *costs,
                         const char *model, uint64_t budget, topomap_time *time,
                         topomap_time_loads *loads, topomap_error *err);

/** topomap_time_evaluate(), and \p watch says how far it has come; NULL: nobody looks. */
int topomap_time_watched(const topomap_graph *graph, const topomap_machine *machine,
                         const uint32_t *slot_of_rank, const topomap_time_costs *costs,
                         topomap_watch *watch, topomap_time *time, topomap_error *err);

/* ---- shares -------------------------------------------------------------------- */
/* Which links the traffic between two vertices of a network is on, and how much of it: what a
 * search that moves a few ranks at a time takes off the links and puts on others. For the models
 * whose ways do not depend on the other traffic: routes (one way, by the tables), adaptive (a
 * dragonfly's way and its detours) and exact (all shortest paths with equal shares), with the same
 * loads as topomap_congestion_evaluate(). */

/** Counts the shortest paths from a vertex to all, breadth first, parallel cables being paths of
 * their own. distance, paths, order [vertices] are filled, distance with UINT32_MAX where there is
 * none; order with those that were found, as they were. \return how many */
uint32_t topomap_paths_count(const topomap_network *network, uint32_t from, uint32_t *distance,
                             double *paths, uint32_t *order);

typedef struct topomap_shares topomap_shares;

typedef struct topomap_way {
    const uint32_t *link; /* on grids one may be there twice: its shares add up */
    const double *part;   /* of each link, or NULL: all of the traffic is on each */
    uint32_t links;
    uint64_t looked; /* links looked at to find it: what it cost */
} topomap_way;

/** \param network  topomap_network_grid() of the machine where it has none of its own
 *  \param model    "routes", "adaptive" or "exact"
 *  \param keep     how many ways are to be kept at most; 0: as many as are worth it, about 256 MiB
 *                  of ways and searches. What is not kept is found again. */
int topomap_shares_new(const topomap_machine *machine, const topomap_network *network,
                       const char *model, uint32_t keep, topomap_shares **shares,
                       topomap_error *err);
/** On a torus's or mesh's own grid: about how many links a way has. */
uint64_t topomap_shares_estimate(const topomap_shares *shares, uint32_t from, uint32_t to);
/** The way from one network vertex to another one, lent until the next call.
 *  \return 0; 1 where there is none; -1 where memory is short */
int topomap_shares_find(topomap_shares *shares, uint32_t from, uint32_t to, topomap_way *way);
/** That it will be asked for soon: what is kept of it comes from memory meanwhile. */
void topomap_shares_expect(const topomap_shares *shares, uint32_t from, uint32_t to);
void topomap_shares_free(topomap_shares *shares);

/* ---- single path --------------------------------------------------------------- */
/* One shortest path under loads: hops first, then the bytes / capacity that the links carry so far
 * (Hoefler & Snir, ICS 2011, Alg. 1 and 3: Dijkstra with a constant in front of the loads that
 * makes hops count first; here breadth first, and the pair compared). Which of two equally short
 * and loaded paths is taken is the caller's rule. */

typedef struct topomap_path_cost {
    double load;   /* sum of bytes / capacity so far */
    double slow;   /* sum of 1 / capacity */
    uint32_t link; /* the last one */
} topomap_path_cost;

/** Nonzero where path a is to be taken instead of b, which is as long and was found before. */
typedef int topomap_path_rule(const topomap_path_cost *a, const topomap_path_cost *b);
/** The lower load, then the lower last link. */
topomap_path_rule topomap_path_lower_link;
/** The lower load, then the faster links, then the one found first. */
topomap_path_rule topomap_path_faster;

typedef struct topomap_path_search {
    const topomap_network *network;
    topomap_path_rule *rule;
    uint32_t epoch, *seen;         /* [vertices] seen in this epoch */
    uint32_t *hops, *tail, *order; /* [vertices] */
    topomap_path_cost *cost;       /* [vertices] of the best path to each */
    uint64_t looked;               /* links looked at so far */
} topomap_path_search;

/** On failure it is to be cleared, too. */
int topomap_path_init(topomap_path_search *search, const topomap_network *network,
                      topomap_path_rule *rule, topomap_error *err);
void topomap_path_clear(topomap_path_search *search);

/** Where a search ends: at the vertex `to`, or where that is UINT32_MAX, at the best of the nearest
 *  vertices that have an `order` other than UINT32_MAX; of equal ones at the lowest order. */
typedef struct topomap_path_goal {
    uint32_t to;
    uint32_t (*order)(const void *data, uint32_t vertex);
    const void *data;
} topomap_path_goal;

/** \param load  [links] bytes so far
 *  \return the vertex; UINT32_MAX where none is joined. The path: tail[v] and cost[v].link, back to
 *  \p from. */
uint32_t topomap_path_find(topomap_path_search *search, const double *load, uint32_t from,
                           const topomap_path_goal *goal);
