/* SPDX-License-Identifier: BSD-3-Clause */
/* What a process that reads others' graphs may try: for test_reader_sandbox. */
#pragma once

#include <stddef.h>

enum { LANDLOCK = 1, FILTER = 2 };

struct attempt {
    const char *what;
    int (*try)(void); /* \return negative where it failed */
    int by;           /* the layers that refuse it */
    int version;      /* of Landlock, that does */
};

extern const struct attempt attempts[];
extern const size_t attempts_count;

/* Whom and what they are tried on, beside the parent: descriptors of its process and of a pipe, and
 * shared memory. */
extern struct attempts_on {
    const char *file, *missing, *folder;
    int process, pipe, memory;
} attempts_on;
