/* SPDX-License-Identifier: BSD-3-Clause */
/** \file
 * \brief libtopomap: put MPI ranks where they talk cheapest.
 *
 * A placement has three inputs and one result:
 *   topomap_graph    who talks to whom, and how much (communication graph)
 *   topomap_machine  where ranks can go, and what a byte costs between two places
 *   topomap_map      the search, which returns one slot per rank
 *   topomap_cost     what a placement costs (J, hop-bytes, dilation, bytes by level)
 *
 * Conventions, valid for every function unless its comment says otherwise:
 * - Functions that can fail return 0 on success and -1 on failure, and fill the caller's
 *   topomap_error. On failure, output arguments are untouched.
 * - Objects are opaque. `..._new`, `..._read`, `..._parse` and `..._build` give an object that
 *   the caller owns and ends with `..._free`, which accepts NULL. Getters lend: what they return
 *   lives as long as the object.
 * - The library never prints, never exits, reads no environment variable and keeps no state
 *   between calls. Different objects may be used from different threads at the same time;
 *   const functions may share one object.
 * - The same input, seed and thread count give the same bytes.
 */
#ifndef TOPOMAP_H
#define TOPOMAP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TOPOMAP_PUBLIC __attribute__((visibility("default")))
#define TOPOMAP_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define TOPOMAP_PUBLIC
#define TOPOMAP_PRINTF(fmt, args)
#endif

/* ---- Errors ------------------------------------------------------------------------------ */

/** What kind of failure it was; the command line maps them to exit statuses. */
enum topomap_code {
    TOPOMAP_OK = 0,
    TOPOMAP_EUSAGE,  /**< the call or its options make no sense (exit status 2) */
    TOPOMAP_EINPUT,  /**< a file or text is not what it should be (exit status 3) */
    TOPOMAP_ESYSTEM, /**< memory, disk, or another library failed (exit status 4) */
};

/** One failure, owned by the caller, who may leave it uninitialised before the call.
 *  The text is one line without a final newline: where (file:line), what was expected, and,
 *  where there is one, the way out. */
typedef struct topomap_error {
    enum topomap_code code;
    char text[512];
} topomap_error;

/** Fills \p err (which may be NULL) and returns -1, so that a caller can `return` it.
 *  A text that is too long is cut. */
TOPOMAP_PUBLIC int topomap_error_set(topomap_error *err, enum topomap_code code, const char *format,
                                     ...) TOPOMAP_PRINTF(3, 4);

/** The library's version, for instance "0.1.0". */
TOPOMAP_PUBLIC const char *topomap_version(void);

/* ---- Communication graphs ---------------------------------------------------------------- */

/** A communication graph: ranks 0..n-1; for each directed pair that communicates, the bytes and
 *  (optionally) messages from one to the other. No self-loops. Immutable once made. */
typedef struct topomap_graph topomap_graph;

/** Reads a graph from a file or makes it from a pattern.
 *  \param what   path of a file, - for standard input, or a pattern such as `stencil2d:5:48x32`; an
 *                existing file wins
 *  \param format name of a topomap_graph_format_row(), or NULL to recognise it by content,
 *                then by name
 *  Without a format, a folder is a profile in parts, `part.NUMBER`; it is read where the parts have
 *  every rank of the run, whole. The file may be packed with xz or zstd; what unpacks
 *  to more than 256 MiB and 2000 times its size, or to more than 8 GiB, is refused. Undirected
 * formats (METIS) give each edge's weight in two halves, one per direction, so that topomap's
 * w(u,v) is the weight in the file. */
TOPOMAP_PUBLIC int topomap_graph_read(const char *what, const char *format, topomap_graph **graph,
                                      topomap_error *err);

/** The same with options of the format's own, such as `min-bytes=1000`.
 *  \param option  texts `name=value`, NULL after the last; or NULL: none. EUSAGE where the format
 * has no such option (topomap_graph_format::options). All have `unpacked=SIZE`: what a packed file
 * may unpack to instead, in bytes or with K, M, G, T behind. */
TOPOMAP_PUBLIC int topomap_graph_read_options(const char *what, const char *format,
                                              const char *const *option, topomap_graph **graph,
                                              topomap_error *err);

