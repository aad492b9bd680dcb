/* SPDX-License-Identifier: BSD-3-Clause */
/* A small generator with its state in the caller's hands: the same seed gives the same numbers
 * on every machine, which libc's rand() does not promise.
 * SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014. */
#pragma once

#include <stdint.h>

typedef struct topomap_random {
    uint64_t state;
} topomap_random;

static inline uint64_t topomap_random_next(topomap_random *random)
{
    uint64_t z = (random->state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/** A number in 0..bound-1, bound at least 1. The bias is below 2^-32 for bounds below 2^32. */
static inline uint32_t topomap_random_below(topomap_random *random, uint32_t bound)
{
    return (uint32_t)(((topomap_random_next(random) >> 32) * bound) >> 32);
}

/** Shuffles \p count elements in place (Fisher-Yates). */
static inline void topomap_random_shuffle(topomap_random *random, uint32_t *array, uint32_t count)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = topomap_random_below(random, i);
        uint32_t keep = array[i - 1];

        array[i - 1] = array[j];
        array[j] = keep;
    }
}
