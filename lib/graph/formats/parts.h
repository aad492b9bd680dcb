/* SPDX-License-Identifier: BSD-3-Clause */
/* What some ranks of a profiled run saw: a part of its graph. The ranks write no graph together,
 * since one that vanished would hold up the others: what each saw leaves it alone, and whoever
 * needs the graph brings the parts together, files `part.NUMBER` of one folder.
 *
 *     header   320 bytes, below
 *     table    48 bytes for each rank (32 in version 1), below, by ascending rank
 *     rows     40 bytes each, below, rank by rank in the order of the table
 *
 * A rank may divide what went to a partner by the phases of the program: a row each. What all ranks
 * agree in is a phase of the graph, as far as it differs (part_phases.c); the graph itself is the
 * sum.
 *
 * NCCL tells a process who it is in a communicator, and not who the others are. A row whose phase
 * is TOPOMAP_PART_COMM begins a communicator: its partner is the rank's own number there, its
 * bytes_out what tells the communicator from others, its messages_out how many ranks it has. The
 * partners of the rows behind it, of phase 0 and without bytes_in, are numbers of that
 * communicator, until the next such row or the end of the rank's. A reader that knows none of them
 * refuses the phase.
 *
 * All numbers are little-endian. A graph is made only of parts of one run that have every rank
 * once, and each of them whole.
 *
 * Version 1 has no times and no status; it is read as one that nobody knows them of. */
#pragma once

#include <stdint.h>

#include "graph/formats/io.h"
#include "graph/graph.h"

/* ---- parts --------------------------------------------------------------------- */

#define TOPOMAP_PART_MAGIC "\x89TMP\r\n\x1a\n"
#define TOPOMAP_PART_NAME "part." /* and a decimal number: of a node, or of a rank */
enum { TOPOMAP_PART_VERSION = 2, TOPOMAP_PART_PROGRAM = 256 };

struct topomap_part_header {
    unsigned char magic[8];
    uint32_t version;
    uint32_t ranks;     /* of the whole run */
    uint64_t size;      /* of the file */
    uint64_t run;       /* the same in all parts of one run; 0: nobody knows */
    uint32_t count;     /* ranks in this part */
    uint32_t status;    /* of this node's first task that failed, as wait() has it; 0: none did,
                           or nobody knows */
    uint64_t checksum;  /* XXH64, seed 0, of the header with 0 here and the table */
    uint64_t status_ns; /* when that was, of CLOCK_REALTIME */
    uint32_t mpi;       /* the number of the soname of the ranks' MPI (40 of libmpi.so.40); 0: none
                           was seen, or nobody looked */
    uint32_t unused;
    char program[TOPOMAP_PART_PROGRAM]; /* of the first rank, with NULs to the end */
};

enum { TOPOMAP_PART_WHOLE = 1 }; /* the rank came to the end of MPI */

struct topomap_part_rank {
    uint32_t rank;
    uint32_t flags;
    uint64_t rows;
    uint64_t checksum; /* XXH64, seed 0, of its rows */
    uint64_t passed;   /* alike on ranks that went through the same phases in the same order; 0: the
                          phases mean nothing */
    uint64_t wall_ns;  /* from the end of MPI_Init to the beginning of MPI_Finalize; 0: unknown */
    uint64_t mpi_ns;   /* of these, inside MPI */
};

enum { TOPOMAP_PART_PHASES = 65 };
#define TOPOMAP_PART_COMM UINT32_MAX       /* a row's phase: it begins a communicator */
enum { TOPOMAP_PART_COMM_ROWS = 1 << 20 }; /* of a rank, above those of its partners' phases */

/** One partner of a rank: what went to it in a phase and, by one-sided reads, came from it. */
typedef struct topomap_part_row {
    uint32_t partner, phase;
    uint64_t bytes_out, messages_out;
    uint64_t bytes_in, messages_in;
} topomap_part_row;

/** The end of a header's making: magic, version, size and checksum. `count`, `ranks`, `run`,
 *  `program` and the table are complete. libc alone. */
void topomap_part_seal(struct topomap_part_header *header, const struct topomap_part_rank *table);
uint64_t topomap_part_checksum(const topomap_part_row *row, uint64_t rows);

/** A run without its graph; one that failed, too. */
typedef struct topomap_part_summary {
    uint32_t ranks, nodes;    /* of the run; parts that are there: a node's each, below srun */
    uint32_t whole;           /* ranks that came to the end of MPI */
    int has_time;             /* all ranks that are there have one */
    uint64_t wall_ns, mpi_ns; /* the longest of all ranks; the mean */
    uint64_t bytes, messages; /* the graph's: without what goes from a rank to itself */
    int status;               /* of the first task that failed, as wait() has it; 0: none did, or
                                 nobody knows */
    uint32_t status_part;     /* the number of its part */
    uint32_t mpi;             /* of the first part that says one */
} topomap_part_summary;

