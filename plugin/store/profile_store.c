/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/store/store.h"
#include "util/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LISTED = 65536 };

/* ---- Where it is ------------------------------------------------------------------------- */

static int open_site(const char *site, int make, store *made)
{
    int own = store_place_site(site, make, made->root, made->note);

    if (own < 0)
        return 0;
    close(own);
    made->is_site = 1;
    return 1;
}

static int open_own(store *made, topomap_error *err)
{
    TOPOMAP_CLOSED int root = -1;

    made->is_site = 0;
    if (store_place_own(made->root, err))
        return -1;
    root = store_folder_root(made);
    if (root < 0 && errno == EPERM)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%.300s: not this user's own folder",
                                 made->root);
    return 0;
}

static int check_site(const char *site, topomap_error *err)
{
    if (!site || *site == '/')
        return 0;
    return topomap_error_set(err, TOPOMAP_EINPUT,
                             "no folder for profiles: the site's is no absolute path");
}

int store_open(const char *site, store *found, topomap_error *err)
{
    store made = {.most = STORE_BYTES};

    if (check_site(site, err) || (!(site && open_site(site, 1, &made)) && open_own(&made, err)))
        return -1;
    *found = made;
    return 0;
}

int store_open_all(const char *site, store found[2], topomap_error *err)
{
    store made = {.most = STORE_BYTES};
    int count = 0;

    if (check_site(site, err))
        return -1;
    if (site && open_site(site, 0, &made))
        found[count++] = made;
    *made.note = 0;
    if (!open_own(&made, err))
        found[count++] = made;
    return count ? count : -1;
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
    TOPOMAP_CLOSED int profiles = store_folder_open(store, "profiles", 0, err);
    TOPOMAP_CLOSED_DIR DIR *folder = profiles < 0 ? NULL : store_folder_list(profiles);
    store_entry *entries = NULL;
    size_t room = 0, used = 0;
    struct dirent *row;

    while (used < LISTED && folder && (row = readdir(folder)) != NULL) {
        store_entry entry = {0};

        if (!is_entry(row->d_name))
            continue;
        memcpy(entry.key, row->d_name, STORE_KEY);
        if (!store_entry_read_at(profiles, &entry))
            continue;
        if (topomap_grow(&entries, &room, used + 1, sizeof *entries, err)) {
            free(entries);
            return -1;
        }
        entries[used++] = entry;
    }
    used = without_doubles(entries, used);
    if (used)
        qsort(entries, used, sizeof *entries, by_use);
    *list = entries;
    *count = used;
    return 0;
}
