/* SPDX-License-Identifier: BSD-3-Clause */
/* Latency and bandwidth between the processes of an MPI job. */
#pragma once

#include <mpi.h>

#include "topomap/topomap.h"
#include "util/alloc.h"

enum { MEASURE_SIZES = 32, MEASURE_NAME = 256, MEASURE_DISTANCES = 16 };

enum measure_kind { MEASURE_PAIR, MEASURE_INSIDE, MEASURE_CONTENTION };

struct measure_options {
    const char *output, *db, *as_nodes;
    double size[MEASURE_SIZES];
    int sizes;
    int trips, repeat;      /* round trips a batch; batches */
    uint32_t rounds, pairs; /* 0: all */
    uint64_t seed;
    int alone; /* one pair at a time */
    int inside, between;
    double distance[MEASURE_DISTANCES]; /* of the contention test, whole hops */
    int distances;
};

/** Where the processes are. */
struct measure_job {
    int rank, ranks;
    uint32_t nodes;
    uint32_t *node;  /* [ranks] the rank's node; nodes in the order of their first ranks */
    uint32_t *local; /* [ranks] the rank's number on its node */
    int *first;      /* [nodes] a node's first rank */
    char (*name)[MEASURE_NAME]; /* [nodes] */
    char *buffer[2];            /* of the largest message, to send and to receive */
    topomap_arena arrays;
};

/** One time: what is gathered and written. */
struct measure_row {
    double kind, from, to; /* nodes; inside: to is a level, measure_levels() */
    double hops;           /* or -1 */
    double size, us;
};

struct measure_rows {
    struct measure_row *row;
    size_t rows, room;
};
static inline void measure_rows_clear(struct measure_rows *rows)
{
    free(rows->row);
}

/** nodes.c. Every rank; 0, or -1 with the error on every rank. */
int measure_job_find(const struct measure_options *options, struct measure_job *job,
                     topomap_error *err);
void measure_job_clear(struct measure_job *job);

/** pingpong.c: one-way microseconds, the median of the batches; on both ranks, each calling with
 * the other. The lower rank begins. */
double measure_pingpong(const struct measure_options *options, const struct measure_job *job,
                        int partner, double size);
/** A barrier that does not use the processor while it waits. */
void measure_wait(void);

/** rounds.c: pairs of nodes, each by its first rank. Adds rows on the ranks that began. */
int measure_between(const struct measure_options *options, const struct measure_job *job,
                    struct measure_rows *rows, topomap_error *err);
/** contention.c: every process with one on a node that many hops away, all at once.
 *  \param partner  [nodes] another node or UINT32_MAX */
int measure_contention(const struct measure_options *options, const struct measure_job *job,
                       const uint32_t *partner, uint32_t hops, struct measure_rows *rows,
                       topomap_error *err);
/** Rank 0: whom each node meets at that distance (greedily, in the order that the seed gives).
 *  \param hops  hops between two nodes */
void measure_match(const struct measure_job *job, uint64_t seed, const uint16_t *hops,
                   uint32_t distance, uint32_t *partner);

/** shared_levels.c: the first two ranks of each node, bound to two PUs of each level in turn. */
int measure_inside(const struct measure_options *options, const struct measure_job *job,
                   struct measure_rows *rows, topomap_error *err);

int measure_add(struct measure_rows *rows, enum measure_kind kind, uint32_t from, uint32_t to,
                double hops, double size, double us, topomap_error *err);

/** Rank 0: hops of all pairs [nodes * nodes], UINT16_MAX where the database does not know; ends
 * with free(). */
int measure_hops(const struct measure_job *job, const char *db, uint16_t **hops,
                 topomap_error *err);
/** results.c: brings all rows to rank 0, which writes them.
 *  \param hops  rank 0: of measure_hops() or NULL */
int measure_write(const struct measure_options *options, const struct measure_job *job,
                  struct measure_rows *rows, const uint16_t *hops, topomap_error *err);

/** The same on all ranks: -1 where one failed, with rank 0 told why. */
int measure_agree(int failed, topomap_error *err);
