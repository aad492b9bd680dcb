/* SPDX-License-Identifier: BSD-3-Clause */
/* What every mapping algorithm gets: the graph padded to one vertex per slot, the machine, and
 * the state of one search. A placement is always a permutation: slot_of[v] for each vertex v,
 * where vertices >= ranks stand for slots that stay empty. */
#ifndef TOPOMAP_PROBLEM_H
#define TOPOMAP_PROBLEM_H

#include <stdatomic.h>

#include "graph/recognise/lattice.h"
#include "machine/machine.h"
#include "topomap/topomap.h"
#include "util/random.h"
#include "watch/watch.h"

struct topomap_score;

/* What is being worked on. */
typedef struct topomap_work {
    uint32_t *scratch;        /* [slots] for whoever runs; all UINT32_MAX between uses */
    topomap_lattice *lattice; /* what the graph was recognised as: topomap_problem_lattice() */
} topomap_work;

/* What comes out beside the placement. */
typedef struct topomap_findings {
    double phase_seconds[TOPOMAP_PHASES];
    int flawless; /* said by `boxes`: it is exactly that, with the same weight along a dimension */
    int straight; /* likewise: and cut from side to side, as well as that can be done */
    int doubtful; /* said by `boxes`: groups of the best shapes would cost clearly less; neither of
                     the two then */
} topomap_findings;

typedef struct topomap_problem {
    /* What is given, and stays as it is. */
    const topomap_machine *machine;
    const topomap_graph *graph;
    topomap_weights weights; /* vertices == machine->slots */
    uint32_t ranks;
    const uint64_t *load; /* [ranks] computation of each rank, or NULL */
    enum topomap_effort effort;
    uint64_t seed;
    const struct topomap_objective *objective; /* congestion; NULL: J */
    const struct topomap_level *level;         /* of nodes' loads; NULL: they do not count */
    int inter_only;
    const uint32_t *held;                    /* the rank that `swap` leaves on its slot; or NULL */
    double patience;                         /* multiplies what a refinement may spend; 0 is 1 */
    const uint32_t *start;                   /* [slots] the baseline, a permutation */
    const struct topomap_score *start_score; /* by the objective; NULL where that is J */
    double deadline;                         /* topomap_clock_wall() time, 0: none */
    topomap_watch *watch;                    /* counts candidates; or NULL */
    const atomic_int *cancel;                /* nonzero: nobody waits for the result; or NULL */
    const char *parameters; /* of the algorithm that runs (map/parameters.h), lent; or NULL */
    size_t parameters_length;

    topomap_work work;
    topomap_findings found;
} topomap_problem;

/** Whole nodes alone change places, ranks stay together. Only with the objective congestion. */
int topomap_map_relieve_nodes(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
/** The part of `swap` that moves whole nodes' ranks between nodes of equal size. */
int topomap_map_swap_nodes(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);

/** Places the ranks of each node on its slots anew, each node by itself: Lindgren's core stage. J
 * does not rise, and between nodes nothing changes. */
int topomap_map_cores(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);

/** Gives the slots that are left, in order, to the vertices that have none (UINT32_MAX). */
void topomap_problem_fill(const topomap_problem *problem, uint32_t *slot_of);
/** J of a placement. */
double topomap_problem_cost(const topomap_problem *problem, const uint32_t *slot_of);
/** J of a placement, and with another objective what it reaches by that. -1 where memory is short.
 */
int topomap_problem_score(const topomap_problem *problem, const uint32_t *slot_of,
                          struct topomap_score *score, topomap_error *err);
/** Nonzero where a launch has no time for what takes long: ranks that change places all over a
 * large machine, and new places inside each node. */
static inline int topomap_problem_is_hasty(const topomap_problem *problem)
{
    enum { MANY = 2048 };

    return problem->effort == TOPOMAP_FAST && problem->machine->slots > MANY;
}
/** Nonzero when the caller's time (topomap_map_options.seconds) is up: what is there by now is to
 *  be the result. */
int topomap_problem_late(const topomap_problem *problem);
/** -1, with an error that nobody sees, where nobody waits for the result: what cannot stop half way
 *  as one that is late does may then give up. */
int topomap_problem_abandoned(const topomap_problem *problem, topomap_error *err);

#endif
