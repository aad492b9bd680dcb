/* SPDX-License-Identifier: BSD-3-Clause */
/* The communication graph's own memory, for lib/ only. */
#pragma once

#include "topomap/topomap.h"
#include "util/alloc.h"
#include "util/input.h"
#include "util/sorted.h"

/* ---- graph --------------------------------------------------------------------- */

/** Directed arcs in compressed rows. Rows ascend by target; no self-loops; no duplicates.
 *  An arc of 0 bytes is kept where the file lists it (it is still a neighbour). An arc
 *  takes 12 bytes, and with messages 14; 16 where some pair exchanges 2^16 messages or more, 20
 *  from 2^32 on. */
struct topomap_graph {
    uint32_t ranks;
    uint64_t arcs;
    uint64_t *offset;       /* [ranks + 1] */
    uint32_t *target;       /* [arcs] */
    uint64_t *bytes;        /* [arcs] */
    void *messages;         /* [arcs] where they are known, else NULL; by topomap_count_at */
    unsigned message_width; /* bytes of each: 2, 4 or 8, the fewest that hold every count */
    uint64_t pairs;         /* undirected pairs that have an arc in one or both directions */
    uint64_t total_bytes, total_messages;

    /* Optional parts of ranks; NULL or 0 where there are none. */
    uint64_t *load;      /* [ranks] computation of each rank (the first vertex weight) */
    uint32_t loads;      /* vertex weights a rank where load is set; 0 counts as 1 */
    uint64_t *load_more; /* [ranks * (loads - 1)] the weights after the first, rank by rank */
    uint64_t *size;      /* [ranks] METIS's vertex size: what moving the rank's data costs */
    uint32_t dimensions; /* 0 to 8 */
    double *coordinate;  /* [ranks * dimensions] */
    char **name;         /* [ranks] into names */
    char *names;

    /* What happens one after the other: graphs of the same ranks, without phases of their own,
     * whose sum is this graph. A rank goes on to the next one when its own part of one has ended.
     */
    uint32_t phases;
    topomap_graph **phase; /* [phases] */
    int barrier; /* of a phase: no rank begins it before all have ended what is before it */

    double compute; /* seconds that a rank spends outside communication; 0: not known */

    char *pattern; /* or NULL */
    char *source;  /* where it comes from, or NULL */
    char *note;    /* what its user should know, or NULL */

    /* Arrays inside these bytes are a file's: not freed one by one. */
    void *file;
    size_t file_size;
    enum topomap_graph_file { TOPOMAP_FILE_LENT, TOPOMAP_FILE_HEAP, TOPOMAP_FILE_MAPPED } file_is;
};

/** One of an array of counts of 2, 4 or 8 bytes each. */
static inline uint64_t topomap_count_at(const void *counts, unsigned width, uint64_t i)
{
    return width == 2   ? ((const uint16_t *)counts)[i]
           : width == 4 ? ((const uint32_t *)counts)[i]
                        : ((const uint64_t *)counts)[i];
}

/** Of a local pointer to a graph: frees the graph when the pointer goes out of scope. It must be
 *  initialised. */
#define TOPOMAP_GRAPH_FREED TOPOMAP_CLEANUP(topomap_graph_free_local)
static inline void topomap_graph_free_local(topomap_graph **graph)
{
    topomap_graph_free(*graph);
}

static inline int topomap_graph_has_messages(const topomap_graph *graph)
{
    return graph->messages != NULL;
}

/** Nonzero where ranks may be in different phases at one time. */
static inline int topomap_graph_overlaps(const topomap_graph *graph)
{
    for (uint32_t k = 1; k < graph->phases; k++)
        if (!graph->phase[k]->barrier)
            return 1;
    return 0;
}

/** Messages of an arc; 0 where they are not known. */
static inline uint64_t topomap_graph_arc_messages(const topomap_graph *graph, uint64_t arc)
{
    return graph->messages ? topomap_count_at(graph->messages, graph->message_width, arc) : 0;
}

/** What \p u sends to \p v, 0 also where there is no such arc. */
static inline uint64_t topomap_graph_bytes_to(const topomap_graph *graph, uint32_t u, uint32_t v)
{
    uint64_t end = graph->offset[u + 1];
    uint64_t at = topomap_sorted_u32(graph->target, graph->offset[u], end, v);

    return at < end && graph->target[at] == v ? graph->bytes[at] : 0;
}

