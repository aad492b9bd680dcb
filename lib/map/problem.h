/* SPDX-License-Identifier: BSD-3-Clause */
/* The mapping problem, and the interface of algorithms. */
#pragma once

#include <stdatomic.h>

#include "graph/recognise/lattice.h"
#include "machine/machine.h"
#include "topomap/topomap.h"
#include "util/random.h"
#include "watch/watch.h"

/* ---- problem ------------------------------------------------------------------- */
/* What every mapping algorithm gets: the graph padded to one vertex per slot, the machine, and
 * the state of one search. A placement is always a permutation: slot_of[v] for each vertex v,
 * where vertices >= ranks stand for slots that stay empty. */

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

/* The greatest load that a placement may give to nodes; topomap_level_open() (map/refine/refine.h)
 * fills it. */
typedef struct topomap_level {
    const uint64_t *load; /* [ranks] */
    uint32_t ranks;
    double limit;    /* the greatest load per slot of a node */
    uint32_t *dealt; /* [ranks] the node that LPT gave each rank to */
} topomap_level;

typedef int topomap_map_function(const topomap_graph *graph, const topomap_machine *machine,
                                 const topomap_map_options *options, topomap_mapping **mapping,
                                 topomap_error *err);

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
    const topomap_level *level;                /* of nodes' loads; NULL: they do not count */
    int inter_only;
    const uint32_t *held;                    /* the rank that `swap` leaves on its slot; or NULL */
    double patience;                         /* multiplies what a refinement may spend; 0 is 1 */
    const uint32_t *start;                   /* [slots] the baseline, a permutation */
    const struct topomap_score *start_score; /* by the objective; NULL where that is J */
    double deadline;                         /* topomap_clock_wall() time, 0: none */
    topomap_watch *watch;                    /* counts candidates; or NULL */
    const atomic_int *cancel;                /* nonzero: nobody waits for the result; or NULL */
    const char *parameters; /* of the algorithm that runs (see parameters, below), lent; or NULL */
    size_t parameters_length;
    topomap_map_function *map; /* topomap_map(), for strategies that map a smaller problem first */

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
/** The caller's placement of the ranks, made a permutation of all slots: the slots that it leaves
 *  empty go to the padding vertices, in order. TOPOMAP_EINPUT where it is no placement.
 *  \param name     for the error
 *  \param slot_of  [ranks], or NULL: rank r on slot r
 *  \param full     [slots] out */
int topomap_placement_fill(const char *name, const uint32_t *slot_of, uint32_t ranks,
                           uint32_t slots, uint32_t *full, topomap_error *err);
/** Reorders ranks inside each node so that they ascend with the slots. */
int topomap_problem_sort_inside(const topomap_problem *problem, uint32_t *slot_of,
                                topomap_error *err);
/** J of a placement. */
double topomap_problem_cost(const topomap_problem *problem, const uint32_t *slot_of);
/** J of a placement, and with another objective what it reaches by that. -1 where memory is short.
 */
int topomap_problem_score(const topomap_problem *problem, const uint32_t *slot_of,
                          struct topomap_score *score, topomap_error *err);
/** Returns the greatest load per slot of all nodes under a placement.
 *  \param slot_of  [ranks]
 *  \param node     [nodes] out: the load of each node */
double topomap_problem_most_load(const topomap_problem *problem, const uint32_t *slot_of,
                                 double *node);
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

/* ---- algorithm ----------------------------------------------------------------- */
/* What an algorithm is: a row, in the file that makes the map; help, completion, tests and the
 * portfolio walk the list of rows below. */

enum topomap_kind_bits {
    TOPOMAP_ON_TREE = 1 << TOPOMAP_MACHINE_TREE,
    TOPOMAP_ON_TORUS = 1 << TOPOMAP_MACHINE_TORUS,
    TOPOMAP_ON_MATRIX = 1 << TOPOMAP_MACHINE_MATRIX,
    TOPOMAP_ON_ALL = TOPOMAP_ON_TREE | TOPOMAP_ON_TORUS | TOPOMAP_ON_MATRIX,
};

/* What rows say of machines, by which it is decided whether one runs there, */
#define FITS_ALL "tree,torus,mesh,matrix,fabric"
#define FITS_GRID "torus,mesh"
#define FITS_HIERARCHY "tree,matrix,fabric"
#define FITS_LINKED "torus,mesh,fabric" /* with links: fabric_hosts.c refuses the others */
/* and of sources. */
#define BY_BHATELE "Bhatele (2010)"
#define BY_LINDGREN "Lindgren (KTH)"
#define BY_VIEM "Schulz, Traeff: VieM"
#define BY_WU "Wu, Xiong, Lan: HierTopoMap"
#define BY_HOEFLER "Hoefler, Snir: LibTopoMap"
#define BY_HUNOLD "Hunold et al. (CLUSTER 2020)"

typedef struct topomap_algorithm_impl {
    topomap_algorithm row;
    const topomap_parameter *parameters; /* ends with a row whose name is NULL; or NULL */
    /** Construction fills slot_of [slots], a permutation; refinement improves it in place. NULL: of
     * the portfolio itself. */
    int (*run)(topomap_problem *problem, uint32_t *slot_of, topomap_error *err);
    /** In place of `run`, for algorithms that are one function: which of them, self->variant says.
     */
    int (*run_family)(const struct topomap_algorithm_impl *self, topomap_problem *problem,
                      uint32_t *slot_of, topomap_error *err);
    int variant;
} topomap_algorithm_impl;

