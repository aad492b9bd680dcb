/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/formats/io.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/hash64.h"

static size_t find_slot(const topomap_name_table *table, const char *name, size_t length)
{
    size_t at = topomap_hash64_all(name, length) % table->slots;

    while (table->slot[at]) {
        const char *other = table->text + table->begin[table->slot[at] - 1];

        if (!strncmp(other, name, length) && !other[length])
            break;
        at = (at + 1) % table->slots;
    }
    return at;
}

/* Twice the slots, with everything in its new place. */
static int enlarge(topomap_name_table *table, topomap_error *err)
{
    size_t slots = table->slots ? table->slots * 2 : 64;
    uint32_t *slot = topomap_alloc(slots, sizeof *slot, err);

    if (!slot)
        return -1;
    free(table->slot);
    table->slot = slot;
    table->slots = slots;
    for (size_t i = 0; i < table->count; i++) {
        const char *name = table->text + table->begin[i];

        slot[find_slot(table, name, strlen(name))] = (uint32_t)(i + 1);
    }
    return 0;
}

int topomap_name_table_id(topomap_name_table *table, const char *name, size_t length, uint32_t *id,
                          topomap_error *err)
{
    size_t at;

    if (table->count >= table->slots / 2 && enlarge(table, err))
        return -1;
    at = find_slot(table, name, length);
    if (table->slot[at]) {
        *id = table->slot[at] - 1;
        return 0;
    }
    if (table->count >= TOPOMAP_GRAPH_RANKS)
        return topomap_error_set(err, TOPOMAP_EINPUT, "more than 2^31 names");
    if (topomap_grow(&table->text, &table->capacity_text, table->size + length + 1, 1, err) ||
        topomap_grow(&table->begin, &table->capacity_begin, table->count + 1, sizeof *table->begin,
                     err))
        return -1;
    memcpy(table->text + table->size, name, length);
    table->text[table->size + length] = 0;
    table->begin[table->count] = table->size;
    table->size += length + 1;
    *id = (uint32_t)table->count++;
    table->slot[at] = *id + 1;
    return 0;
}

void topomap_name_table_clear(topomap_name_table *table)
{
    free(table->text);
    free(table->begin);
    free(table->slot);
    *table = (topomap_name_table){0};
}
