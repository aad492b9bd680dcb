/* SPDX-License-Identifier: BSD-3-Clause */
/* What a log of NCCL says of its communicators: who is in them, who is joined to whom, and what is
 * sent. Ranks are those of a communicator until topomap_nccl_graph() makes them the job's. */
#pragma once

#include "graph/formats/io.h"
#include "util/names/known.h"

#define TOPOMAP_NCCL_NONE UINT32_MAX

enum topomap_nccl_join { TOPOMAP_NCCL_RING, TOPOMAP_NCCL_TREE };

/** A communicator. */
struct topomap_nccl_comm {
    uint32_t size;
    int shared; /**< two GPUs say that they are the same rank: several communicators look alike */
};

/** A GPU's place in a communicator, and what it has sent there. */
struct topomap_nccl_member {
    uint32_t comm, rank, device;
    double ring; /**< bytes to the next ones in its rings */
    double each; /**< bytes to each other member */
};

struct topomap_nccl_arc {
    uint32_t session, how, channel, from, to; /**< how: an enum topomap_nccl_join */
};

/** Bytes of a member to a rank of the same communicator. */
struct topomap_nccl_send {
    uint32_t member, to;
    double bytes;
};

/** Starts as all zeros; ends with topomap_nccl_clear(). */
typedef struct topomap_nccl {
    struct topomap_nccl_comm *comm;
    struct topomap_nccl_member *member;
    uint32_t *session; /**< [sessions] the communicator that an initialisation makes; NONE: its
                            lines have not named it yet */
    struct topomap_nccl_arc *arc;
    struct topomap_nccl_send *send;
    uint64_t *label; /**< [devices.count] what stands before its lines, and one; 0: nothing */
    size_t comms, members, sessions, arcs, sends;
    size_t comm_capacity, member_capacity, session_capacity, arc_capacity, send_capacity,
        label_capacity;
    topomap_known devices;
} topomap_nccl;

void topomap_nccl_clear(topomap_nccl *log);

/** Ranks of all GPUs, by the communicator that has them all or by the labels of their lines; bytes
 *  where the log has calls, else 1 for each connection of each channel. EINPUT where neither says
 *  who is who, and where nothing joins anybody. */
int topomap_nccl_graph(const topomap_input *input, topomap_nccl *log, topomap_graph **graph,
                       topomap_error *err);
