/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/names/known.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

/* GUIDs of one maker differ in their low bits only, names in their last letters: a product, and its
 * high half on the low one. */
static uint64_t mix(const void *key, size_t length)
{
    uint64_t sum = length;

    for (size_t at = 0; at < length; at += sizeof sum) {
        uint64_t word = 0;

        if (length - at < sizeof word)
            memcpy(&word, (const char *)key + at, length - at);
        else
            memcpy(&word, (const char *)key + at, sizeof word);
        sum = (sum ^ word) * 0x94d049bb133111ebu;
        sum ^= sum >> 31;
    }
    return sum;
}

/* Where a key is in slot[], or would be. */
static size_t find_slot(const topomap_known *known, const void *key, size_t length)
{
    size_t at = mix(key, length) & (known->slots - 1);

    for (; known->slot[at]; at = (at + 1) & (known->slots - 1)) {
        const struct topomap_known_key *here = &known->key[known->slot[at] - 1];

        if (here->length == length &&
            (!length || memcmp(known->word + here->first, key, length) == 0))
            break;
    }
    return at;
}

static int grow_table(topomap_known *known, topomap_error *err)
{
    size_t slots = known->slots ? known->slots * 2 : 64;
    uint32_t *slot = topomap_alloc(slots, sizeof *slot, err);

    if (!slot)
        return -1;
    free(known->slot);
    known->slot = slot;
    known->slots = slots;
    for (size_t i = 0; i < known->count; i++) {
        const struct topomap_known_key *key = &known->key[i];

        slot[find_slot(known, known->word + key->first, key->length)] = (uint32_t)i + 1;
    }
    return 0;
}

static int add(topomap_known *known, const void *key, size_t length, topomap_error *err)
{
    size_t first = known->words, words = (length + sizeof *known->word - 1) / sizeof *known->word;

    if (topomap_grow(&known->key, &known->key_room, known->count + 1, sizeof *known->key, err) ||
        topomap_grow(&known->word, &known->word_room, first + words, sizeof *known->word, err))
        return -1;
    if (length)
        memcpy(known->word + first, key, length);
    known->words += words;
    known->key[known->count++] = (struct topomap_known_key){first, length};
    return 0;
}

int topomap_known_number(topomap_known *known, const void *key, size_t length, uint32_t *number,
                         topomap_error *err)
{
    size_t at;

    if (known->count * 2 >= known->slots && grow_table(known, err))
        return -1;
    at = find_slot(known, key, length);
    if (!known->slot[at]) {
        if (add(known, key, length, err))
            return -1;
        known->slot[at] = (uint32_t)known->count;
    }
    *number = known->slot[at] - 1;
    return 0;
}

uint32_t topomap_known_find(const topomap_known *known, const void *key, size_t length)
{
    uint32_t slot = known->slots ? known->slot[find_slot(known, key, length)] : 0;

    return slot ? slot - 1 : UINT32_MAX;
}

void topomap_known_clear(topomap_known *known)
{
    free(known->key);
    free(known->word);
    free(known->slot);
    *known = (topomap_known){0};
}
