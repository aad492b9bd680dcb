/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/alloc.h"

#include <stddef.h>
#include <stdlib.h>

struct topomap_arena_array {
    struct topomap_arena_array *before;
    _Alignas(max_align_t) unsigned char bytes[];
};

void *topomap_arena_alloc(topomap_arena *arena, size_t count, size_t size, topomap_error *err)
{
    struct topomap_arena_array *array = NULL;
    size_t bytes;

    if (!__builtin_mul_overflow(count, size, &bytes) &&
        !__builtin_add_overflow(bytes, sizeof *array, &bytes))
        array = calloc(1, bytes);
    if (!array) {
        arena->is_short = 1;
        topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory: %zu elements of %zu bytes", count,
                          size);
        return NULL;
    }
    array->before = arena->last;
    arena->last = array;
    return array->bytes;
}

void topomap_arena_clear(topomap_arena *arena)
{
    while (arena->last) {
        struct topomap_arena_array *array = arena->last;

        arena->last = array->before;
        free(array);
    }
    arena->is_short = 0;
}
