/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/store/program.h"
#include "plugin/store/store.h"
#include "util/hash64.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LOOKED_AT = 64, NAME = 24 };

static const char below[] = "programs";

uint64_t store_program_cache_stamp(const struct stat *status)
{
    const uint64_t parts[] = {(uint64_t)status->st_ino,         (uint64_t)status->st_size,
                              (uint64_t)status->st_mtim.tv_sec, (uint64_t)status->st_mtim.tv_nsec,
                              (uint64_t)status->st_ctim.tv_sec, (uint64_t)status->st_ctim.tv_nsec};

    return topomap_hash64_all(parts, sizeof parts);
}

uint64_t store_program_cache_key(uint64_t before, const char *text)
{
    const uint64_t both[] = {before, topomap_hash64_all(text, strlen(text))};

    return topomap_hash64_all(both, sizeof both);
}

static void name_of(uint64_t key, char name[NAME])
{
    snprintf(name, NAME, "%016llx", (unsigned long long)key);
}

int store_program_cache_read(const store *store, uint64_t key, char text[STORE_PROGRAM_CACHE])
{
    TOPOMAP_CLOSED int folder = store ? store_folder_open(store, below, 0, NULL) : -1;
    char name[NAME];

    name_of(key, name);
    return folder >= 0 && store_file_read(folder, name, text, STORE_PROGRAM_CACHE);
}

int store_program_cache_write(const store *store, uint64_t key, const char *text)
{
    TOPOMAP_CLOSED int folder = store ? store_folder_open(store, below, 1, NULL) : -1;
    char name[NAME];
    const store_broom broom = {
        .most = LOOKED_AT, .count = STORE_PROGRAMS_CACHED, .keep = name, .look = store_sweep_file};

    name_of(key, name);
    if (folder < 0 || store_file_write(folder, name, text, strlen(text), store_sweep_now(folder)))
        return -1;
    store_sweep(folder, &broom);
    return 0;
}

/* ---- Which MPI a program loaded ---------------------------------------------------------- */

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
