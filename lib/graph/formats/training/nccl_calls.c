/* SPDX-License-Identifier: BSD-3-Clause */
#include "graph/formats/training/nccl_calls.h"

#include <string.h>

static const topomap_nccl_call calls[] = {
    {"AllReduce", TOPOMAP_NCCL_RING_PARTS, 2},
    {"Broadcast", TOPOMAP_NCCL_RING_PARTS, 1},
    {"Reduce", TOPOMAP_NCCL_RING_PARTS, 1},
    {"AllGather", TOPOMAP_NCCL_RING_WHOLES, 1},
    {"ReduceScatter", TOPOMAP_NCCL_RING_WHOLES, 1},
    {"AlltoAll", TOPOMAP_NCCL_EACH, 1},
    {"AllToAll", TOPOMAP_NCCL_EACH, 1},
    {"Gather", TOPOMAP_NCCL_TO_ROOT, 1},
    {"Send", TOPOMAP_NCCL_TO_ROOT, 1},
    {"Scatter", TOPOMAP_NCCL_FROM_ROOT, 1},
};

const topomap_nccl_call *topomap_nccl_call_named(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        size_t name = strlen(calls[i].name);

        if (length >= name && !strncmp(text + length - name, calls[i].name, name) &&
            (length == name || text[length - name - 1] == ' '))
            return &calls[i];
    }
    return NULL;
}

double topomap_nccl_ring_bytes(const topomap_nccl_call *call, double bytes, double ranks)
{
    double shares = call->times * (ranks - 1);

    switch (call->way) {
    case TOPOMAP_NCCL_RING_PARTS:
        return bytes * shares / ranks;
    case TOPOMAP_NCCL_RING_WHOLES:
        return bytes * shares;
    default:
        return 0;
    }
}