/** Makes a graph from arcs in any order. Duplicates are added up; self-loops are dropped.
 *  \param ranks     number of ranks, at least 1
 *  \param arcs      length of the four arrays
 *  \param from,to   ranks, each below \p ranks
 *  \param bytes     bytes from[i] sends to to[i]
 *  \param messages  the number of messages, or NULL */
TOPOMAP_PUBLIC int topomap_graph_new(uint32_t ranks, size_t arcs, const uint32_t *from,
                                     const uint32_t *to, const uint64_t *bytes,
                                     const uint64_t *messages, topomap_graph **graph,
                                     topomap_error *err);

/** Writes \p graph to \p path ("-" is standard output) in the format of a
 *  topomap_graph_format_row().
 *  The file appears whole or not at all. \p format NULL: by the name's ending. */
TOPOMAP_PUBLIC int topomap_graph_write(const topomap_graph *graph, const char *path,
                                       const char *format, topomap_error *err);

/** Accepts NULL. */
TOPOMAP_PUBLIC void topomap_graph_free(topomap_graph *graph);

/** How many ranks there are. */
TOPOMAP_PUBLIC uint32_t topomap_graph_ranks(const topomap_graph *graph);
/** Undirected pairs that communicate. */
TOPOMAP_PUBLIC uint64_t topomap_graph_edges(const topomap_graph *graph);
/** Bytes, summed over all directed pairs. */
TOPOMAP_PUBLIC uint64_t topomap_graph_bytes(const topomap_graph *graph);
/** All arcs, in compressed rows: rank u sends bytes[i] to target[i] for i from offset[u] below
 *  offset[u + 1], targets ascending. Lent, and not to be written to.
 *  \param offset  out: [ranks + 1], the last of them being the number of arcs
 *  \param target  out: [arcs]
 *  \param bytes   out: [arcs] */
TOPOMAP_PUBLIC void topomap_graph_arcs(const topomap_graph *graph, const uint64_t **offset,
                                       const uint32_t **target, const uint64_t **bytes);
/** [arcs] messages of each arc, or NULL where they are not known. Lent.
 *  \param width  out: bytes that each of the counts takes, 2, 4 or 8 (uint16_t and so on); 0 with
 *                NULL */
TOPOMAP_PUBLIC const void *topomap_graph_counts(const topomap_graph *graph, unsigned *width);
/** Nonzero if message counts are known; then *messages is their sum over directed pairs. */
TOPOMAP_PUBLIC int topomap_graph_messages(const topomap_graph *graph, uint64_t *messages);
/** The pattern it was made from, as text, or NULL. Lent. */
TOPOMAP_PUBLIC const char *topomap_graph_pattern(const topomap_graph *graph);
/** [ranks] what each rank computes (the vertex weights of a file), or NULL. Lent. */
TOPOMAP_PUBLIC const uint64_t *topomap_graph_load(const topomap_graph *graph);
/** [ranks * *dimensions] where each rank's part of the domain lies, rank by rank, or NULL where
 * that is not known. Lent. */
TOPOMAP_PUBLIC const double *topomap_graph_coordinates(const topomap_graph *graph,
                                                       uint32_t *dimensions);
/** What the ranks do one after the other: how many graphs of the same ranks, whose sum this graph
 *  is (0: not known), and one of them, lent, NULL from there on. */
TOPOMAP_PUBLIC uint32_t topomap_graph_phases(const topomap_graph *graph);
TOPOMAP_PUBLIC const topomap_graph *topomap_graph_phase(const topomap_graph *graph, uint32_t i);
/** Seconds that a rank spends outside communication, of all phases together: compute= of a pattern,
 *  or of a profile the longest rank's time minus the mean time inside MPI. 0: not known. */
TOPOMAP_PUBLIC double topomap_graph_compute(const topomap_graph *graph);
/** A rank's name in its file, or NULL. Lent. */
TOPOMAP_PUBLIC const char *topomap_graph_name(const topomap_graph *graph, uint32_t rank);
/** Where the graph comes from, for people, or NULL. Lent. */
TOPOMAP_PUBLIC const char *topomap_graph_source(const topomap_graph *graph);
/** What its user should know (a profile that holds nothing but background noise), or NULL. Lent. */
TOPOMAP_PUBLIC const char *topomap_graph_note(const topomap_graph *graph);

