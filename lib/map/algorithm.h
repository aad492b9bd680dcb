/* SPDX-License-Identifier: BSD-3-Clause */
/* What an algorithm is: a row, in the file that makes the map; help, completion, tests and the
 * portfolio walk the list of rows below. */
#ifndef TOPOMAP_MAP_ALGORITHM_H
#define TOPOMAP_MAP_ALGORITHM_H

#include "map/problem.h"

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
#define FITS_LINKED "torus,mesh,fabric" /* with links: hosts.c refuses the others */
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

/** All algorithms, in the order of the help: to add one, add its line. PAPER: published heuristics
 *  that serve comparison (map/papers), which the planner is not linked with. */
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
 *  (plugin/planner/algorithms.c) in place of the library's (map/auto/algorithms.c). */
extern const topomap_algorithm_impl *const topomap_algorithms[];

/** The row whose name is \p name [length], or NULL. */
const topomap_algorithm_impl *topomap_algorithm_find(const char *name, size_t length);

/** Whose ranks may lie where a file of coordinates says. */
extern const topomap_parameter topomap_parameters_coordinates[];
/** Which may form groups of a node's size first. */
extern const topomap_parameter topomap_parameters_grouped[];

#endif
