/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a job's nodes leave a ring open. */
#ifndef TOPOMAP_MAP_SPLIT_GAP_H
#define TOPOMAP_MAP_SPLIT_GAP_H

#include <stdint.h>

/** The coordinate after the largest run of coordinates without a node.
 *  \param seen  [length] nonzero where there are nodes; the last is beside the first */
static inline uint32_t topomap_gap_end(const uint8_t *seen, uint32_t length)
{
    uint32_t best = 0, longest = 0, run = 0;

    for (uint32_t i = 0; i < 2 * length; i++) { /* twice round, for the run across the seam */
        if (!seen[i % length]) {
            run++;
            continue;
        }
        if (run > longest) {
            longest = run;
            best = i % length;
        }
        run = 0;
    }
    return best;
}

#endif
