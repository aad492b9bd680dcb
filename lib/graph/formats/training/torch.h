/* SPDX-License-Identifier: BSD-3-Clause */
/* What a trace of PyTorch says of process groups and of the calls of its rank. */
#pragma once

#include "graph/formats/io.h"
#include "graph/formats/json_text.h"
#include "util/names/known.h"

#define TOPOMAP_TORCH_NONE (-1) /**< no rank */

/** A process group: ranks from `first` on in `rank`, or `start`, `stride` apart. */
struct topomap_torch_group {
    size_t first, size;
    uint64_t start, stride;
    int listed, known;
    size_t own; /**< where the trace's rank is, and one; 0: not looked for; above size: nowhere */
};

struct topomap_torch_call {
    uint32_t group;
    int op;               /**< topomap_torch_op() */
    int64_t rank;         /**< of its inputs: the caller's in the group, or the other one's */
    double bytes;         /**< of its input */
    size_t split, splits; /**< parts of it, in `split`: what each rank of the group gets */
};

typedef struct topomap_torch {
    topomap_json json;
    const topomap_source *source;
    topomap_known names; /**< of groups */
    struct topomap_torch_group *group;
    uint32_t *rank;
    struct topomap_torch_call *call;
    double *split;
    size_t group_capacity, ranks, rank_capacity, calls, call_capacity, splits, split_capacity;
    size_t nodes, strange; /**< strange: calls of an unknown kind or type */
} topomap_torch;

/** The kind of a call whose name may be `_allgather_base`, `all_gather_into_tensor_coalesced`; -1:
 *  an unknown one. */
int topomap_torch_op(const char *name);

/** What the trace's rank sends. EINPUT where nothing tells which rank that is. */
int topomap_torch_graph(topomap_torch *trace, topomap_graph **graph, topomap_error *err);
