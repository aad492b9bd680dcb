/* SPDX-License-Identifier: BSD-3-Clause */
/* A launch that profiles lends its ranks memory (graph/formats/part_memory.h): what they saw is
 * copied there when they end, and whoever lent it does the rest. No file, no other rank, no wait.
 */
#define _GNU_SOURCE /* program_invocation_short_name */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "graph/formats/part_memory.h"
#include "graph/formats/parts.h"
#include "part.h"

enum {
    TRIES = 100,   /* a program may have signals that come all the time */
    ABOVE = 64,    /* programs may count on low descriptors */
    ANCESTORS = 8, /* a rank may be so far from its step's task */
};

static struct {
    int fd, told; /* told: its number in whoever was started by the launch */
    dev_t device;
    ino_t number;
    struct topomap_part_memory head;
} lent = {.fd = -1};

/* ---- Finding it -------------------------------------------------------------------------- */

static int take(int fd)
{
    struct stat status;

    if (!topomap_part_memory_is(fd, &lent.head) || fstat(fd, &status))
        return 0;
    lent.fd = fd;
    lent.device = status.st_dev;
    lent.number = status.st_ino;
    return 1;
}

/* proc(5): the field behind the name, which may have anything in it. */
static pid_t parent_of(pid_t pid)
{
    char path[32], text[512] = "";
    const char *name_end;
    int parent = 0;
    FILE *in;

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    in = fopen(path, "re");
    if (in && !fgets(text, sizeof text, in))
        *text = 0;
    if (in)
        fclose(in);
    name_end = strrchr(text, ')');
    return name_end && sscanf(name_end, ") %*c %d", &parent) == 1 ? parent : 0;
}

/* That of another process of this user's, if it is one. */
static int open_of(pid_t pid)
{
    char path[48], name[64];
    ssize_t length;
    int low, high;

    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)pid, lent.told);
    length = readlink(path, name, sizeof name - 1);
    name[length < 0 ? 0 : length] = 0;
    if (strncmp(name, "/memfd:topomap", 14) != 0)
        return -1;
    low = open(path, O_RDWR | O_CLOEXEC);
    high = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, ABOVE);
    if (high < 0)
        return low;
    close(low);
    return high;
}

/* Whoever started this rank may have closed it for its child (Python's subprocess does): an
 * ancestor has it. */
static int find_above(void)
{
    pid_t pid = getppid();

    for (int i = 0; i < ANCESTORS && pid > 1; i++, pid = parent_of(pid)) {
        int fd = open_of(pid);

        if (fd >= 0 && take(fd))
            return 1;
        if (fd >= 0)
            close(fd);
    }
    return 0;
}

int profile_memory_find(void)
{
    const char *text = getenv(PROFILE_MEMORY);
    char *end;
    long fd;

    if (lent.fd >= 0)
        return 1;
    if (!text || !*text)
        return 0;
    fd = strtol(text, &end, 10);
    if (*end || fd < 3 || fd > INT32_MAX)
        return 0;
    lent.told = (int)fd;
    return take((int)fd) || find_above();
}

void profile_memory_keep(void)
{
    if (lent.fd >= 0)
        fcntl(lent.fd, F_SETFD, FD_CLOEXEC);
}

/* The program may have closed it, and opened something of its own under its number. */
static int is_still_there(void)
{
    struct topomap_part_memory head;
    struct stat status;

    return lent.fd >= 0 && topomap_part_memory_is(lent.fd, &head) && !fstat(lent.fd, &status) &&
           status.st_dev == lent.device && status.st_ino == lent.number;
}

/* ---- What a rank saw --------------------------------------------------------------------- */

void profile_memory_note(uint32_t mpi)
{
    if (is_still_there())
        topomap_part_memory_note(lent.fd, mpi);
}

/* A slot that nobody else has; the number of slots or more: there is none. */
static uint32_t take_slot(void)
{
    struct topomap_part_memory *head =
        mmap(NULL, sizeof *head, PROT_READ | PROT_WRITE, MAP_SHARED, lent.fd, 0);
    uint32_t number;

    if (head == MAP_FAILED)
        return UINT32_MAX;
    number = __atomic_fetch_add(&head->used, 1, __ATOMIC_RELAXED);
    munmap(head, sizeof *head);
    return number;
}

/* The pages, before they are written: where the kernel has none left for them (tmpfs(5), or
 * vm.overcommit_memory=2) a write through the mapping would be SIGBUS, and the program's end. */
static int reserve(off_t at, size_t size)
{
    int failed = -1;

    for (int i = 0; i < TRIES && failed && (!i || errno == EINTR); i++)
        failed = fallocate(lent.fd, 0, at, (off_t)size);
    return failed;
}

/* Adds up what a partner has in all phases. \return how many rows there are, of which so many as
 * there is room for are there */
static size_t fold(profile_record *row, size_t room, const profile_part *part)
{
    size_t rows = 0;

    for (size_t i = 0; i < part->count; i++) {
        const profile_record *r = &part->record[i];

        if (rows && part->record[i - 1].partner == r->partner && !part->by_comms) {
            if (rows > room)
                continue;
            row[rows - 1].bytes_out += r->bytes_out;
            row[rows - 1].messages_out += r->messages_out;
            row[rows - 1].bytes_in += r->bytes_in;
            row[rows - 1].messages_in += r->messages_in;
        } else if (rows++ < room) {
            row[rows - 1] = *r;
            row[rows - 1].phase = part->by_comms ? r->phase : 0;
        }
    }
    return rows;
}

/* Where there is no room for the phases, without them. */
static void fill(struct topomap_part_slot *slot, size_t room, const profile_part *part)
{
    size_t rows = part->count;

    if (rows > room)
        rows = fold((profile_record *)(slot + 1), room, part);
    else if (rows)
        memcpy(slot + 1, part->record, rows * sizeof *part->record);
    slot->rank = (uint32_t)part->rank;
    slot->ranks = (uint32_t)part->ranks;
    slot->rows = rows < room ? rows : room;
    slot->passed = part->count > room ? 0 : part->passed;
    slot->wall_ns = part->wall_ns;
    slot->mpi_ns = part->mpi_ns;
    slot->checksum = topomap_part_checksum((const void *)(slot + 1), slot->rows);
    snprintf(slot->program, sizeof slot->program, "%s", program_invocation_short_name);
    __atomic_store_n(&slot->state,
                     part->whole && rows <= room ? TOPOMAP_PART_FILLED : TOPOMAP_PART_PARTIAL,
                     __ATOMIC_RELEASE);
}

void profile_memory_leave(const profile_part *part)
{
    size_t rows = (lent.head.stride - sizeof(struct topomap_part_slot)) / sizeof *part->record;
    struct topomap_part_slot *slot;
    uint32_t number;
    size_t size;
    off_t at;

    if (!is_still_there())
        return;
    number = take_slot();
    if (number >= lent.head.slots)
        return;
    if (part->count < rows)
        rows = part->count;
    size = sizeof *slot + rows * sizeof *part->record;
    at = (off_t)(lent.head.first + number * lent.head.stride);
    if (reserve(at, size))
        return;
    slot = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, lent.fd, at);
    if (slot == MAP_FAILED)
        return;
    fill(slot, rows, part);
    munmap(slot, size);
}
