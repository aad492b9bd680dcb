/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/alloc.h"

/* ---- Statements -------------------------------------------------------------------------- */

/* What SQLite says of a file whose bytes are wrong. SQLITE_ERROR too: our statements fit our
 * schema, so a table or column that is missing is damage. */
static int is_damage(int code)
{
    static const int codes[] = {SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR,
                                SQLITE_FORMAT,  SQLITE_SCHEMA, SQLITE_MISMATCH};

    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i] == code)
            return 1;
    return 0;
}

int db_failed(sqlite3 *file, topomap_error *err)
{
    const char *name = sqlite3_db_filename(file, "main");

    if (is_damage(sqlite3_errcode(file) & 0xff))
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s: the topology database is damaged (%s): import the dumps into "
                                 "a new one",
                                 name ? name : "", sqlite3_errmsg(file));
    return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: topology database: %s", name ? name : "",
                             sqlite3_errmsg(file));
}

int db_execute(sqlite3 *file, const char *sql, topomap_error *err)
{
    return sqlite3_exec(file, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : db_failed(file, err);
}

sqlite3_stmt *db_prepare(sqlite3 *file, const char *sql, topomap_error *err)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(file, sql, -1, &statement, NULL) != SQLITE_OK)
        db_failed(file, err);
    return statement;
}

int db_step(sqlite3_stmt *statement, topomap_error *err)
{
    int code = sqlite3_step(statement);

    if (code == SQLITE_ROW)
        return 1;
    return code == SQLITE_DONE ? 0 : db_failed(sqlite3_db_handle(statement), err);
}

int db_insert(sqlite3_stmt *statement, topomap_error *err)
{
    int result = db_step(statement, err);

    sqlite3_reset(statement);
    return result < 0 ? -1 : 0;
}

int db_number(sqlite3 *file, const char *sql, int64_t otherwise, int64_t *number,
              topomap_error *err)
{
    sqlite3_stmt *statement = db_prepare(file, sql, err);
    int row = statement ? db_step(statement, err) : -1;

    if (row >= 0)
        *number = row && sqlite3_column_type(statement, 0) != SQLITE_NULL
                      ? sqlite3_column_int64(statement, 0)
                      : otherwise;
    sqlite3_finalize(statement);
    return row < 0 ? -1 : 0;
}

char *db_column_copy(sqlite3_stmt *statement, int column, topomap_error *err)
{
    const char *text = (const char *)sqlite3_column_text(statement, column);

    return topomap_strdup(text ? text : "", err);
}

int db_fact_text(sqlite3 *file, const char *name, char *text, size_t size, topomap_error *err)
{
    sqlite3_stmt *statement = db_prepare(file, "SELECT value FROM fact WHERE name=?", err);
    int row;

    if (!statement)
        return -1;
    sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    row = db_step(statement, err);
    if (row >= 0) {
        const char *value = row ? (const char *)sqlite3_column_text(statement, 0) : NULL;

        snprintf(text, size, "%s", value ? value : "");
    }
    sqlite3_finalize(statement);
    return row < 0 ? -1 : 0;
}

/* ---- The file ---------------------------------------------------------------------------- */

static uint32_t big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Looks at the file's header (sqlite.org/fileformat2.html, "The Database Header"): 1 ours,
 * 0 absent or empty, -1 something else. */
static int look(const char *path, topomap_error *err)
{
    unsigned char header[100];
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got;

    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd < 0)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: cannot open: %s", path,
                                 strerror(errno));
    got = fstat(fd, &about) == 0 && S_ISREG(about.st_mode) ? read(fd, header, sizeof header) : -1;
    close(fd);
    if (got == 0)
        return 0;
    if (got < (ssize_t)sizeof header || memcmp(header, "SQLite format 3", 16) != 0 ||
        big_endian(header + 68) != DB_APPLICATION)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s: not a topology database (made by 'topomap db import')", path);
    if (big_endian(header + 60) != DB_SCHEMA)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s: schema version %u, but this topomap reads version %d: use "
                                 "the topomap that made it, or import the dumps again",
                                 path, big_endian(header + 60), DB_SCHEMA);
    return 1;
}

