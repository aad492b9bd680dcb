/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory with the size checked first and a topomap_error instead of a NULL to forget. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "topomap/topomap.h"

/* ---- alloc --------------------------------------------------------------------- */

/** Zeroed array of \p count elements of \p size bytes; NULL and \p err set where count * size
 *  overflows or memory is short. count 0 gives a valid pointer. Ends with free(). */
void *topomap_alloc(size_t count, size_t size, topomap_error *err);

/** Attribute of a local pointer: frees what it points to at the end of its scope. The pointer must
 *  be initialised. */
#define TOPOMAP_FREED __attribute__((cleanup(topomap_free_local)))
static inline void topomap_free_local(void *pointer)
{
    void *array;

    memcpy(&array, pointer, sizeof array); /* a pointer of any type */
    free(array);
}

/** Attribute of a local variable: calls \p function with a pointer to the variable at the end of
 *  its scope. The variable must be initialised. The last one that was declared ends first. */
#define TOPOMAP_CLEANUP(function) __attribute__((cleanup(function)))

/** Returns what *\p pointer, a pointer of any type, points to, and sets it to NULL, so that the
 *  end of its scope does not free that. */
static inline void *topomap_take(void *pointer)
{
    void *taken, *null = NULL;

    memcpy(&taken, pointer, sizeof taken); /* a pointer of any type */
    memcpy(pointer, &null, sizeof null);
    return taken;
}

/** Grows *array (capacity *capacity elements of \p size bytes) to hold at least \p need elements,
 *  at least doubling. On failure the array is as it was. */
int topomap_grow(void *array, size_t *capacity, size_t need, size_t size, topomap_error *err);
/** The same for one of several arrays that have one capacity; the last of them is grown by
 *  topomap_grow(). */
static inline int topomap_grow_beside(void *array, size_t capacity, size_t need, size_t size,
                                      topomap_error *err)
{
    return topomap_grow(array, &capacity, need, size, err);
}

/** Puts a row behind the \p count of a \p list, which grows; 0, or -1 and \p err set where memory
 * is short. The row comes last, as its braces may have commas. */
#define TOPOMAP_APPEND(list, count, room, err, ...)                                                \
    (topomap_grow(&(list), &(room), (size_t)(count) + 1, sizeof *(list), err)                      \
         ? -1                                                                                      \
         : ((list)[(count)++] = __VA_ARGS__, 0))

/** Fills an array with 0, 1, 2, ... */
static inline void topomap_identity(uint32_t *array, size_t count)
{
    for (size_t i = 0; i < count; i++)
        array[i] = (uint32_t)i;
}

/** Exchanges two values of one type. */
#define TOPOMAP_SWAP(a, b)                                                                         \
    do {                                                                                           \
        __typeof__(a) topomap_swapped = (a);                                                       \
        (a) = (b);                                                                                 \
        (b) = topomap_swapped;                                                                     \
    } while (0)

/** Copies of text; NULL and \p err set where memory is short. */
char *topomap_strdup(const char *text, topomap_error *err);
char *topomap_strndup(const char *text, size_t length, topomap_error *err);

/** Ends what open_memstream(3) has begun, or could not. \return *text, which is whole now and ends
 *  with free(); NULL and \p err set where memory was short */
char *topomap_printed(FILE *out, char **text, topomap_error *err);

/* ---- arena --------------------------------------------------------------------- */
/* Arrays that are freed together. Each is allocated by itself; `is_short` tells afterwards whether
 * any allocation failed. */

/** Starts as all zeros. */
typedef struct topomap_arena {
    struct topomap_arena_array *last;
    int is_short; /* an allocation failed */
} topomap_arena;

/** As topomap_alloc(); the array ends with topomap_arena_clear(). */
void *topomap_arena_alloc(topomap_arena *arena, size_t count, size_t size, topomap_error *err);
/** As topomap_strdup(); the copy ends with topomap_arena_clear(). */
char *topomap_arena_strdup(topomap_arena *arena, const char *text, topomap_error *err);
/** Frees all arrays; the arena is then as in the beginning. */
void topomap_arena_clear(topomap_arena *arena);

/* ---- Structs that carry their size ------------------------------------------ */
/* Structs that callers of the library fill: their first member is their size, as the caller knows
 * them. They grow at their end only, and 0 means what there was before. */

/** Copies what the caller has and leaves the rest 0; the copy's own size is this library's.
 *  \param known  [size] this library's
 *  \param least  the size in the first release that had the struct
 *  \param given  the caller's: a size_t, and what follows it
 *  \param type   its name, for the error: TOPOMAP_EUSAGE where it is smaller than \p least, or
 *                larger than \p size with anything but 0 behind */
int topomap_sized_copy(void *known, size_t size, size_t least, const void *given, const char *type,
                       topomap_error *err);
