/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorting, and looking up in what is sorted. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sorted -------------------------------------------------------------------- */

/** Of an order by several keys, which ?: joins: -1, 0 or 1. */
#define TOPOMAP_ORDER(x, y) (((x) > (y)) - ((x) < (y)))

/** Defines the function \p by for qsort(): the order of the elements x and y, of \p type, by the
 *  expression \p first; where that is 0, by \p then. */
#define TOPOMAP_COMPARE(by, type, first, then)                                                     \
    static int by(const void *a, const void *b)                                                    \
    {                                                                                              \
        const type *x = a, *y = b;                                                                 \
                                                                                                   \
        return (first) ?: (then);                                                                  \
    }

/** Defines the function \p by for qsort_r(): the order of the uint32_t x and y by the expression
 *  \p first; where that is 0, by the numbers themselves. \p with declares the variable that gets
 *  the last argument of qsort_r(), for use in \p first. */
#define TOPOMAP_COMPARE_BY(by, with, first)                                                        \
    static int by(const void *a, const void *b, void *data)                                        \
    {                                                                                              \
        const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;                         \
        with = data;                                                                               \
                                                                                                   \
        return (first) ?: TOPOMAP_ORDER(x, y);                                                     \
    }

/** Sorts \p count elements of a list, which may be NULL where there are none, by a function for
 *  qsort(). */
#define TOPOMAP_SORT(list, count, by)                                                              \
    do {                                                                                           \
        if ((count) > 0)                                                                           \
            qsort(list, count, sizeof *(list), by);                                                \
    } while (0)

/** For qsort(): numbers, ascending. */
static inline int topomap_by_u32(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return TOPOMAP_ORDER(x, y);
}

/** For qsort() likewise, and no number is a NaN. */
static inline int topomap_by_double(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return TOPOMAP_ORDER(x, y);
}

/** For qsort() likewise. */
static inline int topomap_by_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return TOPOMAP_ORDER(x, y);
}

/** Where in [low, high) of an ascending list the first number stands that is not below \p value;
 *  \p high: nowhere. */
static inline uint64_t topomap_sorted_u32(const uint32_t *list, uint64_t low, uint64_t high,
                                          uint32_t value)
{
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (list[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/** The same in [0, count) of structs, by an int64_t in each. */
static inline size_t topomap_sorted_rows(const void *rows, size_t count, size_t width,
                                         size_t member, int64_t value)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int64_t here;

        memcpy(&here, (const char *)rows + middle * width + member, sizeof here);
        if (here < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/** Lists the numbers 0..count-1 by their groups, ascending in each: those of group g become
 *  list[first[g] .. first[g + 1]). A counting sort, O(count + groups).
 *  \param group  [count] each below \p groups
 *  \param first  [groups + 2] all 0 before
 *  \param list   [count] out */
static inline void topomap_list_groups(const uint32_t *group, uint32_t count, uint32_t groups,
                                       uint32_t *first, uint32_t *list)
{
    /* Counted two places further, so that first[g + 1] is where the next number of g goes. */
    for (uint32_t i = 0; i < count; i++)
        first[group[i] + 2]++;
    for (uint32_t g = 0; g < groups; g++)
        first[g + 2] += first[g + 1];
    for (uint32_t i = 0; i < count; i++)
        list[first[group[i] + 1]++] = i;
}

/* ---- ranges -------------------------------------------------------------------- */

/** Prints ascending numbers as "0,2,5-7"; consecutive ones as a range from \p least on, which is 2
 *  or more. */
void topomap_ranges_print(FILE *out, const uint32_t *number, uint32_t count, uint32_t least);
