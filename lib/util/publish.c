/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "util/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "util/alloc.h"

#define TRIES 100
/* What a name may have beside the old name's beginning. */
#define NAME_ROOM (sizeof "..0123456789abcdef" TOPOMAP_PUBLISH_ENDING)

struct topomap_publish {
    char *path; /* as the caller has it, for messages */
    struct topomap_folder folder;
    int fd;
    int nameless;            /* made without a name */
    char name[NAME_MAX + 1]; /* that it has in the folder now, or "" */
};

static int system_fail(const topomap_publish *p, const char *what, topomap_error *err)
{
    return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: cannot %s: %s", p->path, what,
                             strerror(errno));
}

/* A name beside the file's that nobody can have made before. */
static int make_name(topomap_publish *p)
{
    unsigned long long number;

    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return -1;
    snprintf(p->name, sizeof p->name, ".%.*s.%016llx" TOPOMAP_PUBLISH_ENDING,
             (int)(NAME_MAX - NAME_ROOM), p->folder.name, number);
    return 0;
}

/* Where the finished file gets its name from: linkat(2), of a file without one. */
static void descriptor_path(const topomap_publish *p, char *text, size_t size)
{
    snprintf(text, size, "/proc/self/fd/%d", p->fd);
}

static int open_nameless(topomap_publish *p, mode_t mode)
{
    char itself[40];

    p->fd = openat(p->folder.fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    descriptor_path(p, itself, sizeof itself);
    if (p->fd >= 0 && access(itself, F_OK)) { /* no /proc: it could not be given a name */
        close(p->fd);
        p->fd = -1;
    }
    p->nameless = p->fd >= 0;
    return p->nameless ? 0 : -1;
}

static int open_named(topomap_publish *p, mode_t mode)
{
    for (int i = 0; i < TRIES && p->fd < 0; i++) {
        if (make_name(p))
            break;
        p->fd =
            openat(p->folder.fd, p->name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (p->fd < 0 && errno != EEXIST)
            break;
    }
    if (p->fd < 0)
        p->name[0] = '\0';
    return p->fd < 0 ? -1 : 0;
}

/* What replaces a file is its user's alone until it is finished; what is new has the mode that the
 * umask and the folder's ACL leave it. Its owner tells nothing: a file server gives what root makes
 * to nobody (exports(5), root_squash), and O_EXCL says that it is new. */
static int open_file(topomap_publish *p, topomap_error *err)
{
    const mode_t mode = p->folder.exists ? 0600 : 0666;
    struct stat about;

    if (open_nameless(p, mode) && open_named(p, mode))
        return system_fail(p, "create a file beside it", err);
    if (fstat(p->fd, &about))
        return system_fail(p, "stat the file beside it", err);
    if (!S_ISREG(about.st_mode) || about.st_size || about.st_nlink > 1 ||
        about.st_mode & ~mode & 0777)
        return topomap_error_set(
            err, TOPOMAP_ESYSTEM,
            "%s: the file system made another file beside it than was asked for", p->path);
    return 0;
}

int topomap_publish_begin_at(const char *path, struct topomap_folder *folder,
                             topomap_publish **publish, topomap_error *err)
{
    topomap_publish *made = topomap_alloc(1, sizeof *made, err);
    int result = -1;

    if (!made) {
        topomap_folder_clear(folder);
        return -1;
    }
    made->fd = -1;
    made->folder = *folder;
    *folder = (struct topomap_folder){.fd = -1};
    made->path = topomap_strdup(path, err);
    if (made->path) {
        if (made->folder.number >= 0 ||
            (made->folder.exists && !S_ISREG(made->folder.file.st_mode)))
            topomap_error_set(err, TOPOMAP_EUSAGE, "%s: is no regular file", path);
        else if (topomap_folder_check(path, &made->folder, err) == 0)
            result = open_file(made, err);
    }
    if (result)
        topomap_publish_abandon(made);
    else
        *publish = made;
    return result;
}

int topomap_publish_begin(const char *path, topomap_publish **publish, topomap_error *err)
{
    struct topomap_folder folder;

    return topomap_folder_find(path, &folder, err)
               ? -1
               : topomap_publish_begin_at(path, &folder, publish, err);
}

int topomap_publish_fd(const topomap_publish *publish)
{
    return publish->fd;
}

int topomap_publish_overtaken(const topomap_publish *p)
{
    const struct stat *old = &p->folder.file;
    struct stat now;

    if (fstatat(p->folder.fd, p->folder.name, &now, AT_SYMLINK_NOFOLLOW))
        return p->folder.exists;
    return !p->folder.exists || now.st_dev != old->st_dev || now.st_ino != old->st_ino ||
           now.st_size != old->st_size || now.st_mtim.tv_sec != old->st_mtim.tv_sec ||
           now.st_mtim.tv_nsec != old->st_mtim.tv_nsec;
}

/* Owner, group and mode of the file that is replaced, as far as the user may give them; a group
 * that he is not in gets none of the rights that the old one had. */
static int dress(topomap_publish *p)
{
    const struct stat *old = &p->folder.file;
    mode_t mode = old->st_mode & 0777;
    struct stat now;

    if (!p->folder.exists)
        return 0;
    if (fstat(p->fd, &now))
        return -1;
    if (now.st_uid != old->st_uid && fchown(p->fd, old->st_uid, old->st_gid) == 0)
        now.st_gid = old->st_gid;
    if (now.st_gid != old->st_gid && fchown(p->fd, (uid_t)-1, old->st_gid))
        mode &= ~(mode_t)S_IRWXG;
    return fchmod(p->fd, mode);
}

static int link_as(const topomap_publish *p, const char *name)
{
    char itself[40];

    descriptor_path(p, itself, sizeof itself);
    if (!p->nameless)
        return linkat(p->folder.fd, p->name, p->folder.fd, name, 0);
    return linkat(AT_FDCWD, itself, p->folder.fd, name, AT_SYMLINK_FOLLOW);
}

/* The name is still that of our file: nobody but we and the folder's owner could change that. */
static int is_ours(const topomap_publish *p)
{
    struct stat named, opened;

    if (fstatat(p->folder.fd, p->name, &named, AT_SYMLINK_NOFOLLOW) || fstat(p->fd, &opened))
        return 0;
    errno = ESTALE;
    return named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

static int give_name(topomap_publish *p)
{
    int i = 0;

    if (p->name[0])
        return 0;
    do {
        if (make_name(p))
            return -1;
        if (link_as(p, p->name) == 0)
            return 0;
    } while (errno == EEXIST && ++i < TRIES);
    p->name[0] = '\0';
    return -1;
}

static int put_in_place(topomap_publish *p, int new_only)
{
    /* A link never replaces what is there, a rename does. Some file systems have no links. */
    if (!p->folder.exists && (new_only || p->nameless)) {
        if (link_as(p, p->folder.name) == 0)
            return 0;
        if (new_only && errno == EEXIST)
            return -1;
    }
    if (give_name(p) || !is_ours(p) ||
        renameat(p->folder.fd, p->name, p->folder.fd, p->folder.name))
        return -1;
    p->name[0] = '\0';
    return 0;
}

/* Makes the name last even if the power fails. A folder that cannot be read, or a file system that
 * cannot do it, is no error. */
static void sync_folder(const topomap_publish *p)
{
    int fd = openat(p->folder.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

static int end(topomap_publish *p, int failed, topomap_error *err)
{
    int result = failed ? system_fail(p, "write", err) : 0;

    topomap_publish_abandon(p);
    return result;
}

int topomap_publish_commit(topomap_publish *p, int new_only, topomap_error *err)
{
    /* fsync(2): EINVAL where a file system has nothing to do for it. */
    int failed = dress(p) || (fsync(p->fd) && errno != EINVAL) || put_in_place(p, new_only);

    if (!failed)
        sync_folder(p);
    return end(p, failed, err);
}

/* A file server says at a close that it has no room (close(2)), of any of the file's descriptors.
 */
static int flush(const topomap_publish *p)
{
    int again = fcntl(p->fd, F_DUPFD_CLOEXEC, 0);

    return again < 0 ? -1 : close(again);
}

int topomap_publish_place(topomap_publish *p, topomap_error *err)
{
    return end(p, dress(p) || flush(p) || put_in_place(p, 0), err);
}

void topomap_publish_abandon(topomap_publish *p)
{
    if (!p)
        return;
    if (p->name[0] && is_ours(p))
        unlinkat(p->folder.fd, p->name, 0);
    if (p->fd >= 0)
        close(p->fd);
    topomap_folder_clear(&p->folder);
    free(p->path);
    free(p);
}
