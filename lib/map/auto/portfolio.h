/* SPDX-License-Identifier: BSD-3-Clause */
/* Which algorithm: attempts, the portfolio, worker threads. */
#pragma once

#include <pthread.h>

#include "map/objective.h"
#include "map/problem.h"
#include "topomap/topomap.h"
#include "watch/watch.h"

/* ---- portfolio ----------------------------------------------------------------- */
/* Strategies: each fills a mapping, whose slot_of_rank is [slots] here, with the placement of least
 * J, or of the best score where there is another objective. Ties go to the earlier candidate, the
 * baseline first. */

/** Is nobody's algorithm named? */
int topomap_portfolio_is_auto(const topomap_map_options *options);

/** Only blocks move: the ranks in order are cut into blocks as large as the nodes, and it is sought
 *  which node gets which block. options->algorithm maps the graph between blocks to the nodes; then
 *  nodes of equal size change their blocks, and ranks their slots inside their node. The baseline
 *  is a candidate where it is contiguous itself.
 *  \param score  out: of the placement */
int topomap_contiguous_run(topomap_problem *problem, const topomap_map_options *options,
                           topomap_mapping *mapping, topomap_score *score, topomap_error *err);
/** \return whether the ranks of each node are consecutive, or -1.
 *  \param slot_of  [slots] */
int topomap_contiguous_is(const topomap_machine *machine, const uint32_t *slot_of,
                          topomap_error *err);

/** Groups of ranks stay together (options->together). options->algorithm maps the graph between
 *  groups to the places that nodes have for them; then ranks change places inside a node, or what
 *  they are to stay on. The baseline is a candidate where it keeps them. */
int topomap_together_run(topomap_problem *problem, const topomap_map_options *options,
                         topomap_mapping *mapping, topomap_error *err);

/** Nonzero where there is such a level on this machine: options->together_level. */
int topomap_together_has_level(const topomap_machine *machine, const char *level);
/** The most that divides \p ranks and the slots of each group of nodes of a level above nodes; 0:
 * there is no such level. */
uint32_t topomap_together_common(const topomap_machine *machine, const char *level, uint32_t ranks);
/** Nonzero where a placement keeps groups, or each \p piece ranks of one in their order, together
 * on a level that there is. \param group, slot_of  [ranks] */
int topomap_together_keeps(const topomap_machine *machine, const char *level, const uint32_t *group,
                           uint32_t ranks, uint32_t piece, const uint32_t *slot_of);

/** Brings options->pin_rank to options->pin_node where it is not: of what leaves all else as it is
 *  as far as possible (two nodes change their ranks, or two groups of nodes do; a torus is laid
 *  onto itself; or two ranks change places, or two pieces that stay together) what costs least. Of
 *  "auto" that is refined by swaps that hold the rank, where it costs something, and is never worse
 *  than the baseline where that has the rank there, and keeps together what is to be. The rank
 *  stays where it is where nothing of that can be. */
int topomap_pin_run(topomap_problem *problem, const topomap_map_options *options,
                    topomap_mapping *mapping, topomap_error *err);

/* ---- attempt ------------------------------------------------------------------- */
/* One candidate of the portfolio: some words of the registry run on a problem of its own. */

enum topomap_attempt_state {
    TOPOMAP_ATTEMPT_NONE,
    TOPOMAP_ATTEMPT_WAITING,
    TOPOMAP_ATTEMPT_RUNNING,
    TOPOMAP_ATTEMPT_DONE,
};

typedef struct topomap_attempt {
    enum topomap_attempt_state state;
    const char *words;    /* lent: "tree", "tree+np,block=8"; after a placement "anneal" */
    const uint32_t *from; /* [slots] lent: the placement that the words refine; NULL: none */
    uint64_t seed;
    double patience;
    atomic_int cancel; /* nonzero: its result is not wanted any more */
    int taken;         /* the portfolio has considered what came of it */

    /* What came of it, where it is done. */
    int status;
    topomap_error err;
    uint32_t *slot_of; /* [slots] owned */
    topomap_score score;
    double seconds; /* of this thread's CPU time */
    topomap_findings found;
} topomap_attempt;

/** \return nonzero where one of the words is this algorithm, whatever stands after its commas.
 *  \param words  as "affn,coordinates=FILE+swap", or NULL */
int topomap_attempt_names(const char *words, const char *name);
/** Runs an attempt on a copy of the problem. The state is not touched.
 *  Deterministic for its words, seed, patience and placement. The pattern of the graph, where it is
 *  looked for, is kept in \p problem: threads that share one must have it found before.
 *  \param scratch  [slots] this thread's own, as in topomap_problem
 *  \param is_auto  nonzero: the word "refine" lowers J, whatever the objective */
