/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/common/spool.h"
#include "plugin/store/store.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOKED_AT = 1024, DAYS = 7 };

/* As plugin_spool_write() makes them. */
static int is_spooled(const char *name)
{
    int made = 0, end = 0;

    sscanf(name, "topomap-%*[0-9].%*[0-9]-%n%*6[A-Za-z0-9]%n", &made, &end);
    return end == made + 6 && !name[end];
}

/* The folder may be one for all. */
static int look(int folder, store_item *item, void *context)
{
    struct stat found;

    (void)context;
    if (!is_spooled(item->name) || fstatat(folder, item->name, &found, AT_SYMLINK_NOFOLLOW) ||
        !S_ISREG(found.st_mode) || found.st_uid != geteuid())
        return 0;
    item->seconds = (int64_t)found.st_mtime;
    item->bytes = (uint64_t)found.st_size;
    return 1;
}

/* What is to be known from one call to the next is in the user's own place: the folder may be one
 * where others can forge it. */
static int open_state(void)
{
    store cache = {0};

    return store_place_own(cache.root, NULL) ? -1 : store_folder_open(&cache, "spool", 1, NULL);
}

void plugin_spool_tidy(const char *note)
{
    static const store_broom broom = {.most = LOOKED_AT, .days = DAYS, .look = look};
    const char *path = note + PLUGIN_SPOOL_CRC + 1, *name = strrchr(path, '/');
    char place[PLUGIN_SPOOL_PATH];
    struct stat written;
    TOPOMAP_CLOSED int folder = -1, state = -1;

    if (!name || lstat(path, &written) ||
        snprintf(place, sizeof place, "%.*s/", (int)(name - path), path) >= (int)sizeof place)
        return;
    folder = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    state = folder < 0 ? -1 : open_state();
    if (state >= 0)
        store_sweep_shared(folder, state, (int64_t)written.st_mtime, &broom);
}
