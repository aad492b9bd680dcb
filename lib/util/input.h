/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading files: plain, xz or zstd by content, as a stream of lines or as one buffer.
 */
#pragma once

#include "topomap/topomap.h"
#include "util/alloc.h"
#include "watch/watch.h"

#define TOPOMAP_INPUT_STANDARD "standard input"

/** A file that is being read. */
typedef struct topomap_input topomap_input;

/** Opens a regular file for reading; directories, FIFOs and devices are refused (a launch must
 *  not hang on one). xz and zstd are recognised by their first bytes and unpacked, and a byte order
 *  mark (UTF-8's) before all else is passed over. "-" is standard
 *  input, whatever it is; a planner has closed it. Limits hold for it as for files. */
int topomap_input_open(const char *path, topomap_input **input, topomap_error *err);
/** What messages call a path: "-" is TOPOMAP_INPUT_STANDARD. */
const char *topomap_input_called(const char *path);
/** Reads from memory, which must outlive the input; \p path is for messages. Same unpacking. */
int topomap_input_memory(const char *path, const void *bytes, size_t size, topomap_input **input,
                         topomap_error *err);
void topomap_input_close(topomap_input *input);

/** Attribute of a local pointer: closes the input at the end of its scope. The pointer must be
 *  initialised. */
#define TOPOMAP_INPUT_CLOSED TOPOMAP_CLEANUP(topomap_input_close_local)
static inline void topomap_input_close_local(topomap_input **input)
{
    topomap_input_close(*input);
}

/** Next line: 1 and a NUL-terminated text without its newline (CR before it dropped too), lent
 *  until the next call and free to be changed by the caller; 0 at the end; -1 on failure.
 *  A line longer than \p limit bytes (0: 1 MiB) is a failure that names it. A NUL byte inside a
 *  line is a failure ("binary"). A last line without newline counts. */
int topomap_input_line(topomap_input *input, size_t limit, char **line, size_t *length,
                       topomap_error *err);
/** All the rest as one buffer with a NUL after it, at most \p limit bytes (0: 1 GiB) unpacked.
 *  Ends with free(). Here NUL bytes inside are allowed. */
int topomap_input_all(topomap_input *input, size_t limit, char **text, size_t *size,
                      topomap_error *err);
/** The path that it was opened by. Lent. */
const char *topomap_input_path(const topomap_input *input);
/** Number of the line that topomap_input_line() returned last, from 1. */
size_t topomap_input_lineno(const topomap_input *input);
/** Fills \p err with "PATH:LINE: ..." and TOPOMAP_EINPUT; returns -1. */
int topomap_input_fail(const topomap_input *input, topomap_error *err, const char *format, ...)
    TOPOMAP_PRINTF(3, 4);

/** Sets how much a packed file may unpack to: the option `unpacked=SIZE` of every format of graphs
 * and dumps, a number of bytes that may end in K, M, G or T. Where \p option (texts `name=value`,
 * NULL after the last; or NULL) has none, the default holds (util/unpack.h). */
int topomap_input_unpacked(topomap_input *input, const char *const *option, topomap_error *err);
/** Nonzero if the text is that option, which belongs to no single format. */
int topomap_input_is_option(const char *text);

/** Counts in \p watch, which must outlive the input, how much of the file has been read, as it is
 *  stored; begins a stage "reading" of it. What is mapped, or in memory, is read at once. */
void topomap_input_watch(topomap_input *input, topomap_watch *watch);

/** Makes topomap_input_line() and topomap_input_all() look for bytes that are not UTF-8. *\p line,
 *  which must outlive the input, becomes the number of the first such line, or stays 0 if all bytes
 *  are UTF-8. */
void topomap_input_check_utf8(topomap_input *input, size_t *line);

/** The next bytes, as many as are at hand: 1 and at least one byte, lent until the next call; 0 at
 * the end; -1 on failure. For texts that are not made of lines: they are not counted here. */
int topomap_input_some(topomap_input *input, const char **bytes, size_t *size, topomap_error *err);

/** The whole file, of which no line has been taken yet, as memory that begins on a page or, where
 * it is packed or no file, in the heap: *mapped nonzero ends with munmap(), 0 with free(). Not to
 * be written to. At most \p limit bytes. The file must not shrink while it is mapped. */
int topomap_input_map(topomap_input *input, size_t limit, void **bytes, size_t *size, int *mapped,
                      topomap_error *err);

/** The first bytes, without consuming them: at most \p want, lent until the next call. */
int topomap_input_peek(topomap_input *input, size_t want, const char **bytes, size_t *size,
                       topomap_error *err);

/** No more than this many bytes can come in all: the size of a plain file, SIZE_MAX where it is
 *  packed or nothing was read or peeked at yet. What a header promises is checked against it. */
size_t topomap_input_most(const topomap_input *input);
