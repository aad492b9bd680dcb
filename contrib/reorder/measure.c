/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "contrib/reorder/measure.h"

#include <math.h>
#include <stdint.h>

#include "util/tournament.h"

double reorder_measure_pair(MPI_Comm comm, int partner, int first, int rounds)
{
    uint64_t word = 0;
    double start = 0;

    for (int i = -1; i < rounds; i++) {
        if (i == 0)
            start = PMPI_Wtime();
        if (first)
            PMPI_Send(&word, sizeof word, MPI_BYTE, partner, 2, comm);
        PMPI_Recv(&word, sizeof word, MPI_BYTE, partner, 2, comm, MPI_STATUS_IGNORE);
        if (!first)
            PMPI_Send(&word, sizeof word, MPI_BYTE, partner, 2, comm);
    }
    return (PMPI_Wtime() - start) / (2.0 * rounds) * 1e9;
}

void reorder_measure_star(MPI_Comm leaders, int rounds, double *time)
{
    int rank, nodes;

    PMPI_Comm_rank(leaders, &rank);
    PMPI_Comm_size(leaders, &nodes);
    if (rank != 0) {
        reorder_measure_pair(leaders, 0, 0, rounds);
        return;
    }
    time[0] = 0;
    for (int i = 1; i < nodes; i++)
        time[i] = reorder_measure_pair(leaders, i, 1, rounds);
}

void reorder_measure_row(MPI_Comm leaders, int rounds, double *row)
{
    int rank, nodes;

    PMPI_Comm_rank(leaders, &rank);
    PMPI_Comm_size(leaders, &nodes);
    for (int i = 0; i < nodes; i++)
        row[i] = 0;
    for (uint32_t round = 0; round < topomap_tournament_rounds((uint32_t)nodes); round++) {
        uint32_t partner = topomap_tournament_partner((uint32_t)nodes, round, (uint32_t)rank);

        if (partner != TOPOMAP_TOURNAMENT_BYE)
            row[partner] = reorder_measure_pair(leaders, (int)partner, rank < (int)partner, rounds);
    }
}

void reorder_measure_fit(const double *hops, const double *time, int count, topomap_mpi_fit *fit)
{
    double h = 0, t = 0, hh = 0, ht = 0, squares = 0;

    for (int i = 0; i < count; i++) {
        h += hops[i] / count;
        t += time[i] / count;
    }
    for (int i = 0; i < count; i++) {
        hh += (hops[i] - h) * (hops[i] - h);
        ht += (hops[i] - h) * (time[i] - t);
    }
    fit->hop = hh > 0 ? ht / hh : 0;
    fit->base = t - fit->hop * h;
    for (int i = 0; i < count; i++) {
        double rest = time[i] - fit->base - fit->hop * hops[i];

        squares += rest * rest;
    }
    fit->sigma = count ? sqrt(squares / count) : 0;
    fit->nodes = count;
}
