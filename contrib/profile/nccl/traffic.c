/* SPDX-License-Identifier: BSD-3-Clause */
#include "contrib/profile/nccl/traffic.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "contrib/profile/table.h"
#include "graph/formats/parts.h"
#include "graph/formats/training/nccl_calls.h"

enum { COMMS = 4096, TYPE_BITS = 8 };

struct comm {
    uint64_t id;
    uint32_t ranks, rank;
    double ring, each;        /* bytes to the next one, and to each other one */
    uint64_t rings, messages; /* of them */
    profile_table by_peer;    /* rank + 1 to a place in `peer` */
    profile_record *peer;
    uint32_t peers, room;
};

static struct {
    struct comm *comm;
    uint32_t comms, room;
    size_t rows; /* of all communicators: one, and one for each peer */
    int lost;
} all;

uint32_t nccl_traffic_comm(uint64_t id, uint32_t ranks, uint32_t rank)
{
    for (uint32_t i = 0; i < all.comms; i++)
        if (all.comm[i].id == id && all.comm[i].ranks == ranks && all.comm[i].rank == rank)
            return i;
    if (all.comms == COMMS || !profile_grow(&all.comm, &all.room, all.comms, sizeof *all.comm)) {
        all.lost = 1;
        return UINT32_MAX;
    }
    all.comm[all.comms] = (struct comm){.id = id, .ranks = ranks, .rank = rank};
    profile_memory_reserve(++all.rows);
    return all.comms++;
}

/* "ncclFloat8e4m3": its bits are the first number. What has none is ncclUint8, which NCCL 2.27 and
 * its neighbours have no name for ("Unknown"). */
static uint64_t bytes_of(const char *type)
{
    const char *digits = type ? type : "";

    while (*digits && !isdigit((unsigned char)*digits))
        digits++;
    return *digits ? strtoull(digits, NULL, 10) / TYPE_BITS : 1;
}

static void add_peer(struct comm *comm, uint32_t rank, double bytes, uint64_t messages)
{
    uint32_t place = profile_table_find(&comm->by_peer, (uint64_t)rank + 1), *at;

    if (place == PROFILE_NONE) {
        if (!profile_grow(&comm->peer, &comm->room, comm->peers, sizeof *comm->peer) ||
            !(at = profile_table_at(&comm->by_peer, (uint64_t)rank + 1))) {
            all.lost = 1;
            return;
        }
        comm->peer[comm->peers] = (profile_record){.partner = rank};
        *at = place = comm->peers++;
        profile_memory_reserve(++all.rows); /* the end of the process is too late for it */
    }
    comm->peer[place].bytes_out += bytes < 0x1p62 ? (uint64_t)(bytes + 0.5) : (uint64_t)1 << 62;
    comm->peer[place].messages_out += messages;
}

void nccl_traffic_add(uint32_t number, const char *function, const char *type, uint64_t count,
                      int root)
{
    const topomap_nccl_call *call =
        function ? topomap_nccl_call_named(function, strlen(function)) : NULL;
    struct comm *comm = &all.comm[number];
    double bytes = (double)count * (double)bytes_of(type), ring;

    if (!call || comm->ranks < 2)
        return;
    ring = topomap_nccl_ring_bytes(call, bytes, comm->ranks);
    if (ring > 0) {
        if (!comm->rings)
            add_peer(comm, (comm->rank + 1) % comm->ranks, 0, 0);
        comm->ring += ring;
        comm->rings += (uint64_t)call->times * (comm->ranks - 1);
    } else if (call->way == TOPOMAP_NCCL_EACH ||
               (call->way == TOPOMAP_NCCL_FROM_ROOT && root == (int)comm->rank)) {
        for (uint32_t r = 0; !comm->messages && r < comm->ranks; r++)
            if (r != comm->rank)
                add_peer(comm, r, 0, 0);
        comm->each += bytes;
        comm->messages++;
    } else if (call->way == TOPOMAP_NCCL_TO_ROOT && root >= 0 && (uint32_t)root < comm->ranks &&
               (uint32_t)root != comm->rank) {
        add_peer(comm, (uint32_t)root, bytes, 1);
    }
}

/* Adds the sums to the peers' rows, which are there since the first of each. */
static void settle(struct comm *comm)
{
    if (comm->rings)
        add_peer(comm, (comm->rank + 1) % comm->ranks, comm->ring, comm->rings);
    for (uint32_t r = 0; comm->messages && r < comm->ranks; r++)
        if (r != comm->rank)
            add_peer(comm, r, comm->each, comm->messages);
    comm->rings = comm->messages = 0;
}

size_t nccl_traffic_rows(void)
{
    return all.rows;
}

void nccl_traffic_records(profile_record *row, size_t room, profile_part *part)
{
    size_t rows = 0;

    for (uint32_t i = 0; i < all.comms; i++) {
        struct comm *comm = &all.comm[i];

        if (!all.lost)
            settle(comm);
        /* Who only receives has to be known there, too. */
        if (rows < room)
            row[rows] = (profile_record){.partner = comm->rank,
                                         .phase = TOPOMAP_PART_COMM,
                                         .bytes_out = comm->id,
                                         .messages_out = comm->ranks};
        rows++;
        for (uint32_t k = 0; k < comm->peers; k++, rows++)
            if (rows < room)
                row[rows] = comm->peer[k];
    }
    part->record = row;
    part->count = rows < room ? rows : room;
    part->whole = !all.lost && rows <= room;
}
