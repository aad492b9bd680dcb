/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock of a folder. What is old goes, and a computer's clock may be wrong by months for a
 * while: no one look at it removes anything. A folder has a time of its own, which follows the
 * clock, but goes no faster than twice the time that has gone by, as each computer counts it from
 * its start on (no jump changes that), nor a look by more than a day too far. For a start of a
 * computer that has not looked before, or not for long, nobody can tell how much time has gone by:
 * that is worth ten minutes. Where each launch is another start, the folder's time falls behind,
 * and what is old stays for longer. */
#ifndef TOPOMAP_STORE_CLOCK_H
#define TOPOMAP_STORE_CLOCK_H

#include <stdint.h>

enum { STORE_BOOTS = 32 };

/* A computer's start, when it looked last. */
typedef struct store_boot {
    char id[40]; /* the kernel's boot id */
    int64_t up;  /* seconds since that start */
    int64_t now; /* the folder's time */
} store_boot;

typedef struct store_clock {
    int64_t now;                  /* seconds since 1970; 0: never looked at */
    unsigned boots;               /* so many, */
    store_boot boot[STORE_BOOTS]; /* who looked last first */
} store_clock;

/** Moves a clock.
 *  \param there  what the folder's file system says of a file made just now, or 0 */
void store_clock_tick(store_clock *clock, int64_t there);

/** Sets the time of a file that was written while the clock was behind: it is no older than it is.
 *  \param now  the folder's time, 0: not known */
void store_clock_stamp(int fd, int64_t now);

#endif
