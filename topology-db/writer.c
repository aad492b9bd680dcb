/* SPDX-License-Identifier: BSD-3-Clause */
/* A change of the database: a copy, a transaction in it, and the copy in the database's place. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "topology-db/sql_functions.h"
#include "topology-db/descriptor.h"
#include "topology-db/store.h"
#include "util/alloc.h"
#include "util/full_io.h"

static int locked(const char *path, topomap_error *err)
{
    return topomap_error_set(err, TOPOMAP_ESYSTEM,
                             "%s: locked: another import into this database is running; try again "
                             "when it is done",
                             path);
}

/* Whether \p path still names the locked file: another writer may have replaced it between our
 * open and our lock. */
static int is_current(int lock, const char *path)
{
    struct stat opened, named;

    return fstat(lock, &opened) == 0 && stat(path, &named) == 0 && opened.st_ino == named.st_ino &&
           opened.st_dev == named.st_dev;
}

/* The lock is for those who may write the database (a write lock wants a descriptor for writing,
 * fcntl(2)), so that no reader can keep imports out. Without it, a writer compares the file once
 * more at its end. */
int topomap_db_lock(const char *path, int *lock, topomap_error *err)
{
    for (int attempt = 0; attempt < 100; attempt++) {
        struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

        *lock = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        if (*lock < 0)
            return 0;
        if (fcntl(*lock, F_OFD_SETLK, &all) == 0 && is_current(*lock, path))
            return 0;
        if (fcntl(*lock, F_OFD_GETLK, &all) != 0 || all.l_type != F_WRLCK)
            all.l_type = F_UNLCK;
        close(*lock);
        *lock = -1;
        if (all.l_type == F_WRLCK)
            return locked(path, err);
    }
    return 0;
}

static int copy_database(const struct db_writer *writer, topomap_error *err)
{
    static const size_t piece = 1 << 20;
    TOPOMAP_FREED char *buffer = topomap_alloc(piece, 1, err);
    ssize_t got = 1;
    off_t at = 0;

    if (!buffer)
        return -1;
    while (got > 0) {
        got = pread(writer->db->fd, buffer, piece, at);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0 &&
                 topomap_whole_write(topomap_publish_fd(writer->copy), buffer, (size_t)got))
            got = -1;
        else
            at += got;
    }
    return got < 0 ? topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: cannot copy: %s",
                                       writer->db->path, strerror(errno))
                   : 0;
}

/* Switches the copy out of WAL mode, in which another program left the database: bytes 18 and 19 of
 * the header (sqlite.org/fileformat2.html). SQLite would need shared memory for it. Refuses if the
 * log beside the database has changes, which would be lost. */
static int leave_wal(const struct db_writer *writer, topomap_error *err)
{
    const char *path = writer->db->path;
    char whole[PATH_MAX], log[PATH_MAX + 8];
    int fd = topomap_publish_fd(writer->copy);
    unsigned char versions[2];
    struct stat about;

    if (pread(fd, versions, 2, 18) != 2 || (versions[0] < 2 && versions[1] < 2))
        return 0;
    snprintf(log, sizeof log, "%s-wal", realpath(path, whole) ? whole : "");
    if (stat(log, &about) == 0 && about.st_size > 0)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s: another program has left it in SQLite's WAL mode, with "
                                 "changes in %s: close that program, then run: sqlite3 '%s' "
                                 "'PRAGMA journal_mode=DELETE'",
                                 path, log, path);
    return pwrite(fd, "\1\1", 2, 18) == 2
               ? 0
               : topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: cannot copy: %s", path,
                                   strerror(errno));
}

static int make_schema(sqlite3 *file, topomap_error *err)
{
    char *stamp = sqlite3_mprintf("PRAGMA application_id=%d; PRAGMA user_version=%d;",
                                  DB_APPLICATION, DB_SCHEMA);
    int result = stamp ? db_execute(file, stamp, err) : db_failed(file, err);

    sqlite3_free(stamp);
    return result ? -1 : db_execute(file, db_schema, err);
}

/* The copy is thrown away if anything fails, so it needs no journal. */
static int open_copy(struct db_writer *writer, topomap_error *err)
{
    topomap_db *db = writer->db;

    if ((db->file && (copy_database(writer, err) || leave_wal(writer, err))) ||
        db_descriptor_open(db->path, topomap_publish_fd(writer->copy), 1, &writer->file, err) ||
        db_functions_register(writer->file, err) ||
        db_execute(writer->file,
                   "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
                   "PRAGMA cache_size=-65536; PRAGMA temp_store=MEMORY;",
                   err))
        return -1;
    if (db->file
            ? db_execute(writer->file, DB_SLURM_SETTING DB_MEASUREMENTS DB_DEVICES DB_ROUTING, err)
            : make_schema(writer->file, err))
        return -1;
    return db_execute(writer->file, "BEGIN EXCLUSIVE", err);
}

static void unlock(struct db_writer *writer)
{
    if (writer->lock >= 0)
        close(writer->lock);
    *writer = (struct db_writer){.lock = -1};
}

static void abandon(struct db_writer *writer)
{
    sqlite3_close(writer->file);
    topomap_publish_abandon(writer->copy);
    unlock(writer);
}

/* The lock first: what is opened under it nobody else replaces. */
int db_writer_begin(topomap_db *db, struct db_writer *writer, topomap_error *err)
{
    *writer = (struct db_writer){.db = db, .lock = -1};
    if (!db->writable)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "%s: open for reading only", db->path);
    if (topomap_db_lock(db->path, &writer->lock, err) == 0 &&
        topomap_publish_begin(db->path, &writer->copy, err) == 0 && db_reopen(db, err) >= 0) {
        if (topomap_publish_overtaken(writer->copy))
            locked(db->path, err);
        else if (open_copy(writer, err) == 0)
            return 0;
    }
    abandon(writer);
    return -1;
}

static int commit(struct db_writer *writer, topomap_error *err)
{
    topomap_db *db = writer->db;
    int result = db_execute(writer->file, "COMMIT", err);

    if (!result && sqlite3_close(writer->file) != SQLITE_OK)
        result = db_failed(writer->file, err);
    else if (!result)
        writer->file = NULL;
    if (!result && topomap_publish_overtaken(writer->copy))
        result = locked(db->path, err);
    if (!result) {
        result = topomap_publish_commit(writer->copy, 1, err);
        writer->copy = NULL;
    }
    if (result) {
        abandon(writer);
        return -1;
    }
    unlock(writer);
    return db_reopen(db, err) < 0 ? -1 : 0;
}

int db_writer_end(struct db_writer *writer, int result, topomap_error *err)
{
    if (!result)
        return commit(writer, err);
    abandon(writer);
    return -1;
}
