/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers from 0 for keys, in the order in which they come. */
#ifndef TOPOMAP_UTIL_KNOWN_H
#define TOPOMAP_UTIL_KNOWN_H

#include <uthash.h>

#include "topomap/topomap.h"

/** A key that is known; NULL stands for none. They follow each other by number at hh.next. */
typedef struct topomap_known {
    uint32_t number;
    size_t length; /* of the key, in bytes */
    UT_hash_handle hh;
    uint64_t key[];
} topomap_known;

/** The number of a key, the next one where it is new. */
int topomap_known_number(topomap_known **all, const void *key, size_t length, uint32_t *number,
                         topomap_error *err);
/** The number of a key; UINT32_MAX where it is not known. */
uint32_t topomap_known_find(const topomap_known *all, const void *key, size_t length);
void topomap_known_clear(topomap_known **all);

#endif
