/* SPDX-License-Identifier: BSD-3-Clause */
/* spawn: starts 2 processes of itself, which talk to it and to each other; of that no profile has
 * anything but the 40 bytes that rank 0 sends to rank 1. */
#include <mpi.h>
#include <stddef.h>

static void child(MPI_Comm parent)
{
    int rank, buffer[50] = {0};

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv_replace(buffer, 50, MPI_INT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    if (rank == 0) {
        MPI_Recv(buffer, 30, MPI_INT, 0, 1, parent, MPI_STATUS_IGNORE);
        MPI_Send(buffer, 20, MPI_INT, 0, 2, parent);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm parent, children;
    int rank, buffer[50] = {0};

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        child(parent);
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return 0;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                   MPI_ERRCODES_IGNORE);
    if (rank == 0) {
        MPI_Send(buffer, 30, MPI_INT, 0, 1, children);
        MPI_Recv(buffer, 20, MPI_INT, 0, 2, children, MPI_STATUS_IGNORE);
        MPI_Send(buffer, 10, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(buffer, 10, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Comm_disconnect(&children);
    MPI_Finalize();
    return 0;
}
