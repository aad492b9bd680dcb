/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/store/store.h"
#include "util/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LISTED = 65536, RUN_FILES = 65536, STALE_DAYS = 60 };

/* ---- The folder -------------------------------------------------------------------------- */

static const char *home(void)
{
    const char *said = getenv("HOME");
    const struct passwd *entry;

    if (said && *said == '/')
        return said;
    entry = getpwuid(geteuid());
    return entry && entry->pw_dir && *entry->pw_dir == '/' ? entry->pw_dir : NULL;
}

static int find_root(const char *site, char *root, size_t size)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    int length = -1;

    if (site)
        length = snprintf(root, size, "%s/%u", site, (unsigned)geteuid());
    else if (cache && *cache == '/')
        length = snprintf(root, size, "%s/topomap", cache);
    else if (home())
        length = snprintf(root, size, "%s/.cache/topomap", home());
    return length > 0 && (size_t)length < size ? 0 : -1;
}

/* In a folder where anybody makes some, somebody else may have made ours, or a link to one. */
static int check_root(const store *store, topomap_error *err)
{
    struct stat status;

    if (!(store->is_site ? lstat : stat)(store->root, &status) &&
        (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() || status.st_mode & S_IWOTH))
        return topomap_error_set(err, TOPOMAP_EINPUT, "%.300s: not this user's own folder",
                                 store->root);
    return 0;
}

/* Where anybody may take away what is another's, a folder is nobody's own. */
static int check_site(const char *site, topomap_error *err)
{
    struct stat status;

    if (site && !stat(site, &status) && status.st_mode & S_IWOTH && !(status.st_mode & S_ISVTX))
        return topomap_error_set(
            err, TOPOMAP_EINPUT,
            "%.300s: anybody may write there, and it is not sticky (mode 1777)", site);
    return 0;
}

int store_open(const char *site, store *found, topomap_error *err)
{
    store made = {.most = STORE_BYTES, .is_site = site != NULL};

    if ((site && *site != '/') || find_root(site, made.root, sizeof made.root))
        return topomap_error_set(err, TOPOMAP_EINPUT, "no folder for profiles: %s",
                                 site ? "the site's is no absolute path" : "there is no home");
    if (check_site(site, err) || check_root(&made, err))
        return -1;
    *found = made;
    return 0;
}

static int make_folder(const char *path, topomap_error *err)
{
    char part[STORE_PATH];
    size_t length = strlen(path);

    for (size_t i = 1; i <= length; i++)
        if (path[i] == '/' || !path[i]) {
            memcpy(part, path, i);
            part[i] = 0;
            if (mkdir(part, 0700) && errno != EEXIST && (i == length || access(part, F_OK)))
                return topomap_error_set(err, TOPOMAP_ESYSTEM, "%.300s: %s", part, strerror(errno));
        }
    return 0;
}

/* Once it is there, nobody else can put another in its place. */
static int make_root(const store *store, topomap_error *err)
{
    char path[STORE_PATH];

    if (make_folder(store->root, err) || check_root(store, err))
        return -1;
    snprintf(path, sizeof path, "%s/profiles", store->root);
    if (make_folder(path, err))
        return -1;
    snprintf(path, sizeof path, "%s/run", store->root);
    return make_folder(path, err);
}

/* ---- The list ---------------------------------------------------------------------------- */

/* Names of entries: 16 hexadecimal digits, then .meta or .tmg. */
static int is_entry(const char *name)
{
    return strspn(name, "0123456789abcdef") == STORE_KEY &&
           (!strcmp(name + STORE_KEY, ".meta") || !strcmp(name + STORE_KEY, ".tmg"));
}

static int by_use(const void *a, const void *b)
{
    const store_entry *x = a, *y = b;

    if (x->used != y->used)
        return x->used < y->used ? 1 : -1;
    return strcmp(x->key, y->key);
}

