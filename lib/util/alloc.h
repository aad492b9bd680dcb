/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory with the size checked first and a topomap_error instead of a NULL to forget. */
#ifndef TOPOMAP_UTIL_ALLOC_H
#define TOPOMAP_UTIL_ALLOC_H

#include <stdlib.h>
#include <string.h>

#include "topomap/topomap.h"

/** Zeroed array of \p count elements of \p size bytes; NULL and \p err set where count * size
 *  overflows or memory is short. count 0 gives a valid pointer. Ends with free(). */
void *topomap_alloc(size_t count, size_t size, topomap_error *err);

/** Of a local pointer: frees what it points to when it goes out of scope. It must be initialised.
 */
#define TOPOMAP_FREED __attribute__((cleanup(topomap_free_local)))
static inline void topomap_free_local(void *pointer)
{
    void *array;

    memcpy(&array, pointer, sizeof array); /* a pointer of any type */
    free(array);
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

/** Copies of text; NULL and \p err set where memory is short. */
char *topomap_strdup(const char *text, topomap_error *err);
char *topomap_strndup(const char *text, size_t length, topomap_error *err);

/** Ends what open_memstream(3) has begun, or could not. \return *text, which is whole now and ends
 *  with free(); NULL and \p err set where memory was short */
char *topomap_printed(FILE *out, char **text, topomap_error *err);

#endif
