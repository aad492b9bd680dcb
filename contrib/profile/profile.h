/* SPDX-License-Identifier: BSD-3-Clause */
/* What the MPI profiler is made of. Each process records what it sends, partner by partner, in
 * ranks of MPI_COMM_WORLD, and leaves that, its part of the graph, when it comes to the end of MPI.
 */
#pragma once

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include "part.h"

/* Programs that need no MPI are to start with this library before them too: a command of a script,
 * a prolog. So it needs none itself; its MPI is the program's, and every name of it is weak
 * (weak.h). Open MPI's constants are objects, whose addresses are looked up at MPI_Init. */
#ifdef OPEN_MPI
extern struct profile_constants {
    MPI_Comm world, self, null;
    MPI_Datatype byte, number;
} profile_constants;
#undef MPI_COMM_WORLD
#undef MPI_COMM_SELF
#undef MPI_COMM_NULL
#undef MPI_BYTE
#undef MPI_UINT64_T
#define MPI_COMM_WORLD (profile_constants.world)
#define MPI_COMM_SELF (profile_constants.self)
#define MPI_COMM_NULL (profile_constants.null)
#define MPI_BYTE (profile_constants.byte)
#define MPI_UINT64_T (profile_constants.number)
#endif

#define PROFILE_API __attribute__((visibility("default")))

/* The standard's ABI leaves this to a Fortran layer, which calls the C names (MPI 5.0). */
#ifdef PROFILE_MPI_ABI
#define MPI_Fint int
#endif

/* Where the program's MPI is another one (is_mine() in session.c) nothing is recorded, and every
 * call goes through as it came: MPICH's handles are integers, others' pointers, and a pointer must
 * stay whole. So MPICH's are taken as wide as a register too, under names that the linker alone
 * knows for MPI's. */
#if defined OPEN_MPI || defined PROFILE_MPI_ABI
#define PROFILE_HANDLE(type) type
#else
#define PROFILE_HANDLE(type) uintptr_t
#endif
#define PROFILE_REAL(name, parameters)                                                             \
    extern int profile_real_##name parameters __asm__("PMPI_" #name) __attribute__((weak));
#define PROFILE_WRAPPER(name, parameters)                                                          \
    PROFILE_API int profile_own_##name parameters __asm__("MPI_" #name);                           \
    int profile_own_##name parameters

/* library_of.c */
/** The library that a function is in. */
typedef struct profile_library {
    const char *soname, *path; /* lent; "": none that is known */
    uint32_t number;           /* of an MPI's soname (40 of libmpi.so.40), else 0 */
    int is_mpi, is_mine;
} profile_library;
profile_library profile_library_of(const void *function);

/* call_sites.c: which function a call would reach without this library. */
/** Who calls decides, since there was no MPI when this library was loaded, or a tool stands before
 *  it. Until the constructor has run nobody knows better than that PMPI_... is right. */
extern int profile_by_caller;
/** \return the function that \p from, a return address, would have called, or NULL. \p name is
 * kept. \p mine becomes 0 where that is not of the MPI that this library is built for */
void *profile_find(const char *name, const void *from, int *mine);
/* In a wrapper: nonzero in `mine` where the call is one of this library's MPI, and in `real` what
 * is to be called; NULL: what goes by MPI's other name. */
#define PROFILE_FIND(type, name)                                                                   \
    int mine = 1;                                                                                  \
    __typeof__(type) *real =                                                                       \
        __builtin_expect(profile_by_caller, 0)                                                     \
            ? (__typeof__(real))profile_find(name, __builtin_return_address(0), &mine)             \
            : NULL
/** Makes the MPI's names be there for all, as recording needs them. \return 0, or -1: they are not
 */
int profile_library_share(const profile_library *library);

/* dlsym.c: programs that ask for MPI's functions by name. */
/** dlsym(3) itself, asked by this library. */
void *profile_lookup(void *handle, const char *name);
/** \p late: there is no MPI yet. */
void profile_lookup_begin(int late);
void profile_lookup_end(void);
/** The path of the first library whose functions dlsym() replaced by this library's; "": none. */
const char *profile_replaced_library(void);

/** An array that a caller handed over: counts of `width` bytes, or handles of C or Fortran. */
typedef struct profile_array {
    const void *at;
    size_t width;
    int fortran;
} profile_array;
#define ARRAY(name) ((profile_array){(name), sizeof *(name), 0})

/** Nonzero between MPI_Init and MPI_Finalize of a program that is profiled. */
extern int profile_on;

/* record.c: who sent how much to whom. */
/** Starts recording; `threads`: several threads may call at once. 0, or -1 without memory. */
int profile_begin(int threads);
/** How many rows profile_records() can need. */
size_t profile_rows(void);
/** Stops recording, and writes the records of this process to row[room], each partner's together by
 *  phase: without phases where there is no room for them or they mean nothing. Fills part's record,
 *  count, passed and whole (nothing was lost for want of memory). Neither MPI nor the system is
 *  called. \return 0, or -1: another thread is at the records */
int profile_records(profile_record *row, size_t room, profile_part *part);
/** Frees everything but requests, for tests: a rank's end frees no record, since each group is a
 *  call of MPI. Returns 0, or -1 if another thread is at the records: nothing is freed then. */
int profile_end(void);
/** Adds to the partner with this rank in the (remote) group of a communicator or a window. Ranks
 *  that are not in MPI_COMM_WORLD (spawned processes) and MPI_PROC_NULL are left out. */
