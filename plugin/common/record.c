/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/common/reply.h"
#include "plugin/store/store.h"
#include "util/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 32 << 20, TRIES = 100, LOOKED_AT = 256 };

static const char suffix[] = ".plan", below[] = "records";

/* ---- Where they are ---------------------------------------------------------------------- */

/* In the user's own place they are below the profiles. */
static int open_cache(int make, char path[STORE_ROOT], topomap_error *err)
{
    store cache = {0};
    int own;

    if (store_place_own(cache.root, err))
        return -1;
    own = store_folder_open(&cache, below, make, err);
    snprintf(path, STORE_ROOT, "%.*s/%s", STORE_ROOT - 16, cache.root, below);
    return own;
}

/* The user's folder, opened once and used by its descriptor alone: what somebody puts in its place
 * later does not matter. \return -1: \p err is filled */
static int open_own(const char *folder, char path[STORE_ROOT], topomap_error *err)
{
    char note[STORE_NOTE];
    int own = folder ? store_place_site(folder, 1, path, note) : -1;

    return own < 0 ? open_cache(1, path, err) : own;
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

static int fill(int fd, const char *request, const char *reply, size_t reply_size, int64_t now)
{
    FILE *out = fdopen(fd, "w");
    int failed;

    if (!out) {
        close(fd);
        return -1;
    }
    fprintf(out, "topomap-plan 1\nversion %s\ntime %lld\n%s", PACKAGE_VERSION,
            (long long)topomap_clock_date(), request);
    failed = fwrite(reply, 1, reply_size, out) != reply_size || fflush(out) || ferror(out);
    if (!failed)
        store_folder_time_stamp(fd, now);
    return fclose(out) || failed ? -1 : 0;
}

int plugin_record_write(const char *folder, uint32_t job, uint32_t step, const char *request,
                        const char *reply, size_t reply_size, char *path, size_t size,
                        topomap_error *err)
{
    char name[64], place[STORE_ROOT];
    TOPOMAP_CLOSED int own = -1;
    int fd;

    if (strlen(request) + reply_size > MOST)
        return topomap_error_set(err, TOPOMAP_EINPUT, "a record of more than %d MiB", MOST >> 20);
    own = open_own(folder, place, err);
    if (own < 0)
        return -1;
    fd = make_file(own, job, step, name);
    if (fd >= 0 && !fill(fd, request, reply, reply_size, store_sweep_now(own))) {
        snprintf(path, size, "%s/%s", place, name);
        return 0;
    }
    topomap_error_set(err, TOPOMAP_ESYSTEM, "%.300s/%s: cannot be written: %s", place, name,
                      strerror(errno));
    if (fd >= 0)
        unlinkat(own, name, 0);
    return -1;
}

/* ---- Not for ever ------------------------------------------------------------------------ */

int plugin_record_is_name(const char *name)
{
    size_t length = strlen(name);

    return length > sizeof suffix &&
           strspn(name, "0123456789.-") ==
               length - sizeof suffix + 2 && /* suffix begins with a dot */
           !strcmp(name + length - (sizeof suffix - 1), suffix);
}

static int look_at_record(int own, store_item *item, void *context)
{
    return plugin_record_is_name(item->name) && store_sweep_file(own, item, context);
}

/* Opens a folder of records, if it exists: the one in the site's folder (0), or the one in the
 * user's own place (1). Returns a descriptor, or -1. */
static int open_existing(int which, const char *folder, char place[STORE_ROOT])
{
    char note[STORE_NOTE];

    if (which)
        return open_cache(0, place, NULL);
    return folder ? store_place_site(folder, 0, place, note) : -1;
}

void plugin_record_tidy(const char *folder, const plugin_record_limits *limits)
{
    const store_broom broom = {.most = LOOKED_AT,
                               .days = limits->days,
                               .bytes = (uint64_t)limits->megabytes << 20,
                               .look = look_at_record};
    char place[STORE_ROOT];

    for (int which = 0; which < 2; which++) {
        TOPOMAP_CLOSED int own = open_existing(which, folder, place);

        if (own >= 0)
            store_sweep(own, &broom);
    }
}

/* ---- Finding one ------------------------------------------------------------------------- */

int plugin_record_find(const char *folder, const char *step, char *path, size_t size)
{
    char place[STORE_ROOT], name[64];
    int length = snprintf(name, sizeof name, "%s%s", step, suffix);
    struct stat found;

    if (length < 0 || (size_t)length >= sizeof name || !plugin_record_is_name(name))
        return 0;
    for (int which = 0; which < 2; which++) {
        TOPOMAP_CLOSED int own = open_existing(which, folder, place);

        if (own >= 0 && !fstatat(own, name, &found, AT_SYMLINK_NOFOLLOW) && S_ISREG(found.st_mode))
            return (size_t)snprintf(path, size, "%s/%s", place, name) < size;
    }
    return 0;
}

/* Called for each record with its folder, open and by its path, and its name. */
typedef void visit(int own, const char *place, const char *name, void *with);

/* Calls \p visit for each record of both folders. */
static void walk(const char *folder, visit *visit, void *with)
{
    char place[STORE_ROOT];
    const struct dirent *entry;

    for (int which = 0; which < 2; which++) {
        TOPOMAP_CLOSED int own = open_existing(which, folder, place);
        TOPOMAP_CLOSED_DIR DIR *list = own < 0 ? NULL : store_folder_list(own);

        while (list && (entry = readdir(list)) != NULL)
            if (plugin_record_is_name(entry->d_name))
                visit(own, place, entry->d_name, with);
    }
}

struct newest {
    const char *job;
    struct timespec time; /* of what `path` names */
    char *path;
    size_t size;
};

static void take_newer(int own, const char *place, const char *name, void *with)
{
    struct newest *newest = with;
    size_t length = newest->job ? strlen(newest->job) : 0;
    struct stat found;

    if ((newest->job && (strncmp(name, newest->job, length) != 0 || name[length] != '.')) ||
        fstatat(own, name, &found, AT_SYMLINK_NOFOLLOW) || !S_ISREG(found.st_mode) ||
        found.st_mtim.tv_sec < newest->time.tv_sec ||
        (found.st_mtim.tv_sec == newest->time.tv_sec &&
         found.st_mtim.tv_nsec <= newest->time.tv_nsec))
        return;
    newest->time = found.st_mtim;
    snprintf(newest->path, newest->size, "%s/%s", place, name);
}

static void say_step(int own, const char *place, const char *name, void *with)
{
    void (**say)(const char *step) = with;
    char step[NAME_MAX + 1];

    (void)own, (void)place;
    snprintf(step, sizeof step, "%.*s", (int)(strlen(name) - (sizeof suffix - 1)), name);
    (*say)(step);
}

void plugin_record_each(const char *folder, void (*say)(const char *step))
{
    walk(folder, say_step, &say);
}

int plugin_record_newest(const char *folder, const char *job, char *path, size_t size)
{
    struct newest newest = {job, {-1, 0}, path, size};

    walk(folder, take_newer, &newest);
    return newest.time.tv_sec >= 0;
}
