/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash table from keys to indices, as large as what is in it. Every message looks into one. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define PROFILE_NONE UINT32_MAX

typedef struct profile_entry {
    uint64_t key; /* 0: free */
    uint32_t value;
} profile_entry;

typedef struct profile_table {
    profile_entry *entry;
    uint32_t size, used; /* size is a power of two, or 0 */
} profile_table;

static inline uint32_t profile_table_slot(const profile_table *t, uint64_t key)
{
    uint64_t hash = key * 0x9e3779b97f4a7c15u;
    uint32_t i = (uint32_t)(hash >> 32) & (t->size - 1);

    while (t->entry[i].key && t->entry[i].key != key)
        i = (i + 1) & (t->size - 1);
    return i;
}

/** The value of a key that is not 0; PROFILE_NONE: it is not there. */
static inline uint32_t profile_table_find(const profile_table *t, uint64_t key)
{
    const profile_entry *e;

    if (t->size == 0)
        return PROFILE_NONE;
    e = &t->entry[profile_table_slot(t, key)];
    return e->key ? e->value : PROFILE_NONE;
}

/** Where the value of a key is or goes (PROFILE_NONE where it was not there); NULL without memory.
 *  Good until the next call. */
uint32_t *profile_table_at(profile_table *t, uint64_t key);
void profile_table_remove(profile_table *t, uint64_t key);
void profile_table_clear(profile_table *t);

/** Room for one more element of an array; 0 without memory. */
int profile_grow(void *array, uint32_t *size, uint32_t used, size_t element);
