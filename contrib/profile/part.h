/* SPDX-License-Identifier: BSD-3-Clause */
/* What a rank has seen when it ends, and where it leaves that: the same of MPI's calls and of
 * NCCL's (nccl/). Needs no MPI. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/** One partner: all that went to it in a phase and, by one-sided reads, came from it. A row of a
 *  part, as graph/formats/parts.h has it. */
typedef struct profile_record {
    uint32_t partner; /* in MPI_COMM_WORLD, or in a communicator of NCCL's */
    uint32_t phase;
    uint64_t bytes_out, messages_out;
    uint64_t bytes_in, messages_in;
} profile_record;

/** What a rank leaves. */
typedef struct profile_part {
    int rank, ranks;
    int whole; /* it came to the end of MPI, and nothing was lost */
    const profile_record *record;
    size_t count;
    uint64_t passed;          /* of profile_phases_passed(), 0 where all rows are of phase 0 */
    uint64_t wall_ns, mpi_ns; /* of profile_timing_end() */
    uint32_t mpi;             /* which MPI it has: the number of its library's soname; 0: unknown */
    int mpi_alone;            /* that is all; files alone */
    uint64_t run;             /* what leaves it in a file sees to it */
} profile_part;

/* memory.c: to whoever has started the ranks. */
#define PROFILE_MEMORY "TOPOMAP_PROFILE_MEMORY" /* the number of a descriptor */
/** Before MPI_Init. \return nonzero: there is memory to leave it in */
int profile_memory_find(void);
/** Once this is a rank: what it starts is none. */
void profile_memory_keep(void);
/** Which MPI it has: the number of its library's soname. */
void profile_memory_note(uint32_t mpi);
/** Takes a slot for this rank and reserves one page of it. Returns 1, or 0 if no slot or no memory
 *  is left. */
int profile_memory_begin(int rank, int ranks);
/** Makes room for that many rows, as far as there is memory, if this rank has a slot. One thread at
 *  a time. */
void profile_memory_reserve(size_t rows);
/** Where the rows go at the end: row[room]. */
profile_record *profile_memory_rows(size_t *room);
/** Leaves a part whose rows are there. Only stores into memory. */
void profile_memory_leave(const profile_part *part);

/** This process is profiled, and what it forks is not. \return 0, or -1 without memory */
int profile_process_take(void);
/** Whether it is this one; no system call. */
int profile_process_is(void);

/* part_folder.c: writes a rank's part into the run's folder, below launchers other than srun. It
 * prints nothing, and the rank waits for about five seconds at most: a file system that does not
 * answer cannot keep it from ending. */
#define PROFILE_FOLDER "TOPOMAP_PROFILE_FOLDER" /* its path */
void profile_folder_leave(const char *path, const profile_part *part);

/* profile_file.c: writes parts beside the file that TOPOMAP_PROFILE names, and the file. A failure
 * prints one line on standard error. */
/** The rank, as far as it is known without MPI; -1: it is not. */
long profile_early_rank(void);
/** The whole path, as programs change their folder. NULL: memory is short. Ends with free(). */
char *profile_file_path(const char *file);
/** Before MPI_Init, and after it: takes away what an earlier run has left beside the file. */
void profile_file_clear(const char *path);
void profile_file_begin(const char *path, int rank);
/** Takes away parts of an earlier run with more ranks, where nothing brings all ranks together
 * before the first may leave its part. */
void profile_file_trim(const char *path, int ranks);
int profile_file_leave(const char *path, const profile_part *part);
/** What all ranks of a run have in common, and those of another run have not; 0: nothing is known.
 */
uint64_t profile_file_run(void);
/** A part in an open folder, whole or not at all. \return 0, or -1 with errno */
int profile_file_part(int folder, const profile_part *part);
/** Makes the file, where all have left their parts. */
void profile_file_fold(const char *path, int rank, int ranks);