static int by_key(const void *a, const void *b)
{
    return strcmp(((const store_entry *)a)->key, ((const store_entry *)b)->key);
}

/* An entry has two files; it is listed once. */
static size_t without_doubles(store_entry *list, size_t count)
{
    size_t kept = 0;

    if (count)
        qsort(list, count, sizeof *list, by_key);
    for (size_t i = 0; i < count; i++)
        if (!kept || strcmp(list[kept - 1].key, list[i].key) != 0)
            list[kept++] = list[i];
    return kept;
}

int store_list(const store *store, store_entry **list, size_t *count, topomap_error *err)
{
    store_entry *entries = NULL;
    size_t room = 0, used = 0;
    char path[STORE_PATH];
    struct dirent *row;
    DIR *folder;
    int failed = 0;

    snprintf(path, sizeof path, "%s/profiles", store->root);
    folder = opendir(path);
    while (!failed && used < LISTED && folder && (row = readdir(folder)) != NULL) {
        store_entry entry = {0};

        if (!is_entry(row->d_name))
            continue;
        memcpy(entry.key, row->d_name, STORE_KEY);
        if (!store_entry_read(store, &entry))
            continue;
        failed = topomap_grow(&entries, &room, used + 1, sizeof *entries, err);
        if (!failed)
            entries[used++] = entry;
    }
    if (folder)
        closedir(folder);
    if (failed) {
        free(entries);
        return -1;
    }
    used = without_doubles(entries, used);
    if (used)
        qsort(entries, used, sizeof *entries, by_use);
    *list = entries;
    *count = used;
    return 0;
}

/* Of two numbers of ranks, which one is better to scale from. */
static int is_nearer(uint32_t wanted, uint32_t a, uint32_t b)
{
    if ((a < wanted) != (b < wanted))
        return a < wanted;
    return a < wanted ? a > b : a < b;
}

int store_other_size(const store *store, const store_entry *wanted, store_entry *found)
{
    store_entry *list;
    topomap_error err;
    size_t count;
    int any = 0;

    if (store_list(store, &list, &count, &err))
        return 0;
    for (size_t i = 0; i < count; i++)
        if (list[i].has_graph && list[i].family == wanted->family && list[i].ranks &&
            list[i].ranks != wanted->ranks &&
            (!any || is_nearer(wanted->ranks, list[i].ranks, found->ranks))) {
            *found = list[i];
            any = 1;
        }
    free(list);
    return any;
}

/* ---- A run ------------------------------------------------------------------------------- */

static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *row;

    for (int i = 0; folder && i < RUN_FILES && (row = readdir(folder)) != NULL; i++)
        if (strcmp(row->d_name, ".") != 0 && strcmp(row->d_name, "..") != 0)
            unlinkat(dirfd(folder), row->d_name, 0);
    if (folder)
        closedir(folder);
    rmdir(path);
}

/* What an srun that was killed has left. */
static void remove_stale_runs(const store *store)
{
    time_t before = time(NULL) - (time_t)STALE_DAYS * 24 * 3600;
    char path[STORE_PATH], run[STORE_PATH + 512];
    struct dirent *row;
    struct stat status;
    DIR *folder;

    snprintf(path, sizeof path, "%s/run", store->root);
    folder = opendir(path);
    for (int i = 0; folder && i < RUN_FILES && (row = readdir(folder)) != NULL; i++) {
        snprintf(run, sizeof run, "%s/%s", path, row->d_name);
        if (row->d_name[0] != '.' && !lstat(run, &status) && S_ISDIR(status.st_mode) &&
            status.st_mtime < before)
            remove_folder(run);
    }
    if (folder)
        closedir(folder);
}

