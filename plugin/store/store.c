/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/store/entry.h"
#include "plugin/store/folder.h"
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

enum { LISTED = 65536 };

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
    int profiles = store_folder_open(store, "profiles", 0, err);
    DIR *folder = profiles < 0 ? NULL : fdopendir(profiles);
    struct dirent *row;
    int failed = 0;

    while (!failed && used < LISTED && folder && (row = readdir(folder)) != NULL) {
        store_entry entry = {0};

        if (!is_entry(row->d_name))
            continue;
        memcpy(entry.key, row->d_name, STORE_KEY);
        if (!store_entry_read_at(profiles, &entry))
            continue;
        failed = topomap_grow(&entries, &room, used + 1, sizeof *entries, err);
        if (!failed)
            entries[used++] = entry;
    }
    if (folder)
        closedir(folder);
    else if (profiles >= 0)
        close(profiles);
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
