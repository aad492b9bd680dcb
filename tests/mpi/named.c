/* SPDX-License-Identifier: BSD-3-Clause */
/* named LIBRARY [FLAGS]: opens an MPI by its name and asks it for each function by name, as Julia's
 * ccall and Python's ctypes do. FLAGS: g RTLD_GLOBAL, d RTLD_DEEPBIND. Two processes send each
 * other four bytes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *opened;

static void *named(const char *name)
{
    void *found;

    dlerror();
    found = dlsym(opened, name);
    if (!found || dlerror()) {
        printf("no %s\n", name);
        exit(3);
    }
    return found;
}

#define CALL(name) ((__typeof__(&name))named(#name))
#ifdef OPEN_MPI
#define WORLD ((MPI_Comm)named("ompi_mpi_comm_world"))
#define INT ((MPI_Datatype)named("ompi_mpi_int"))
#else
#define WORLD MPI_COMM_WORLD
#define INT MPI_INT
#endif

int main(int argc, char **argv)
{
    const char *flags = argc > 2 ? argv[2] : "";
    int rank, other;

    opened = dlopen(argv[1], RTLD_LAZY | (strchr(flags, 'g') ? RTLD_GLOBAL : 0) |
                                 (strchr(flags, 'd') ? RTLD_DEEPBIND : 0));
    if (!opened) {
        puts(dlerror());
        return 2;
    }
    CALL(MPI_Init)(NULL, NULL);
    CALL(MPI_Comm_rank)(WORLD, &rank);
    CALL(MPI_Sendrecv)
    (&rank, 1, INT, 1 - rank, 0, &other, 1, INT, 1 - rank, 0, WORLD, MPI_STATUS_IGNORE);
    CALL(MPI_Finalize)();
    return other != 1 - rank;
}
