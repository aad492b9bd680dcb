/* SPDX-License-Identifier: BSD-3-Clause */
/* A launch that profiles lends its ranks memory (graph/formats/parts.h): each copies its
 * records there when it ends, and whoever lent it does the rest. No file, no other rank, no wait.
 *
 * The end of MPI is no time for system calls: the program may have given up the right to make them
 * (seccomp(2)), and there may be no memory left, so that a page which is written first then is
 * SIGBUS. So a rank takes its slot at MPI_Init, reserves a page of it, and reserves more whenever
 * it has a new row. */
#define _GNU_SOURCE /* program_invocation_short_name */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "graph/formats/parts.h"
#include "part.h"
#include "util/full_io.h"

enum {
    ANCESTORS = 8, /* a rank may be so far from its step's task */
};

static struct {
    int fd, told; /* told: its number in whoever was started by the launch */
    struct topomap_part_memory head, *shared; /* as it was found, and mapped */
    struct topomap_part_slot *slot;           /* this rank's, or NULL */
    size_t mapped, reserved;                  /* bytes of it */
} lent = {.fd = -1};

/* ---- The process ------------------------------------------------------------------------- */

static int *process; /* in a page that is all zeros in what is forked */
static pid_t number; /* before Linux 4.14, which has no such pages */

int profile_process_take(void)
{
    void *page =
        mmap(NULL, sizeof *process, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (page == MAP_FAILED)
        return -1;
    if (madvise(page, sizeof *process, MADV_WIPEONFORK))
        number = getpid();
    process = page;
    *process = 1;
    return 0;
}

int profile_process_is(void)
{
    return process && *process && (!number || number == getpid());
}

/* ---- Finding it -------------------------------------------------------------------------- */

static int take(int fd)
{
    void *shared;

    if (!topomap_part_memory_is(fd, &lent.head))
        return 0;
    shared = mmap(NULL, sizeof lent.head, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED)
        return 0;
    lent.fd = fd;
    lent.shared = shared;
    return 1;
}

/* proc(5): the field behind the name, which may have anything in it. */
static pid_t parent_of(pid_t pid)
{
    char path[32], text[512] = "";
    const char *name_end;
    TOPOMAP_CLOSED int fd = -1;
    int parent = 0;

    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    fd = topomap_whole_raise(open(path, O_RDONLY | O_CLOEXEC), 3);
    if (fd >= 0 && read(fd, text, sizeof text - 1) < 0)
        *text = 0;
    name_end = strrchr(text, ')');
    return name_end && sscanf(name_end, ") %*c %d", &parent) == 1 ? parent : 0;
}

/* That of another process of this user's, if it is one. */
static int open_of(pid_t pid)
{
    char path[48], name[64];
    ssize_t length;

    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)pid, lent.told);
    length = readlink(path, name, sizeof name - 1);
    name[length < 0 ? 0 : length] = 0;
    if (strncmp(name, "/memfd:topomap", 14) != 0)
        return -1;
    return topomap_whole_raise(open(path, O_RDWR | O_CLOEXEC), TOPOMAP_PART_MEMORY_ABOVE);
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

/* ---- This rank's slot -------------------------------------------------------------------- */

void profile_memory_note(uint32_t mpi)
{
    lent.shared->mpi = mpi;
}

int profile_memory_begin(int rank, int ranks)
{
    uint32_t at = __atomic_fetch_add(&lent.shared->used, 1, __ATOMIC_RELAXED);
    void *slot;

    if (at >= lent.head.slots)
        return 0;
    lent.mapped = (size_t)sysconf(_SC_PAGESIZE);
    slot = mmap(NULL, lent.mapped, PROT_READ | PROT_WRITE, MAP_SHARED, lent.fd,
                (off_t)(lent.head.first + at * lent.head.stride));
    if (slot == MAP_FAILED)
        return 0;
    lent.slot = slot;
    profile_memory_reserve(0);
    if (!lent.reserved)
        return 0;
    lent.slot->rank = (uint32_t)rank;
    lent.slot->ranks = (uint32_t)ranks;
    snprintf(lent.slot->program, sizeof lent.slot->program, "%s", program_invocation_short_name);
    return 1;
}

/* Where the kernel has no memory left for a page (tmpfs(5), or vm.overcommit_memory=2), a system
 * call that writes there fails with EFAULT, and a store would be SIGBUS. This one changes nothing,
 * is one that programs make (of fallocate(2) that is not certain), and knows no limit of files. */
static int reserve_page(size_t at, size_t page)
{
    char *end = (char *)lent.slot + at + page;

    return pthread_sigmask(SIG_BLOCK, NULL, (sigset_t *)(void *)(end - sizeof(uint64_t)));
}

void profile_memory_reserve(size_t rows)
{
    size_t size = sizeof *lent.slot + rows * sizeof(profile_record), page;

    if (!lent.slot || size <= lent.reserved)
        return;
    page = (size_t)sysconf(_SC_PAGESIZE);
    size = (size + size / 4 + page - 1) / page * page; /* not for each row anew */
    if (size > lent.head.stride)
        size = lent.head.stride;
    if (size > lent.mapped) {
        void *larger = mremap(lent.slot, lent.mapped, size, MREMAP_MAYMOVE);

        if (larger == MAP_FAILED)
            return;
        lent.slot = larger;
        lent.mapped = size;
    }
    while (lent.reserved < size && !reserve_page(lent.reserved, page))
        lent.reserved += page;
}

profile_record *profile_memory_rows(size_t *room)
{
    *room = (lent.reserved - sizeof *lent.slot) / sizeof(profile_record);
    return (profile_record *)(lent.slot + 1);
}

void profile_memory_leave(const profile_part *part)
{
    lent.slot->rows = part->count;
    lent.slot->passed = part->passed;
    lent.slot->wall_ns = part->wall_ns;
    lent.slot->mpi_ns = part->mpi_ns;
    lent.slot->checksum = topomap_part_checksum((const void *)part->record, part->count);
    __atomic_store_n(&lent.slot->state, part->whole ? TOPOMAP_PART_FILLED : TOPOMAP_PART_PARTIAL,
                     __ATOMIC_RELEASE);
}
