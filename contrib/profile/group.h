/* SPDX-License-Identifier: BSD-3-Clause */
/* The processes of a collective, and the shapes that its messages take. */
#pragma once

#include "profile.h"
#include "rules.h"

/* Between two groups, this process's own; then `remote` is the size of the other. */
typedef struct profile_group {
    MPI_Comm comm;
    int rank, size, remote;
} profile_group;

/** 0 where there is nothing to send. */
int profile_enter(MPI_Comm comm, profile_group *g);
/** A message inside the group, counted round its end. */
void profile_to(const profile_group *g, int64_t rank, uint64_t bytes, uint64_t messages);
/** To one of the other group. */
void profile_across(const profile_group *g, int rank, uint64_t bytes);
/** The groups' first processes speak for them, as in both MPIs: to the other group's first goes
 * what the own group brings together, and what comes is handed on inside. */
void profile_speak(const profile_group *g, uint64_t bytes);

int profile_is_power(int n);
int profile_largest_power(int n);

/** All of it from the root to everybody, or from everybody to the root, by LINEAR ... SCATTER_RING.
 */
void profile_down(const profile_group *g, enum profile_way way, int root, uint64_t bytes);
void profile_up(const profile_group *g, enum profile_way way, int root, uint64_t bytes);
/** To each its block, or from each, LINEAR or BINOMIAL. */
void profile_deal(const profile_group *g, enum profile_way way, int root, uint64_t block);
void profile_collect(const profile_group *g, enum profile_way way, int root, uint64_t block);

/** Exchanges by DOUBLING (all of it at each step), HALVING or HALVING_FAR, and `back` again. */
void profile_exchange(const profile_group *g, enum profile_way way, uint64_t bytes, int back);
/** To the next, a message fewer than there are processes, `rounds` times; bytes in all. */
void profile_ring(const profile_group *g, uint64_t bytes, int rounds);
