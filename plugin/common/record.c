/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/common/reply.h"
#include "plugin/store/store.h"
#include "util/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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
    int own, fd, failed = 0;

    if (strlen(request) + reply_size > MOST)
        return topomap_error_set(err, TOPOMAP_EINPUT, "a record of more than %d MiB", MOST >> 20);
    own = open_own(folder, place, err);
    if (own < 0)
        return -1;
    fd = make_file(own, job, step, name);
    if (fd < 0 || fill(fd, request, reply, reply_size, store_sweep_now(own))) {
        failed = topomap_error_set(err, TOPOMAP_ESYSTEM, "%.300s/%s: cannot be written: %s", place,
                                   name, strerror(errno));
        if (fd >= 0)
            unlinkat(own, name, 0);
    }
    snprintf(path, size, "%s/%s", place, name);
    close(own);
    return failed;
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

static void tidy(int own, const plugin_record_limits *limits)
{
    const store_broom broom = {.most = LOOKED_AT,
                               .days = limits->days,
                               .bytes = (uint64_t)limits->megabytes << 20,
                               .look = look_at_record};

    store_sweep(own, &broom);
    close(own);
}

void plugin_record_tidy(const char *folder, const plugin_record_limits *limits)
{
    char path[STORE_ROOT], note[STORE_NOTE];
    int own = folder ? store_place_site(folder, 0, path, note) : -1;
    int cache = open_cache(0, path, NULL);

    if (own >= 0)
        tidy(own, limits);
    if (cache >= 0)
        tidy(cache, limits);
}

/* ---- Finding one ------------------------------------------------------------------------- */

static int is_there(int own, const char *name)
{
    struct stat found;
    int is = own >= 0 && !fstatat(own, name, &found, AT_SYMLINK_NOFOLLOW) && S_ISREG(found.st_mode);

    if (own >= 0)
        close(own);
    return is;
}

int plugin_record_find(const char *folder, const char *step, char *path, size_t size)
{
    char place[STORE_ROOT], note[STORE_NOTE], name[64];
    int length = snprintf(name, sizeof name, "%s%s", step, suffix);

    if (length < 0 || (size_t)length >= sizeof name || !plugin_record_is_name(name) ||
        (!(folder && is_there(store_place_site(folder, 0, place, note), name)) &&
         !is_there(open_cache(0, place, NULL), name)))
        return 0;
    return (size_t)snprintf(path, size, "%s/%s", place, name) < size;
}

/* Goes through a folder, which it closes; \p best: the time of what \p path names. */
static void look_for_newest(int own, const char *place, const char *job, struct timespec *best,
                            char *path, size_t size)
{
    DIR *list = own >= 0 ? fdopendir(own) : NULL;
    size_t length = job ? strlen(job) : 0;

    if (own >= 0 && !list)
        close(own);
    for (struct dirent *entry; list && (entry = readdir(list));) {
        struct stat found;

        if (!plugin_record_is_name(entry->d_name) ||
            (job && (strncmp(entry->d_name, job, length) != 0 || entry->d_name[length] != '.')) ||
            fstatat(dirfd(list), entry->d_name, &found, AT_SYMLINK_NOFOLLOW) ||
            !S_ISREG(found.st_mode) || found.st_mtim.tv_sec < best->tv_sec ||
            (found.st_mtim.tv_sec == best->tv_sec && found.st_mtim.tv_nsec <= best->tv_nsec))
            continue;
        *best = found.st_mtim;
        snprintf(path, size, "%s/%s", place, entry->d_name);
    }
    if (list)
        closedir(list);
}

/* Goes through a folder, which it closes. */
static void name_all(int own, void (*say)(const char *step))
{
    DIR *list = own >= 0 ? fdopendir(own) : NULL;

    if (own >= 0 && !list)
        close(own);
    for (struct dirent *entry; list && (entry = readdir(list));)
        if (plugin_record_is_name(entry->d_name)) {
            entry->d_name[strlen(entry->d_name) - (sizeof suffix - 1)] = '\0';
            say(entry->d_name);
        }
    if (list)
        closedir(list);
}

void plugin_record_each(const char *folder, void (*say)(const char *step))
{
    char place[STORE_ROOT], note[STORE_NOTE];

    if (folder)
        name_all(store_place_site(folder, 0, place, note), say);
    name_all(open_cache(0, place, NULL), say);
}

int plugin_record_newest(const char *folder, const char *job, char *path, size_t size)
{
    char place[STORE_ROOT], note[STORE_NOTE];
    struct timespec best = {-1, 0};
    int own = folder ? store_place_site(folder, 0, place, note) : -1;

    look_for_newest(own, place, job, &best, path, size);
    own = open_cache(0, place, NULL);
    look_for_newest(own, place, job, &best, path, size);
    return best.tv_sec >= 0;
}
