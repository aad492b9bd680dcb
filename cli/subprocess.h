/* SPDX-License-Identifier: BSD-3-Clause */
/* Work in processes of their own, with a deadline. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { CLI_WHY = 600 };

/** What is in memory that another process has filled (memfd_create(2)), with a NUL behind it, for
 *  free(). NULL: it is more than \p most, or memory is short */
char *cli_capture_text(int fd, size_t most, size_t *size);

/** Runs a program with nothing to read, and kills its process group after \p ms milliseconds, or
 *  when this process ends, however it ends.
 *  \param began  since when these count, in topomap_clock_ms()'s milliseconds
 *  \param text  its standard output, at most 64 MiB; the caller frees it with free()
 *  \param last  the last line that it wrote to standard error
 *  Returns its exit status, or -1 with the reason in \p last if it had none in that time. */
int cli_capture(char *const *words, int64_t began, unsigned ms, char **text, char last[CLI_WHY]);
/** Like cli_capture(), with the standard output in the file \p out, which the program may make
 *  \p most bytes large (0: any size). */
int cli_capture_to(char *const *words, int64_t began, unsigned ms, int out, uint64_t most,
                   char last[CLI_WHY]);

enum cli_child {
    CLI_CHILD_DONE,
    CLI_CHILD_NONE, /**< there was no process for it; errno says why */
    CLI_CHILD_DIED, /**< before it was done */
    CLI_CHILD_LATE,
};

/** Runs \p run in such a process, which leads a process group. *answer is unchanged unless
 *  CLI_CHILD_DONE is returned.
 *  \param run     returns 0 if it has filled the answer; nonzero is reported as CLI_CHILD_DIED
 *  \param answer  [size] bytes that go through a pipe, without pointers; the child sees their
 *                 value */
enum cli_child cli_call_in_child(int (*run)(void *answer, void *with), void *with, void *answer,
                                 size_t size, int64_t milliseconds);
