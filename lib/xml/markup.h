/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdio.h>

/** Text inside of XML or HTML: what would be markup is written as entities, what a terminal or a
 *  reader would obey is shown (util/safe_text.h); 1,023 bytes at most. */
void topomap_markup_put(FILE *out, const char *text);
