/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/common/child.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Headers of kernels before 5.9 lack it; it has this number on every machine but Alpha. */
#if !defined SYS_close_range && !defined __alpha__
#define SYS_close_range 436
#endif

enum { NUMBER_MOST = 65536 };

int plugin_descriptors_by_range(int first)
{
#ifdef SYS_close_range
    return (int)syscall(SYS_close_range, (unsigned)first, ~0U, 0U);
#else
    (void)first;
    return -1;
#endif
}

/* What getdents64(2) writes. */
struct entry {
    uint64_t inode;
    int64_t next;
    uint16_t size;
    uint8_t type;
    char name[];
};

/* \return -1: no number */
static int to_number(const char *name)
{
    int number = 0;

    if (!*name)
        return -1;
    for (; *name; name++) {
        if (*name < '0' || *name > '9' || number > INT_MAX / 10 - 1)
            return -1;
        number = number * 10 + (*name - '0');
    }
    return number;
}

/* The kernel goes by descriptor numbers here, so that none is skipped when others are closed
 * (Linux, fs/proc/fd.c). */
int plugin_descriptors_by_folder(int first)
{
    _Alignas(struct entry) char entries[1024];
    int folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long size;

    if (folder < 0)
        return -1;
    while ((size = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0) {
        for (long at = 0; at < size;) {
            const struct entry *entry = (const void *)(entries + at);
            int number = to_number(entry->name);

            if (number >= first && number != folder)
                close(number);
            at += entry->size;
        }
    }
    close(folder);
    return size < 0 ? -1 : 0;
}

int plugin_descriptors_by_number(int first)
{
    struct rlimit limit;
    int most = NUMBER_MOST;

    if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < NUMBER_MOST)
        most = (int)limit.rlim_cur;
    for (int number = first; number < most; number++)
        close(number);
    return 0;
}

void plugin_descriptors_close_from(int first)
{
    if (plugin_descriptors_by_range(first) && plugin_descriptors_by_folder(first))
        plugin_descriptors_by_number(first);
}

int plugin_descriptors_input(char *path, size_t size)
{
    static const char deleted[] = " (deleted)";
    ssize_t length = readlink("/proc/self/fd/0", path, size - 1);

    path[length > 0 ? length : 0] = 0;
    return *path == '/' && strncmp(path, "/dev/", 5) != 0 && !strstr(path, deleted);
}
