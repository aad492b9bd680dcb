/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of a profile, in the folder of its run and in the store. */
#ifndef TOPOMAP_PLUGIN_STORE_PROFILE_H
#define TOPOMAP_PLUGIN_STORE_PROFILE_H

#include "plugin/store/store.h"

/** Whether an open folder of a run has one that is whole, of our format, and no larger than \p
 *  most bytes: the planner checks the rest. \return 0, or -1: \p err (or NULL) says why not */
int store_profile_check(int run, uint64_t most, topomap_error *err);
/** Moves it to where the store has that of \p key. */
int store_profile_take(const store *store, int run, const char *key, topomap_error *err);

#endif
