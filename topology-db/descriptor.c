/* SPDX-License-Identifier: BSD-3-Clause */
/* The methods: sqlite.org/c3ref/io_methods.html, sqlite.org/c3ref/vfs.html. */
#include "topology-db/descriptor.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"

#define NAME "topomap-descriptor"

struct file {
    sqlite3_file base; /* first, as SQLite casts */
    int fd, writable;
};

static struct file *file_of(sqlite3_file *base)
{
    return (struct file *)(void *)base;
}

static int close_file(sqlite3_file *base)
{
    (void)base;
    return SQLITE_OK;
}

/* Pages are read, not mapped: as fast here, and where a network file system loses a file that was
 * replaced, or somebody cuts it, that is an error instead of a signal (SIGBUS). */
static int read_file(sqlite3_file *base, void *bytes, int size, sqlite3_int64 offset)
{
    int done = 0;

    while (done < size) {
        ssize_t got =
            pread(file_of(base)->fd, (char *)bytes + done, (size_t)(size - done), offset + done);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return SQLITE_IOERR_READ;
        if (got == 0) {
            memset((char *)bytes + done, 0, (size_t)(size - done)); /* as the contract has it */
            return SQLITE_IOERR_SHORT_READ;
        }
        done += (int)got;
    }
    return SQLITE_OK;
}

static int write_file(sqlite3_file *base, const void *bytes, int size, sqlite3_int64 offset)
{
    int done = 0;

    while (done < size) {
        ssize_t put = pwrite(file_of(base)->fd, (const char *)bytes + done, (size_t)(size - done),
                             offset + done);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return put == 0 || errno == ENOSPC || errno == EDQUOT || errno == EFBIG
                       ? SQLITE_FULL
                       : SQLITE_IOERR_WRITE;
        done += (int)put;
    }
    return SQLITE_OK;
}

static int truncate_file(sqlite3_file *base, sqlite3_int64 size)
{
    return ftruncate(file_of(base)->fd, size) ? SQLITE_IOERR_TRUNCATE : SQLITE_OK;
}

/* Whoever gave the descriptor syncs it. */
static int sync_file(sqlite3_file *base, int flags)
{
    (void)base;
    (void)flags;
    return SQLITE_OK;
}

static int size_file(sqlite3_file *base, sqlite3_int64 *size)
{
    struct stat about;

    if (fstat(file_of(base)->fd, &about))
        return SQLITE_IOERR_FSTAT;
    *size = about.st_size;
    return SQLITE_OK;
}

static int lock_file(sqlite3_file *base, int how)
{
    (void)base;
    (void)how;
    return SQLITE_OK;
}

static int is_reserved(sqlite3_file *base, int *answer)
{
    (void)base;
    *answer = 0;
    return SQLITE_OK;
}

static int control(sqlite3_file *base, int what, void *data)
{
    (void)base;
    (void)what;
    (void)data;
    return SQLITE_NOTFOUND;
}

static int sector_size(sqlite3_file *base)
{
    (void)base;
    return 4096;
}

/* Immutable: no locks, no look for journals. */
static int characteristics(sqlite3_file *base)
{
    return file_of(base)->writable ? 0 : SQLITE_IOCAP_IMMUTABLE;
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *given)
{
    static const sqlite3_io_methods methods = {
        .iVersion = 1,
        .xClose = close_file,
        .xRead = read_file,
        .xWrite = write_file,
        .xTruncate = truncate_file,
        .xSync = sync_file,
        .xFileSize = size_file,
        .xLock = lock_file,
        .xUnlock = lock_file,
        .xCheckReservedLock = is_reserved,
        .xFileControl = control,
        .xSectorSize = sector_size,
        .xDeviceCharacteristics = characteristics,
    };
    const char *number = name ? sqlite3_uri_parameter(name, "descriptor") : NULL;

    (void)vfs;
    base->pMethods = NULL;
    if (!number || !(flags & SQLITE_OPEN_MAIN_DB))
        return SQLITE_CANTOPEN;
    *file_of(base) = (struct file){.base.pMethods = &methods,
                                   .fd = atoi(number),
                                   .writable = (flags & SQLITE_OPEN_READWRITE) != 0};
    if (given)
        *given = flags;
    return SQLITE_OK;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs;
    (void)name;
    (void)sync;
    return SQLITE_IOERR_DELETE_NOENT;
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *answer)
{
    (void)vfs;
    (void)name;
    (void)flags;
    *answer = 0;
    return SQLITE_OK;
}