/** More ranks than this are refused everywhere. */
#define TOPOMAP_GRAPH_RANKS ((uint64_t)1 << 31)
/** Sums of bytes, of messages and of loads stay below this, so that they never overflow. */
#define TOPOMAP_GRAPH_SUM ((uint64_t)1 << 63)

/** Adds to a graph's sum of bytes or messages; \p what: which, for the error. */
int topomap_graph_add_total(uint64_t *total, uint64_t value, const char *what, topomap_error *err);

/** A number of ranks that nothing but an id or a header vouches for: refused (EINPUT) where it
 *  is over 2^20 and there are fewer than one arc for every 4 ranks. Memory for the ranks would
 *  otherwise be at the mercy of one mistyped number. */
int topomap_graph_plausible(uint64_t ranks, uint64_t arcs, topomap_error *err);

/** Fills pairs and the totals of a graph whose rows are complete. EINPUT on TOPOMAP_GRAPH_SUM. */
int topomap_graph_finish(topomap_graph *graph, topomap_error *err);

/** A graph under construction: arcs in any order. Starts as all zeros. */
typedef struct topomap_arcs {
    size_t count, capacity;
    uint32_t *from, *to;
    uint64_t *bytes;
    void *messages;         /* filled where has_messages is set */
    unsigned message_width; /* 4; 8 once a count has reached 2^32 */
    int has_messages;       /* set by the caller before there is room for any */
    uint64_t total_bytes, total_messages;
} topomap_arcs;

/** Makes room for \p count arcs in all. */
int topomap_arcs_reserve(topomap_arcs *arcs, size_t count, topomap_error *err);
/** Fails with EINPUT where a sum reaches 2^63. */
int topomap_arcs_add(topomap_arcs *arcs, uint32_t from, uint32_t to, uint64_t bytes,
                     uint64_t messages, topomap_error *err);
void topomap_arcs_clear(topomap_arcs *arcs);
/** Takes the arcs (they are cleared, on failure too). \p ranks 0: largest id + 1, which must be
 *  plausible. Sorts in place: no arc takes more memory than while it was added, 24 bytes at most.
 *  The result does not depend on the arcs' order. */
int topomap_arcs_take(topomap_arcs *arcs, uint32_t ranks, topomap_graph **graph,
                      topomap_error *err);

/** The undirected view that mapping works on: w(u,v) = bytes u->v + bytes v->u, rows ascending,
 *  each pair in both rows. Pairs of weight 0 are left out. Fixed number of vertices \p vertices
 *  >= ranks: the extra ones have no edges (empty slots of the machine). */
typedef struct topomap_weights {
    uint32_t vertices;
    uint64_t *offset; /* [vertices + 1] */
    uint32_t *target; /* [offset[vertices]] */
    uint64_t *weight; /* [offset[vertices]] */
    uint64_t total;   /* sum over undirected pairs */
} topomap_weights;

int topomap_weights_new(const topomap_graph *graph, uint32_t vertices, topomap_weights *weights,
                        topomap_error *err);
/** The same with so many bytes more for each message. \param message_bytes  of
 *  topomap_message_bytes() */
int topomap_weights_of_messages(const topomap_graph *graph, uint32_t vertices,
                                uint64_t message_bytes, topomap_weights *weights,
                                topomap_error *err);
/** Whole bytes for each message, 1 at least, as many as the sum of all weights has room for; 0
 *  where \p bytes is 0 or the graph does not count messages. */
uint64_t topomap_message_bytes(const topomap_graph *graph, double bytes);
void topomap_weights_clear(topomap_weights *weights);
/** Each pair's weight once, into \p weight [pairs]; returns how many there are. */
uint64_t topomap_weights_list(const topomap_weights *weights, uint64_t *weight);
/** The weight between \p u and \p v, 0 also where they are no pair. */
static inline uint64_t topomap_weights_between(const topomap_weights *weights, uint32_t u,
                                               uint32_t v)
{
    uint64_t end = weights->offset[u + 1];
    uint64_t at = topomap_sorted_u32(weights->target, weights->offset[u], end, v);

    return at < end && weights->target[at] == v ? weights->weight[at] : 0;
}
/** The same with all pairs, those of weight 0 too: what an undirected file format lists. */
int topomap_pairs_new(const topomap_graph *graph, topomap_weights *pairs, topomap_error *err);

