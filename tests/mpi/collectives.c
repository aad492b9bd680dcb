/* SPDX-License-Identifier: BSD-3-Clause */
/* collectives BYTES...: each collective that a profiler has to guess, ten times with messages or
 * blocks of so many bytes. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int a = 1; a < argc; a++) {
        int bytes = atoi(argv[a]), ints = bytes / (int)sizeof(int);
        void *out = calloc((size_t)ranks, (size_t)bytes),
             *in = calloc((size_t)ranks, (size_t)bytes);
        int *parts = malloc((size_t)ranks * sizeof *parts);

        for (int i = 0; i < ranks; i++)
            parts[i] = ints / ranks;
        for (int i = 0; i < 10; i++) {
            MPI_Bcast(out, bytes, MPI_CHAR, 1, MPI_COMM_WORLD);
            MPI_Reduce(out, in, ints, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
            MPI_Allreduce(out, in, ints, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            MPI_Allgather(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, MPI_COMM_WORLD);
            MPI_Alltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, MPI_COMM_WORLD);
            MPI_Gather(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
            MPI_Scatter(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
            MPI_Reduce_scatter(out, in, parts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            MPI_Scan(out, in, ints, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        }
        free(out);
        free(in);
        free(parts);
    }
    MPI_Finalize();
    return 0;
}