static inline int topomap_algorithm_run(const topomap_algorithm_impl *algorithm,
                                        topomap_problem *problem, uint32_t *slot_of,
                                        topomap_error *err)
{
    return algorithm->run_family ? algorithm->run_family(algorithm, problem, slot_of, err)
                                 : algorithm->run(problem, slot_of, err);
}

/** All algorithms, in the order of the help: to add one, add its line. PAPER rows are published
 * heuristics (map/papers), kept for comparison; topomap-planner is linked without them. */
#define TOPOMAP_ALGORITHMS(ROW, PAPER)                                                             \
    ROW(topomap_algorithm_auto)                                                                    \
    ROW(topomap_algorithm_identity)                                                                \
    ROW(topomap_algorithm_random)                                                                  \
    ROW(topomap_algorithm_tree)                                                                    \
    ROW(topomap_algorithm_matched)                                                                 \
    ROW(topomap_algorithm_rb)                                                                      \
    ROW(topomap_algorithm_rb_wrap)                                                                 \
    PAPER(topomap_algorithm_bhatele)                                                               \
    PAPER(topomap_algorithm_mxovlp)                                                                \
    PAPER(topomap_algorithm_mxov_al)                                                               \
    PAPER(topomap_algorithm_coce)                                                                  \
    PAPER(topomap_algorithm_exco)                                                                  \
    PAPER(topomap_algorithm_affn)                                                                  \
    PAPER(topomap_algorithm_stack)                                                                 \
    PAPER(topomap_algorithm_fold)                                                                  \
    PAPER(topomap_algorithm_chain)                                                                 \
    PAPER(topomap_algorithm_bft)                                                                   \
    PAPER(topomap_algorithm_mht)                                                                   \
    PAPER(topomap_algorithm_coce_mht)                                                              \
    PAPER(topomap_algorithm_brick)                                                                 \
    ROW(topomap_algorithm_two_stage)                                                               \
    ROW(topomap_algorithm_two_stage_refine)                                                        \
    ROW(topomap_algorithm_greedy)                                                                  \
    ROW(topomap_algorithm_bisect)                                                                  \
    ROW(topomap_algorithm_rcm)                                                                     \
    ROW(topomap_algorithm_rcm_literal)                                                             \
    ROW(topomap_algorithm_top_down)                                                                \
    ROW(topomap_algorithm_group_first)                                                             \
    ROW(topomap_algorithm_bottom_up)                                                               \
    PAPER(topomap_algorithm_mueller_merbach)                                                       \
    PAPER(topomap_algorithm_greedy_all_c)                                                          \
    ROW(topomap_algorithm_multisection)                                                            \
    PAPER(topomap_algorithm_nodecart)                                                              \
    PAPER(topomap_algorithm_hyperplane)                                                            \
    PAPER(topomap_algorithm_kd_tree)                                                               \
    PAPER(topomap_algorithm_stencil_strips)                                                        \
    ROW(topomap_algorithm_boxes)                                                                   \
    ROW(topomap_algorithm_grid)                                                                    \
    ROW(topomap_algorithm_refine)                                                                  \
    ROW(topomap_algorithm_swap)                                                                    \
    ROW(topomap_algorithm_relieve)                                                                 \
    ROW(topomap_algorithm_level)                                                                   \
    ROW(topomap_algorithm_anneal)                                                                  \
    ROW(topomap_algorithm_anneal_hot)                                                              \
    ROW(topomap_algorithm_cycles)                                                                  \
    ROW(topomap_algorithm_threshold)                                                               \
    ROW(topomap_algorithm_n2)                                                                      \
    ROW(topomap_algorithm_np)                                                                      \
    ROW(topomap_algorithm_nc1)                                                                     \
    ROW(topomap_algorithm_nc2)                                                                     \
    ROW(topomap_algorithm_nc10)

#define TOPOMAP_DECLARE(algorithm) extern const topomap_algorithm_impl algorithm;
TOPOMAP_ALGORITHMS(TOPOMAP_DECLARE, TOPOMAP_DECLARE)
#undef TOPOMAP_DECLARE

/** The algorithms of this program, NULL behind the last. The planner has a table of its own
 *  (plugin/planner/planner_algorithms.c) in place of the library's (map/auto/algorithms.c). */
extern const topomap_algorithm_impl *const topomap_algorithms[];

/** The row whose name is \p name [length], or NULL. */
const topomap_algorithm_impl *topomap_algorithm_find(const char *name, size_t length);

/** Whose ranks may lie where a file of coordinates says. */
extern const topomap_parameter topomap_parameters_coordinates[];
/** Which may form groups of a node's size first. */
extern const topomap_parameter topomap_parameters_grouped[];

/* ---- parameters ---------------------------------------------------------------- */
/* What stands behind the comma of `--algorithm NAME,k=v,...`: what each algorithm takes is in
 * its row. */

/** Checks all of \p given ("k=v,k=v", \p length characters, perhaps none) against the row's table
 *  and keeps it, lent, as the problem's. TOPOMAP_EUSAGE names what the row takes. */
int topomap_parameters_set(topomap_problem *problem, const topomap_algorithm_impl *impl,
                           const char *given, size_t length, topomap_error *err);

/** The number that was given, or \p fallback. */
uint64_t topomap_parameter_number(const topomap_problem *problem, const char *name,
                                  uint64_t fallback);
/** The text that was given, cut to \p size with its NUL; 0 where none was. */
int topomap_parameter_text(const topomap_problem *problem, const char *name, char *text,
                           size_t size);
