/* SPDX-License-Identifier: BSD-3-Clause */
/* The time of a folder that is kept within limits. Old files are removed, and a computer's clock
 * may be wrong by months for a while: no single look at that clock may remove anything. A folder
 * has a time of its own, which follows the clock, but moves no faster than twice the time that has
 * passed, as each computer counts it from its start (no jump of the clock changes that), and at
 * each look by at most a day too far. When a computer that has not looked before, or not for long,
 * has started, nobody knows how much time has passed: the folder's time moves by ten minutes. Where
 * each launch is another start, the folder's time falls behind, and old files stay longer. */
#ifndef TOPOMAP_STORE_FOLDER_TIME_H
#define TOPOMAP_STORE_FOLDER_TIME_H

#include <stdint.h>

enum { STORE_BOOTS = 32 };

/* A computer's start, when it looked last. */
typedef struct store_boot {
    char id[40]; /* the kernel's boot id */
    int64_t up;  /* seconds since that start */
    int64_t now; /* the folder's time */
} store_boot;

typedef struct store_folder_time {
    int64_t now;                  /* seconds since 1970; 0: never looked at */
    unsigned boots;               /* rows of boot[] in use */
    store_boot boot[STORE_BOOTS]; /* the computer that looked last comes first */
} store_folder_time;

/** Moves the folder's time towards this computer's date.
 *  \param there  date that the folder's file system gave a file made just now, or 0 */
void store_folder_time_advance(store_folder_time *time, int64_t there);

/** Sets the time of a file that was written while the computer's clock was more than a day behind,
 *  so that the file does not seem older than it is.
 *  \param now  the folder's time, 0: not known */
void store_folder_time_stamp(int fd, int64_t now);

#endif
