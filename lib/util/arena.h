/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays that end together: each is asked for by itself, whether all came is asked once. */
#ifndef TOPOMAP_UTIL_ARENA_H
#define TOPOMAP_UTIL_ARENA_H

#include "util/alloc.h"

/** Starts as all zeros. */
typedef struct topomap_arena {
    struct topomap_arena_array *last;
    int is_short; /* one of the arrays did not come */
} topomap_arena;

/** As topomap_alloc(); the array ends with topomap_arena_clear(). */
void *topomap_arena_alloc(topomap_arena *arena, size_t count, size_t size, topomap_error *err);
/** Frees all arrays; the arena is then as in the beginning. */
void topomap_arena_clear(topomap_arena *arena);

#endif
