/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as text: bit fields in characters of six bits each (RFC 4648, section 5, base64url).
 * libc alone, like the bindings, its only users. */
#ifndef TOPOMAP_PLAN_SEXTETS_H
#define TOPOMAP_PLAN_SEXTETS_H

#include "topomap/topomap.h"

/** Text that grows. Once memory was short, `failed` stays set and writes do nothing. */
typedef struct topomap_sextet_writer {
    char *text; /**< [size] not terminated */
    size_t size, capacity;
    unsigned held, held_bits; /**< bits that do not fill a character yet */
    int failed;
} topomap_sextet_writer;

/** Text being read. Once it ran out or held a foreign character, `failed` stays set and every
 *  number read is 0. */
typedef struct topomap_sextet_reader {
    const char *text; /**< [size] */
    size_t size;
    size_t bit; /**< the next one, from 0 */
    int failed;
} topomap_sextet_reader;

/** The low \p width bits of \p value, 0 to 32, the highest first. */
void topomap_sextet_put(topomap_sextet_writer *writer, uint32_t value, unsigned width);
uint32_t topomap_sextet_get(topomap_sextet_reader *reader, unsigned width);

/** A number of any size below 2^40, in groups of five bits. */
void topomap_sextet_put_number(topomap_sextet_writer *writer, uint64_t value);
uint64_t topomap_sextet_get_number(topomap_sextet_reader *reader);

/** Fills the last character with zero bits. */
void topomap_sextet_align(topomap_sextet_writer *writer);

/** A list as arithmetic runs (start, step, length). */
void topomap_sextet_put_runs(topomap_sextet_writer *writer, const uint32_t *list, size_t count);

/** A run of such a list: start, start + step, ..., last. */
typedef struct topomap_sextet_run {
    int64_t start, step, last;
    uint32_t count;
} topomap_sextet_run;

/** Reads the next run of a list of which \p left numbers are still to come, each below \p limit.
 *  \p run  the one before; for the first, `last` is -1. \return 0, or -1 and `failed` is set */
int topomap_sextet_get_run(topomap_sextet_reader *reader, size_t left, uint32_t limit,
                           topomap_sextet_run *run);

/** Bits that number values 0 .. count-1, at least 1. */
unsigned topomap_sextet_width(uint32_t count);

#endif
