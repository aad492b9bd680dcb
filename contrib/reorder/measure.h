/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of 8 bytes, timed: Lindgren (KTH), Alg. 2 and 3. */
#pragma once

#include "contrib/reorder/reorder.h"

/** Nanoseconds of one message, one way, between this process and \p partner of \p comm; one of the
 *  two is \p first. One exchange to meet, then the round trips. */
double reorder_measure_pair(MPI_Comm comm, int partner, int first, int rounds);

/** From rank 0 to every other node's first process. \p time [nodes], filled on rank 0. Leaders. */
void reorder_measure_star(MPI_Comm leaders, int rounds, double *time);
/** All pairs of nodes, each in one pair at a time: row[nodes] of each leader. */
void reorder_measure_row(MPI_Comm leaders, int rounds, double *row);

/** Least squares of time = base + hop * hops over \p count pairs; hop is 0 where all hops are
 * equal.
 */
void reorder_measure_fit(const double *hops, const double *time, int count, topomap_mpi_fit *fit);
