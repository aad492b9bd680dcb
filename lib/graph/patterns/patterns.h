/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs made from a pattern: what a row of the table is, and what its file gets and gives. */
#pragma once

#include "graph/graph.h"
#include "topomap/topomap.h"
#include "util/random.h"

/* ---- patterns ------------------------------------------------------------------ */

#define TOPOMAP_PATTERN_DIMS 8
#define TOPOMAP_PATTERN_PARAMS 24
#define TOPOMAP_PATTERN_FACTORS 24
/** A pattern of more ranks or more arcs is refused before it is made. An arc takes 24 bytes while
 *  the graph is made: 720 MB in all. */
#define TOPOMAP_PATTERN_MOST ((uint64_t)30000000)
#define TOPOMAP_PATTERN_LIMIT "a pattern may have 30000000"
/** How deep sum(), phases() and blocks() may stand in each other. */
#define TOPOMAP_PATTERN_DEPTH 8

/** A letter a dimension, for wrap= and bytes=. */
#define TOPOMAP_PATTERN_LETTERS "xyztuvwr"

enum topomap_param_type {
    TOPOMAP_PARAM_END = 0,
    TOPOMAP_PARAM_COUNT,  /**< an integer of least..most; 4K is 4096, 1e6 a million */
    TOPOMAP_PARAM_REAL,   /**< a number of least..most with a fraction */
    TOPOMAP_PARAM_WORD,   /**< one of `values`, which are separated by | */
    TOPOMAP_PARAM_TEXT,   /**< anything: the pattern's file reads it */
    TOPOMAP_PARAM_FLAG,   /**< stands alone */
    TOPOMAP_PARAM_SHAPE,  /**< AxBx..., each of 1 to 2^31; least..most dimensions */
    TOPOMAP_PARAM_WRAP,   /**< letters of dimensions; `periodic` sets all */
    TOPOMAP_PARAM_SIDES,  /**< bytes by direction: N, or x:N,y+:N,y-:N */
    TOPOMAP_PARAM_FACTOR, /**< a size from 1 to 2^31; may stand several times, in any order */
};

/** One parameter of a pattern: the parser, the messages and the help all go by this. */
typedef struct topomap_pattern_param {
    const char *name;
    enum topomap_param_type type;
    const char *values;   /**< how a value is written in the help; of a word: all of them */
    const char *fallback; /**< the default, as text; "": none; NULL: must be given */
    const char *help;
    double least, most; /**< of numbers and of a shape's dimensions; 0, 0: 1 to 2^31 */
} topomap_pattern_param;

/** What the text gave one parameter. */
typedef struct topomap_pattern_value {
    int given;       /* in the text, not by default */
    uint64_t number; /* COUNT; index of a WORD; bits of WRAP; 1 of a FLAG */
    double real;
    const char *text; /* TEXT, as it stands in the pattern */
    size_t length;
} topomap_pattern_value;

typedef struct topomap_pattern topomap_pattern;

/** What a pattern's text says. A pattern has at most one shape and one SIDES. */
typedef struct topomap_pattern_args {
    const topomap_pattern *pattern;
    topomap_pattern_value value[TOPOMAP_PATTERN_PARAMS];
    int dims;
    uint64_t dim[TOPOMAP_PATTERN_DIMS];
    uint64_t side[TOPOMAP_PATTERN_DIMS][2]; /* bytes down and up each dimension */
    int factors;
    struct {
        int param; /* which of the pattern's */
        uint64_t size;
    } factor[TOPOMAP_PATTERN_FACTORS]; /* in the text's order */
} topomap_pattern_args;

/** The value of a parameter that the pattern's table has. */
const topomap_pattern_value *topomap_pattern_get(const topomap_pattern_args *args,
                                                 const char *name);
uint64_t topomap_pattern_number(const topomap_pattern_args *args, const char *name);
/** The same, \p fallback where the text leaves it out. */
uint64_t topomap_pattern_number_or(const topomap_pattern_args *args, const char *name,
                                   uint64_t fallback);

/** Where a pattern's file puts the graph. Arcs may come in any order; those with the same ends are
 *  added up. */