/* file: URI of a path (RFC 3986: everything but unreserved characters and '/' as %XX). */
static char *uri(const char *path, const char *query, topomap_error *err)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789-._~/";
    char *text = topomap_alloc(strlen(path) * 3 + strlen(query) + 16, 1, err);
    char *at = text;

    if (!text)
        return NULL;
    at += sprintf(at, "file:");
    for (; *path; path++)
        if (strchr(plain, *path))
            *at++ = *path;
        else
            at += sprintf(at, "%%%02X", (unsigned char)*path);
    strcpy(at, query);
    return text;
}

/* Pages are read, not mapped: as fast here, and where a network file system loses a file that was
 * replaced, or somebody cuts it, that is an error instead of a signal (SIGBUS). */
static int open_reader(topomap_db *db, topomap_error *err)
{
    char *name = uri(db->path, "?mode=ro&immutable=1", err);
    int code;

    if (!name)
        return -1;
    code = sqlite3_open_v2(name, &db->file,
                           SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    free(name);
    if (code != SQLITE_OK) {
        topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: cannot open: %s", db->path,
                          sqlite3_errstr(code));
        sqlite3_close(db->file);
        db->file = NULL;
        return -1;
    }
    return 0;
}

/* The path with symbolic links resolved; of a file that is not there yet, its folder's. */
static char *resolve(const char *path, topomap_error *err)
{
    char *whole = realpath(path, NULL);

    return whole ? whole : topomap_strdup(path, err);
}

static int open_handle(const char *path, int writable, topomap_db **db, topomap_error *err)
{
    int there = look(path, err);
    topomap_db *made;

    if (there < 0)
        return -1;
    if (!there && !writable)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s: no topology database; make one with 'topomap db import'",
                                 path);
    made = topomap_alloc(1, sizeof *made, err);
    if (!made)
        return -1;
    made->writable = writable;
    made->path = resolve(path, err);
    if (!made->path || (there && open_reader(made, err))) {
        topomap_db_close(made);
        return -1;
    }
    *db = made;
    return 0;
}

int topomap_db_open(const char *path, topomap_db **db, topomap_error *err)
{
    return open_handle(path, 0, db, err);
}

int topomap_db_create(const char *path, topomap_db **db, topomap_error *err)
{
    return open_handle(path, 1, db, err);
}

void topomap_db_close(topomap_db *db)
{
    if (!db)
        return;
    sqlite3_close(db->file);
    free(db->lent);
    free(db->path);
    free(db);
}

/* ---- Writing ----------------------------------------------------------------------------- */

/* Opens and locks the copy. A copy that a killed writer left behind is taken over; one that
 * another writer put in place between our open and our lock is not ours: try again. */
static int lock_copy(struct db_writer *writer, topomap_error *err)
{
    for (int attempt = 0; attempt < 100; attempt++) {
        struct stat opened, named;

        writer->lock = open(writer->copy, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
        if (writer->lock < 0)
            return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: cannot write: %s", writer->copy,
                                     strerror(errno));
        if (flock(writer->lock, LOCK_EX | LOCK_NB)) {
            close(writer->lock);
            writer->lock = -1;
            return topomap_error_set(err, TOPOMAP_ESYSTEM,
                                     "%s: locked: another import into this database is running; "
                                     "try again when it is done",
                                     writer->db->path);
        }
        if (fstat(writer->lock, &opened) == 0 && stat(writer->copy, &named) == 0 &&
            opened.st_ino == named.st_ino && opened.st_dev == named.st_dev)
            return 0;
        close(writer->lock);
    }
    writer->lock = -1;
    return topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: cannot lock", writer->copy);
}

static int write_all(int fd, const char *bytes, size_t size)
{
    while (size) {
        ssize_t done = write(fd, bytes, size);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return -1;
        bytes += done;
        size -= (size_t)done;
    }
    return 0;
}

static int copy_bytes(int from, int to, topomap_error *err)
{
    static const size_t piece = 1 << 20;
    char *buffer = topomap_alloc(piece, 1, err);
    ssize_t got = 1;

    if (!buffer)
        return -1;
    while (got > 0) {
        got = read(from, buffer, piece);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0 && write_all(to, buffer, (size_t)got))
            got = -1;
    }
    free(buffer);
    return got < 0 ? topomap_error_set(err, TOPOMAP_ESYSTEM, "cannot copy: %s", strerror(errno))
                   : 0;
}

