/* SPDX-License-Identifier: BSD-3-Clause */
/* Structs that callers of the library fill: their first member is their size, as the caller knows
 * them. They grow at their end only, and 0 means what there was before. */
#ifndef TOPOMAP_UTIL_SIZED_H
#define TOPOMAP_UTIL_SIZED_H

#include "topomap/topomap.h"

/** Copies what the caller has and leaves the rest 0; the copy's own size is this library's.
 *  \param known  [size] this library's
 *  \param least  the size in the first release that had the struct
 *  \param given  the caller's: a size_t, and what follows it
 *  \param type   its name, for the error: TOPOMAP_EUSAGE where it is smaller than \p least, or
 *                larger than \p size with anything but 0 behind */
int topomap_sized_copy(void *known, size_t size, size_t least, const void *given, const char *type,
                       topomap_error *err);

#endif
