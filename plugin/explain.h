/* SPDX-License-Identifier: BSD-3-Clause */
/* Where --topomap-explain goes. */
#ifndef TOPOMAP_PLUGIN_EXPLAIN_H
#define TOPOMAP_PLUGIN_EXPLAIN_H

#include "plugin/options.h"

#include <stddef.h>

/** Nonzero: the explanation goes where the user's lines go, and repeats no other. */
int plugin_explain_is_shown(const plugin_explain *explain);

/** Writes a text there, as it is; a file is begun anew. One line where that cannot be. */
void plugin_explain_write(const plugin_explain *explain, const char *bytes, size_t size);

/** Why there is nothing to explain, for the file; a former step's text must not pass for this
 *  one's. Nothing where no file is named. */
void plugin_explain_reason(const plugin_explain *explain, const char *why);

#endif