void profile_add(MPI_Comm comm, int rank, uint64_t bytes, uint64_t messages);
/** Likewise, with the rank in the caller's own group of a communicator between two. */
void profile_add_local(MPI_Comm comm, int rank, uint64_t bytes, uint64_t messages);
void profile_add_window(MPI_Win win, int rank, uint64_t out, uint64_t in);
/** A blocking collective that no process leaves before all have come to it; a border between phases
 *  where the communicator is of all processes. \p site: where it is called; \p count of \p type:
 *  what all processes say alike. Until the end (of its recording) traffic is its own. */
void profile_border(MPI_Comm comm, const void *site, MPI_Count count, MPI_Datatype type);
void profile_border_end(void);
/** Adds to a record; the caller has the lock. */
void profile_count(uint32_t record, uint64_t bytes, uint64_t messages);
/** \return nonzero with the lock; 0 without: the recording has ended, and what it has is not to be
 * touched */
int profile_lock(void);
void profile_unlock(void);
/** Handles may be used again for others after these. */
void profile_forget_comm(MPI_Comm comm);
void profile_forget_win(MPI_Win win);

/* phases.c: which phase it is. Phase 0 is what is before the first border, and what has no phase of
 * its own; the odd ones are of a border itself, each with what comes after it behind it. */
enum { PROFILE_PHASES = 65 };
/** Passes a border. \return its phase, or 0. \p gone: the traffic of so many a pair of phases goes
 *  to phase 0 (the first pair is 1; 0: of none). */
uint32_t profile_phases_pass(const void *site, uint64_t bytes, int threads, uint32_t *gone);
/** The same number where the same borders were passed; 0: none were, or nobody knows. */
uint64_t profile_phases_passed(void);
void profile_phases_end(void);

/* capture.c: what a call adds while it makes a persistent request. */
typedef struct profile_message {
    uint32_t record;
    uint64_t bytes, messages;
} profile_message;
/** Until profile_capture_end(), what this thread adds is kept instead of being counted. */
void profile_capture(void);
/** Keeps a message if this thread captures. Returns nonzero if so. */
int profile_captured(uint32_t record, uint64_t bytes, uint64_t messages);
/** Ends the capture. Returns its *count messages, which the caller frees with free(); NULL if there
 *  are none, or memory is short. */
profile_message *profile_capture_end(uint32_t *count);

/* requests.c: persistent requests. */
/** Ends the capture: the request sends what was captured whenever it is started. */
void profile_keep(MPI_Request request);
void profile_start(MPI_Request request);
void profile_startall(int count, profile_array requests);
void profile_forget_request(MPI_Request request);
/** Frees them after profile_end(): for tests. */
void profile_end_requests(void);

/* datatypes.c: sizes of messages. */
uint64_t profile_bytes(MPI_Count count, MPI_Datatype type);
uint64_t profile_count_at(profile_array counts, int i);
MPI_Datatype profile_type_at(profile_array types, int i);

/* messages.c: single messages, one-sided calls, neighbours. */
/** MPI_IN_PLACE and MPI_BOTTOM have addresses of their own in Fortran. */
const void *profile_fortran_buffer(const void *buffer);
void profile_send(MPI_Count count, MPI_Datatype type, int dest, MPI_Comm comm);
void profile_send_partitions(int partitions, MPI_Count count, MPI_Datatype type, int dest,
                             MPI_Comm comm);
/** What goes to the target, and what comes from it. */
void profile_window(MPI_Count count, MPI_Datatype type, MPI_Count result_count,
                    MPI_Datatype result_type, int target, MPI_Win win);
void profile_neighbor(MPI_Count count, MPI_Datatype type, MPI_Comm comm);
void profile_neighborv(profile_array counts, MPI_Datatype type, MPI_Comm comm);
void profile_neighborw(profile_array counts, profile_array types, MPI_Comm comm);

/* collectives.c: the messages that usual algorithms send. */
void profile_barrier(MPI_Comm comm);
void profile_bcast(MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm);
void profile_reduce(MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm);
void profile_allreduce(MPI_Count count, MPI_Datatype type, MPI_Comm comm);
void profile_scan(MPI_Count count, MPI_Datatype type, MPI_Comm comm);
void profile_gather(MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm);
void profile_gatherv(MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm);
void profile_scatter(MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                     MPI_Datatype recvtype, int root, MPI_Comm comm);
void profile_scatterv(profile_array counts, MPI_Datatype type, int root, MPI_Comm comm);
void profile_allgather(MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm);
void profile_allgatherv(MPI_Count sendcount, MPI_Datatype sendtype, profile_array counts,
                        MPI_Datatype recvtype, MPI_Comm comm);
void profile_alltoall(MPI_Count sendcount, MPI_Datatype sendtype, MPI_Count recvcount,
                      MPI_Datatype recvtype, MPI_Comm comm);
void profile_alltoallv(const void *sendbuf, profile_array sendcounts, MPI_Datatype sendtype,
                       profile_array recvcounts, MPI_Datatype recvtype, MPI_Comm comm);
void profile_alltoallw(const void *sendbuf, profile_array sendcounts, profile_array sendtypes,
                       profile_array recvcounts, profile_array recvtypes, MPI_Comm comm);
void profile_reduce_scatter(profile_array counts, MPI_Datatype type, MPI_Comm comm);
void profile_reduce_scatter_block(MPI_Count count, MPI_Datatype type, MPI_Comm comm);
