/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* memfd_create, F_ADD_SEALS */
#include "graph/formats/parts.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/full_io.h"

enum {
    PAGE = 65536, /* no system has larger ones */
    ROW = 40,     /* topomap_part_row */
    SPARE = 2,    /* slots a task: a task may be a script that starts a program again */
    WORKERS =
        64,     /* slots at least: a task may start a process for each GPU of its node (torchrun) */
    EACH = 8,   /* which are so many times the ranks of such a step, where that goes */
    PHASES = 4, /* rows a rank, where there may be so large a file; few programs need more */
};
#define MOST ((uint64_t)1 << 40)
#ifndef MFD_NOEXEC_SEAL /* Linux 6.3, where a system may insist on it (vm.memfd_noexec) */
#define MFD_NOEXEC_SEAL 8U
#endif

/* ftruncate() over a limit is a signal that would end the caller. */
static int fits(uint64_t size)
{
    struct rlimit limit;

    return size <= MOST && !getrlimit(RLIMIT_FSIZE, &limit) &&
           (limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur);
}

int topomap_part_memory_new(void)
{
    int fd = memfd_create("topomap", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

    if (fd < 0)
        fd = memfd_create("topomap", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return topomap_whole_raise(fd, TOPOMAP_PART_MEMORY_ABOVE);
}

/* So many slots, each with rows for all partners, and for their phases where there may be so large
 * a file. Pages that nobody writes cost nothing. \return the size; it may not fit */
static uint64_t lay(struct topomap_part_memory *head, uint32_t slots, uint64_t partners)
{
    uint64_t size = UINT64_MAX;

    head->slots = slots;
    head->first = PAGE;
    for (uint64_t rows = partners * PHASES; rows >= partners && !fits(size); rows /= PHASES) {
        head->stride = (sizeof(struct topomap_part_slot) + rows * ROW + PAGE - 1) / PAGE * PAGE;
        size = head->stride > MOST / slots ? UINT64_MAX : head->first + slots * head->stride;
    }
    return size;
}

int topomap_part_memory_fill(int fd, uint32_t tasks, uint32_t ranks,
                             const struct topomap_part_memory *like)
{
    struct topomap_part_memory head = *like;
    uint32_t few = tasks < UINT32_MAX / SPARE ? SPARE * tasks : 0;
    uint64_t size;

    head.version = TOPOMAP_PART_MEMORY_VERSION;
    head.ranks = ranks;
    if (!few || !ranks)
        return -1;
    size = few < WORKERS ? lay(&head, WORKERS, (uint64_t)ranks * EACH) : UINT64_MAX;
    if (!fits(size))
        size = lay(&head, few, ranks);
    memcpy(head.magic, TOPOMAP_PART_MEMORY_MAGIC, sizeof head.magic);
    return fits(size) && !ftruncate(fd, (off_t)size) &&
                   pwrite(fd, &head, sizeof head, 0) == sizeof head &&
                   !fcntl(fd, F_ADD_SEALS, TOPOMAP_PART_MEMORY_SEALS)
               ? 0
               : -1;
}

void topomap_part_memory_fail(int fd, uint32_t status, uint64_t status_ns)
{
    const size_t at = offsetof(struct topomap_part_memory, status),
                 at_ns = offsetof(struct topomap_part_memory, status_ns);

    if (pwrite(fd, &status_ns, sizeof status_ns, (off_t)at_ns) == sizeof status_ns)
        (void)!pwrite(fd, &status, sizeof status, (off_t)at);
}

int topomap_part_memory_is(int fd, struct topomap_part_memory *head)
{
    int seals = fd < 0 ? -1 : fcntl(fd, F_GET_SEALS);
    struct stat status;

    if (seals < 0 || (seals & TOPOMAP_PART_MEMORY_SEALS) != TOPOMAP_PART_MEMORY_SEALS ||
        fstat(fd, &status) || !S_ISREG(status.st_mode) ||
        pread(fd, head, sizeof *head, 0) != sizeof *head)
        return 0;
    return !memcmp(head->magic, TOPOMAP_PART_MEMORY_MAGIC, sizeof head->magic) &&
           head->version == TOPOMAP_PART_MEMORY_VERSION && head->slots && head->first % PAGE == 0 &&
           head->stride % PAGE == 0 && !head->folder[sizeof head->folder - 1] &&
           head->first >= sizeof *head && head->stride >= sizeof(struct topomap_part_slot) &&
           head->first <= (uint64_t)status.st_size &&
           head->slots <= ((uint64_t)status.st_size - head->first) / head->stride;
}