/* Copies the database's bytes, owner and mode. */
static int fill_copy(struct db_writer *writer, topomap_error *err)
{
    int from = open(writer->db->path, O_RDONLY | O_CLOEXEC), result;
    topomap_error inner;
    struct stat about;

    if (ftruncate(writer->lock, 0) || (from < 0 && errno != ENOENT)) {
        result = topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: cannot copy: %s", writer->db->path,
                                   strerror(errno));
        if (from >= 0)
            close(from);
        return result;
    }
    if (from < 0)
        return 0;
    result = copy_bytes(from, writer->lock, &inner);
    if (result)
        topomap_error_set(err, inner.code, "%s: %s", writer->copy, inner.text);
    if (!result && fstat(from, &about) == 0) {
        /* As far as we may: an import by another user of the group keeps the mode at least. */
        if (fchown(writer->lock, about.st_uid, about.st_gid) == 0 || errno == EPERM)
            fchmod(writer->lock, about.st_mode & 07777);
    }
    close(from);
    return result;
}

static int open_copy(struct db_writer *writer, topomap_error *err)
{
    int there = look(writer->copy, err);

    if (there < 0)
        return -1;
    if (sqlite3_open_v2(writer->copy, &writer->file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK)
        return db_failed(writer->file, err);
    /* The copy is thrown away if anything fails, so it needs no journal. */
    if (db_execute(writer->file,
                   "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
                   "PRAGMA cache_size=-65536; PRAGMA temp_store=MEMORY;",
                   err))
        return -1;
    if (!there) {
        char *stamp = sqlite3_mprintf("PRAGMA application_id=%d; PRAGMA user_version=%d;",
                                      DB_APPLICATION, DB_SCHEMA);
        int result = stamp ? db_execute(writer->file, stamp, err) : db_failed(writer->file, err);

        sqlite3_free(stamp);
        if (result || db_execute(writer->file, db_schema, err))
            return -1;
    } else if (db_execute(writer->file, DB_SLURM_SETTING, err)) {
        return -1;
    }
    return db_execute(writer->file, "BEGIN EXCLUSIVE", err);
}

int db_writer_begin(topomap_db *db, struct db_writer *writer, topomap_error *err)
{
    *writer = (struct db_writer){.db = db, .lock = -1};
    if (!db->writable)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "%s: open for reading only", db->path);
    writer->copy = topomap_alloc(strlen(db->path) + 8, 1, err);
    if (!writer->copy)
        return -1;
    sprintf(writer->copy, "%s.import", db->path);
    if (lock_copy(writer, err) == 0) {
        if (fill_copy(writer, err) == 0 && open_copy(writer, err) == 0)
            return 0;
        unlink(writer->copy);
    }
    db_writer_abort(writer);
    return -1;
}

void db_writer_abort(struct db_writer *writer)
{
    sqlite3_close(writer->file);
    if (writer->lock >= 0) {
        unlink(writer->copy);
        close(writer->lock);
    }
    free(writer->copy);
    *writer = (struct db_writer){.lock = -1};
}

/* Makes the new name last even if the power fails. A file system that cannot is no error. */
static void sync_folder(const char *path)
{
    char *folder = strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
    int fd;

    if (slash)
        slash[slash == folder] = 0;
    fd = folder ? open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

int db_writer_commit(struct db_writer *writer, topomap_error *err)
{
    topomap_db *db = writer->db;
    int result = db_execute(writer->file, "COMMIT", err);

    if (!result && sqlite3_close(writer->file) != SQLITE_OK)
        result = db_failed(writer->file, err);
    else if (!result)
        writer->file = NULL;
    if (!result && (fsync(writer->lock) || rename(writer->copy, db->path)))
        result = topomap_error_set(err, TOPOMAP_ESYSTEM, "%s: cannot replace: %s", db->path,
                                   strerror(errno));
    if (result) {
        db_writer_abort(writer);
        return -1;
    }
    sync_folder(db->path);
    close(writer->lock);
    free(writer->copy);
    *writer = (struct db_writer){.lock = -1};
    sqlite3_close(db->file);
    db->file = NULL;
    return open_reader(db, err);
}
