/* SPDX-License-Identifier: BSD-3-Clause */
#include "table.h"

#include <stdlib.h>

enum { FIRST = 8 };

static int rehash(profile_table *t)
{
    profile_table larger = {.size = t->size ? t->size * 2 : FIRST, .used = t->used};

    larger.entry = larger.size > t->size ? calloc(larger.size, sizeof *larger.entry) : NULL;
    if (!larger.entry)
        return 0;
    for (uint32_t i = 0; i < t->size; i++)
        if (t->entry[i].key)
            larger.entry[profile_table_slot(&larger, t->entry[i].key)] = t->entry[i];
    free(t->entry);
    *t = larger;
    return 1;
}

uint32_t *profile_table_at(profile_table *t, uint64_t key)
{
    profile_entry *e;

    if (t->used * 2 >= t->size && !rehash(t))
        return NULL;
    e = &t->entry[profile_table_slot(t, key)];
    if (!e->key) {
        *e = (profile_entry){key, PROFILE_NONE};
        t->used++;
    }
    return &e->value;
}

/* What follows without a gap is put in again, since it may have been moved on by what goes. */
void profile_table_remove(profile_table *t, uint64_t key)
{
    uint32_t i;

    if (profile_table_find(t, key) == PROFILE_NONE)
        return;
    i = profile_table_slot(t, key);
    t->entry[i].key = 0;
    t->used--;
    for (i = (i + 1) & (t->size - 1); t->entry[i].key; i = (i + 1) & (t->size - 1)) {
        profile_entry moved = t->entry[i];

        t->entry[i].key = 0;
        t->entry[profile_table_slot(t, moved.key)] = moved;
    }
}

void profile_table_clear(profile_table *t)
{
    free(t->entry);
    *t = (profile_table){0};
}

int profile_grow(void *array, uint32_t *size, uint32_t used, size_t element)
{
    void **at = array, *grown;
    uint32_t wanted = *size ? *size * 2 : 16;

    if (used < *size)
        return 1;
    grown = wanted > *size ? realloc(*at, wanted * element) : NULL;
    if (!grown)
        return 0;
    *at = grown;
    *size = wanted;
    return 1;
}