/** The sum of graphs, which may differ in ranks (the result has the most); messages are known where
 *  they are for all. The loads, names and coordinates are those of the first. */
TOPOMAP_PUBLIC int topomap_graph_merge(const topomap_graph *const *graphs, size_t count,
                                       topomap_graph **sum, topomap_error *err);
/** The graph with every arc's bytes multiplied by \p factor (positive, finite) and rounded to the
 *  nearest; messages stay. EINPUT where the sum of bytes reaches 2^63. */
TOPOMAP_PUBLIC int topomap_graph_scale(const topomap_graph *graph, double factor,
                                       topomap_graph **scaled, topomap_error *err);
/** The graph with its ranks renumbered, loads, names, coordinates and phases along with them.
 *  \param new_rank  [ranks] a permutation: the new number of each rank; EUSAGE where it is none */
TOPOMAP_PUBLIC int topomap_graph_permute(const topomap_graph *graph, const uint32_t *new_rank,
                                         topomap_graph **permuted, topomap_error *err);

/** An option that a graph format takes when it is read. */
typedef struct topomap_graph_option {
    const char *name;
    const char *values; /**< what it may be, for people */
    const char *help;   /**< one line */
} topomap_graph_option;

/** A pattern found in a graph's edges, whatever the order of its ranks. */
typedef struct topomap_recognition {
    char text[400]; /**< in the words of topomap_graph_pattern_row(); "" where there is none */
    uint32_t dims;
    uint32_t size[24]; /**< [dims] of the grid, or of the factors of a product */
    double explained;  /**< share of the graph's pairs that the pattern has */
    double present;    /**< share of the pattern's pairs that the graph has */
    double even;       /**< share of the graph's bytes that are where the pattern has them: of
                            stencils, groups and products, where all pairs along a dimension have
                            the same; of others, where they have the pattern's own */
    int exact;         /**< all three are 1 (the bytes but for 1 %) */
} topomap_recognition;
/** Finds stencils, tori, all-to-all groups, and products of lines and groups, of 8 ranks and more,
 *  with noise of a fifth of the pairs at most; training with tensor, pipeline and data parallel
 *  ranks, and wavefronts, by what goes which way; and up to 2^17 ranks trees, masters, butterflies,
 *  the NAS benchmarks, and training with context or expert parallel ranks, as they are generated,
 *  other pairs much lighter. Groups of which a few pairs have most of the bytes are none.
 *  Pairs that exchange next to nothing beside the others (a profile's barriers and reductions) are
 *  left out where more of the bytes is told without them; explained and even are of all pairs.
 *  \param ranks  0; or a number of ranks to name the same pattern for, its dimensions scaled alike
 *                as evenly as the number divides
 *  Fails with TOPOMAP_EUSAGE where the pattern has no shape of \p ranks ranks, or these are over
 *  2^31. */
TOPOMAP_PUBLIC int topomap_graph_recognise(const topomap_graph *graph, uint64_t ranks,
                                           topomap_recognition *pattern, topomap_error *err);

/** One row of the registry of graph formats. */
typedef struct topomap_graph_format {
    const char *name;   /**< the word that --from and --to take */
    const char *help;   /**< one line */
    const char *suffix; /**< file name endings, comma separated, or NULL */
    int can_read, can_write;
    const topomap_graph_option *options; /**< ends with a row whose name is NULL; or NULL */
} topomap_graph_format;
/** Row i of the registry, lent; NULL after the last. */
TOPOMAP_PUBLIC const topomap_graph_format *topomap_graph_format_row(size_t i);

/** One row of the registry of patterns. */
typedef struct topomap_graph_pattern_info {
    const char *name; /**< the word before the first colon */
    const char *help; /**< one line */
} topomap_graph_pattern_info;
/** Row i of the registry, lent; NULL after the last. */
TOPOMAP_PUBLIC const topomap_graph_pattern_info *topomap_graph_pattern_row(size_t i);
/** Writes how pattern i is spelled, for instance `ring:N[,bytes=N]`; a text that is too long is
 *  cut. \return 0 after the last pattern. */
TOPOMAP_PUBLIC int topomap_graph_pattern_grammar(size_t i, char *text, size_t size);