int store_run_begin(const store *store, uint32_t job, uint32_t step, char **folder,
                    topomap_error *err)
{
    char path[STORE_PATH];

    if (make_root(store, err))
        return -1;
    snprintf(path, sizeof path, "%s/run/%u.%u-XXXXXX", store->root, job, step);
    if (!mkdtemp(path))
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "%.300s: %s", path, strerror(errno));
    *folder = topomap_strdup(path, err);
    if (*folder)
        return 0;
    rmdir(path);
    return -1;
}

/* Those not used for longest go until the rest fits; never the one that was just made. */
static void evict(const store *store, const char *keep)
{
    store_entry *list;
    topomap_error err;
    uint64_t bytes = 0;
    size_t count, kept = 0;

    if (store_list(store, &list, &count, &err))
        return;
    for (size_t i = 0; i < count; i++) {
        bytes += list[i].bytes;
        kept++;
        if (strcmp(list[i].key, keep) != 0 && (bytes > store->most || kept > STORE_ENTRIES)) {
            store_remove(store, list[i].key);
            bytes -= list[i].bytes;
            kept--;
        }
    }
    free(list);
}

/* Whole, and as large as the store takes: the planner checks the rest. */
static int check_profile(const char *path, uint64_t most, topomap_error *err)
{
    static const char magic[] = "\x89TMG\r\n\x1a\n"; /* lib/graph/tmg.h; 8 bytes of it */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat status;
    char head[24] = "";
    uint64_t size = 0;
    int good;

    if (fd < 0)
        return topomap_error_set(err, TOPOMAP_EINPUT, "the run left no profile");
    good = !fstat(fd, &status) && S_ISREG(status.st_mode) && read(fd, head, 24) == 24 &&
           !memcmp(head, magic, sizeof magic - 1);
    close(fd);
    for (int i = 0; i < 8; i++)
        size |= (uint64_t)(unsigned char)head[16 + i] << 8 * i;
    if (!good || size != (uint64_t)status.st_size)
        return topomap_error_set(err, TOPOMAP_EINPUT, "the run left no whole profile");
    if (size > most)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "the profile has %llu bytes, more than the store takes",
                                 (unsigned long long)size);
    return 0;
}

/* The one before stays beside it: whoever looks finds a graph at every moment. */
static int take_profile(const store *store, const char *from, const store_entry *entry,
                        topomap_error *err)
{
    char path[STORE_PATH], before[STORE_PATH], beside[STORE_PATH];

    store_graph_path(store, entry->key, 0, path);
    store_graph_path(store, entry->key, 1, before);
    snprintf(beside, sizeof beside, "%s/profiles/%s.%ld", store->root, entry->key, (long)getpid());
    unlink(beside);
    if (!link(path, beside)) {
        rename(beside, before);
        unlink(beside); /* still there where both are links to one file already (rename(2)) */
    }
    if (!rename(from, path))
        return 0;
    return topomap_error_set(err, TOPOMAP_ESYSTEM, "%.300s: %s", path, strerror(errno));
}

int store_run_end(const store *store, const char *folder, store_entry *entry, topomap_error *why)
{
    store_entry now = *entry;
    char path[STORE_PATH];
    topomap_error err;
    int taken;

    snprintf(path, sizeof path, "%s/%s", folder, STORE_RUN_FILE);
    store_entry_read(store, &now); /* others may have used it meanwhile */
    taken = !check_profile(path, store->most, why) && !take_profile(store, path, &now, why);
    snprintf(now.program, sizeof now.program, "%s", entry->program); /* of a damaged one */
    snprintf(now.words, sizeof now.words, "%s", entry->words);
    now.id = entry->id;
    now.family = entry->family;
    now.ranks = entry->ranks;
    if (taken) {
        now.made = (int64_t)time(NULL);
        now.profiles++;
        now.launches = now.tries = 0;
    } else {
        now.tries++;
    }
    if (store_entry_write(store, &now, &err) && taken)
        *why = err;
    remove_folder(folder);
    if (taken)
        evict(store, now.key);
    remove_stale_runs(store);
    *entry = now;
    return taken;
}
