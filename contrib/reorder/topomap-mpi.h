/* SPDX-License-Identifier: BSD-3-Clause */
/** \file
 * \brief libtopomap-mpi: better ranks for a running MPI program.
 *
 * A program that has built a graph communicator (MPI_Dist_graph_create, MPI_Graph_create,
 * MPI_Cart_create) asks here which rank each process should have, so that those that talk most
 * are on one node, and on near cores of it. One library for each MPI: link with
 * `pkg-config --libs topomap-mpi-openmpi` or `topomap-mpi-mpich`.
 *
 * Conventions:
 * - Every call is collective over its communicator, which is left as it is, and comes back on all
 *   processes with the same result. 0 is success; on failure, -1, *newrank is the process's own
 *   rank (or what it was, for topomap_mpi_process_refine), so that a program may go on.
 * - A new rank is never worse than the old one: where nothing is gained by J (bytes times
 *   distance, topomap_cost of topomap.h), all processes get their own rank.
 * - The graph is gathered on rank 0, where ranks are mapped to nodes; each node's first process
 *   maps its node's ranks to cores, all of them at once; results are gathered and handed out
 *   (Lindgren, KTH, Alg. 4). What travels is in all proportional to edges plus processes.
 * - Weights of edges are bytes. What a process declares to send counts (destinations).
 * - The search takes TOPOMAP_REORDER_SECONDS at most (2 by default). TOPOMAP_DB names the
 *   topology database. With TOPOMAP=off or TOPOMAP_REORDER=off ranks stay, which is success.
 * - The same graph on the same nodes gives the same ranks, but for searches that met their limit.
 * - Threads may call at the same time with different communicators, if MPI allows it
 *   (MPI_THREAD_MULTIPLE).
 *
 * | HierTopoMap and Lindgren (KTH) | here                                  |
 * |--------------------------------|---------------------------------------|
 * | HTM_Topomap                    | topomap_mpi_rank_map                  |
 * | HTM_Topomap_tree               | topomap_mpi_rank_map_tree             |
 * | HTM_Topomap_bipart             | topomap_mpi_rank_map_bipart           |
 * | proc_map                       | topomap_mpi_process_map               |
 * | proc_map_refine                | topomap_mpi_process_refine            |
 * | measure_intranode_distance     | topomap_mpi_inside_measure            |
 * | measure_manhattan_distance     | topomap_mpi_hop_measure               |
 * | gen_target_manhattan           | topomap_mpi_target_make_manhattan     |
 * | gen_target_all_to_all          | topomap_mpi_target_make_all_to_all    |
 * | gen_target_local               | topomap_mpi_target_make_local         |
 */
#ifndef TOPOMAP_MPI_H
#define TOPOMAP_MPI_H

#include <mpi.h>
#include <topomap/topomap.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Ranks for a graph communicator -------------------------------------------------------- */

/** The rank that this process should have.
 *  \param graph    a communicator with a topology (graph, distributed graph, or Cartesian)
 *  \param newrank  filled; a permutation over all processes
 *  A new communicator of these ranks: MPI_Comm_split(graph, 0, newrank, &better); the process then
 *  does what the process of that rank did in \p graph.
 *  \return 0, or -1: no topology, or no memory for the graph on rank 0 */
TOPOMAP_PUBLIC int topomap_mpi_rank_map(MPI_Comm graph, int *newrank);
/** The same by recursive tree mapping alone (Wu, Xiong, Lan: HierTopoMap, Alg. 1). */
TOPOMAP_PUBLIC int topomap_mpi_rank_map_tree(MPI_Comm graph, int *newrank);
/** The same by recursive coordinate bipartition alone (HierTopoMap, Alg. 2); -1 where the
 *  database has no torus or mesh of the nodes. */
TOPOMAP_PUBLIC int topomap_mpi_rank_map_bipart(MPI_Comm graph, int *newrank);

/* ---- Costs, measured ----------------------------------------------------------------------- */

/** What a byte costs between two cores of a node, by the innermost thing that they share. */
typedef struct topomap_mpi_costs {
    int levels;
    struct {
        char name[16]; /**< "core", "l2", "l3", "numa", "package", "node" ... */
        double cost;   /**< any unit, one for all; from a measurement: nanoseconds of one message of
                            8 bytes, one way */
    } level[20];
} topomap_mpi_costs;

/** Measures messages of 8 bytes between processes of one node, at every level that two of them
 *  share: the means over nodes (Lindgren, Alg. 2 and 3). Nodes measure at once, one pair each.
 *  \param rounds  round trips of each pair, 10,000 in the thesis
 *  \param costs   filled, the same on all processes: levels from the inside out; 0 where no two
 *                 processes of a node exist. Processes that are not bound share their node alone */