/** One parameter of a pattern. All texts are lent. */
typedef struct topomap_graph_pattern_param {
    const char *name;
    const char *values;   /**< how its value is written, or NULL: it stands alone */
    const char *fallback; /**< the default, "" for none, or NULL: it must be given */
    const char *help;     /**< one line */
} topomap_graph_pattern_param;
/** Parameter k of pattern i. \return 0 after the last. */
TOPOMAP_PUBLIC int topomap_graph_pattern_parameter(size_t i, size_t k,
                                                   topomap_graph_pattern_param *param);

/* ---- Machines ---------------------------------------------------------------------------- */

/** Where ranks can go: slots 0..n-1, grouped into nodes (slots of a node are consecutive), and
 *  what one byte costs from slot to slot. Immutable once made. */
typedef struct topomap_machine topomap_machine;

/** Makes a machine from a specification such as `tree:4:16:8@1:10:100`,
 *  `torus:12x12x12*8@1:10,alloc=FILE`, `mesh:8x8`, `matrix:FILE`, `fattree:k=16,levels=3`,
 *  `dragonfly:p=4,a=8,h=4`, `percs:supernodes=8` or `links:FILE`. The last four have links. */
TOPOMAP_PUBLIC int topomap_machine_parse(const char *spec, topomap_machine **machine,
                                         topomap_error *err);
/** Accepts NULL. */
TOPOMAP_PUBLIC void topomap_machine_free(topomap_machine *machine);

/** How many slots and nodes there are, and the node of a slot. */
TOPOMAP_PUBLIC uint32_t topomap_machine_slots(const topomap_machine *machine);
TOPOMAP_PUBLIC uint32_t topomap_machine_nodes(const topomap_machine *machine);
TOPOMAP_PUBLIC uint32_t topomap_machine_node_of(const topomap_machine *machine, uint32_t slot);
/** The node's name, or NULL where the machine has no names. Lent. */
TOPOMAP_PUBLIC const char *topomap_machine_node_name(const topomap_machine *machine, uint32_t node);
/** "tree", "torus", "mesh", "matrix" or "fabric". Lent. */
TOPOMAP_PUBLIC const char *topomap_machine_kind(const topomap_machine *machine);
/** Cost of one byte between two slots; symmetric, 0 for p == q. */
TOPOMAP_PUBLIC double topomap_machine_distance(const topomap_machine *machine, uint32_t p,
                                               uint32_t q);
/** Fabric hops between the nodes of two slots; 0 on one node. */
TOPOMAP_PUBLIC uint32_t topomap_machine_hops(const topomap_machine *machine, uint32_t p,
                                             uint32_t q);
/** Levels of closeness, from the inside out; the level of two slots is the innermost that they
 *  share. Their number, the name of one (lent), and the level of a pair. */
TOPOMAP_PUBLIC uint32_t topomap_machine_levels(const topomap_machine *machine);
TOPOMAP_PUBLIC const char *topomap_machine_level_name(const topomap_machine *machine,
                                                      uint32_t level);
TOPOMAP_PUBLIC uint32_t topomap_machine_level_of(const topomap_machine *machine, uint32_t p,
                                                 uint32_t q);

/** What Bhatele's Topology Manager answers: the coordinates of slots on a torus or mesh.
 *  \param dim   [8] the dimensions' lengths, or NULL
 *  \param wrap  [8] nonzero where a dimension wraps round, or NULL
 *  \return the number of dimensions, at most 8; 0 for machines without coordinates */
TOPOMAP_PUBLIC uint32_t topomap_machine_dimensions(const topomap_machine *machine, uint32_t *dim,
                                                   uint8_t *wrap);
/** \param coord  [dimensions] filled with the coordinates of the slot's node
 *  Fails with TOPOMAP_EUSAGE where the machine has no coordinates or no such slot. */
TOPOMAP_PUBLIC int topomap_machine_coordinates(const topomap_machine *machine, uint32_t slot,
                                               uint32_t *coord, topomap_error *err);
/** The first slot of the first node at the coordinates ([dimensions]); UINT32_MAX where the
 *  allocation has none, or the machine no coordinates. The other slots of the node follow it.
 *  O(nodes). */
TOPOMAP_PUBLIC uint32_t topomap_machine_slot_at(const topomap_machine *machine,
                                                const uint32_t *coord);

/* ---- Cost -------------------------------------------------------------------------------- */