typedef struct topomap_pattern_out {
    topomap_error *err;   /* set by a function that gets this and fails; or NULL */
    topomap_arena memory; /* of topomap_pattern_alloc() */
    uint64_t most;        /* ranks that there may be; 0: any number */
    uint64_t ranks;
    topomap_arcs arcs;
    uint64_t *load; /* [ranks] or NULL */
    size_t *phase;  /* [phases] the first arc of each phase; none: all at the same time */
    size_t phase_capacity;
    uint32_t phases;
} topomap_pattern_out;

typedef int (*topomap_pattern_make)(const topomap_pattern_args *args, topomap_pattern_out *out);

struct topomap_pattern {
    topomap_graph_pattern_info row;
    const topomap_pattern_param *param; /* up to TOPOMAP_PARAM_END; the first `leading` may stand */
    int leading;                        /* without their names, with a colon between them */
    int dims;                           /* of the shape; 0: as its parameter says */
    topomap_pattern_make make;
};

/** Declares how large the graph is before any of it is made: sets \p out->ranks and allocates
 *  \p arcs. EUSAGE on no ranks, and on more than TOPOMAP_PATTERN_MOST ranks or arcs. */
int topomap_pattern_size(topomap_pattern_out *out, uint64_t ranks, uint64_t arcs);
/** As topomap_alloc(). The array is freed with \p out->memory, when all arcs are made. */
static inline void *topomap_pattern_alloc(topomap_pattern_out *out, size_t count, size_t size)
{
    return topomap_arena_alloc(&out->memory, count, size, out->err);
}
/** \p a * \p b, or 2^63 where that is more: for sizes before topomap_pattern_size(). */
uint64_t topomap_pattern_times(uint64_t a, uint64_t b);
/** The arcs from here on happen after those so far. */
int topomap_pattern_phase(topomap_pattern_out *out);
static inline int topomap_pattern_arc(topomap_pattern_out *out, uint64_t from, uint64_t to,
                                      uint64_t bytes)
{
    return topomap_arcs_add(&out->arcs, (uint32_t)from, (uint32_t)to, bytes, 0, out->err);
}
/** The arc from \p from to \p to and the one back, \p bytes each. */
int topomap_pattern_pair(topomap_pattern_out *out, uint64_t from, uint64_t to, uint64_t bytes);
/** An arc of a computed number of bytes, rounded, unless it is from a rank to itself or of none.
 *  EUSAGE from 2^62 on. */
int topomap_pattern_send(topomap_pattern_out *out, uint64_t from, uint64_t to, double bytes);
/** All-to-all exchanges in \p count groups of \p size ranks, which are consecutive or else
 *  \p count apart. */
int topomap_pattern_exchange(topomap_pattern_out *out, uint64_t count, uint64_t size,
                             int consecutive, uint64_t bytes);

/** Rounded, at least 1. */
uint64_t topomap_pattern_whole(double bytes);
/** Rounded down. */
uint64_t topomap_pattern_root(uint64_t n);
/** Z order: of the dimensions from \p first on, every \p step-th of three, the first one whose
 *  coordinates differ in the highest bit decides. */
int topomap_pattern_curve(const uint32_t a[3], const uint32_t b[3], int first, int step);

/** 0 <= x < 1. */
static inline double topomap_pattern_unit(topomap_random *random)
{
    return (double)(topomap_random_next(random) >> 11) * 0x1p-53;
}

/** The rows of all files, in the order of the help; NULL after the last. */
const topomap_pattern *topomap_pattern_at(size_t i);
const topomap_pattern *topomap_pattern_named(const char *name, size_t length);

/** Reads the text of one pattern, [begin, end) of \p text. */
int topomap_pattern_parse(const topomap_pattern *pattern, const char *text, const char *begin,
                          const char *end, topomap_pattern_args *args, topomap_error *err);
/** Reads an integer at *at and moves behind it: digits, 4K (4096), 1e6. -1: none, or 2^63 and more.
 */
int topomap_pattern_count(const char **at, uint64_t *value);
/** The same for a number with a fraction and an exponent, whatever the locale. */
int topomap_pattern_real(const char **at, double *value);
/** Fails with where in \p text the trouble is. */
int topomap_pattern_fail(const char *text, const char *at, topomap_error *err, const char *format,
                         ...) TOPOMAP_PRINTF(4, 5);
/** How a pattern is written, for instance `ring:N[,bytes=N]`. */
void topomap_pattern_grammar(const topomap_pattern *pattern, char *text, size_t room);