/** Parts that are brought together. Starts as all zeros. */
typedef struct topomap_parts {
    struct topomap_part_header first; /* what all must agree in */
    struct topomap_parts_seen {
        uint32_t rank, flags, file;
    } * seen;
    size_t count, room;
    uint32_t files;
    char program[TOPOMAP_PART_PROGRAM]; /* of rank 0 */
    topomap_part_summary sums;
    uint64_t status_ns; /* when that of `sums` was */
    int no_arcs;        /* the sums alone are wanted */
    topomap_arcs arcs;
    uint64_t passed;     /* of all ranks; 0: they do not agree, or nobody knows */
    topomap_arcs *phase; /* [TOPOMAP_PART_PHASES] the same arcs, or NULL */
    struct topomap_part_comms {
        struct topomap_part_member *member;
        struct topomap_part_sent *sent;
        size_t members, member_room, sents, sent_room;
        size_t left_out; /* rows of ranks that nobody, or several, said to be */
        uint64_t now; /* the communicator of the rows that come, of `size` ranks; 0 ranks: none */
        uint32_t size;
        int any;
    } comms;
} topomap_parts;

/** Adds one file, from its beginning; \p path is for messages. Memory is asked for what the file
 *  really holds. \p number is the file's, for messages of what is there twice. */
int topomap_parts_add(topomap_parts *parts, int fd, uint32_t number, const char *path,
                      topomap_error *err);
/** The graph of what was added: EINPUT where a rank is missing, there twice or not whole. */
int topomap_parts_take(topomap_parts *parts, const char *folder, topomap_graph **graph,
                       topomap_error *err);
void topomap_parts_clear(topomap_parts *parts);

/** part_phases.c: of one rank after the other, what phases it passed; then its arcs. They are kept
 * as long as all agree and they are no more than a bounded number. */
int topomap_part_phases_begin(topomap_parts *parts, uint64_t passed, topomap_error *err);
int topomap_part_phases_add(topomap_parts *parts, uint32_t phase, uint32_t from, uint32_t to,
                            uint64_t bytes, uint64_t messages, topomap_error *err);
/** Gives the graph its phases, where there are at least two that differ. */
int topomap_part_phases_take(topomap_parts *parts, topomap_graph *graph, topomap_error *err);
void topomap_part_phases_clear(topomap_parts *parts);

/** part_comms.c: a row that begins a communicator, and one of its partners. EINPUT without a file's
 *  name where they are impossible. */
int topomap_part_comms_begin(topomap_parts *parts, uint32_t rank, const topomap_part_row *row,
                             topomap_error *err);
int topomap_part_comms_add(topomap_parts *parts, uint32_t rank, const topomap_part_row *row,
                           topomap_error *err);
/** Adds the arcs of all communicators, when all ranks have been read. */
int topomap_part_comms_take(topomap_parts *parts, topomap_error *err);
void topomap_part_comms_clear(topomap_parts *parts);

/** The graph of all files `part.NUMBER` in a folder; other files there are passed over. It does
 *  not depend on how the ranks were divided among them. */
int topomap_parts_read(const char *folder, topomap_graph **graph, topomap_error *err);
/** The same of a folder that is open; \p path is for messages. No file is begun later than \p
 * seconds from now (INFINITY: there is no such limit): then EINPUT, and the text says so. */
int topomap_parts_read_open(int folder, const char *path, double seconds, topomap_graph **graph,
                            topomap_error *err);
/** What its parts add up to, whether all ranks have left one or not; EINPUT: there are no parts, or
 *  what is there is damaged or of several runs. */
int topomap_parts_summary_open(int folder, const char *path, topomap_part_summary *summary,
                               topomap_error *err);
/** "exit status 3", "signal 9": what wait() has. \return \p text */
const char *topomap_part_status_text(int status, char *text, size_t size);

/* ---- part memory --------------------------------------------------------------- */
/* Memory in which the ranks of a node leave what they saw: a memfd, which whoever starts them makes
 * and they inherit. No rank waits for another one, or for a file system; nothing is left of it when
 * the last who has it open ends. libc alone.
 *
 *     head    below
 *     slots   from `first` on, one every `stride` bytes: below, and then its rows, as in a part
 *
 * A rank takes the next slot (`used`) when it begins, fills it when it ends, and says so last
 * (`state`). Pages that nobody writes do not exist. */

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

/* ---- profile ------------------------------------------------------------------- */
/* What measured traffic has in common, whoever measured it. */

/** The options of a format that has `min-bytes` alone. */
extern const topomap_graph_option topomap_profile_options[];
/** The row of `min-bytes`, for tables of options. */
#define TOPOMAP_PROFILE_MIN_BYTES                                                                  \
    {                                                                                              \
        "min-bytes", "N", "leaves out what sends less than N bytes to a rank in all (default 0)"   \
    }

/** Makes the graph of a profile: takes the arcs, leaves out what `min-bytes` says, refuses (EINPUT)
 *  what has no pair of ranks left, and notes where no pair stands out from the background. */
int topomap_profile_finish(const topomap_source *source, topomap_arcs *arcs, uint64_t ranks,
                           topomap_graph **graph, topomap_error *err);
/** The first part alone: leaves out directed pairs of fewer bytes than `min-bytes`. */
int topomap_profile_filter(const topomap_source *source, topomap_graph *graph, topomap_error *err);
