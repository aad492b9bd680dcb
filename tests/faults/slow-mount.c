/* SPDX-License-Identifier: BSD-3-Clause */
/* slow-mount FOLDER DIR: what is in FOLDER is seen in DIR too, but each question that the kernel
 * asks about it (a name, a read, a write) takes 100 ms, as on a file server with too much to do.
 * Until it is killed. It says "ready" when it is mounted. Root only; libfuse 3's high-level
 * interface. */
#define _GNU_SOURCE
#define FUSE_USE_VERSION 30
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

static int below; /* FOLDER */

static const char *slowly(const char *path)
{
    nanosleep(&(struct timespec){.tv_nsec = 100 * 1000 * 1000}, NULL);
    return path[1] ? path + 1 : ".";
}

static int result(int status)
{
    return status < 0 ? -errno : 0;
}

/* What somebody makes is theirs, not the daemon's. */
static int theirs(const char *path)
{
    const struct fuse_context *who = fuse_get_context();

    return result(fchownat(below, path, who->uid, who->gid, AT_SYMLINK_NOFOLLOW));
}

static void *slow_init(struct fuse_conn_info *connection, struct fuse_config *config)
{
    (void)connection;
    config->entry_timeout = config->attr_timeout = config->negative_timeout = 0;
    puts("ready");
    fflush(stdout);
    return NULL;
}

static int slow_getattr(const char *path, struct stat *status, struct fuse_file_info *file)
{
    (void)file;
    return result(fstatat(below, slowly(path), status, AT_SYMLINK_NOFOLLOW));
}

static int slow_readlink(const char *path, char *text, size_t size)
{
    ssize_t length = readlinkat(below, slowly(path), text, size - 1);

    if (length < 0)
        return -errno;
    text[length] = 0;
    return 0;
}

static int slow_mkdir(const char *path, mode_t mode)
{
    int status = result(mkdirat(below, slowly(path), mode));

    return status ? status : theirs(path + 1);
}

static int slow_unlink(const char *path)
{
    return result(unlinkat(below, slowly(path), 0));
}

static int slow_rmdir(const char *path)
{
    return result(unlinkat(below, slowly(path), AT_REMOVEDIR));
}

static int slow_rename(const char *from, const char *to, unsigned flags)
{
    return flags ? -EINVAL : result(renameat(below, slowly(from), below, to + 1));
}

static int slow_link(const char *from, const char *to)
{
    return result(linkat(below, slowly(from), below, to + 1, 0));
}

static int slow_symlink(const char *text, const char *path)
{
    return result(symlinkat(text, below, slowly(path)));
}

static int slow_chmod(const char *path, mode_t mode, struct fuse_file_info *file)
{
    (void)file;
    return result(fchmodat(below, slowly(path), mode, 0));
}

static int slow_chown(const char *path, uid_t uid, gid_t gid, struct fuse_file_info *file)
{
    (void)file;
    return result(fchownat(below, slowly(path), uid, gid, AT_SYMLINK_NOFOLLOW));
}

static int slow_utimens(const char *path, const struct timespec times[2],
                        struct fuse_file_info *file)
{
    (void)file;
    return result(utimensat(below, slowly(path), times, AT_SYMLINK_NOFOLLOW));
}

static int slow_truncate(const char *path, off_t size, struct fuse_file_info *file)
{
    int fd, status;

    if (file)
        return result(ftruncate((int)file->fh, size));
    fd = openat(below, slowly(path), O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    status = result(ftruncate(fd, size));
    close(fd);
    return status;
}

static int slow_open(const char *path, struct fuse_file_info *file)
{
    int fd = openat(below, slowly(path), (file->flags & ~O_EXCL) | O_CLOEXEC);

    file->fh = fd < 0 ? 0 : (uint64_t)fd;
    return result(fd);
}

static int slow_create(const char *path, mode_t mode, struct fuse_file_info *file)
{
    int fd = openat(below, slowly(path), file->flags | O_CREAT | O_CLOEXEC, mode);

    file->fh = fd < 0 ? 0 : (uint64_t)fd;
    return fd < 0 ? -errno : theirs(path + 1);
}

static int slow_read(const char *path, char *bytes, size_t size, off_t at,
                     struct fuse_file_info *file)
{
    ssize_t done;

    slowly(path);
    done = pread((int)file->fh, bytes, size, at);
    return done < 0 ? -errno : (int)done;
}

static int slow_write(const char *path, const char *bytes, size_t size, off_t at,
                      struct fuse_file_info *file)
{
    ssize_t done;

    slowly(path);
    done = pwrite((int)file->fh, bytes, size, at);
    return done < 0 ? -errno : (int)done;
}

static int slow_fsync(const char *path, int data, struct fuse_file_info *file)
{
    (void)data;
    slowly(path);
    return result(fsync((int)file->fh));
}

static int slow_flock(const char *path, struct fuse_file_info *file, int how)
{
    slowly(path);
    return result(flock((int)file->fh, how));
}

static int slow_release(const char *path, struct fuse_file_info *file)
{
    (void)path;
    return result(close((int)file->fh));
}

static int slow_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t at,
                        struct fuse_file_info *file, enum fuse_readdir_flags flags)
{
    int fd = openat(below, slowly(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *row;

    (void)at, (void)file, (void)flags;
    if (!list)
        return -errno;
    while ((row = readdir(list)) != NULL && !fill(buffer, row->d_name, NULL, 0, 0))
        ;
    closedir(list);
    return 0;
}

static int slow_statfs(const char *path, struct statvfs *status)
{
    slowly(path);
    return result(fstatvfs(below, status));
}

int main(int argc, char **argv)
{
    static const struct fuse_operations operations = {.init = slow_init,
                                                      .getattr = slow_getattr,
                                                      .readlink = slow_readlink,
                                                      .mkdir = slow_mkdir,
                                                      .unlink = slow_unlink,
                                                      .rmdir = slow_rmdir,
                                                      .rename = slow_rename,
                                                      .link = slow_link,
                                                      .symlink = slow_symlink,
                                                      .chmod = slow_chmod,
                                                      .chown = slow_chown,
                                                      .utimens = slow_utimens,
                                                      .truncate = slow_truncate,
                                                      .open = slow_open,
                                                      .create = slow_create,
                                                      .read = slow_read,
                                                      .write = slow_write,
                                                      .fsync = slow_fsync,
                                                      .flock = slow_flock,
                                                      .release = slow_release,
                                                      .readdir = slow_readdir,
                                                      .statfs = slow_statfs};
    char *words[] = {argv[0], "-f", "-o", "allow_other,default_permissions", NULL, NULL};

    below = argc == 3 ? open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (below < 0) {
        fprintf(stderr, "usage: slow-mount FOLDER DIR (%s)\n", strerror(errno));
        return 2;
    }
    umask(0); /* theirs has been applied */
    words[4] = argv[2];
    return fuse_main(5, words, &operations, NULL);
}