/** Reads a file that a composition names. Returns 0, 1 if there is no such file, or -1. */
typedef int topomap_pattern_read(const char *path, topomap_graph **graph, topomap_error *err);
/** Makes the graph of a pattern or a composition. EUSAGE if the text is not one, or a pattern in it
 *  has more than \p most ranks (0: any number). */
int topomap_pattern_generate(const char *text, uint64_t most, topomap_pattern_read *read,
                             topomap_graph **graph, topomap_error *err);

/** Nonzero if the text begins with a pattern's name or is a composition. */
int topomap_pattern_is_named(const char *text);
/** Fills \p out with why \p text names no pattern: the near name, or all names. */
void topomap_pattern_suggest(const char *text, char *out, size_t room);

/* ---- What the families' files have -------------------------------------------------------- */

extern const topomap_pattern topomap_patterns_grid[], topomap_patterns_groups[],
    topomap_patterns_product[], topomap_patterns_trees[], topomap_patterns_random[],
    topomap_patterns_nas[], topomap_patterns_training[], topomap_patterns_meshes[],
    topomap_patterns_points[], topomap_patterns_amr[];

#define TOPOMAP_PARAM_NONE                                                                         \
    {                                                                                              \
        NULL, TOPOMAP_PARAM_END, NULL, NULL, NULL, 0, 0                                            \
    }
#define TOPOMAP_PARAM_RANKS(help)                                                                  \
    {                                                                                              \
        "n", TOPOMAP_PARAM_COUNT, "N", NULL, help, 0, 0                                            \
    }
#define TOPOMAP_PARAM_BYTES(fallback, help)                                                        \
    {                                                                                              \
        "bytes", TOPOMAP_PARAM_COUNT, "N", fallback, help, 1, 0x1p62                               \
    }
#define TOPOMAP_PARAM_SEED                                                                         \
    {                                                                                              \
        "seed", TOPOMAP_PARAM_COUNT, "N", "1", "the same seed gives the same graph", 0, 0x1p62     \
    }
#define TOPOMAP_PARAM_ORDER                                                                        \
    {                                                                                              \
        "order", TOPOMAP_PARAM_WORD, "column|row", "column",                                       \
            "column: x varies fastest; row: the last dimension does, as in MPI_Cart_create", 0, 0  \
    }

/* ---- combine ------------------------------------------------------------------- */
/* Several graphs become one. */

typedef struct topomap_operand {
    const topomap_graph *graph;
    double factor; /* of bytes and messages; what is not nothing stays at least 1 */
} topomap_operand;

/** Combines graphs on the same ranks: rank r of the result is rank r of each, and it has as many
 *  ranks as the largest graph.
 *  \param in_turn  1: one graph after the other, each a phase, or the phases that it has. 0: all at
 *                  the same time: phase k is the sum of the phases k, and a graph without phases
 *                  is in the first */
int topomap_combine_same(const topomap_operand *part, size_t parts, int in_turn,
                         topomap_graph **graph, topomap_error *err);
/** Side by side in rank space, the whole list \p repeat times. Phase k is that of the phases k.
 *  \p couple > 0: each block and the next share an interface of \p couple bytes each way, of which
 *  every rank holds an equal, contiguous share in rank order. */
int topomap_combine_blocks(const topomap_operand *part, size_t parts, uint64_t repeat,
                           uint64_t couple, topomap_graph **graph, topomap_error *err);

/* ---- points -------------------------------------------------------------------- */
/* Random points and their triangulation. */

/** Coordinates are integers below this: products of differences stay exact. */
#define TOPOMAP_POINT_BITS 26

typedef struct topomap_point {
    uint32_t x[3];
    uint32_t id;
} topomap_point;

/** Adds both arcs of every edge of the Delaunay triangulation. \p point is sorted by (x, y), no two
 *  the same, at most 2^26. */
int topomap_delaunay(const topomap_point *point, uint32_t points, uint64_t bytes,
                     topomap_pattern_out *out);

/* ---- training ------------------------------------------------------------------ */

/** Bytes that a rank sends along tp, pp and dp in a step of `parallel:...`, of context and expert
 *  ranks 1. 0 along dimensions of one rank. */
enum { TOPOMAP_TRAINING_TP, TOPOMAP_TRAINING_PP, TOPOMAP_TRAINING_DP, TOPOMAP_TRAINING_DIMS };
int topomap_training_bytes(const char *pattern, double bytes[TOPOMAP_TRAINING_DIMS],
                           topomap_error *err);
