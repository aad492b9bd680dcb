/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/record.h"
#include "util/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 32 << 20, TRIES = 100, RECORDS_MOST = 65536 };

static const char suffix[] = ".plan";

/* The user's folder, opened once and used by its descriptor alone: what somebody puts in its place
 * later does not matter. \return -1: \p err is filled */
static int open_own(const char *folder, int make, topomap_error *err)
{
    int site = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), own = -1;
    char name[16];
    struct stat found;

    snprintf(name, sizeof name, "%u", geteuid());
    if (site >= 0 && make && mkdirat(site, name, 0700) && errno != EEXIST)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "%.200s/%s: %s", folder, name, strerror(errno));
    else if (site >= 0)
        own = openat(site, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (own < 0)
        topomap_error_set(err, TOPOMAP_ESYSTEM, "%.200s: no record can be put there: %s", folder,
                          strerror(errno));
    if (site >= 0)
        close(site);
    if (own < 0)
        return -1;
    if (!fstat(own, &found) && found.st_uid == geteuid() && !(found.st_mode & (S_IWGRP | S_IWOTH)))
        return own;
    close(own);
    return topomap_error_set(err, TOPOMAP_EINPUT, "%.200s/%s is not this user's own", folder, name);
}

/* A job that was requeued has the same number. */
static int make_file(int own, uint32_t job, uint32_t step, char name[64])
{
    for (int i = 0; i < TRIES; i++) {
        char again[16] = "";
        int fd;

        if (i)
            snprintf(again, sizeof again, "-%d", i);
        snprintf(name, 64, "%u.%u%s%s", job, step, again, suffix);
        fd = openat(own, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

static int fill(int fd, const char *request, const char *reply, size_t reply_size)
{
    FILE *out = fdopen(fd, "w");
    int failed;

    if (!out) {
        close(fd);
        return -1;
    }
    fprintf(out, "topomap-plan 1\nversion %s\ntime %lld\n%s", PACKAGE_VERSION,
            (long long)time(NULL), request);
    failed = fwrite(reply, 1, reply_size, out) != reply_size || ferror(out);
    return fclose(out) || failed ? -1 : 0;
}

int plugin_record_write(const char *folder, uint32_t job, uint32_t step, const char *request,
                        const char *reply, size_t reply_size, char *path, size_t size,
                        topomap_error *err)
{
    char name[64];
    int own, fd, failed = 0;

    if (strlen(request) + reply_size > MOST)
        return topomap_error_set(err, TOPOMAP_EINPUT, "a record of more than %d MiB", MOST >> 20);
    own = open_own(folder, 1, err);
    if (own < 0)
        return -1;
    fd = make_file(own, job, step, name);
    if (fd < 0 || fill(fd, request, reply, reply_size)) {
        failed = topomap_error_set(err, TOPOMAP_ESYSTEM, "%.200s/%u/%s: cannot be written: %s",
                                   folder, geteuid(), name, strerror(errno));
        if (fd >= 0)
            unlinkat(own, name, 0);
    }
    snprintf(path, size, "%s/%u/%s", folder, geteuid(), name);
    close(own);
    return failed;
}

/* ---- Not for ever ------------------------------------------------------------------------ */

struct record {
    char name[64];
    int64_t seconds, bytes;
};

/* The newest first. */
static int by_age(const void *a, const void *b)
{
    const struct record *x = a, *y = b;

    return x->seconds != y->seconds ? (x->seconds < y->seconds ? 1 : -1) : strcmp(x->name, y->name);
}

static int is_record(const char *name)
{
    size_t length = strlen(name);

    return length < sizeof((struct record *)0)->name && length > sizeof suffix &&
           strspn(name, "0123456789.-") ==
               length - sizeof suffix + 2 && /* suffix begins with a dot */
           !strcmp(name + length - (sizeof suffix - 1), suffix);
}

static size_t list_records(int own, DIR *stream, struct record **list)
{
    size_t count = 0, room = 0;
    const struct dirent *entry;
    topomap_error err;

    while (count < RECORDS_MOST && (entry = readdir(stream)) != NULL) {
        struct stat found;

        if (!is_record(entry->d_name) || fstatat(own, entry->d_name, &found, AT_SYMLINK_NOFOLLOW) ||
            !S_ISREG(found.st_mode))
            continue;
        if (topomap_grow(list, &room, count + 1, sizeof **list, &err))
            break;
        strcpy((*list)[count].name, entry->d_name);
        (*list)[count].seconds = found.st_mtime;
        (*list)[count++].bytes = found.st_size;
    }
    return count;
}

void plugin_record_tidy(const char *folder, const plugin_record_limits *limits)
{
    topomap_error err;
    int own = open_own(folder, 0, &err), again = own < 0 ? -1 : dup(own);
    DIR *stream = again < 0 ? NULL : fdopendir(again);
    struct record *list = NULL;
    int64_t kept = 0, oldest = (int64_t)time(NULL) - (int64_t)limits->days * 86400;
    size_t count = stream ? list_records(own, stream, &list) : 0;

    if (count)
        qsort(list, count, sizeof *list, by_age);
    for (size_t i = 0; i < count; i++) {
        kept += list[i].bytes;
        if (list[i].seconds < oldest || kept > (int64_t)limits->megabytes << 20)
            unlinkat(own, list[i].name, 0);
    }
    free(list);
    if (stream)
        closedir(stream);
    else if (again >= 0)
        close(again);
    if (own >= 0)
        close(own);
}
