/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that appear whole or not at all. */
#ifndef TOPOMAP_UTIL_OUTPUT_H
#define TOPOMAP_UTIL_OUTPUT_H

#include "topomap/topomap.h"

typedef struct topomap_output topomap_output;

/** Begins a file beside \p path, which stays as it is until topomap_output_commit. "-" is standard
 *  output; what exists and is no regular file (/dev/null, a FIFO), and what is one of our own
 *  descriptors (/dev/stdout), is written to directly. How the file is made: util/publish.h. */
int topomap_output_open(const char *path, topomap_output **output, topomap_error *err);
/** The stream to write text to. It escapes control characters and bytes that are not UTF-8
 *  (util/safe_text.h), because names come from others' files. Errors may be left in it. */
FILE *topomap_output_file(topomap_output *output);
/** The stream to write bytes to as they are: pictures and binary formats. An output has one of the
 *  two streams written to. */
FILE *topomap_output_bytes(topomap_output *output);
/** Puts the file in place, on disk, or removes it where any write has failed. Ends the output
 *  either way. */
int topomap_output_commit(topomap_output *output, topomap_error *err);
/** Removes what was begun. NULL is allowed. */
void topomap_output_abandon(topomap_output *output);

#endif
