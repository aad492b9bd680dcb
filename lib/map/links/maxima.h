/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers that change one by one, and their maximum: a tree of maxima over them. */
#ifndef TOPOMAP_MAXIMA_H
#define TOPOMAP_MAXIMA_H

#include "topomap/topomap.h"

typedef struct topomap_maxima {
    double *most;           /* [2 * leaves] most[1] is of all; most[leaves + i] is number i */
    uint32_t count, leaves; /* leaves: a power of two, at least count */
} topomap_maxima;

/** All 0, and none of them is ever to be less. On failure it is to be cleared, too. */
int topomap_maxima_init(topomap_maxima *maxima, uint32_t count, topomap_error *err);
void topomap_maxima_clear(topomap_maxima *maxima);
/** O(log count), less where the maximum of few others changes with it. */
void topomap_maxima_set(topomap_maxima *maxima, uint32_t i, double number);

/** The same of many in a row, O(1) each, and behind the last of them topomap_maxima_finish(). */
static inline void topomap_maxima_put(topomap_maxima *maxima, uint32_t i, double number)
{
    maxima->most[maxima->leaves + i] = number;
}
void topomap_maxima_finish(topomap_maxima *maxima);

static inline double topomap_maxima_get(const topomap_maxima *maxima, uint32_t i)
{
    return maxima->most[maxima->leaves + i];
}
static inline double topomap_maxima_max(const topomap_maxima *maxima)
{
    return maxima->most[1];
}
/** Those of at least \p least, \p room of them at most, ascending by index; \return how many.
 *  O(found * log count) */
uint32_t topomap_maxima_above(const topomap_maxima *maxima, double least, uint32_t room,
                              uint32_t *found);

#endif
