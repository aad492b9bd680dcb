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