/** What a placement costs. w(u,v) = bytes u->v plus bytes v->u, each undirected pair once. */
typedef struct topomap_cost {
    double J;              /**< sum of w(u,v) * distance */
    double hop_bytes;      /**< sum of w(u,v) * hops */
    double dilation;       /**< hop_bytes / sum of w; 0 for a graph without edges */
    uint32_t max_dilation; /**< most hops that any communicating pair is apart */
    double lower_bound;    /**< no placement has a lower J */
    double load_imbalance; /**< highest load a slot of any node (loads of its ranks / its slots) as
                              a multiple of the mean; 1 is even, 0 where ranks have no loads */
    uint32_t levels;       /**< as topomap_machine_levels() */
    uint64_t *level_bytes; /**< [levels] bytes exchanged at each level; owned by the cost */
} topomap_cost;

/** Evaluates a placement.
 *  \param slot_of_rank  [ranks of the graph], each slot at most once */
TOPOMAP_PUBLIC int topomap_cost_evaluate(const topomap_graph *graph, const topomap_machine *machine,
                                         const uint32_t *slot_of_rank, topomap_cost *cost,
                                         topomap_error *err);
/** Frees what the cost owns (not the struct). */
TOPOMAP_PUBLIC void topomap_cost_clear(topomap_cost *cost);

/* ---- Congestion -------------------------------------------------------------------------- */

/** How loaded a network's links are by a placement. Traffic and links are directed: what u sends
 *  to v loads the links from u to v. Inside a node there are none. */
typedef struct topomap_congestion {
    const char *model; /**< name of its row; static */
    double max, mean;  /**< bytes over a link / its bandwidth; the mean is over all links. Of a
                            graph with phases max is the sum of each phase's */
    const char *unit;  /**< of max and mean: "bytes" where every cable has bandwidth 1, or "s"
                            where bandwidths are known (bytes a second); static */
    uint32_t links;    /**< directed links of the network, parallel cables being one */
    uint32_t used;     /**< those with any traffic */
    char worst[128];   /**< the most loaded link (in any phase), "leaf1 -> spine2"; the first of
                            equals; "" where there is no traffic */
} topomap_congestion;

/** Evaluates a placement by one of the models below.
 *  Fails with TOPOMAP_EUSAGE where the machine's links are not known (trees and matrices) or the
 *  model needs routing tables that it does not have; TOPOMAP_EINPUT where nodes are not joined.
 *  \param slot_of_rank  [ranks of the graph]
 *  \param model         NULL: adaptive on dragonflies with valiant=, else routes where the traffic
 *                       has them, else exact
 *  Deterministic; threads may share graph and machine. Hoefler & Snir, ICS 2011, section 2.1. */
TOPOMAP_PUBLIC int topomap_congestion_evaluate(const topomap_graph *graph,
                                               const topomap_machine *machine,
                                               const uint32_t *slot_of_rank, const char *model,
                                               topomap_congestion *congestion, topomap_error *err);

/** One row of the registry of models. */
typedef struct topomap_congestion_info {
    const char *name; /**< "exact", "fast", "routes" or "adaptive" */
    const char *help; /**< one line */
} topomap_congestion_info;
/** Row i of the registry, lent; NULL after the last. */
TOPOMAP_PUBLIC const topomap_congestion_info *topomap_congestion_row(size_t i);

/* ---- Mapping ----------------------------------------------------------------------------- */

enum topomap_effort { TOPOMAP_FAST, TOPOMAP_DEFAULT, TOPOMAP_STRONG };
/** What a placement is to make small: J; or the maximum congestion C of any link, of equals the
 * mean congestion, then J; or the mix a J/J0 + (1 - a) C/C0, where J0 and C0 are the baseline's:
 * that of the baseline is 1. A part whose J0 or C0 is 0 is 0 as long as J or C is, else infinite.
 * Or the predicted communication time (topomap/time.h), of equals J. */
enum topomap_objective_kind {
    TOPOMAP_OBJECTIVE_J,
    TOPOMAP_OBJECTIVE_CONGESTION,
    TOPOMAP_OBJECTIVE_MIX,
    TOPOMAP_OBJECTIVE_TIME
};

