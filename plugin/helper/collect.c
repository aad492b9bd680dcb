/* SPDX-License-Identifier: BSD-3-Clause */
/* This node's part of a profile: what its ranks have left in memory, as a file in the run's folder.
 * The ranks are the user's, and so is this process: whatever they wrote there, it can do no more
 * than they could. */
#include "config.h"
#include "graph/formats/parts.h"
#include "plugin/helper/helper.h"
#include "util/alloc.h"
#include "util/full_io.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEMORY = 0, NAME = 64, PORTION = 64 << 10 };

struct rank {
    struct topomap_part_rank row;
    uint32_t ranks;
    uint64_t at; /* of its slot */
    char program[TOPOMAP_PART_PROGRAM];
};

struct part {
    struct topomap_part_memory head;
    struct rank *rank;
    uint32_t count;
};

/* ---- What is in the memory --------------------------------------------------------------- */

/* \return 1: the slot's rank has filled it */
static int take_slot(const struct topomap_part_memory *head, uint32_t number, struct rank *taken)
{
    uint64_t at = head->first + number * head->stride;
    struct topomap_part_slot slot;

    if (pread(MEMORY, &slot, sizeof slot, (off_t)at) != sizeof slot ||
        slot.state == TOPOMAP_PART_EMPTY ||
        slot.rows > (head->stride - sizeof slot) / sizeof(topomap_part_row))
        return 0;
    *taken = (struct rank){
        .row = {.rank = slot.rank,
                .flags = slot.state == TOPOMAP_PART_FILLED ? TOPOMAP_PART_WHOLE : 0,
                .rows = slot.rows,
                .passed = slot.passed,
                .wall_ns = slot.wall_ns,
                .mpi_ns = slot.mpi_ns,
                .checksum = slot.checksum},
        .ranks = slot.ranks,
        .at = at,
    };
    memcpy(taken->program, slot.program, sizeof taken->program - 1);
    return 1;
}

static int by_rank(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    return (x->row.rank > y->row.rank) - (x->row.rank < y->row.rank);
}

/* Ranks of one run, each once: else a task has started a program more often than once, and what
 * they left is no part of one graph. */
static int is_one_run(const struct part *part)
{
    for (uint32_t i = 0; i < part->count; i++)
        if (part->rank[i].ranks != part->rank[0].ranks ||
            part->rank[i].row.rank >= part->rank[i].ranks ||
            (i && part->rank[i].row.rank == part->rank[i - 1].row.rank))
            return 0;
    return part->head.used <= part->head.slots;
}

static int take_ranks(struct part *part)
{
    if (!topomap_part_memory_is(MEMORY, &part->head) || *part->head.folder != '/')
        return -1;
    part->rank = topomap_alloc(part->head.slots, sizeof *part->rank, NULL);
    if (!part->rank)
        return -1;
    for (uint32_t i = 0; i < part->head.slots && i < part->head.used; i++)
        part->count += (uint32_t)take_slot(&part->head, i, &part->rank[part->count]);
    if (part->count)
        qsort(part->rank, part->count, sizeof *part->rank, by_rank);
    if (part->count && !is_one_run(part))
        part->count = 0;
    /* How a task failed is something, too, and so is which MPI it has. */
    return part->count || part->head.status || part->head.mpi ? 0 : -1;
}

/* ---- The file ---------------------------------------------------------------------------- */

static int write_rows(int fd, const struct rank *rank)
{
    static char portion[PORTION];
    uint64_t at = rank->at + sizeof(struct topomap_part_slot),
             left = rank->row.rows * sizeof(topomap_part_row);

    while (left) {
        ssize_t got = pread(MEMORY, portion, left < PORTION ? left : PORTION, (off_t)at);

        if (got <= 0 || topomap_whole_write(fd, portion, (size_t)got))
            return -1;
        at += (uint64_t)got;
        left -= (uint64_t)got;
    }
    return 0;
}

static int write_part(int fd, const struct part *part)
{
    struct topomap_part_header header = {
        .ranks = part->count ? part->rank->ranks : part->head.ranks,
        .run = part->head.run,
        .count = part->count,
        .status = part->head.status,
        .status_ns = part->head.status_ns,
        .mpi = part->head.mpi,
    };
    TOPOMAP_FREED struct topomap_part_rank *table = topomap_alloc(part->count, sizeof *table, NULL);

    if (!table)
        return -1;
    for (uint32_t i = 0; i < part->count; i++)
        table[i] = part->rank[i].row;
    if (part->count)
        memcpy(header.program, part->rank->program, sizeof header.program);
    topomap_part_seal(&header, table);
    if (topomap_whole_write(fd, &header, sizeof header) ||
        topomap_whole_write(fd, table, part->count * sizeof *table))
        return -1;
    for (uint32_t i = 0; i < part->count; i++)
        if (write_rows(fd, &part->rank[i]))
            return -1;
    return 0;
}

/* Beside it first: no half of a part is ever there under its name. */
static int leave(const struct part *part)
{
    int folder = open(part->head.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd, failed;
    char name[NAME], beside[2 * NAME];

    if (folder < 0)
        return -1;
    snprintf(name, sizeof name, TOPOMAP_PART_NAME "%u", part->head.node);
    snprintf(beside, sizeof beside, "%s.%ld", name, (long)getpid());
    fd = openat(folder, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    failed = write_part(fd, part);
    if (close(fd) || failed || renameat(folder, beside, folder, name)) {
        unlinkat(folder, beside, 0);
        return -1;
    }
    return 0;
}

int node_collect_main(void)
{
    static struct part part;

    return take_ranks(&part) || leave(&part) ? 1 : 0;
}