/** Gives \p graph its phases, which become its own (on failure the caller's still): each of the
 * same ranks and without phases. EUSAGE otherwise. That the graph is their sum is the caller's. */
int topomap_graph_set_phases(topomap_graph *graph, topomap_graph **phase, uint32_t phases,
                             topomap_error *err);
/** Frees a list of graphs, NULLs among them; the list itself, too. NULL is allowed. */
void topomap_graph_free_list(topomap_graph **graph, size_t count);
/** Copies names: \p text is `ranks` texts, each with a NUL after it, \p size bytes in all. */
int topomap_graph_set_names(topomap_graph *graph, const char *text, size_t size,
                            topomap_error *err);
/** Sets source, note or pattern (\p slot is one of the graph's three) to a formatted text. */
int topomap_graph_set_text(char **slot, topomap_error *err, const char *format, ...)
    TOPOMAP_PRINTF(3, 4);

/** Vertices block by block, each block's ascending, into \p order [vertices]. */
int topomap_graph_by_block(const uint32_t *block_of, uint32_t vertices, uint32_t blocks,
                           uint32_t *order, topomap_error *err);
/** The graph between blocks: what vertices of one block send to those of another, added up.
 *  \p block_of [ranks], each below \p blocks. O(ranks + arcs). */
int topomap_graph_blocks(const topomap_graph *graph, const uint32_t *block_of, uint32_t blocks,
                         topomap_graph **out, topomap_error *err);

/** Makes a graph from a pattern, or a composition of patterns and files, where no file of that
 *  name takes its place. EUSAGE where the text is not one. */
int topomap_graph_generate(const char *pattern, topomap_graph **graph, topomap_error *err);

/** The kinds of groups of a training job, in order: "tp", "cp", "ep", "dp", "pp"; NULL after the
 *  last. */
const char *topomap_graph_group_kind(size_t kind);
/** The groups of one kind, of a graph that was made from the pattern `parallel:` and not changed
 *  since. EUSAGE if it is any other graph, or \p kind no kind.
 *  \param group_of  [ranks] gets a number below the ranks, the same for the ranks of a group
 *  \param groups    how many there are
 *  \param size      ranks of each */
int topomap_graph_groups(const topomap_graph *graph, const char *kind, uint32_t *group_of,
                         uint32_t *groups, uint32_t *size, topomap_error *err);

/* ---- likeness ------------------------------------------------------------------ */
/* How much of their traffic two graphs have in common. */

/** How alike two graphs of the same ranks are: the share of bytes that goes between the same pairs,
 *  sum of min(a/sum a, b/sum b) over undirected pairs, 0 to 1; 1 where both have no bytes. */
int topomap_graph_likeness(const topomap_graph *a, const topomap_graph *b, double *share,
                           topomap_error *err);

/** How well a pattern of the same ranks, rank by rank, tells a profile: the smaller of the share of
 *  the profile's bytes that goes between pairs of the pattern, and of the pattern's pairs that the
 *  profile has. */
int topomap_graph_fit(const topomap_graph *profile, const topomap_graph *pattern, double *share,
                      topomap_error *err);

/* ---- matrix -------------------------------------------------------------------- */
/* Who talks to whom, as a square of few cells: what pictures of a graph are made of. */

typedef struct topomap_matrix {
    uint32_t ranks, cells; /* a side */
    uint32_t each;      /* ranks of a row or column: row i is those from i * each on; the last may
                           have fewer */
    double *bytes;      /* [cells * cells] what the ranks of a row send to those of a column */
    double least, most; /* of the cells that are not empty; 0: all are */
} topomap_matrix;

/** \param place  [ranks] a permutation: where each rank stands; NULL: rank r at r
 *  \param cells  at most so many, 1 or more; as many as there are rows of equally many ranks
 *  \param matrix ends with topomap_matrix_clear(), after a failure too */
int topomap_matrix_make(const topomap_graph *graph, const uint32_t *place, uint32_t cells,
                        topomap_matrix *matrix, topomap_error *err);
void topomap_matrix_clear(topomap_matrix *matrix);

/** How strong a cell is on a logarithmic scale: 0 for the least that is not empty, 1 for the most;
 *  below 0: it is empty. */
double topomap_matrix_strength(const topomap_matrix *matrix, uint32_t row, uint32_t column);
