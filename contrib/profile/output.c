/* SPDX-License-Identifier: BSD-3-Clause */
/* The graph of the whole job, brought together on rank 0 through MPI and written by it alone. */
#define _GNU_SOURCE /* program_invocation_short_name */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/graph.h"
#include "graph/tmg_io.h"
#include "profile.h"

enum { NUMBERS = 5, PORTION = 1024, TAG = 1 }; /* records are sent as five numbers each */

static void complain(const char *path, const char *what)
{
    fprintf(stderr, "topomap: no profile in %s: %s\n", path, what);
}

static int add_record(topomap_arcs *arcs, int from, const uint64_t number[NUMBERS],
                      topomap_error *err)
{
    uint32_t rank = (uint32_t)from, partner = (uint32_t)number[0];

    if (number[2] && topomap_arcs_add(arcs, rank, partner, number[1], number[2], err) != 0)
        return -1;
    if (number[4] && topomap_arcs_add(arcs, partner, rank, number[3], number[4], err) != 0)
        return -1;
    return 0;
}

static void to_numbers(const profile_record *record, uint64_t number[NUMBERS])
{
    number[0] = (uint64_t)record->partner;
    number[1] = record->bytes_out;
    number[2] = record->messages_out;
    number[3] = record->bytes_in;
    number[4] = record->messages_in;
}

/* Each portion is asked for, so that rank 0 holds one at a time; one that is not full is the last.
 */
static void send_records(MPI_Comm comm, const profile_record *record, size_t count)
{
    uint64_t portion[PORTION][NUMBERS];
    size_t done = 0;
    int n;

    do {
        for (n = 0; done < count && n < PORTION; done++)
            to_numbers(&record[done], portion[n++]);
        PMPI_Recv(NULL, 0, MPI_BYTE, 0, TAG, comm, MPI_STATUS_IGNORE);
        PMPI_Send(portion, n * NUMBERS, MPI_UINT64_T, 0, TAG, comm);
    } while (n == PORTION);
}

static int receive_records(MPI_Comm comm, int from, topomap_arcs *arcs, topomap_error *err)
{
    uint64_t portion[PORTION][NUMBERS];
    int status = 0, n;

    do {
        MPI_Status received;

        PMPI_Send(NULL, 0, MPI_BYTE, from, TAG, comm);
        PMPI_Recv(portion, PORTION * NUMBERS, MPI_UINT64_T, from, TAG, comm, &received);
        PMPI_Get_count(&received, MPI_UINT64_T, &n);
        n /= NUMBERS;
        for (int i = 0; status == 0 && i < n; i++)
            status = add_record(arcs, from, portion[i], err);
    } while (n == PORTION);
    return status;
}

/* Beside the file first, then in its place, so that nobody ever reads half of it. */
static int write_file(const topomap_graph *graph, const char *path, topomap_error *err)
{
    size_t size = strlen(path) + 32;
    char *temporary = malloc(size);
    FILE *out = NULL;
    int status = -1;

    if (temporary) {
        snprintf(temporary, size, "%s.%ld", path, (long)getpid());
        out = fopen(temporary, "wx");
    }
    if (!out)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "cannot be written: %s", strerror(errno));
    else if (topomap_tmg_write(graph, path, out, err) == 0)
        status = 0;
    if (out && (fclose(out) != 0 || (status == 0 && rename(temporary, path) != 0)))
        status = topomap_error_set(err, TOPOMAP_ESYSTEM, "cannot be written: %s", strerror(errno));
    if (out && status != 0)
        unlink(temporary);
    free(temporary);
    return status;
}

static int write_arcs(topomap_arcs *arcs, int ranks, const char *path, topomap_error *err)
{
    topomap_graph *graph;
    int status;

    if (topomap_arcs_take(arcs, (uint32_t)ranks, &graph, err) != 0)
        return -1;
    status = topomap_graph_set_text(&graph->source, err, "MPI profile of %s",
                                    program_invocation_short_name);
    if (status == 0)
        status = write_file(graph, path, err);
    topomap_graph_free(graph);
    return status;
}

static int add_own(topomap_arcs *arcs, int rank, const profile_record *record, size_t count,
                   topomap_error *err)
{
    uint64_t number[NUMBERS];

    for (size_t i = 0; i < count; i++) {
        to_numbers(&record[i], number);
        if (add_record(arcs, rank, number, err) != 0)
            return -1;
    }
    return 0;
}

void profile_write(const char *path)
{
    topomap_arcs arcs = {.has_messages = 1};
    const profile_record *record;
    int rank, ranks, status;
    topomap_error err;
    size_t count;
    MPI_Comm comm;

    record = profile_records(&count);
    if (PMPI_Comm_dup(MPI_COMM_WORLD, &comm) != MPI_SUCCESS)
        return;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    if (rank != 0) {
        send_records(comm, record, count);
    } else {
        status = add_own(&arcs, 0, record, count, &err);
        for (int from = 1; from < ranks; from++) {
            topomap_error *first = status == 0 ? &err : NULL, other;

            if (receive_records(comm, from, &arcs, first ? first : &other) != 0)
                status = -1;
        }
        if (status != 0 || write_arcs(&arcs, ranks, path, &err) != 0)
            complain(path, err.text);
        topomap_arcs_clear(&arcs);
    }
    PMPI_Comm_free(&comm);
}

void profile_write_alone(const char *path)
{
    topomap_arcs arcs = {.has_messages = 1};
    const profile_record *record;
    topomap_error err;
    int rank, ranks;
    size_t count;

    record = profile_records(&count);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (access(path, F_OK) != 0 && (add_own(&arcs, rank, record, count, &err) != 0 ||
                                    write_arcs(&arcs, ranks, path, &err) != 0))
        complain(path, err.text);
    topomap_arcs_clear(&arcs);
}
