/* SPDX-License-Identifier: BSD-3-Clause */
/* What every mapping algorithm gets: the graph padded to one vertex per slot, the machine, and
 * the state of one search. A placement is always a permutation: slot_of[v] for each vertex v,
 * where vertices >= ranks stand for slots that stay empty. */
#ifndef TOPOMAP_PROBLEM_H
#define TOPOMAP_PROBLEM_H

#include <stdatomic.h>

#include "graph/recognise/lattice.h"
#include "machine/machine.h"
#include "util/random.h"

struct topomap_score;

typedef struct topomap_problem {
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
    double patience;          /* multiplies what a refinement may spend; 0 is 1 */
    const uint32_t *start;    /* [slots] the baseline, a permutation */
    double deadline;          /* topomap_clock_wall() time, 0: none */
    const atomic_int *cancel; /* nonzero: nobody waits for the result; or NULL */
    double phase_seconds[TOPOMAP_PHASES];
    const char *parameters; /* of the algorithm that runs (map/parameters.h), lent; or NULL */
    size_t parameters_length;
    uint32_t *scratch;        /* [slots] for whoever runs; all UINT32_MAX between uses */
    topomap_lattice *lattice; /* what the graph was recognised as: topomap_problem_lattice() */
    int flawless; /* said by `boxes`: it is exactly that, with the same weight along a dimension */
    int straight; /* likewise: and cut from side to side, as well as that can be done */
    int doubtful; /* said by `boxes`: groups of the best shapes would cost clearly less; neither of
                     the two then */
} topomap_problem;

enum topomap_kind_bits {
    TOPOMAP_ON_TREE = 1 << TOPOMAP_MACHINE_TREE,
    TOPOMAP_ON_TORUS = 1 << TOPOMAP_MACHINE_TORUS,
    TOPOMAP_ON_MATRIX = 1 << TOPOMAP_MACHINE_MATRIX,
    TOPOMAP_ON_LINKED = TOPOMAP_ON_TORUS | TOPOMAP_ON_MATRIX, /* if links are known: hosts.h */
    TOPOMAP_ON_ALL = TOPOMAP_ON_TREE | TOPOMAP_ON_TORUS | TOPOMAP_ON_MATRIX,
};

/** One algorithm. Construction fills slot_of; refinement improves it in place. */
struct topomap_algorithm_impl {
    topomap_algorithm row;
    unsigned on; /* topomap_kind_bits */
    int (*run)(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
};
const struct topomap_algorithm_impl *topomap_algorithm_find(const char *name, size_t length);

/** The algorithms; each in its own file, named after it. slot_of is [slots]. */
int topomap_map_identity(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_random(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_tree(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_rb(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_rb_wrap(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_mxovlp(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_mxov_al(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_affn(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_coce(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_exco(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_coce_mht(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_bhatele(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_bft(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_mht(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_brick(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_stack(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_fold(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_chain(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_two_stage(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_two_stage_refine(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_greedy(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_bisect(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_rcm(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_rcm_literal(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_threshold(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_top_down(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_multisection(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_bottom_up(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_mueller_merbach(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_greedy_all_c(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_boxes(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_grid(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_nodecart(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_hyperplane(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_kd_tree(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_stencil_strips(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_n2(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_np(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_nc1(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_nc2(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_nc10(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_matched(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_relieve(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
/** Whole nodes alone change places, ranks stay together. Only with the objective congestion. */
int topomap_map_relieve_nodes(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
/** Nothing where problem->level is NULL. */
int topomap_map_level(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_anneal(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_anneal_hot(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_cycles(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
int topomap_map_swap(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
/** The part of `swap` that moves whole nodes' ranks between nodes of equal size. */
int topomap_map_swap_nodes(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);

/** Places the ranks of each node on its slots anew, each node by itself: Lindgren's core stage. J
 * does not rise, and between nodes nothing changes. */
int topomap_map_cores(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);

/** J of a placement. */
double topomap_problem_cost(const topomap_problem *problem, const uint32_t *slot_of);
/** J of a placement, and with another objective what it reaches by that. -1 where memory is short.
 */
int topomap_problem_score(const topomap_problem *problem, const uint32_t *slot_of,
                          struct topomap_score *score, topomap_error *err);
/** Nonzero when the caller's time is up, or nobody waits for the result. */
int topomap_problem_late(const topomap_problem *problem);
/** -1, with an error that nobody sees, where nobody waits for the result: what cannot stop half way
 *  as one that is late does may then give up. */
int topomap_problem_abandoned(const topomap_problem *problem, topomap_error *err);

#endif
