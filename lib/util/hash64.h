/* SPDX-License-Identifier: BSD-3-Clause */
/* XXH64 (Y. Collet's 64-bit hash, by its published specification) with seed 0: a checksum at the
 * speed of memory. */
#ifndef TOPOMAP_UTIL_HASH64_H
#define TOPOMAP_UTIL_HASH64_H

#include <stddef.h>
#include <stdint.h>

/** Bytes that come in pieces. */
typedef struct topomap_hash64 {
    uint64_t lane[4], total;
} topomap_hash64;

enum { TOPOMAP_HASH64_BLOCK = 32 };

void topomap_hash64_begin(topomap_hash64 *hash);
/** \p size is a multiple of TOPOMAP_HASH64_BLOCK. */
void topomap_hash64_blocks(topomap_hash64 *hash, const void *bytes, size_t size);
/** The last piece, of any size; returns the hash of all. */
uint64_t topomap_hash64_end(topomap_hash64 *hash, const void *bytes, size_t size);

/** Of two pieces, the first of a multiple of TOPOMAP_HASH64_BLOCK. */
uint64_t topomap_hash64_two(const void *first, size_t first_size, const void *second,
                            size_t second_size);
/** All at once. */
uint64_t topomap_hash64_all(const void *bytes, size_t size);

#endif
