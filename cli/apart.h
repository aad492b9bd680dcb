/* SPDX-License-Identifier: BSD-3-Clause */
/* Work in a process of its own with a deadline: what it looks at may hang, or be made by others. */
#ifndef TOPOMAP_CLI_APART_H
#define TOPOMAP_CLI_APART_H

#include <stddef.h>
#include <stdint.h>

enum cli_apart {
    CLI_APART_DONE,
    CLI_APART_NONE, /**< there was no process for it; errno says why */
    CLI_APART_DIED, /**< before it was done */
    CLI_APART_LATE,
};

/** Runs \p run in such a process, which leads a process group. Without CLI_APART_DONE the answer
 *  is as it was.
 *  \param run     returns 0 where the answer is filled; else it counts as one that died
 *  \param answer  [size] plain bytes, that go through a pipe: begin with what it is to start from
 */
enum cli_apart cli_apart(int (*run)(void *answer, void *with), void *with, void *answer,
                         size_t size, int64_t milliseconds);

#endif