void topomap_attempt_run(topomap_attempt *attempt, topomap_problem *problem, uint32_t *scratch,
                         int is_auto);
/** Frees what an attempt owns; it is then as before the first use. */
void topomap_attempt_clear(topomap_attempt *attempt);

/* ---- layouts ------------------------------------------------------------------- */
/* Placements that the caller knows beforehand (topomap_map_options.layout), and which of all is the
 * answer. */

typedef struct topomap_known_layout {
    const char *name;  /* lent */
    uint32_t *slot_of; /* [slots] a permutation */
    topomap_score score;
    double seconds; /* CPU time */
} topomap_known_layout;

typedef struct topomap_layouts {
    size_t count;
    topomap_known_layout *row;
} topomap_layouts;

/** Scores those of the options that are candidates: they are told of in topomap_map_options. Where
 *  the time is up, the rest is left out.
 *  \param layouts  zero; ends with topomap_layouts_close(), after a failure too */
int topomap_layouts_open(const topomap_problem *problem, const topomap_map_options *options,
                         topomap_layouts *layouts, topomap_error *err);
void topomap_layouts_close(topomap_layouts *layouts);
/** Puts them behind the first of the mapping's candidates. */
int topomap_layouts_list(const topomap_layouts *layouts, topomap_mapping *mapping,
                         topomap_error *err);

/** Puts the best of what was found, the layouts and, by time, the baseline into \p mapping; of
 *  equals what was found stays. The search went by the most loaded links where the objective is
 *  time: here links are shared, as far as that is not too much work.
 *  \param found  the score of what is in \p mapping */
int topomap_settle(const topomap_problem *problem, const topomap_map_options *options,
                   const topomap_layouts *layouts, const topomap_score *found,
                   topomap_mapping *mapping, topomap_error *err);

/* ---- map ----------------------------------------------------------------------- */

/** topomap_map(), and \p watch says how far it has come: candidates that are done, and how many
 *  there may be, those being fewer where one is as good as any can be. NULL: nobody looks. */
int topomap_map_watched(const topomap_graph *graph, const topomap_machine *machine,
                        const topomap_map_options *options, topomap_watch *watch,
                        topomap_mapping **mapping, topomap_error *err);

/* ---- worker pool --------------------------------------------------------------- */
/* Threads that run attempts ahead of the portfolio. The portfolio takes attempts in the order of
 * its table, decides by what they reached, and throws away what it would not have tried; so its
 * answer does not depend on the number of threads or on who was first. */

/** Returns a waiting attempt that an idle worker may begin, or NULL. Called with the pool's lock
 *  held. */
typedef topomap_attempt *topomap_worker_pool_pick(void *data);

typedef struct topomap_worker_pool {
    topomap_problem *problem;
    int is_auto;
    topomap_worker_pool_pick *pick; /* or NULL: nobody runs ahead */
    void *data;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t threads; /* started, beside the caller */
    struct topomap_worker *hand;
    int closing;
} topomap_worker_pool;

/** Starts threads - 1 threads, or fewer if the system has no more. Returns with the lock held; only
 * topomap_worker_pool_take() releases it. */
int topomap_worker_pool_open(topomap_worker_pool *crew, topomap_problem *problem, uint32_t threads,
                             topomap_error *err);
/** Completes a waiting attempt: runs it, or runs others until its worker has finished it. Its
 * status is then set. */
void topomap_worker_pool_take(topomap_worker_pool *crew, topomap_attempt *attempt);
/** Makes idle workers call pick() again, after what it depends on has changed. */
void topomap_worker_pool_wake(topomap_worker_pool *crew);
/** Cancels what runs, waits for it and ends all threads; the lock is gone. */
void topomap_worker_pool_close(topomap_worker_pool *crew);

/* ---- Shared by the portfolio_*.c files -------------------------------------- */

struct portfolio_row;

/** What decides which attempt is next: by what has been taken, or, ahead of that, by what is done.
 */
typedef struct portfolio_known {
    double J;    /* the least of the baseline and of constructions, before any refinement */
    int pays;    /* the last time for refining was worth it */
    int starts;  /* another start is worth it, too */
    int all;     /* all constructions are done */
    int refines; /* rows are refined, too */
} portfolio_known;

/** Attribute of a local pointer: frees the mapping at the end of its scope. The pointer must be
 *  initialised. */
#define TOPOMAP_MAPPING_FREED TOPOMAP_CLEANUP(topomap_mapping_free_local)
static inline void topomap_mapping_free_local(topomap_mapping **mapping)
{
    topomap_mapping_free(*mapping);
}

