/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads of links, and algorithms that lower them. */
#pragma once

#include "fabric/network.h"
#include "graph/graph.h"
#include "machine/closeness.h"
#include "map/objective.h"
#include "map/problem.h"
#include "metric/metric.h"
#include "topomap/topomap.h"
#include "util/alloc.h"

/* ---- maxima -------------------------------------------------------------------- */
/* Numbers that change one by one, and their maximum: a tree of maxima over them. */

typedef struct topomap_maxima {
    double *most;           /* [2 * leaves] most[1] is of all; most[leaves + i] is number i */
    uint32_t count, leaves; /* leaves: a power of two, at least count */
} topomap_maxima;

/** All 0, and none of them is ever to be less. On failure it is to be cleared, too. */
int topomap_maxima_init(topomap_maxima *maxima, uint32_t count, topomap_error *err);
void topomap_maxima_clear(topomap_maxima *maxima);
/** O(log count), less where the maximum of few others changes with it. */
void topomap_maxima_set(topomap_maxima *maxima, uint32_t i, double number);

/** The same of many in a row, O(1) each, and behind the last of them topomap_maxima_finish(). */
static inline void topomap_maxima_put(topomap_maxima *maxima, uint32_t i, double number)
{
    maxima->most[maxima->leaves + i] = number;
}
void topomap_maxima_finish(topomap_maxima *maxima);

static inline double topomap_maxima_get(const topomap_maxima *maxima, uint32_t i)
{
    return maxima->most[maxima->leaves + i];
}
static inline double topomap_maxima_max(const topomap_maxima *maxima)
{
    return maxima->most[1];
}
/** Those of at least \p least, \p room of them at most, ascending by index; \return how many.
 *  O(found * log count) */
uint32_t topomap_maxima_above(const topomap_maxima *maxima, double least, uint32_t room,
                              uint32_t *found);

/* ---- fast loads ---------------------------------------------------------------- */
/* LibTopoMap's fast congestion (Hoefler & Snir, ICS 2011, Alg. 3), kept while ranks change places:
 * the paths of the edges of the two that move are taken off, and found again, heaviest first, under
 * the loads of all others, which keep theirs. A whole evaluation would find them in the order of
 * all edges: the numbers are near, not equal. */

typedef struct topomap_fast_path {
    uint32_t from, to; /* ranks */
    double bytes;
    uint32_t *link, links, room;
    int is_lost; /* there is no path */
} topomap_fast_path;

typedef struct topomap_fast_loads {
    topomap_arena memory;
    const topomap_network *network;
    uint32_t *at; /* [vertices] of the network; owned */
    uint32_t vertices;
    topomap_path_search search;
    topomap_fast_path *path; /* [arcs with bytes] heaviest first */
    uint32_t paths, lost;
    uint64_t *first; /* [vertices + 1] paths from and to a vertex */
    uint32_t *of;    /* ascending for each vertex */
    double *bytes;   /* [links] */
    topomap_maxima load;
    double sum; /* of bytes / capacity */

    uint32_t u, x; /* the swap tried last, the paths that it moved, and what these were */
    uint32_t *moved, moves;
    topomap_fast_path *old; /* [paths] of the first ones */
} topomap_fast_loads;

/** \param at  [vertices] network vertex of each vertex, copied
 *  On failure it is to be cleared, too. */
int topomap_fast_loads_init(topomap_fast_loads *loads, const topomap_graph *graph,
                            const topomap_network *network, uint32_t vertices, const uint32_t *at,
                            topomap_error *err);
void topomap_fast_loads_clear(topomap_fast_loads *loads);
/** The maximum; INFINITY where an edge has no path. */
double topomap_fast_loads_max(const topomap_fast_loads *loads);
/** Exchanges two vertices. -1 where memory is short. */
int topomap_fast_loads_swap(topomap_fast_loads *loads, uint32_t u, uint32_t x);
/** Takes the last swap back: everything is as it was before, to the bit where bytes are whole. */
void topomap_fast_loads_undo(topomap_fast_loads *loads);

/* ---- fabric_hosts -------------------------------------------------------------- */
/* What LibTopoMap's algorithms work on (Hoefler & Snir, ICS 2011): the host graph H, switches
 * included, with a capacity at each host, and the graph G of what is placed there. Where all hosts
 * have the same capacity p > 1, G is the quotient of blocks of p ranks (section 3.4), and each host
 * takes one block. */

typedef struct topomap_hosts {
    topomap_arena memory;
    topomap_problem *problem;
    const topomap_network *network;
    uint32_t places;      /* network vertices with slots, by first node */
    uint32_t *vertex;     /* [places] */
    uint32_t *place_of;   /* [network vertices] UINT32_MAX: no slots there */
    uint32_t *room;       /* [places] units that fit */
    uint32_t units;       /* what is placed: blocks, or graph vertices; the sum of room */
    topomap_weights work; /* weights of the units: G */

    topomap_network *grid;       /* owned, where the machine has no network of its own */
    uint32_t *slot_first, *slot; /* slots of place i: slot[slot_first[i] .. slot_first[i + 1]) */
    uint32_t *unit_of;           /* [slots] of each graph vertex, or NULL: the vertex itself */
} topomap_hosts;

/** TOPOMAP_EUSAGE where the machine's links are not known. On failure it is to be cleared, too. */
int topomap_hosts_init(topomap_hosts *hosts, topomap_problem *problem, const char *algorithm,
                       topomap_error *err);
