/* SPDX-License-Identifier: BSD-3-Clause */
/* A store of the test's own, and runs that it takes. */
#ifndef TESTS_UNIT_PLUGIN_STORES_H
#define TESTS_UNIT_PLUGIN_STORES_H

#include <stddef.h>
#include <stdint.h>

#include "plugin/store/store.h"

/** The user's folder, in which the store lies, and what write_profile() writes as a version. */
extern char folder[];
extern unsigned char profile_version;

/** An empty store. */
store fresh(void);
/** The entry of /opt/solver with one word, for so many ranks. */
store_entry named(const char *word, uint32_t ranks);
/** Into a run's folder, the smallest file that the store takes: magic, version, size. */
void write_profile(const char *run, size_t size, size_t said);
/** Begins a run, writes a profile of \p size bytes unless 0, and ends it: what store_run_end()
 * says. */
int run(const store *store, store_entry *entry, size_t size);
/** Begins a run: its folder, for free(). */
char *begin(const store *store, const store_entry *entry);
/** The names in a folder that do not begin with a dot. */
unsigned count_names(const char *in);

/** cmocka setup and teardown functions: make the folder, remove it. */
int stores_setup(void **state);
int stores_teardown(void **state);

#endif
