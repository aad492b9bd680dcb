/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/store/program.h"

#include <stdio.h>
#include <string.h>

enum store_mpi store_loaded_number(uint32_t number)
{
    static const struct {
        uint32_t number;
        enum store_mpi mpi;
    } rows[] = {
        {40, STORE_MPI_OPENMPI}, {12, STORE_MPI_MPICH}, {1, STORE_MPI_ABI}, {2, STORE_MPI_NCCL}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].number == number)
            return rows[i].mpi;
    return STORE_MPI_NONE;
}

uint64_t store_loaded_key(uint64_t family, const char *path)
{
    return store_program_cache_key(store_program_cache_key(family, "loaded"), path);
}

enum store_loaded store_loaded_read(const store *store, uint64_t key, enum store_mpi *mpi)
{
    char text[STORE_PROGRAM_CACHE];
    int read;

    if (!store_program_cache_read(store, key, text) || sscanf(text, "loaded %d\n", &read) != 1 ||
        read < 0 || read >= STORE_MPIS)
        return STORE_LOADED_UNKNOWN;
    *mpi = (enum store_mpi)read;
    return read ? STORE_LOADED_MPI : STORE_LOADED_NOTHING;
}

void store_loaded_write(const store *store, uint64_t key, enum store_mpi mpi)
{
    char text[32];

    snprintf(text, sizeof text, "loaded %d\n", (int)mpi);
    store_program_cache_write(store, key, text);
}

int store_loaded_told(const store *store, uint64_t id)
{
    uint64_t key = store_program_cache_key(id, "told");
    char text[STORE_PROGRAM_CACHE];

    return store_program_cache_read(store, key, text) ||
           store_program_cache_write(store, key, "told\n");
}
