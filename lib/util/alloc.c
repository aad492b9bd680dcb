/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/alloc.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void *topomap_alloc(size_t count, size_t size, topomap_error *err)
{
    void *memory = calloc(count ? count : 1, size ? size : 1); /* calloc checks the product */

    if (!memory)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory: %zu elements of %zu bytes", count,
                          size);
    return memory;
}

int topomap_grow(void *array, size_t *capacity, size_t need, size_t size, topomap_error *err)
{
    void **slot = array;
    size_t wanted = *capacity ? *capacity : 16;
    void *memory;

    if (need <= *capacity)
        return 0;
    while (wanted < need) {
        if (wanted > SIZE_MAX / 2 / size)
            return topomap_error_set(err, TOPOMAP_ESYSTEM,
                                     "out of memory: %zu elements of %zu bytes", need, size);
        wanted *= 2;
    }
    memory = reallocarray(*slot, wanted, size);
    if (!memory)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory: %zu elements of %zu bytes",
                                 wanted, size);
    *slot = memory;
    *capacity = wanted;
    return 0;
}

char *topomap_strndup(const char *text, size_t length, topomap_error *err)
{
    char *copy = topomap_alloc(length + 1, 1, err);

    if (copy)
        memcpy(copy, text, length);
    return copy;
}

char *topomap_strdup(const char *text, topomap_error *err)
{
    return topomap_strndup(text, strlen(text), err);
}

char *topomap_printed(FILE *out, char **text, topomap_error *err)
{
    if (out && fclose(out) == 0)
        return *text;
    free(*text);
    *text = NULL;
    topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory");
    return NULL;
}

/* ---- Arenas -------------------------------------------------------------------------------- */

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

char *topomap_arena_strdup(topomap_arena *arena, const char *text, topomap_error *err)
{
    char *copy = topomap_arena_alloc(arena, strlen(text) + 1, 1, err);

    return copy ? strcpy(copy, text) : NULL;
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
