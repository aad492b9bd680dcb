/* SPDX-License-Identifier: BSD-3-Clause */
/* Who sends what to whom in the kernels: the same on every rank, without MPI. */
#ifndef TESTBED_PATTERNS_H
#define TESTBED_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct message {
    int phase, from,
        to; /* a phase's messages go at once, when its rank has those of the one before */
    int bytes;
};

struct pattern {
    int ranks, phases;
    struct message *message; /* [messages], by phase, from, to; owned */
    size_t messages, room;
};

enum { PATTERN_RANKS = 4096 };

/* Makes the messages of one iteration.
 *   name      NAME:natural (ranks in the order of their places) or NAME:shuffled, of pattern_names
 *   bytes     what a rank sends in it, about: all kernels move as much
 *   seed      of the shuffle, and of the mesh
 * Returns 0, or -1 for a bad name or no memory, with nothing to free. */
int pattern_make(struct pattern *pattern, const char *name, int ranks, int bytes, uint64_t seed);
void pattern_free(struct pattern *pattern);

/* One line a kernel: its name and what it is. */
extern const char pattern_help[];

/* The messages of a halo exchange on a grid, `bytes` to each of the neighbours left, right, above
 * and below. size      PXxPY with PX, PY of 1..4096 and at most 1,048,576 ranks shuffled  rank r
 * stands at the r-th place of a shuffle of all places, which `seed` says: the same on every
 * machine; else at the r-th place, row by row Returns 0, or -1 for a bad size or no memory, with
 * nothing to free. */
int pattern_grid(struct pattern *pattern, const char *size, bool shuffled, int bytes,
                 uint64_t seed);

/* Writes u,v,bytes,messages of `times` iterations, with a header line: of all phases, 0, or of the
 * first, second, ... 0, or 4 after saying why. */
int pattern_write(const struct pattern *pattern, const char *path, int phase, int times);

#endif
