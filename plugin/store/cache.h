/* SPDX-License-Identifier: BSD-3-Clause */
/* The dynamic linker's cache of library names, /etc/ld.so.cache, which ldconfig(8) writes. */
#ifndef TOPOMAP_STORE_CACHE_H
#define TOPOMAP_STORE_CACHE_H

#include <stddef.h>
#include <stdint.h>

typedef struct store_cache {
    char *bytes; /* NULL: there is none that is known */
    size_t size;
    size_t begin; /* of the part with the entries, from which texts are counted */
    size_t entries;
} store_cache;

/** A missing, broken or unknown one is an empty one. store_cache_close() ends it. */
void store_cache_open(const char *path, store_cache *cache);
void store_cache_close(store_cache *cache);
/** The next path of a library, from entry *at on (0 first), which moves on; NULL: no more. Lent. */
const char *store_cache_next(const store_cache *cache, const char *name, size_t *at);

#endif
