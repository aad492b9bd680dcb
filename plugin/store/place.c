/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"
#include "plugin/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The site's -------------------------------------------------------------------------- */

/* Where anybody may take away what is another's, a folder is nobody's own. */
static const char *check_site(int site)
{
    struct stat status;

    if (fstat(site, &status))
        return strerror(errno);
    if (status.st_mode & S_IWOTH && !(status.st_mode & S_ISVTX))
        return "anybody may write there, and it is not sticky";
    return NULL;
}

int store_place_site(const char *site, int make, char path[STORE_ROOT], char note[STORE_NOTE])
{
    /* O_PATH: a folder of mode 0711 is not listed. */
    TOPOMAP_CLOSED int folder = open(site, O_PATH | O_DIRECTORY | O_CLOEXEC);
    const char *why = folder < 0 ? strerror(errno) : check_site(folder);
    char name[16];
    int own;

    *note = 0;
    snprintf(name, sizeof name, "%u", (unsigned)geteuid());
    if ((size_t)snprintf(path, STORE_ROOT, "%s/%s", site, name) >= STORE_ROOT)
        why = "its name is too long";
    if (why) {
        snprintf(note, STORE_NOTE, "%.150s: %.90s", site, why);
        return -1;
    }
    own = make ? store_folder_make(folder, name) : store_folder_own(folder, name);
    if (own < 0)
        snprintf(note, STORE_NOTE, "%.140s/%s: %.90s", site, name, store_folder_why());
    return own;
}

/* ---- The user's own ---------------------------------------------------------------------- */

static const char *home(void)
{
    const char *said = getenv("HOME");
    const struct passwd *entry;

    if (said && *said == '/')
        return said;
    entry = getpwuid(geteuid());
    return entry && entry->pw_dir && *entry->pw_dir == '/' ? entry->pw_dir : NULL;
}

int store_place_own(char path[STORE_ROOT], topomap_error *err)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    int length = -1;

    if (cache && *cache == '/')
        length = snprintf(path, STORE_ROOT, "%s/topomap", cache);
    else if (home())
        length = snprintf(path, STORE_ROOT, "%s/.cache/topomap", home());
    if (length > 0 && length < STORE_ROOT)
        return 0;
    return topomap_error_set(err, TOPOMAP_EINPUT, "no folder of the user's own: there is no home");
}
