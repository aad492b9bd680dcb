/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock of a test: time(2) is the test's own, in place of libc's. */
#ifndef TOPOMAP_TESTS_FAKE_CLOCK_H
#define TOPOMAP_TESTS_FAKE_CLOCK_H

#include <stdint.h>

/** From now on it is so many seconds later (or earlier). */
void fake_clock_set(int64_t jump);
/** Whether a file's time was set (futimens) since this was asked last. */
int fake_clock_stamped(void);

/** A folder that is kept within limits (plugin/store/sweep.h) was looked at so much earlier; where
 *  \p boot, the boot id of a computer, is not "", by that one last. */
void fake_clock_pass(const char *folder, int64_t seconds, const char *boot);

#endif
