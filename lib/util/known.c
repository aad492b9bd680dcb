/* SPDX-License-Identifier: BSD-3-Clause */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) (failed = 1)
#include "util/known.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

int topomap_known_number(topomap_known **all, const void *key, size_t length, uint32_t *number,
                         topomap_error *err)
{
    topomap_known *known;
    int failed = 0;

    HASH_FIND(hh, *all, key, length, known);
    if (!known) {
        known = topomap_alloc(1, sizeof *known + length, err);
        if (!known)
            return -1;
        known->number = HASH_COUNT(*all);
        known->length = length;
        memcpy(known->key, key, length);
        HASH_ADD_KEYPTR(hh, *all, known->key, length, known);
        if (failed) {
            free(known);
            return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory: names");
        }
    }
    *number = known->number;
    return 0;
}

uint32_t topomap_known_find(const topomap_known *all, const void *key, size_t length)
{
    const topomap_known *known;

    HASH_FIND(hh, all, key, length, known);
    return known ? known->number : UINT32_MAX;
}

void topomap_known_clear(topomap_known **all)
{
    topomap_known *known, *next;

    HASH_ITER(hh, *all, known, next)
    {
        HASH_DELETE(hh, *all, known);
        free(known);
    }
}
