/* SPDX-License-Identifier: BSD-3-Clause */
/* What becomes of an entry when one of its runs has ended. */
#ifndef TOPOMAP_PLUGIN_STORE_OUTCOME_H
#define TOPOMAP_PLUGIN_STORE_OUTCOME_H

#include "plugin/store/store.h"

enum { STORE_PLAN_TEXT = 128 };

/** A run's plan as lines behind those of its entry. NULL: it leaves a profile. \return their
 *  length */
size_t store_plan_print(const store_plan *plan, char text[STORE_PLAN_TEXT]);

/** Takes in what a run has left: its profile, where that is wanted or the stored one is no longer
 *  like it; its time; or why there is nothing.
 *  \param name, run  the run's folder, claimed
 *  \param entry  whose run it was; brought up to date */
enum store_left store_outcome_take(const store *store, const char *name, int run,
                                   store_entry *entry, topomap_error *why);

#endif
