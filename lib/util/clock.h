/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_UTIL_CLOCK_H
#define TOPOMAP_UTIL_CLOCK_H

/** CPU seconds of the calling thread. */
double topomap_clock_cpu(void);
/** Seconds of a clock that only moves forward. */
double topomap_clock_wall(void);

#endif
