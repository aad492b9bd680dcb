/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "contrib/reorder/measure.h"

#include <math.h>
#include <stdint.h>

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

/* A round-robin tournament: the last one stays, the others move on by one each round; an odd number
 * of nodes gets one more, and who meets that one pauses. */
void reorder_measure_row(MPI_Comm leaders, int rounds, double *row)
{
    int rank, nodes, seats;

    PMPI_Comm_rank(leaders, &rank);
    PMPI_Comm_size(leaders, &nodes);
    seats = nodes + nodes % 2;
    for (int i = 0; i < nodes; i++)
        row[i] = 0;
    for (int round = 0; round < seats - 1; round++) {
        int partner = (2 * round + seats - 1 - rank) % (seats - 1);

        /* Two that add up to 2 * round meet; who would meet itself meets the last one. */
        if (rank == seats - 1)
            partner = round;
        else if (partner == rank)
            partner = seats - 1;
        if (partner < nodes)
            row[partner] = reorder_measure_pair(leaders, partner, rank < partner, rounds);
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