/** \param place_of_unit  [units], as many at each place as it has room
 *  \param slot_of        [slots] ranks of a place take its slots in order */
int topomap_hosts_place(const topomap_hosts *hosts, const uint32_t *place_of_unit,
                        uint32_t *slot_of, topomap_error *err);
void topomap_hosts_clear(topomap_hosts *hosts);

/* ---- loads --------------------------------------------------------------------- */
/* The loads of a network's links under a placement, kept while vertices of the traffic change
 * places: the ways of the edges that move come off, the new ones go on, and the maximum is known
 * throughout. The vertices are ranks, or whole nodes' ranks together. */

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

/* ---- relief -------------------------------------------------------------------- */
/* The state of `relieve` (relieve.c): its loads and swaps are in relief.c, what it looks for them
 * by and descends with in relief_descent.c. */

enum { TOPOMAP_RELIEF_KINDS = 7, TOPOMAP_RELIEF_HOT = 64, TOPOMAP_RELIEF_EDGES = 4096 };
#define ENOUGH 1e-9 /* a gain below this part is rounding */

/* Phases do not meet on the links: each has loads of its own, and takes as long as the highest of
 * them, which the power mean `norm` of its loads is near. */
typedef struct relief_phase {
    topomap_traffic_rows rows;
    topomap_loads loads;
    double potential, norm, priced; /* priced: what the swap priced last adds to the potential */
} relief_phase;

typedef struct relief_edge {
    uint32_t u, v, next; /* u sends to v; next on the same link */
} relief_edge;

typedef struct relief {
    topomap_problem *problem;
    const topomap_machine *machine;
    const topomap_network *network;
    topomap_shares *shares;
    topomap_vicinity vicinity;
    uint32_t phases;
    relief_phase *phase;              /* [phases] */
    topomap_traffic_rows all;         /* of several phases together */
    const topomap_traffic_rows *rows; /* of all there are */
    int whole_nodes;                  /* places are nodes, not slots */
    uint32_t *place_of;               /* [vertices] */
    uint32_t *vertex_at;              /* [vertices] by place */
    uint32_t *at;                     /* [vertices] network vertex */
    uint32_t vertices;
    topomap_random random;
    uint64_t looked, limit; /* links, so far and at most */
    unsigned power;
    double norm; /* of all phases, one after the other */
    double step; /* from the lowest maximum so far down to what is aimed at */

    const topomap_objective *objective;
    double J, weight;        /* with a mix: of all ranks; norm by which 1 more of J counts */
    double priced, priced_J; /* what the swap priced last adds to the norm, and to J */

    uint32_t *best; /* [vertices] the best placement so far, and what it reaches */
    double best_value, best_max, best_sum, best_J;

    uint32_t hot[TOPOMAP_RELIEF_HOT], first[TOPOMAP_RELIEF_HOT], hots; /* of one phase */
    uint8_t *hot_of; /* [links] 1 + its number among the hot ones */
    relief_edge *edge;
    uint32_t edges;
} relief;

/** Makes the rows of each phase, of ranks or of the blocks that they are in. */
int topomap_relief_open(relief *r, const uint32_t *block_of, topomap_error *err);
void topomap_relief_close(relief *r);
/** Loads of the placement as it is, free of rounding, with potentials of a power and a slope. */
int topomap_relief_load(relief *r, unsigned power, double slope, topomap_error *err);

/** Who might change places with \p u, so that its edge to \p v takes another way: \p kind of
 *  TOPOMAP_RELIEF_KINDS. u itself: nobody. */
uint32_t topomap_relief_partner(relief *r, uint32_t u, uint32_t v, uint32_t kind);
/** Returns a random communication partner of \p u, or UINT32_MAX if \p u does not communicate. */
uint32_t topomap_relief_other(relief *r, uint32_t u);
/** What a swap adds to the norm; INFINITY where an edge would have no way. */
double topomap_relief_price(relief *r, uint32_t u, uint32_t x);
/** Makes the swap that was priced last. */
void topomap_relief_accept(relief *r, uint32_t u, uint32_t x);
/** Takes the placement as the best one. \p sum  of its loads, or infinity: not known. */
void topomap_relief_keep(relief *r, double sum);
/** After a row of swaps: the mean decides between equal maxima. */
void topomap_relief_compare(relief *r);
void topomap_relief_rescale(relief *r);
/** Of one phase: loads count for what they have above the next lower load that a link has, so that
 * all of the maximum's links are to come down to that. */
void topomap_relief_aim(relief *r);
/** The maxima of all phases, added up; as it is, or at most with the swap that was priced last. */
double topomap_relief_max(const relief *r);
double topomap_relief_peak(const relief *r);
/** The loads of all links, added up. */
double topomap_relief_sum(const relief *r);
/** Nonzero where what may be spent is. */
int topomap_relief_over(relief *r);

/** Lists the links that are loaded by more than \p part of the phase's maximum, and the edges over
 * them. \return 0, or -1: no memory */
int topomap_relief_hot(relief *r, uint32_t phase, double part);
/** A phase, the longer the likelier. */
uint32_t topomap_relief_draw_phase(relief *r);
/** Rounds over the links close to the maximum. \return 0, or -1: no memory */
int topomap_relief_descend(relief *r);
/** The mean, without touching the maximum. \return 0, or -1: no memory */
int topomap_relief_settle(relief *r);
/** Nonzero where memory was short. */
int topomap_relief_short(const relief *r);
