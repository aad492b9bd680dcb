/* SPDX-License-Identifier: BSD-3-Clause */
/* The clock of a test program: it defines the functions of util/clock.h in place of
 * lib/util/clock.c, so that time is virtual and a test of a deadline takes milliseconds.
 *
 * Time stands still while the program runs, and moves in two cases: the program sleeps, or it waits
 * for a peer that the test has called late. A wait for descriptors that are ready returns at once.
 * Other waits depend on what the test has said of the peers, the real processes at the other end:
 *
 * - on time (as the test begins): the wait lasts in real time until the peer acts, and no virtual
 *   time passes, however busy the machine is. A peer that does nothing for a minute of real time
 *   ends the test program with a message.
 * - late: virtual time jumps to the next event that the test has scheduled (fake_clock_at), else to
 *   the deadline. The test has to see to it that the peer indeed does nothing before that, as one
 *   that reads a pipe to which nobody has written yet.
 *
 * The date is the real one, moved by the virtual time that has passed and by fake_clock_set(),
 * since the kernel gives files the real one. */
#pragma once

#include <stdint.h>

/* ---- Deadlines ---------------------------------------------------------------------------- */

/** Makes all peers be on time, forgets all events, and counts from now on. */
void fake_clock_begin(void);

/** Returns the virtual milliseconds since fake_clock_begin(). */
int64_t fake_clock_passed(void);

/** Makes peers late: the next \p waits waits for descriptors are on time, the later ones are late.
 * The first wait of a program that is started is that for its exec. */
void fake_clock_late(unsigned waits);

/** Makes the next \p waits waits for a child's end be late: the child still runs at their deadline.
 */
void fake_clock_child_stays(unsigned waits);

/** Makes all peers be on time again. For events. */
void fake_clock_on_time(void);

/** Schedules an event: \p act is called with \p with when \p ms have passed since
 * fake_clock_begin(). Events are run in the order of their time, 8 at most are scheduled. */
void fake_clock_at(int64_t ms, void (*act)(void *with), void *with);

/* ---- Dates of files ----------------------------------------------------------------------- */

/** Moves the date by \p jump seconds from the real one. */
void fake_clock_set(int64_t jump);

/** Returns whether the program has set a file's time (futimens(3)) since this was called last. */
int fake_clock_stamped(void);

/** Rewrites the state of a folder that is kept within limits (plugin/store/store.h) as if the last
 * look at it had been \p seconds earlier, by the computer with the boot id \p boot unless that is
 * "". */
void fake_clock_pass(const char *folder, int64_t seconds, const char *boot);
