/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* le64toh */
#include "util/hash64.h"

#include <endian.h>
#include <string.h>

static const uint64_t prime1 = 0x9e3779b185ebca87, prime2 = 0xc2b2ae3d27d4eb4f,
                      prime3 = 0x165667b19e3779f9, prime4 = 0x85ebca77c2b2ae63,
                      prime5 = 0x27d4eb2f165667c5;

/* Little-endian words at any address. */
static inline uint64_t word64(const unsigned char *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
    return le64toh(word);
}

static inline uint64_t rotate(uint64_t word, int by)
{
    return word << by | word >> (64 - by);
}

static inline uint64_t mix(uint64_t lane, uint64_t word)
{
    return rotate(lane + word * prime2, 31) * prime1;
}

void topomap_hash64_begin(topomap_hash64 *hash)
{
    hash->lane[0] = prime1 + prime2;
    hash->lane[1] = prime2;
    hash->lane[2] = 0;
    hash->lane[3] = 0 - prime1;
    hash->total = 0;
}

void topomap_hash64_blocks(topomap_hash64 *hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes, *end = at + size;
    uint64_t a = hash->lane[0], b = hash->lane[1], c = hash->lane[2], d = hash->lane[3];

    for (; at < end; at += TOPOMAP_HASH64_BLOCK) {
        a = mix(a, word64(at));
        b = mix(b, word64(at + 8));
        c = mix(c, word64(at + 16));
        d = mix(d, word64(at + 24));
    }
    hash->lane[0] = a;
    hash->lane[1] = b;
    hash->lane[2] = c;
    hash->lane[3] = d;
    hash->total += size;
}

static uint64_t join_lanes(const uint64_t *lane)
{
    uint64_t sum =
        rotate(lane[0], 1) + rotate(lane[1], 7) + rotate(lane[2], 12) + rotate(lane[3], 18);

    for (int i = 0; i < 4; i++)
        sum = (sum ^ mix(0, lane[i])) * prime1 + prime4;
    return sum;
}

uint64_t topomap_hash64_end(topomap_hash64 *hash, const void *bytes, size_t size)
{
    size_t whole = size - size % TOPOMAP_HASH64_BLOCK;
    const unsigned char *at = bytes, *end;
    uint64_t sum;

    if (whole) {
        topomap_hash64_blocks(hash, at, whole);
        at += whole;
    }
    end = at + (size - whole);
    sum = hash->total ? join_lanes(hash->lane) : prime5;
    sum += hash->total + (size - whole);
    for (; end - at >= 8; at += 8)
        sum = rotate(sum ^ mix(0, word64(at)), 27) * prime1 + prime4;
    if (end - at >= 4) {
        uint64_t word =
            at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24;

        sum = rotate(sum ^ word * prime1, 23) * prime2 + prime3;
        at += 4;
    }
    for (; at < end; at++)
        sum = rotate(sum ^ *at * prime5, 11) * prime1;
    sum = (sum ^ sum >> 33) * prime2;
    sum = (sum ^ sum >> 29) * prime3;
    return sum ^ sum >> 32;
}

uint64_t topomap_hash64_two(const void *first, size_t first_size, const void *second,
                            size_t second_size)
{
    topomap_hash64 hash;

    topomap_hash64_begin(&hash);
    topomap_hash64_blocks(&hash, first, first_size);
    return topomap_hash64_end(&hash, second, second_size);
}

uint64_t topomap_hash64_all(const void *bytes, size_t size)
{
    topomap_hash64 hash;

    topomap_hash64_begin(&hash);
    return topomap_hash64_end(&hash, bytes, size);
}