static int full_path(sqlite3_vfs *vfs, const char *name, int room, char *path)
{
    (void)vfs;
    if (strlen(name) >= (size_t)room)
        return SQLITE_CANTOPEN;
    strcpy(path, name);
    return SQLITE_OK;
}

/* The rest is the operating system's own. */
static int randomness(sqlite3_vfs *vfs, int size, char *bytes)
{
    sqlite3_vfs *system = vfs->pAppData;

    return system->xRandomness(system, size, bytes);
}

static int sleep_some(sqlite3_vfs *vfs, int microseconds)
{
    sqlite3_vfs *system = vfs->pAppData;

    return system->xSleep(system, microseconds);
}

static int current_time(sqlite3_vfs *vfs, double *days)
{
    sqlite3_vfs *system = vfs->pAppData;

    return system->xCurrentTime(system, days);
}

static int last_error(sqlite3_vfs *vfs, int room, char *text)
{
    (void)vfs;
    (void)room;
    (void)text;
    return errno;
}

/* SQLite keeps a list of these for the process, in the rows themselves: ours is the one thing,
 * beside METIS's lock, that stays when a call is over (tests/install/library.bats). */
static int make_known(topomap_error *err)
{
    static sqlite3_vfs vfs = {
        .iVersion = 1,
        .szOsFile = sizeof(struct file),
        .mxPathname = PATH_MAX,
        .zName = NAME,
        .xOpen = open_file,
        .xDelete = delete_file,
        .xAccess = access_file,
        .xFullPathname = full_path,
        .xRandomness = randomness,
        .xSleep = sleep_some,
        .xCurrentTime = current_time,
        .xGetLastError = last_error,
    };
    int code = sqlite3_initialize();
    sqlite3_vfs *system = code == SQLITE_OK ? sqlite3_vfs_find(NULL) : NULL;

    if (system && !sqlite3_vfs_find(NAME)) {
        sqlite3_mutex *lock = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_APP1);

        sqlite3_mutex_enter(lock);
        if (!sqlite3_vfs_find(NAME)) { /* another thread may have been first */
            vfs.pAppData = system;
            code = sqlite3_vfs_register(&vfs, 0);
        }
        sqlite3_mutex_leave(lock);
    }
    return system && code == SQLITE_OK
               ? 0
               : topomap_error_set(err, TOPOMAP_ESYSTEM, "SQLite cannot be started: %s",
                                   sqlite3_errstr(code));
}

/* file: URI of a path (RFC 3986: everything but unreserved characters and '/' as %XX). */
static char *uri(const char *path, int fd, topomap_error *err)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789-._~/";
    char *text = topomap_alloc(strlen(path) * 3 + 48, 1, err);
    char *at = text;

    if (!text)
        return NULL;
    at += sprintf(at, "file:");
    for (; *path; path++)
        if (strchr(plain, *path))
            *at++ = *path;
        else
            at += sprintf(at, "%%%02X", (unsigned char)*path);
    sprintf(at, "?descriptor=%d", fd);
    return text;
}

int db_descriptor_open(const char *path, int fd, int writable, sqlite3 **file, topomap_error *err)
{
    char *name = make_known(err) ? NULL : uri(path, fd, err);
    int code;

    if (!name)
        return -1;
    code = sqlite3_open_v2(name, file,
                           (writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) |
                               SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
                           NAME);
    free(name);
    if (code == SQLITE_OK)
        return 0;
    topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: cannot open: %s", path, sqlite3_errstr(code));
    sqlite3_close(*file);
    *file = NULL;
    return -1;
}
