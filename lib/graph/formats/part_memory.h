/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory in which the ranks of a node leave what they saw: a memfd, which whoever starts them makes
 * and they inherit. No rank waits for another one, or for a file system; nothing is left of it when
 * the last who has it open ends. libc alone.
 *
 *     head    below
 *     slots   from `first` on, one every `stride` bytes: below, and then its rows (parts.h)
 *
 * A rank takes the next slot (`used`) when it begins, fills it when it ends, and says so last
 * (`state`). Pages that nobody writes do not exist. */
#ifndef TOPOMAP_GRAPH_FORMATS_PART_MEMORY_H
#define TOPOMAP_GRAPH_FORMATS_PART_MEMORY_H

#include <stdint.h>

#define TOPOMAP_PART_MEMORY_MAGIC "\x89TMM\r\n\x1a\n"
/* F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW: whoever reads it never reads behind its end. */
#define TOPOMAP_PART_MEMORY_SEALS 7
#ifndef TOPOMAP_PART_MEMORY_VERSION /* a test builds a later one */
#define TOPOMAP_PART_MEMORY_VERSION 2
#endif
enum {
    TOPOMAP_PART_MEMORY_PROGRAM = 256,
    TOPOMAP_PART_MEMORY_FOLDER = 4096,
    TOPOMAP_PART_MEMORY_ABOVE = 64, /* descriptors: programs may count on low ones */
};

struct topomap_part_memory {
    unsigned char magic[8];
    uint32_t version;
    uint32_t slots;
    uint64_t first, stride;                  /* multiples of a page */
    uint64_t run;                            /* of the part's header */
    uint32_t used;                           /* atomic; more than `slots`: somebody found no room */
    uint32_t node;                           /* the part's number */
    uint32_t ranks;                          /* of the step */
    uint32_t status;                         /* of the part's header */
    uint64_t status_ns;                      /* likewise */
    char folder[TOPOMAP_PART_MEMORY_FOLDER]; /* the part's, with a NUL at its end */
    uint32_t mpi; /* of the part's header; a profiler that does not know of it leaves 0 */
    uint32_t reserved;
};

enum topomap_part_state {
    TOPOMAP_PART_EMPTY,   /* taken, perhaps: its rank ended before it had filled it */
    TOPOMAP_PART_PARTIAL, /* filled, by a rank that had no room for all, or gave up */
    TOPOMAP_PART_FILLED,  /* all that a rank saw until the end of MPI */
};

struct topomap_part_slot {
    uint32_t state; /* atomic */
    uint32_t rank;
    uint32_t ranks;
    uint32_t reserved;
    uint64_t rows;
    uint64_t checksum; /* of the rows */
    char program[TOPOMAP_PART_MEMORY_PROGRAM];
    uint64_t passed, wall_ns, mpi_ns; /* of the part's table */
    uint64_t unused;
};

/** An empty file in memory. \return its descriptor, closed at exec, at 64 or above where that can
 * be had; or -1 */
int topomap_part_memory_new(void);

/** Makes it the memory for \p tasks ranks of a run of \p ranks; \p like has the run, the node and
 * the folder. \return 0, or -1: it cannot be */
int topomap_part_memory_fill(int fd, uint32_t tasks, uint32_t ranks,
                             const struct topomap_part_memory *like);

/** Says how the first task that failed has ended, for the part's header. */
void topomap_part_memory_fail(int fd, uint32_t status, uint64_t status_ns);

/** Whether the descriptor is such memory, of this version. Reads its head. */
int topomap_part_memory_is(int fd, struct topomap_part_memory *head);

#endif
