/* SPDX-License-Identifier: BSD-3-Clause */
/* An MPI program that does what a file in its folder says: "SHIFT STATUS MILLISECONDS". Each rank
 * sends to the one SHIFT further on, SHIFT 0: to none; sleeps, where topomap has placed it, for so
 * long; and ends with STATUS. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BYTES = 100000, TIMES = 10 };

static void rest(int milliseconds)
{
    const struct timespec wait = {milliseconds / 1000, milliseconds % 1000 * 1000000L};

    nanosleep(&wait, NULL);
}

int main(int argc, char **argv)
{
    static char to[BYTES], from[BYTES];
    const char *applied = getenv("TOPOMAP_APPLIED");
    int rank, size, shift = 0, status = 0, milliseconds = 0;
    FILE *file = fopen("case", "r");

    if (!file || fscanf(file, "%d %d %d", &shift, &status, &milliseconds) != 3)
        return 99;
    fclose(file);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; shift && i < TIMES; i++)
        MPI_Sendrecv(to, BYTES, MPI_CHAR, (rank + shift) % size, 0, from, BYTES, MPI_CHAR,
                     (rank + size - shift) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (milliseconds > 0)
        rest(300);
    if (milliseconds > 0 && applied && !strcmp(applied, "1"))
        rest(milliseconds);
    MPI_Finalize();
    return rank ? 0 : status;
}
