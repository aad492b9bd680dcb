/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs made from a pattern: the table, and what each pattern's file gives it. */
#ifndef TOPOMAP_GRAPH_PATTERNS_H
#define TOPOMAP_GRAPH_PATTERNS_H

#include "graph/graph.h"

#define TOPOMAP_PATTERN_DIMS 4
/** More arcs than this are refused: 24 bytes each while the graph is made. */
#define TOPOMAP_PATTERN_ARCS ((uint64_t)1 << 31)

enum { TOPOMAP_PATTERN_FACTORS = 24 };
enum topomap_pattern_factor_kind {
    TOPOMAP_FACTOR_PATH,
    TOPOMAP_FACTOR_RING,
    TOPOMAP_FACTOR_ALL,
    TOPOMAP_FACTOR_COPIES,
};

/** One factor of a product. */
typedef struct topomap_pattern_factor {
    enum topomap_pattern_factor_kind kind;
    uint64_t size;
} topomap_pattern_factor;

/** What a pattern's text says, before it is made. */
typedef struct topomap_pattern_args {
    const char *text; /* all of it, for messages */
    uint64_t ranks;   /* 0: not said */
    uint64_t group;   /* alltoall; 0: not said */
    uint64_t bytes;   /* per direction of a pair */
    int points;       /* of a stencil: most neighbours + 1 */
    int dims;         /* used of dim */
    uint64_t dim[TOPOMAP_PATTERN_DIMS];
    unsigned wrap; /* bit k: dimension k is periodic */
    int factors;   /* of a product; the first varies fastest */
    topomap_pattern_factor factor[TOPOMAP_PATTERN_FACTORS];
    int last_fastest; /* rank numbering; 0: the first dimension varies fastest */
} topomap_pattern_args;

/** Adds all arcs of the pattern and returns its number of ranks through \p args->ranks. */
typedef int (*topomap_pattern_make)(topomap_pattern_args *args, topomap_arcs *arcs,
                                    topomap_error *err);

/** Grids of any kind; \p args->points chooses how many dimensions a neighbour may differ in. */
int topomap_pattern_grid(topomap_pattern_args *args, topomap_arcs *arcs, topomap_error *err);
/** Complete groups of consecutive ranks. */
int topomap_pattern_alltoall(topomap_pattern_args *args, topomap_arcs *arcs, topomap_error *err);

/** Products of lines and groups. */
int topomap_pattern_product(topomap_pattern_args *args, topomap_arcs *arcs, topomap_error *err);

/** Nonzero if the word before the first colon (or all of it) is a pattern's name. */
int topomap_pattern_is_named(const char *text);
/** Fills \p out with why \p text names no pattern: the near name, or all names. */
void topomap_pattern_suggest(const char *text, char *out, size_t room);

#endif
