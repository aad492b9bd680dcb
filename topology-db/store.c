/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of a database. */
#include "topology-db/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "topology-db/sql_functions.h"
#include "topology-db/descriptor.h"
#include "util/alloc.h"
#include "util/full_io.h"

static uint32_t big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Opens a file and looks at its header (sqlite.org/fileformat2.html, "The Database Header"): 1
 * ours, in *fd; 0 absent or empty, -1 something else. */
static int look(const char *path, int *fd, topomap_error *err)
{
    unsigned char header[100];
    struct stat about;
    ssize_t got;

    *fd = topomap_untrusted_open(AT_FDCWD, path, O_RDONLY, &about);
    if (*fd < 0 && errno == ENOENT)
        return 0;
    if (*fd < 0)
        return topomap_error_set(err, about.st_mode ? TOPOMAP_EINPUT : TOPOMAP_ESYSTEM,
                                 "%s: cannot open: %s", path, topomap_untrusted_why(&about));
    got = pread(*fd, header, sizeof header, 0);
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

/* The path with symbolic links resolved. Who writes follows them himself, as some are not to be
 * followed (util/folder.h). */
static char *resolve(const char *path, int writable, topomap_error *err)
{
    char *whole = writable ? NULL : realpath(path, NULL);

    return whole ? whole : topomap_strdup(path, err);
}

static void close_file(topomap_db *db)
{
    sqlite3_close(db->file);
    db->file = NULL;
    if (db->fd >= 0)
        close(db->fd);
    db->fd = -1;
}

int db_reopen(topomap_db *db, topomap_error *err)
{
    int there;

    close_file(db);
    there = look(db->path, &db->fd, err);
    if (there > 0)
        there = db_descriptor_open(db->path, db->fd, 0, &db->file, err) ||
                        db_schema_check(db->path, db->file, err) ||
                        db_functions_register(db->file, err)
                    ? -1
                    : 1;
    if (there <= 0)
        close_file(db);
    return there;
}

int db_imported(const topomap_db *db, topomap_error *err)
{
    return db->file ? 0
                    : topomap_error_set(err, TOPOMAP_EINPUT, "%s: nothing has been imported yet",
                                        db->path);
}

static int open_handle(const char *path, int writable, topomap_db **db, topomap_error *err)
{
    topomap_db *made = topomap_alloc(1, sizeof *made, err);
    int there;

    if (!made)
        return -1;
    made->fd = -1;
    made->writable = writable;
    made->path = resolve(path, writable, err);
    there = made->path ? db_reopen(made, err) : -1;
    if (!there && !writable)
        there =
            topomap_error_set(err, TOPOMAP_EINPUT,
                              "%s: no topology database; make one with 'topomap db import'", path);
    if (there < 0) {
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
    close_file(db);
    free(db->lent);
    free(db->path);
    free(db);
}