/** A placement that is known beforehand, such as another one of Slurm's distributions. */
typedef struct topomap_layout {
    const char *name;             /**< what the report calls it: the first 63 bytes */
    const uint32_t *slot_of_rank; /**< [ranks] */
} topomap_layout;

/** How to search. What is 0 is as it says; `size` must be set:
 *  `topomap_map_options options = {.size = sizeof options, .seed = 1};` */
typedef struct topomap_map_options {
    size_t size; /**< sizeof(topomap_map_options), by which a later release knows a program that was
                      made for this one: TOPOMAP_EUSAGE where it is smaller than a release ever had
                      it, or larger with something behind that this one does not know */
    const char *algorithm; /**< a topomap_algorithm_row(), refinements joined by '+';
                                NULL is "auto"; parameters behind commas: "tree+np,block=128" */
    enum topomap_effort effort;
    enum topomap_objective_kind objective;
    double mix;                   /**< a of the objective mix, above 0 and below 1; 0 is 0.5 */
    const char *congestion_model; /**< of the objectives but J: "exact", "routes" or "adaptive";
                                     NULL is adaptive on dragonflies with valiant=, else routes
                                     where the baseline's traffic has them, else exact */
    uint64_t seed;
    uint32_t threads;      /**< of "auto"; 0 is 1. The result is the same for any number, where
                                `seconds` does not end the search */
    double seconds;        /**< 0: no limit; else the best so far after this time */
    int inter_only;        /**< nonzero: choose nodes only, slots inside in rank order */
    double balance;        /**< of "auto" with ranks of unequal load (topomap_graph_load()): how far
                                the highest load a slot of any node may be above that of ranks dealt
                                out heaviest first, 0.05 for 5 %. 0: loads do not count, and the
                                result is never worse than the baseline. Not with contiguous */
    int contiguous;        /**< nonzero: every node keeps consecutive ranks; only blocks move.
                                A baseline that is not so is no candidate */
    const uint32_t *start; /**< [ranks] an existing placement: the baseline of "auto" and
                                what "refine" improves; NULL: rank r on slot r */
    const char *start_name; /**< what the report calls it; NULL is "identity" */
    const struct topomap_time_costs *time_costs; /**< of the objective time, lent; NULL is
                                                      TOPOMAP_TIME_COSTS */
    size_t layouts;               /**< of "auto", without balance: how many there are of `layout` */
    const topomap_layout *layout; /**< [layouts] lent until topomap_map() returns, names and
                                       placements too: candidates behind the baseline, than none of
                                       which the result is worse. The search neither begins from
                                       one nor ends sooner for it, and of equals what it found
                                       stays. Passed over: one that places the ranks as the
                                       baseline or an earlier one does; with contiguous, one that
                                       is not so; what there is no time left for */
    double message_bytes; /**< what a message weighs beside its bytes, wherever J is made small: as
                               many bytes as pass during one hop's latency, say. 0, and in graphs
                               that do not count messages: nothing */
    const uint32_t *together;   /**< [ranks] lent: ranks of one number (each below ranks) form a
                                     group, all groups of one size, and stay together; NULL: none.
                                     J may then be above the baseline's, which is a candidate where
                                     it keeps them together. Not with contiguous; balance does not
                                     count, and `layout` is passed over, as with pin */
    const char *together_level; /**< on what: NULL or "node"; "leaf", the nodes of one leaf switch;
                                     or the name of a level between nodes of a tree machine. Where
                                     not all groups fit, it is their largest equal pieces that do
                                     (topomap_mapping.together) */
    int pin; /**< nonzero: pin_rank is placed on the node pin_node, unless groups that stay together
                  have no places there */
    uint32_t pin_rank, pin_node;
} topomap_map_options;

/** What one algorithm of a portfolio reached. */
typedef struct topomap_candidate {
    char name[64];
    double J;
    double congestion; /**< the maximum, with the objectives congestion and mix; else 0. INFINITY
                            where ranks that communicate are not joined */
    double mix;        /**< with the objective mix; else 0 */
    double time;       /**< with the objective time, predicted seconds; else 0 */
    double seconds;    /**< CPU time */
} topomap_candidate;

enum topomap_phase {
    TOPOMAP_PHASE_TREE,
    TOPOMAP_PHASE_GROUP,
    TOPOMAP_PHASE_INTER,
    TOPOMAP_PHASE_INTRA,
    TOPOMAP_PHASE_REFINE,
    TOPOMAP_PHASES
};

