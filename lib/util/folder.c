/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "util/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util/alloc.h"

#define LINKS_MOST 40 /* as the kernel has it: path_resolution(7) */

static int cannot(const char *path, topomap_error *err)
{
    return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: cannot create a file beside it: %s", path,
                             strerror(errno));
}

/* Another user's than this one and root, which may appear as another number in a user namespace. */
static int is_foreign(uid_t owner)
{
    struct stat root;

    return owner != geteuid() && owner != 0 && (stat("/", &root) || root.st_uid != owner);
}

/* Whether an entry is another user's in a folder where everybody may put entries. */
static int is_planted(const struct stat *folder, const struct stat *entry)
{
    return folder->st_mode & S_IWOTH && is_foreign(entry->st_uid) &&
           entry->st_uid != folder->st_uid;
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

static int is_proc(int folder)
{
    struct statfs about;

    return !fstatfs(folder, &about) && about.f_type == PROC_SUPER_MAGIC;
}

/* Goes on to the folder of that name, or to "/" or "." where the walk begins. Links are followed in
 * /proc alone: their texts are not paths. */
static int enter(const char *path, const char *name, struct topomap_folder *folder,
                 topomap_error *err)
{
    int follow = folder->fd < 0 || is_proc(folder->fd) ? 0 : O_NOFOLLOW;
    int next = openat(folder->fd < 0 ? AT_FDCWD : folder->fd, name,
                      O_PATH | O_DIRECTORY | O_CLOEXEC | follow);

    if (next < 0)
        return cannot(path, err);
    if (folder->fd >= 0)
        close(folder->fd);
    folder->fd = next;
    return 0;
}

/* Replaces a link's name by its target: *rest becomes the target, followed by \p behind. */
static int follow(const char *path, const char *name, const char *behind, char **rest,
                  struct topomap_folder *folder, topomap_error *err)
{
    char text[PATH_MAX], *next;
    ssize_t size = readlinkat(folder->fd, name, text, sizeof text - 1);

    if (size <= 0)
        return cannot(path, err);
    text[size] = '\0';
    next = topomap_alloc(strlen(behind) + (size_t)size + 1, 1, err);
    if (!next)
        return -1;
    sprintf(next, "%s%s", text, behind);
    free(*rest);
    *rest = next;
    if (*text != '/')
        return 0;
    close(folder->fd);
    folder->fd = -1;
    return enter(path, "/", folder, err);
}

/* Returns nonzero if this user or root owns both the folder and the link; else \p err is set. */
static int may_follow(const char *path, const char *name, const struct stat *folder,
                      const struct stat *link, topomap_error *err)
{
    uid_t owner = is_foreign(folder->st_uid) ? folder->st_uid : link->st_uid;

    if (!is_foreign(owner))
        return 1;
    topomap_error_set(err, TOPOMAP_ESYSTEM,
                      "%s: '%s' is a link of another user (uid %u), which is not followed: name "
                      "the file without links (realpath)",
                      path, name, owner);
    return 0;
}

/* Takes the first name of \p rest, and sets folder->name if it is the last one and no link. */
static int step(const char *path, char **rest, int *links, struct topomap_folder *folder,
                topomap_error *err)
{
    const char *at = *rest + strspn(*rest, "/"), *behind = at + strcspn(at, "/");
    char name[NAME_MAX + 1];
    struct stat about;
    int is_last = !*behind, is_link;

    errno = ENAMETOOLONG;
    if (behind - at > NAME_MAX)
        return cannot(path, err);
    snprintf(name, sizeof name, "%.*s", (int)(behind - at), at);
    if (is_last && (!*name || !strcmp(name, ".") || !strcmp(name, "..")))
        return topomap_error_set(err, TOPOMAP_EUSAGE, "%s: is a directory", path);
    folder->exists = !fstatat(folder->fd, name, &folder->file, AT_SYMLINK_NOFOLLOW);
    if ((!folder->exists && (errno != ENOENT || !is_last)) || fstat(folder->fd, &about))
        return cannot(path, err);
    is_link = folder->exists && S_ISLNK(folder->file.st_mode);
    if (folder->exists && is_last && !is_link && is_planted(&about, &folder->file))
        return topomap_error_set(err, TOPOMAP_ESYSTEM,
                                 "%s: %s is another user's, in a folder that everybody may write "
                                 "to: take another name or folder",
                                 path, name);
    folder->number = folder->exists && is_last ? own_number(&about, name) : -1;
    if (is_link && folder->number < 0 && (is_last || !is_proc(folder->fd))) {
        errno = ELOOP;
        if (++*links > LINKS_MOST)
            return cannot(path, err);
        return may_follow(path, name, &about, &folder->file, err)
                   ? follow(path, name, behind, rest, folder, err)
                   : -1;
    }
    if (!is_last) {
        memmove(*rest, behind, strlen(behind) + 1);
        return enter(path, name, folder, err);
    }
    folder->name = topomap_strdup(name, err);
    return folder->name ? 0 : -1;
}

int topomap_folder_find(const char *path, struct topomap_folder *folder, topomap_error *err)
{
    char *rest = topomap_strdup(path, err);
    struct topomap_folder found = {.fd = -1};
    int result = rest ? enter(path, *path == '/' ? "/" : ".", &found, err) : -1, links = 0;

    while (!result && !found.name)
        result = step(path, &rest, &links, &found, err);
    free(rest);
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
