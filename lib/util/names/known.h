/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers from 0 for keys, in the order in which they come. */
#pragma once

#include "topomap/topomap.h"

/** Keys that are known; zeroed: none. */
typedef struct topomap_known {
    struct topomap_known_key {
        size_t first, length; /* where it begins in word[]; in bytes */
    } * key;                  /* [count] */
    size_t count, key_room;
    uint64_t *word; /* of all keys */
    size_t words, word_room;
    uint32_t *slot; /* hash table: number of a key + 1, or 0 */
    size_t slots;   /* a power of two */
} topomap_known;

/** The number of a key, the next one where it is new. */
int topomap_known_number(topomap_known *known, const void *key, size_t length, uint32_t *number,
                         topomap_error *err);
/** The number of a key; UINT32_MAX where it is not known. */
uint32_t topomap_known_find(const topomap_known *known, const void *key, size_t length);
/** The bytes of the key with a number that there is; until the next key is added. */
static inline const void *topomap_known_key(const topomap_known *known, size_t number)
{
    return known->word + known->key[number].first;
}
void topomap_known_clear(topomap_known *known);