typedef struct portfolio {
    topomap_problem *problem;
    const topomap_map_options *options;
    topomap_mapping *mapping;
    size_t capacity;
    topomap_score score;   /* of the best so far */
    portfolio_known known; /* by what has been taken */
    int recognised;
    double most; /* J if all bytes went the longest way of a hierarchy; 0: it is none */
    int flawless, straight, doubtful; /* said by boxes */
    double recognising; /* seconds, of which the first candidate that goes by it tells */
    topomap_worker_pool crew;
    struct portfolio_row *row; /* of each candidate of the table */
    topomap_attempt *ahead;    /* with an objective: what may be begun, in order */
    size_t aheads;
    uint32_t *near; /* [slots] of the lowest J so far, with an objective; else NULL */
    topomap_score near_score;
    char near_name[64];
} portfolio;

/** Makes an attempt ready, where it is not yet: the words, lent, on a placement or NULL. */
topomap_attempt *topomap_portfolio_prepare(topomap_attempt *attempt, const char *words,
                                           const uint32_t *from, uint64_t seed, double patience);
/** One is tried however late it is: on a busy machine the time may be up before. What a thread has
 *  found by then counts, too. */
int topomap_portfolio_worth_trying(const portfolio *p, const topomap_attempt *attempt);
/** Sees that an attempt gets done, and keeps the better placement. */
int topomap_portfolio_take(portfolio *p, const char *name, topomap_attempt *attempt,
                           topomap_error *err);
/** Keeps the better placement of an attempt that is done. */
int topomap_portfolio_consider(portfolio *p, const char *name, const topomap_attempt *attempt,
                               topomap_error *err);
/** Lists a placement as a candidate, and keeps it where it is better. */
int topomap_portfolio_keep(portfolio *p, const char *name, const uint32_t *slot_of,
                           const topomap_score *score, double seconds, topomap_error *err);
/** Scores a placement, then does as topomap_portfolio_keep().
 *  \param started  topomap_clock_cpu() when its construction began */
int topomap_portfolio_try(portfolio *p, const char *name, const uint32_t *slot_of, double started,
                          topomap_error *err);
/** Maps the graph between blocks of ranks to a machine that has a slot for each block, in the time
 *  that is left, and adds its phases to those of the problem.
 *  \param block_of  [ranks] below \p blocks
 *  \param options   the caller's for all ranks; those that do not apply to blocks are reset here
 *  \param found     out: ends with topomap_mapping_free() */
int topomap_portfolio_map_blocks(portfolio *p, const uint32_t *block_of, uint32_t blocks,
                                 const topomap_machine *view, topomap_map_options options,
                                 topomap_mapping **found, topomap_error *err);
/** Swaps pairs of vertices inside each group of slots as long as that lowers J.
 *  \param first  [groups + 1] the slots of group g are slot[first[g] .. first[g + 1])
 *  \param slot   [slots]; NULL: slot[i] is i
 *  \param most   pairs that a round may try in a group; it always finishes the slot at hand */
int topomap_portfolio_swap_inside(topomap_problem *problem, uint32_t groups, const uint32_t *first,
                                  const uint32_t *slot, uint32_t most, uint32_t *slot_of,
                                  topomap_error *err);
/** Makes \p view the same machine with other slots on its nodes, which have no levels inside. It
 *  borrows the rest from \p m.
 *  \param slot_first, node_of  lent: [nodes + 1], [slot_first[nodes]] */
void topomap_machine_of_nodes(const topomap_machine *m, uint32_t *slot_first, uint32_t *node_of,
                              topomap_machine *view);
/** Stores a placement, its score and the name of its algorithm in the mapping. */
void topomap_mapping_put(topomap_mapping *mapping, const topomap_problem *problem, const char *name,
                         const uint32_t *slot_of, const topomap_score *score);
/** Returns an entry for the mapping's list of candidates. */
topomap_candidate topomap_candidate_of(const char *name, const topomap_score *score,
                                       double seconds);
/** Returns the name of the baseline. */
const char *topomap_start_name(const topomap_map_options *options);
/** The first candidate. */
int topomap_portfolio_baseline(portfolio *p, topomap_error *err);
/** Has the optimum been found? Only J has a bound. */
int topomap_portfolio_is_optimal(const portfolio *p);
/** The candidates for J. */
int topomap_portfolio_auto(portfolio *p, topomap_error *err);
/** With an objective that knows the links: those first, then what relieves the links. */
int topomap_portfolio_links(portfolio *p, topomap_error *err);
