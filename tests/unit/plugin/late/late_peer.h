/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that waits until its test lets it go on, for tests with a fake clock: the test program
 * itself, started by another name. */
#pragma once

/** Makes the pipe that the peer waits at, "go" in the scratch folder, and a name for this program
 * there. Returns the path of that name, lent until the program ends. */
const char *late_peer_make(const char *name);

/** In the peer: waits until the test lets it go on. It needs no environment and no arguments. */
void late_peer_wait(void);

/** In the test: lets one peer that waits, or is about to wait, go on, and makes all be on time. An
 * event of fake_clock_at(); \p with is not used. */
void late_peer_let_go(void *with);
