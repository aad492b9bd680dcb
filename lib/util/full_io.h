/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors: complete reads and writes despite short counts and signals, and opening untrusted
 * files. */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- full_io ------------------------------------------------------------------- */

/** \return 0, or -1 with errno */
int topomap_whole_write(int fd, const void *bytes, size_t size);
/** \return 0, or -1 with errno, which is 0 where the end came first */
int topomap_whole_read(int fd, void *bytes, size_t size);

/** Moves a descriptor that has just been opened, or -1, to \p least or above, closed at exec: 0 to
 *  2 are standard streams, also where a program has closed them. Where there is no such number, one
 *  from 3 on stays. \return the descriptor; -1 with errno, and it is closed */
int topomap_whole_raise(int fd, int least);

/** Opens an existing regular file and never waits: a FIFO without a writer, a terminal or another
 * device is refused.
 *  \param folder  a descriptor, or AT_FDCWD
 *  \param flags   O_RDONLY or O_RDWR, with O_NOFOLLOW where a link is refused, too
 *  \param about   filled; its st_mode is 0 if nothing could be opened
 *  Returns a descriptor that is closed at exec, or -1 with errno set (EINVAL: not a regular file).
 *  The caller closes it. */
int topomap_untrusted_open(int folder, const char *path, int flags, struct stat *about);

/** Returns why topomap_untrusted_open() has failed, by its \p about and errno, for a message behind
 * "PATH: ". */
const char *topomap_untrusted_why(const struct stat *about);

/* ---- Closed with their scope --------------------------------------------------- */

/** Attributes of a local descriptor, stream or directory: it is closed at the end of its scope, if
 *  it is open (not negative, not NULL). errno stays. The variable must be initialised. */
#define TOPOMAP_CLOSED __attribute__((cleanup(topomap_close_local)))
#define TOPOMAP_CLOSED_FILE __attribute__((cleanup(topomap_close_file)))
#define TOPOMAP_CLOSED_DIR __attribute__((cleanup(topomap_close_dir)))
static inline void topomap_close_local(const int *fd)
{
    int why = errno;

    if (*fd >= 0)
        close(*fd);
    errno = why;
}
static inline void topomap_close_file(FILE *const *file)
{
    int why = errno;

    if (*file)
        fclose(*file);
    errno = why;
}
static inline void topomap_close_dir(DIR *const *list)
{
    int why = errno;

    if (*list)
        closedir(*list);
    errno = why;
}

/* ---- standard files ------------------------------------------------------------ */
/* A program that was started with descriptor 0, 1 or 2 closed would open its first file under that
 * number, and what it prints would go into that file. */

/** Opens /dev/null as each of the descriptors 0, 1 and 2 that is closed, so that reading from it
 * or writing to it fails with EBADF, as before. To be called first in main(), before there are
 * threads. Returns 0, or -1 with errno set. */
int topomap_standard_files_open(void);
