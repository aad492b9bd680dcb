/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that are asked something, with a limit of time. */
#ifndef TOPOMAP_CLI_CAPTURE_H
#define TOPOMAP_CLI_CAPTURE_H

#include <stddef.h>

enum { CLI_WHY = 600 };

/** What is in memory that another process has filled (memfd_create(2)), with a NUL behind it, for
 *  free(). NULL: it is more than \p most, or memory is short */
char *cli_capture_text(int fd, size_t most, size_t *size);

/** Runs a program with nothing to read, and kills it and what it has started after \p ms
 * milliseconds. It ends with us.
 * \param text  what it has printed, for free(); \param last  the last line that it complained with
 * \return its exit status; -1: none in that time, or it could not be started, with the reason in
 *         \p last */
int cli_capture(char *const *words, unsigned ms, char **text, char last[CLI_WHY]);

#endif
