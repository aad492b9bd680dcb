/* SPDX-License-Identifier: BSD-3-Clause */
/* What a profile's entry says of its case, its launches and their times. */
#ifndef TOPOMAP_CLI_PROFILE_CASE_H
#define TOPOMAP_CLI_PROFILE_CASE_H

#include <jansson.h>

#include "plugin/store/run.h"

/** Lines of `profile show`. */
void cli_profile_case_print(const store_entry *entry);
/** A word of `profile list`: "6.9 %", "-6.9 %", "noise", "stopped", or "-" for undecided. */
void cli_profile_case_word(const store_comparison *times, char word[16]);
/** Adds the same to what programs read. 0, or -1: memory is short */
int cli_profile_case_json(const store_entry *entry, json_t *object);

#endif
