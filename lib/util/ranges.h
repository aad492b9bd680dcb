/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_UTIL_RANGES_H
#define TOPOMAP_UTIL_RANGES_H

#include <stdint.h>
#include <stdio.h>

/** Prints ascending numbers as "0,2,5-7"; consecutive ones as a range from \p least on, which is 2
 *  or more. */
void topomap_ranges_print(FILE *out, const uint32_t *number, uint32_t count, uint32_t least);

#endif
