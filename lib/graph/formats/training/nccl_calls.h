/* SPDX-License-Identifier: BSD-3-Clause */
/* NCCL's calls: how their bytes go. For readers of its logs and for the profiler that it loads;
 * libc alone. */
#pragma once

#include <stddef.h>

/** By a ring of n ranks: `times` (n-1) shares to the next, where a share is the buffer that the
 *  call's count says (WHOLES) or an nth of it (PARTS). A broadcast's and a reduction's last rank
 *  sends nothing on; over all roots that is (n-1)/n of the buffer. */
enum topomap_nccl_way {
    TOPOMAP_NCCL_RING_PARTS,
    TOPOMAP_NCCL_RING_WHOLES,
    TOPOMAP_NCCL_EACH,
    TOPOMAP_NCCL_TO_ROOT, /**< to the root, or to the peer of a message */
    TOPOMAP_NCCL_FROM_ROOT,
};

typedef struct topomap_nccl_call {
    const char *name;
    enum topomap_nccl_way way;
    double times;
} topomap_nccl_call;

/** The call whose name a text of some length ends with, behind nothing or a blank; NULL: none that
 *  sends. */
const topomap_nccl_call *topomap_nccl_call_named(const char *text, size_t length);

/** What one of `ranks` sends to the next in its ring, of a call of so many bytes; 0: of none. */
double topomap_nccl_ring_bytes(const topomap_nccl_call *call, double bytes, double ranks);
