/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock of a folder. What is old goes, and a computer's clock may be wrong by months for a
 * while: no one look at it removes anything. A folder has a time of its own, which follows the
 * clock, but no faster than twice the time that has gone by since this computer started (no jump
 * changes that), and by no more than a day a look where another computer, or start of it, looked
 * last. */
#ifndef TOPOMAP_STORE_CLOCK_H
#define TOPOMAP_STORE_CLOCK_H

#include <stdint.h>

typedef struct store_clock {
    int64_t now;   /* seconds since 1970; 0: never looked at */
    char boot[40]; /* who looked last: the kernel's boot id */
    int64_t up;    /* seconds since that start */
} store_clock;

/** Moves a clock.
 *  \param there  what the folder's file system says of a file made just now, or 0 */
void store_clock_tick(store_clock *clock, int64_t there);

/** Sets the time of a file that was written while the clock was behind: it is no older than it is.
 *  \param now  the folder's time, 0: not known */
void store_clock_stamp(int fd, int64_t now);

#endif
