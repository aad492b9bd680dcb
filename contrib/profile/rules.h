/* SPDX-License-Identifier: BSD-3-Clause */
/* Which algorithm a collective takes, by processes and bytes. */
#pragma once

#include <stdint.h>

enum profile_way {
    /* between a root and all */
    LINEAR,        /* straight */
    CHAIN,         /* from each to the next */
    BINARY,        /* a binary tree, level by level */
    BINOMIAL,      /* whose subtrees are consecutive places */
    BINOMIAL_HIGH, /* whose subtrees are all over the place */
    KNOMIAL,       /* of radix 4 */
    SCATTER_DOUBLING,
    SCATTER_RING, /* binomial scatter, then everybody gets everything */
    /* among all */
    DOUBLING, /* recursive doubling; Bruck's where an allgather is of no power of two */
    BRUCK,
    RING,
    NEIGHBOR,    /* exchange with either side in turn */
    HALVING,     /* half of it to the next, a quarter two further on, ... (and back) */
    HALVING_FAR, /* half of it to the one farthest away, a quarter half as far, ... */
    PAIRS,       /* every pair by itself */
    THROUGH_ROOT /* to rank 0 and back */
};

enum { ANY = UINT32_MAX, RULE_STEPS = 6 };

/* The first step that fits of the first rule that fits and has one is taken. */
typedef struct profile_rule {
    uint32_t ranks; /* fewer than so many, or ANY number */
    struct {
        uint32_t bytes; /* likewise; 0: there are no more steps */
        enum profile_way way;
    } step[RULE_STEPS];
    int only_powers; /* of two */
} profile_rule;

typedef struct profile_rules {
    /* by the bytes of a message, a block, or all in all, as each MPI goes by */
    profile_rule bcast[11], reduce[5], allreduce[9], gather[5], scatter[5], alltoall[7],
        allgather[7], allgatherv[13], reduce_scatter[11], reduce_scatter_block[6];
    enum profile_way scan;
    int evens_stay;        /* HALVING and back: of two, the first stays, after exchanging halves */
    int gathers_by_block;  /* allgather and allgatherv: not by all blocks together */
    int scatters_by_block; /* reduce_scatter_block */
} profile_rules;

/** This MPI's: the one that the library is built for, until another is said. */
extern const profile_rules *profile_own_rules;
/** The standard's ABI is any MPI's: whose it is, is known when it runs. Open MPI's, else MPICH's.
 */
void profile_take_rules(int of_openmpi);

enum profile_way profile_choose(const profile_rule *rules, int ranks, uint64_t bytes);
