/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "util/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/alloc.h"

#define LINKS_MOST 40 /* as the kernel has it: path_resolution(7) */

static int cannot(const char *path, topomap_error *err)
{
    return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: cannot create a file beside it: %s", path,
                             strerror(errno));
}

/* Whether an entry is another user's in a folder where everybody may put entries. */
static int is_planted(const struct stat *folder, const struct stat *entry)
{
    return folder->st_mode & S_IWOTH && entry->st_uid != geteuid() && entry->st_uid != 0 &&
           entry->st_uid != folder->st_uid;
}

static int open_folder(const char *path, const char *at, const char *slash,
                       struct topomap_folder *folder, topomap_error *err)
{
    char *name = slash ? topomap_strndup(at, slash == at ? 1 : (size_t)(slash - at), err) : NULL;

    if (slash && !name)
        return -1;
    folder->fd = open(name ? name : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    free(name);
    return folder->fd < 0 ? cannot(path, err) : 0;
}

/* Our own descriptor that an entry of /proc/self/fd is, else -1. */
static int own_number(const struct stat *folder, const char *name)
{
    struct stat own;
    char *end;
    long number;

    if (stat("/proc/self/fd", &own) || own.st_dev != folder->st_dev || own.st_ino != folder->st_ino)
        return -1;
    number = strtol(name, &end, 10);
    return *end || number < 0 || number > INT_MAX ? -1 : (int)number;
}

/* Looks at one name: *next is where a link leads, NULL where it is none. */
static int look(const char *path, char *at, struct topomap_folder *folder, char **next,
                topomap_error *err)
{
    char *slash = strrchr(at, '/'), *name = slash ? slash + 1 : at, text[PATH_MAX];
    struct stat about;
    ssize_t size;

    *next = NULL;
    if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
        return topomap_error_set(err, TOPOMAP_EUSAGE, "%s: is a directory", path);
    if (open_folder(path, at, slash, folder, err))
        return -1;
    folder->exists = !fstatat(folder->fd, name, &folder->file, AT_SYMLINK_NOFOLLOW);
    if ((!folder->exists && errno != ENOENT) || fstat(folder->fd, &about))
        return cannot(path, err);
    if (folder->exists && is_planted(&about, &folder->file))
        return topomap_error_set(err, TOPOMAP_ESYSTEM,
                                 "%s: %s is another user's, in a folder that everybody may write "
                                 "to: take another name or folder",
                                 path, at);
    folder->number = folder->exists ? own_number(&about, name) : -1;
    if (!folder->exists || !S_ISLNK(folder->file.st_mode) || folder->number >= 0) {
        folder->name = topomap_strdup(name, err);
        return folder->name ? 0 : -1;
    }
    size = readlinkat(folder->fd, name, text, sizeof text - 1);
    if (size < 0)
        return cannot(path, err);
    text[size] = '\0';
    *next = topomap_alloc(strlen(at) + (size_t)size + 1, 1, err);
    if (*next)
        sprintf(*next, "%.*s%s", *text == '/' ? 0 : (int)(name - at), at, text);
    return *next ? 0 : -1;
}

int topomap_folder_find(const char *path, struct topomap_folder *folder, topomap_error *err)
{
    char *at = topomap_strdup(path, err);
    struct topomap_folder found = {.fd = -1};
    int result = at ? 0 : -1;

    for (int links = 0; !result && !found.name; links++) {
        char *next = NULL;

        topomap_folder_clear(&found);
        errno = ELOOP;
        result = links > LINKS_MOST ? cannot(path, err) : look(path, at, &found, &next, err);
        if (next) {
            free(at);
            at = next;
        }
    }
    free(at);
    if (!result && found.number < 0 && found.exists && S_ISDIR(found.file.st_mode))
        result = topomap_error_set(err, TOPOMAP_EUSAGE, "%s: is a directory", path);
    if (result)
        topomap_folder_clear(&found);
    else
        *folder = found;
    return result;
}

int topomap_folder_check(const char *path, const struct topomap_folder *folder, topomap_error *err)
{
    struct stat about;

    if (fstat(folder->fd, &about))
        return cannot(path, err);
    if (about.st_mode & S_IWOTH && !(about.st_mode & S_ISVTX))
        return topomap_error_set(err, TOPOMAP_ESYSTEM,
                                 "%s: any user may replace files in its folder, so that what is "
                                 "written there could be another's: `chmod o-w` (or `chmod +t`) "
                                 "the folder, or take another one",
                                 path);
    return 0;
}

void topomap_folder_clear(struct topomap_folder *folder)
{
    if (folder->fd >= 0)
        close(folder->fd);
    free(folder->name);
    *folder = (struct topomap_folder){.fd = -1};
}