TOPOMAP_PUBLIC int topomap_mpi_inside_measure(MPI_Comm comm, int rounds, topomap_mpi_costs *costs,
                                              topomap_error *err);

/** Where a node lies on a grid of hops. */
typedef struct topomap_mpi_grid {
    int dims;     /**< 1 to 8 */
    int size[8];  /**< [dims] */
    int wraps[8]; /**< [dims] nonzero: the dimension is a ring */
    int at[8];    /**< [dims] of the calling process's node */
} topomap_mpi_grid;

/** A line through the messages of 8 bytes from rank 0's node to every other: base + hop * hops. */
typedef struct topomap_mpi_fit {
    double base, hop; /**< nanoseconds; hop is 0 where all nodes are equally far */
    double sigma;     /**< root mean square of the residuals: large on a sick fabric */
    int nodes;        /**< measured */
} topomap_mpi_fit;
/** Lindgren's method 1, by least squares.
 *  \param grid  each process's own node; NULL on all: hops are the database's
 *  \param fit   filled, the same on all processes
 *  TOPOMAP_EUSAGE where there is one node only or hops are not known. */
TOPOMAP_PUBLIC int topomap_mpi_hop_measure(MPI_Comm comm, int rounds, const topomap_mpi_grid *grid,
                                           topomap_mpi_fit *fit, topomap_error *err);

/* ---- Targets ------------------------------------------------------------------------------- */

/** Where the processes of a communicator run, and how far it is between them. Made once for many
 *  mappings of communicators with the same processes in the same order. */
typedef struct topomap_mpi_target topomap_mpi_target;

/** By the topology database where it can be read and knows the nodes, else one distance between
 *  nodes and hwloc's levels inside. */
TOPOMAP_PUBLIC int topomap_mpi_target_make(MPI_Comm comm, topomap_mpi_target **target,
                                           topomap_error *err);
/** By levels inside nodes alone.
 *  \param inside  what they cost; NULL: hwloc's order of closeness
 *  \param between what a byte between two nodes costs, in the same unit; 0: ten thirds of "node" */
TOPOMAP_PUBLIC int topomap_mpi_target_make_local(MPI_Comm comm, const topomap_mpi_costs *inside,
                                                 double between, topomap_mpi_target **target,
                                                 topomap_error *err);
/** By a line over hops on a grid, as topomap_mpi_hop_measure() fits it.
 *  \param inside  as above; NULL: hwloc's order scaled to less than \p base */
TOPOMAP_PUBLIC int topomap_mpi_target_make_manhattan(MPI_Comm comm, const topomap_mpi_grid *grid,
                                                     const topomap_mpi_fit *fit,
                                                     const topomap_mpi_costs *inside,
                                                     topomap_mpi_target **target,
                                                     topomap_error *err);
/** By messages measured between all pairs of nodes, each node in one pair at a time (Lindgren's
 *  method 2; a round-robin tournament: nodes - 1 rounds). Rank 0 keeps nodes * nodes distances.
 *  \param inside  as above */
TOPOMAP_PUBLIC int topomap_mpi_target_make_all_to_all(MPI_Comm comm, int rounds,
                                                      const topomap_mpi_costs *inside,
                                                      topomap_mpi_target **target,
                                                      topomap_error *err);
/** Collective; NULL is accepted on all processes at once. */
TOPOMAP_PUBLIC void topomap_mpi_target_free(topomap_mpi_target *target);
/** Distance between the processes \p a and \p b, by the target's unit; -1 but on rank 0, which is
 *  where it is known. Not collective. */
TOPOMAP_PUBLIC double topomap_mpi_target_distance(const topomap_mpi_target *target, int a, int b);

/** The rank that this process should have, on a target.
 *  \param graph   as topomap_mpi_rank_map()
 *  \param target  of the same processes in the same order; EUSAGE where their numbers differ */
TOPOMAP_PUBLIC int topomap_mpi_process_map(MPI_Comm graph, const topomap_mpi_target *target,
                                           int *newrank, topomap_error *err);
/** Improves a mapping while the program runs: it is reduced to nodes, refined there by swaps, and
 *  the inside of nodes is mapped anew (Lindgren, Alg. 5).
 *  \param newrank  in: the rank that this process has or is to have (its own in \p graph, or what
 *                  an earlier call said); out: the better one, never worse than what came in.
 *                  TOPOMAP_EUSAGE where it is no permutation over all processes */
TOPOMAP_PUBLIC int topomap_mpi_process_refine(MPI_Comm graph, const topomap_mpi_target *target,
                                              int *newrank, topomap_error *err);

#ifdef __cplusplus
}
#endif
#endif
