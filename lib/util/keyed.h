/* SPDX-License-Identifier: BSD-3-Clause */
/* Things with a price, the least first: sorted all at once, or taken from a heap one by one. */
#pragma once

#include "util/alloc.h"

/** What is the most is first where the key is its negative; equal keys go by a, then by b. */
typedef struct topomap_keyed {
    int64_t key;
    uint32_t a, b;
} topomap_keyed;

static inline int topomap_keyed_before(topomap_keyed x, topomap_keyed y)
{
    if (x.key != y.key)
        return x.key < y.key;
    return x.a != y.a ? x.a < y.a : x.b < y.b;
}

/** The same for qsort(). */
static inline int topomap_keyed_order(const void *x, const void *y)
{
    const topomap_keyed *p = x, *q = y;

    return topomap_keyed_before(*p, *q) ? -1 : topomap_keyed_before(*q, *p);
}

/** Returns a key for a number that is not negative. Keys are in the order of their numbers, because
 *  the bits of such doubles, read as an integer, are. */
static inline int64_t topomap_keyed_number(double number)
{
    int64_t key;

    memcpy(&key, &number, sizeof key);
    return key;
}

/** A binary heap. Starts as all zeros; `at` ends with free(). */
typedef struct topomap_heap {
    topomap_keyed *at;
    size_t count, capacity;
} topomap_heap;

static inline void topomap_heap_clear(topomap_heap *heap)
{
    free(heap->at);
}

static inline int topomap_heap_push(topomap_heap *heap, topomap_keyed one, topomap_error *err)
{
    size_t i = heap->count;

    if (topomap_grow(&heap->at, &heap->capacity, heap->count + 1, sizeof one, err) != 0)
        return -1;
    heap->count++;
    for (; i > 0 && topomap_keyed_before(one, heap->at[(i - 1) / 2]); i = (i - 1) / 2)
        heap->at[i] = heap->at[(i - 1) / 2];
    heap->at[i] = one;
    return 0;
}

/** Takes the first; there is one. */
static inline topomap_keyed topomap_heap_pop(topomap_heap *heap)
{
    topomap_keyed top = heap->at[0], last = heap->at[--heap->count];
    size_t i = 0, child;

    while ((child = 2 * i + 1) < heap->count) {
        child +=
            child + 1 < heap->count && topomap_keyed_before(heap->at[child + 1], heap->at[child]);
        if (!topomap_keyed_before(heap->at[child], last))
            break;
        heap->at[i] = heap->at[child];
        i = child;
    }
    heap->at[i] = last;
    return top;
}
