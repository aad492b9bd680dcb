/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_STORE_JOIN_H
#define TOPOMAP_STORE_JOIN_H

#include "topomap/topomap.h"

/** Makes STORE_RUN_FILE of the parts in the folder of a run, where every rank is there and whole.
 *  Several may do so at once.
 *  \param soon  a launch waits for it: many parts, or large ones, are left to the end of a step
 *  \return 0, or -1: and why there is none */
int store_join(int run, int soon, topomap_error *why);

#endif
