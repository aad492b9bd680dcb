/* SPDX-License-Identifier: BSD-3-Clause */
/* XXH64 (Y. Collet's 64-bit hash, by its published specification) with seed 0: a checksum at the
 * speed of memory. xxhash's functions are inlined from its header: the plugin, topomap-node and the
 * profilers, which are loaded into other programs, gain no library. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/** Bytes that come in pieces. */
typedef XXH64_state_t topomap_hash64;

static inline void topomap_hash64_begin(topomap_hash64 *hash)
{
    XXH64_reset(hash, 0);
}

static inline void topomap_hash64_add(topomap_hash64 *hash, const void *bytes, size_t size)
{
    XXH64_update(hash, bytes, size);
}

/** Adds the last piece and returns the hash of all pieces. */
static inline uint64_t topomap_hash64_end(topomap_hash64 *hash, const void *bytes, size_t size)
{
    XXH64_update(hash, bytes, size);
    return XXH64_digest(hash);
}

/** The hash of two pieces. */
static inline uint64_t topomap_hash64_two(const void *first, size_t first_size, const void *second,
                                          size_t second_size)
{
    topomap_hash64 hash;

    topomap_hash64_begin(&hash);
    topomap_hash64_add(&hash, first, first_size);
    return topomap_hash64_end(&hash, second, second_size);
}

/** The hash of one piece. */
static inline uint64_t topomap_hash64_all(const void *bytes, size_t size)
{
    return XXH64(bytes, size, 0);
}