typedef struct topomap_mapping {
    uint32_t ranks;
    uint32_t *slot_of_rank; /**< [slots of the machine] the slot of each rank; the entries from
                                 `ranks` on are the slots that stay empty, so that the whole is a
                                 permutation */
    char algorithm[64];     /**< the winner's name */
    double J;
    double bound; /**< no placement has a lower J: each rank by itself as close to its heaviest
                       partners as the machine allows. J is the optimum where the two are equal;
                       0 where the bound was not needed (a named algorithm) */
    enum topomap_objective_kind objective;
    const char *congestion_model; /**< that the objective went by; NULL with J; static */
    double congestion;            /**< the maximum by that model, as topomap_congestion_evaluate()
                                       says; 0 with J */
    double mix;                   /**< with the objective mix, the baseline's being 1; else 0 */
    double time, time_before;     /**< predicted seconds of the result and of the baseline with the
                                       objective time; else 0 */
    size_t candidates;
    topomap_candidate *candidate;         /**< [candidates] in the order tried */
    double phase_seconds[TOPOMAP_PHASES]; /**< CPU time over all candidates */
    double
        message_bytes; /**< that every J and the bound above count for a message, a whole
                            number; 0: they are of bytes alone, as topomap_cost_evaluate() has J */
    double J_before;   /**< the baseline's, likewise */
    uint32_t together; /**< with options.together: ranks of a piece that is on one node (or level):
                            all of a group, or what of it fits; 1: none of it does; else 0 */
} topomap_mapping;

/** Makes a communication graph of a mesh or matrix that is larger than the job (Schulz & Traeff,
 *  VieM, section 4): \p parts blocks that differ by one vertex at most, block i to rank i. Bytes
 * and messages between blocks are those of the mesh, added up; loads of vertices are not looked at.
 *  \param method   "rb": by recursive bisection; "rms": by multisection along \p machine's tree
 *  \param machine  of \p parts slots; NULL with "rb"
 *  \param graph    the caller's; ends with topomap_graph_free()
 *  \return 0, or -1: TOPOMAP_EUSAGE where the method, the parts or the machine do not fit */
TOPOMAP_PUBLIC int topomap_graph_partition(const topomap_graph *mesh, uint32_t parts,
                                           const char *method, const topomap_machine *machine,
                                           uint64_t seed, topomap_graph **graph,
                                           topomap_error *err);

/** Finds a placement of the graph's ranks on the machine's slots, one to one. The baseline
 *  (`start`) and the options' layouts are candidates of "auto", so its result is never worse.
 *  Fails with TOPOMAP_EUSAGE where the graph has more ranks than the machine has slots, an
 *  algorithm does not apply to the machine, or an option is out of range (seconds, balance and
 *  message_bytes are 0 and more). Options may be NULL. */
TOPOMAP_PUBLIC int topomap_map(const topomap_graph *graph, const topomap_machine *machine,
                               const topomap_map_options *options, topomap_mapping **mapping,
                               topomap_error *err);
/** Accepts NULL. */
TOPOMAP_PUBLIC void topomap_mapping_free(topomap_mapping *mapping);

/** One row of the registry of algorithms. */
typedef struct topomap_algorithm {
    const char *name;
    const char *source;   /**< the paper or "topomap" */
    const char *kind;     /**< "construct", "refine" or "portfolio" */
    const char *machines; /**< kinds it accepts, comma separated */
    const char *help;     /**< one line */
} topomap_algorithm;
/** Row i of the registry, lent; NULL after the last. */
TOPOMAP_PUBLIC const topomap_algorithm *topomap_algorithm_row(size_t i);

/** What an algorithm takes behind a comma: "np,block=128". */
typedef struct topomap_parameter {
    const char *name;
    const char *value;    /**< what stands behind the '=', for instance "N" or "FILE" */
    const char *help;     /**< one line */
    uint64_t least, most; /**< of a number; both 0 where it is a text */
} topomap_parameter;
/** Parameter k of row i, lent; NULL after the last. */
TOPOMAP_PUBLIC const topomap_parameter *topomap_algorithm_parameter(size_t i, size_t k);

#ifdef __cplusplus
}
#endif
#endif
