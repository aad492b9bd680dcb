/* SPDX-License-Identifier: BSD-3-Clause */
/* What NCCL says to a profiler that it loads, versions 4 (NCCL 2.27) and 5 (2.29): as far as it is
 * used here. The order and the types of the members are those of NCCL's own headers
 * (src/include/plugin/profiler in NVIDIA/nccl). Later NCCLs look for older versions, too. Earlier
 * versions say neither who a process is in a communicator when that is made, nor how large it is.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { NCCL_SUCCESS = 0, NCCL_INTERNAL_ERROR = 3 };

/** Bits of the mask that a profiler gives back, and an event's type. */
enum { NCCL_EVENT_COLLECTIVE = 1 << 1, NCCL_EVENT_MESSAGE = 1 << 2 };

/** Texts may be NULL. What follows in either version is not looked at. */
typedef union nccl_event {
    struct {
        uint64_t sequence;
        const char *function;
        const void *from;
        void *to;
        size_t count;
        int root;
        const char *type;
    } collective;
    struct {
        const char *function;
        void *buffer;
        const char *type;
        size_t count;
        int peer;
    } message;
} nccl_event;

typedef struct nccl_event_4 {
    uint8_t type;
    void *parent;
    int rank;
    nccl_event of;
} nccl_event_4;

typedef struct nccl_event_5 {
    uint64_t type;
    void *parent;
    int rank;
    nccl_event of;
} nccl_event_5;

/** What NCCL looks up in the library by the name ncclProfiler_v4 or ncclProfiler_v5. Functions
 * return NCCL_SUCCESS. */
typedef struct nccl_profiler_4 {
    const char *name;
    int (*begin)(void **context, int *mask, const char *name, uint64_t id, int nodes, int ranks,
                 int rank, void *log);
    int (*start)(void *context, void **handle, nccl_event_4 *event);
    int (*stop)(void *handle);
    int (*record)(void *handle, int state, void *arguments);
    int (*end)(void *context);
} nccl_profiler_4;

typedef struct nccl_profiler_5 {
    const char *name;
    int (*begin)(void **context, uint64_t id, int *mask, const char *name, int nodes, int ranks,
                 int rank, void *log);
    int (*start)(void *context, void **handle, nccl_event_5 *event);
    int (*stop)(void *handle);
    int (*record)(void *handle, int state, void *arguments);
    int (*end)(void *context);
} nccl_profiler_5;
