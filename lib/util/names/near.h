/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that somebody who mistyped one may have meant. */
#pragma once

#include <stddef.h>

/** A name that is that many edits away, or more, is another one. */
#define TOPOMAP_NEAR_EDITS 3

/** How many characters have to be inserted, deleted or replaced to make \p name out of \p word
 *  [length], which need not end there; TOPOMAP_NEAR_EDITS where it is that many, or all of the
 *  word, or more than half of one that begins otherwise, or one of them is longer than any name of
 *  ours (64). */
size_t topomap_near_edits(const char *word, size_t length, const char *name);
