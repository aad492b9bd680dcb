/* SPDX-License-Identifier: BSD-3-Clause */
/* play GRAPH [REPEAT]: plays a communication graph, phase by phase: each rank sends what the graph
 * says to whom it says, all messages of a phase at once, the first and those with a barrier from an
 * agreed time on, the others when its own part of the one before has ended. Rank 0 prints the
 * seconds of phases up to a barrier on the slowest rank, then of all of them. GRAPH is read once
 * for all ranks, which are threads of one process: for SimGrid's SMPI alone, without privatization
 * (smpirun -no-privatize). Its buffers are shared, too: what is in the messages does not matter.
 * Exit status: 0, 2 for bad usage, 3 for a graph that does not fit.
 *
 * MPI counts in int, and SMPI copies what is of 2^31 bytes and more, whatever its type. So a longer
 * message goes in pieces, one after the other: without latencies that is the one flow that it is.
 *
 * One barrier before a phase would leave the ranks at different times, which spoils short messages:
 * they sleep until a time that lies behind it. */
#include <mpi.h>
#include <smpi/smpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "graph/graph.h"

#define APART 1.0 /* simulated seconds from one phase to the next */
#define PIECE ((uint64_t)1 << 30)

/* What each rank receives in a phase: the graph, backwards. */
struct phase {
    const topomap_graph *graph;
    uint64_t *first; /* [ranks + 1] */
    uint32_t *from;  /* [arcs] */
    uint64_t *bytes; /* [arcs] */
};

struct message {
    uint64_t left; /* bytes that have not been begun */
    uint32_t peer;
    int is_sent; /* or received */
};

static topomap_graph *graph;
static struct phase *phases;
static uint32_t phase_count;
static unsigned char *shared;
static int in_pieces;  /* is some message */
static double longest; /* of the present phase */

static int turn_round(struct phase *p)
{
    const topomap_graph *g = p->graph;
    uint64_t *at;

    p->first = calloc((size_t)g->ranks + 2, sizeof *p->first);
    p->from = malloc((g->arcs + 1) * sizeof *p->from);
    p->bytes = malloc((g->arcs + 1) * sizeof *p->bytes);
    if (!p->first || !p->from || !p->bytes)
        return -1;
    at = p->first + 1;
    for (uint64_t e = 0; e < g->arcs; e++)
        at[g->target[e] + 1]++;
    for (uint32_t r = 0; r < g->ranks; r++)
        at[r + 1] += at[r];
    for (uint32_t u = 0; u < g->ranks; u++)
        for (uint64_t e = g->offset[u]; e < g->offset[u + 1]; e++) {
            uint64_t to = at[g->target[e]]++;

            p->from[to] = u;
            p->bytes[to] = g->bytes[e];
        }
    return 0;
}

static int load(const char *what)
{
    topomap_error err;
    uint64_t longest_message = 1;

    if (topomap_graph_read(what, NULL, &graph, &err)) {
        fprintf(stderr, "play: %s\n", err.text);
        return 3;
    }
    phase_count = graph->phases ? graph->phases : 1;
    phases = calloc(phase_count, sizeof *phases);
    for (uint32_t k = 0; phases && k < phase_count; k++) {
        phases[k].graph = graph->phases ? graph->phase[k] : graph;
        if (turn_round(&phases[k]))
            return 3;
        for (uint64_t e = 0; e < phases[k].graph->arcs; e++)
            if (phases[k].graph->bytes[e] > longest_message)
                longest_message = phases[k].graph->bytes[e];
    }
    in_pieces = longest_message > PIECE;
    shared = SMPI_SHARED_MALLOC(in_pieces ? PIECE : longest_message);
    return phases && shared ? 0 : 3;
}

static void wait_until(double when)
{
    double left = when - MPI_Wtime();
    struct timespec nap = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};

    if (left > 0)
        nanosleep(&nap, NULL);
}

static void begin_piece(struct message *m, MPI_Request *request)
{
    int piece = (int)(m->left < PIECE ? m->left : PIECE);

    m->left -= (uint64_t)piece;
    if (m->is_sent)
        MPI_Isend(shared, piece, MPI_BYTE, (int)m->peer, 0, MPI_COMM_WORLD, request);
    else
        MPI_Irecv(shared, piece, MPI_BYTE, (int)m->peer, 0, MPI_COMM_WORLD, request);
}

static void play_phase(const struct phase *p, uint32_t rank, struct message *message,
                       MPI_Request *request)
{
    const topomap_graph *g = p->graph;
    int requests = 0, left;

    for (uint64_t i = p->first[rank]; i < p->first[rank + 1]; i++)
        message[requests++] = (struct message){p->bytes[i], p->from[i], 0};
    for (uint64_t e = g->offset[rank]; e < g->offset[rank + 1]; e++)
        message[requests++] = (struct message){g->bytes[e], g->target[e], 1};
    for (int i = 0; i < requests; i++)
        begin_piece(&message[i], &request[i]);
    for (left = in_pieces ? requests : 0; left;) {
        int at;

        MPI_Waitany(requests, request, &at, MPI_STATUS_IGNORE);
        if (message[at].left)
            begin_piece(&message[at], &request[at]);
        else
            left--;
    }
    MPI_Waitall(requests, request, MPI_STATUSES_IGNORE);
}

static size_t most_requests(uint32_t rank)
{
    size_t most = 0;

    for (uint32_t k = 0; k < phase_count; k++) {
        const struct phase *p = &phases[k];
        size_t here = p->first[rank + 1] - p->first[rank] + p->graph->offset[rank + 1] -
                      p->graph->offset[rank];

        most = here > most ? here : most;
    }
    return most;
}

/* Does nobody begin it before all have ended those before? */
static int divides(uint32_t k)
{
    return k == 0 || k == phase_count || phases[k].graph->barrier;
}

static void play(uint32_t rank)
{
    size_t most = most_requests(rank) + 1;
    MPI_Request *request = malloc(most * sizeof(MPI_Request));
    struct message *message = malloc(most * sizeof *message);
    double all = 0, start = MPI_Wtime(), begin = 0;

    for (uint32_t k = 0; request && message && k < phase_count; k++) {
        double mine;

        if (divides(k)) {
            if (rank == 0)
                longest = 0;
            MPI_Barrier(MPI_COMM_WORLD);
            wait_until(start + (k + 1) * APART);
            begin = MPI_Wtime();
        }
        play_phase(&phases[k], rank, message, request);
        if (!divides(k + 1))
            continue;
        mine = MPI_Wtime() - begin;
        longest = mine > longest ? mine : longest;
        MPI_Barrier(MPI_COMM_WORLD);
        all += longest;
        if (rank == 0)
            printf("phase %u %.9g\n", k, longest);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("time %.9g\n", all);
    free(request);
    free(message);
}

int main(int argc, char **argv)
{
    int rank, ranks, status = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 2) {
        if (rank == 0)
            fprintf(stderr, "usage: play GRAPH\n");
        MPI_Finalize();
        return 2;
    }
    if (!graph)
        status = load(argv[1]);
    if (status == 0 && graph->ranks != (uint32_t)ranks)
        status = 3;
    if (status == 0)
        play((uint32_t)rank);
    MPI_Finalize();
    return status;
}
