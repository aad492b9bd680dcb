/* SPDX-License-Identifier: BSD-3-Clause */
/** \file
 * \brief A program's own algorithms, and its own readers of graphs.
 *
 * Both are functions of the program, handed over with the call that is to use them: nothing is
 * registered, and the library forgets them when the call returns. Each gets the `data` that the
 * program gave with it. Both return 0, or -1 after they have filled the topomap_error that they
 * were given (topomap_error_set(), topomap_input_fail()); its code and text are then those of the
 * call. They run in the thread of the call, and may call the library. The conventions of
 * topomap/topomap.h hold.
 *
 * \code
 * static int backwards(const topomap_problem *problem, uint32_t *slot_of_rank, void *data,
 *                      topomap_error *err)
 * {
 *     uint32_t ranks = topomap_graph_ranks(topomap_problem_graph(problem));
 *     for (uint32_t r = 0; r < ranks; r++)
 *         slot_of_rank[r] = ranks - 1 - r;
 *     return 0;
 * }
 * ...
 * topomap_own_algorithm own = {.size = sizeof own, .name = "backwards", .run = backwards};
 * options.own_algorithms = 1;
 * options.own_algorithm = &own;
 * options.algorithm = "backwards+swap";
 * \endcode */
#ifndef TOPOMAP_EXTEND_H
#define TOPOMAP_EXTEND_H

#include <topomap/topomap.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Algorithms -------------------------------------------------------------------------- */

/** What an algorithm is asked. Lent while it runs. */
typedef struct topomap_problem topomap_problem;

/** The graph whose ranks are to be placed; with topomap_map_options.contiguous or .together that
 *  of the blocks or groups that stay together. Lent. */
TOPOMAP_PUBLIC const topomap_graph *topomap_problem_graph(const topomap_problem *problem);
/** The machine, which has as many slots as the graph has ranks, or more. Lent. */
TOPOMAP_PUBLIC const topomap_machine *topomap_problem_machine(const topomap_problem *problem);
/** What random numbers are to be made from, so that the same seed gives the same placement. */
TOPOMAP_PUBLIC uint64_t topomap_problem_seed(const topomap_problem *problem);
/** Nonzero when the caller's time (topomap_map_options.seconds) is up: what is there by now is to
 *  be the result. */
TOPOMAP_PUBLIC int topomap_problem_late(const topomap_problem *problem);

/** An algorithm of the program's own, for topomap_map_options.own_algorithm. Its name may stand in
 *  topomap_map_options.algorithm wherever that of a topomap_algorithm_row() may. */
typedef struct topomap_own_algorithm {
    size_t size;      /**< sizeof(topomap_own_algorithm), as in topomap_map_options */
    const char *name; /**< letters, digits, '-' and '_', 31 at most; no topomap_algorithm_row() has
                           it */
    int refines;      /**< nonzero: it improves the placement that it finds, and may stand behind a
                           '+'; 0: it begins from nothing */
    /** \p slot_of_rank  [ranks of topomap_problem_graph()] to be filled with the slot of each, no
     *  slot twice; where it refines, it has a placement already, else all are UINT32_MAX when it
     *  begins. What is none is TOPOMAP_EINPUT. */
    int (*run)(const topomap_problem *problem, uint32_t *slot_of_rank, void *data,
               topomap_error *err);
    void *data; /**< the program's, handed to run */
} topomap_own_algorithm;

/* ---- Readers ----------------------------------------------------------------------------- */

/** A file that is being read. Lent while the reader runs. */
typedef struct topomap_input topomap_input;

/** Makes a graph (topomap_graph_new()) of the file, for topomap_graph_read_with(). */
typedef int (*topomap_graph_reader)(topomap_input *input, void *data, topomap_graph **graph,
                                    topomap_error *err);

/** Reads a graph from a file of a format that the program knows.
 *  \param path    of a regular file, which may be packed with xz or zstd, as in
 *                 topomap_graph_read(); "-" is standard input
 *  \param reader  gets the file unpacked
 *  \param data    the program's, handed to \p reader
 *  \param graph   the caller's; ends with topomap_graph_free()
 *  \return 0, or -1: TOPOMAP_EINPUT where the file cannot be opened or unpacked, or the reader has
 *          made no graph; else what the reader says */
TOPOMAP_PUBLIC int topomap_graph_read_with(const char *path, topomap_graph_reader reader,
                                           void *data, topomap_graph **graph, topomap_error *err);

/** Next line: 1 and a NUL-terminated text without its newline (CR before it dropped too), lent
 *  until the next call and free to be changed by the caller; 0 at the end; -1 on failure.
 *  A line longer than \p limit bytes (0: 1 MiB) is a failure that names it. A NUL byte inside a
 *  line is a failure ("binary"). A last line without newline counts. */
TOPOMAP_PUBLIC int topomap_input_line(topomap_input *input, size_t limit, char **line,
                                      size_t *length, topomap_error *err);
/** All the rest as one buffer with a NUL after it, at most \p limit bytes (0: 1 GiB) unpacked.
 *  Ends with free(). Here NUL bytes inside are allowed. */
TOPOMAP_PUBLIC int topomap_input_all(topomap_input *input, size_t limit, char **text, size_t *size,
                                     topomap_error *err);
/** The path that it was opened by. Lent. */
TOPOMAP_PUBLIC const char *topomap_input_path(const topomap_input *input);
/** Number of the line that topomap_input_line() returned last, from 1. */
TOPOMAP_PUBLIC size_t topomap_input_lineno(const topomap_input *input);
/** Fills \p err with "PATH:LINE: ..." and TOPOMAP_EINPUT; returns -1. */
TOPOMAP_PUBLIC int topomap_input_fail(const topomap_input *input, topomap_error *err,
                                      const char *format, ...) TOPOMAP_PRINTF(3, 4);

#ifdef __cplusplus
}
#endif
#endif
