/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that appear whole or not at all. */
#pragma once

#include "topomap/topomap.h"
#include "util/folder.h"

/* ---- output -------------------------------------------------------------------- */
/* Files that appear whole or not at all. */

typedef struct topomap_output topomap_output;

/** Begins a file beside \p path, which stays as it is until topomap_output_commit. "-" is standard
 *  output; what exists and is no regular file (/dev/null, a FIFO), and what is one of our own
 *  descriptors (/dev/stdout), is written to directly. How the file is made: see publish, below. */
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

/* ---- publish ------------------------------------------------------------------- */
/* A file that is made beside the one that it replaces: everything that topomap writes appears whole
 * or not at all, and nobody else has had a hand in it. Where the file system can, it has no name
 * until it is finished (O_TMPFILE), so that not even a kill leaves it behind; elsewhere a new one
 * that nobody could foresee. The library sees to failures; a program that wants nothing left after
 * a signal looks through its descriptors for that name's ending, as cli/signals.c does. */

#define TOPOMAP_PUBLISH_ENDING ".topomap-new"

typedef struct topomap_publish topomap_publish;

/** Begins a file that shall appear at \p path. Links are followed, see util/folder.h; what is there
 *  now has to be a regular file and stays as it is until topomap_publish_commit(). */
int topomap_publish_begin(const char *path, topomap_publish **publish, topomap_error *err);
/** The same where the folder is known; takes what it holds in either case. */
int topomap_publish_begin_at(const char *path, struct topomap_folder *folder,
                             topomap_publish **publish, topomap_error *err);
/** The file to write to, empty, open for reading and writing; commit and abandon close it. */
int topomap_publish_fd(const topomap_publish *publish);
/** Nonzero where the file that is to be replaced is not the one any more that it was at the begin.
 */
int topomap_publish_overtaken(const topomap_publish *publish);
/** Puts the file in place, on disk, with the owner and mode of the one that it replaces (else as
 * the umask has it), or removes it. Ends \p publish either way. \param new_only  fails where there
 * was no file at the begin and is one now */
int topomap_publish_commit(topomap_publish *publish, int new_only, topomap_error *err);
/** The same without waiting for the disk, which may take seconds: as whole for everybody who reads
 * it, but where the power fails. */
int topomap_publish_place(topomap_publish *publish, topomap_error *err);
/** Removes what was begun. NULL is allowed. */
void topomap_publish_abandon(topomap_publish *publish);
