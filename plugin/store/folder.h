/* SPDX-License-Identifier: BSD-3-Clause */
/* The store's folders, opened once and used by their descriptors alone: what somebody puts in their
 * place later does not matter. */
#ifndef TOPOMAP_STORE_FOLDER_H
#define TOPOMAP_STORE_FOLDER_H

#include "plugin/store/store.h"

#include <dirent.h>
#include <stddef.h>
#include <sys/types.h>

/** A folder beside \p at (or AT_FDCWD) that is this user's and that nobody else can write; a link
 * is none. \return its descriptor, or -1 with errno: EPERM, where it is another's */
int store_folder_own(int at, const char *name);
/** The same, made (mode 0700) where there is none. */
int store_folder_make(int at, const char *name);

/** What errno says of these, for people. */
const char *store_folder_why(void);

/** The store itself. \return its descriptor, or -1 with errno, EPERM where it is not this user's */
int store_folder_root(const store *store);
/** "profiles" or "run" of the store. \return its descriptor; -1: \p err is filled */
int store_folder_open(const store *store, const char *below, int make, topomap_error *err);

/** Its names; the descriptor stays as it is. NULL with errno. */
DIR *store_folder_list(int folder);

/** Reads a small plain file of this user's into \p text, which it ends with a NUL.
 *  \return 1, or 0: there is none, or a longer one */
int store_file_read(int at, const char *name, char *text, size_t room);
enum { STORE_BESIDE = 64 };

/** Makes a file that is to take the place of \p name, or to be gone soon. \p beside is what it is
 *  called. \return its descriptor, or -1 with errno */
int store_file_make(int at, const char *name, char beside[STORE_BESIDE]);
/** Whether such a file has this name. */
int store_file_is_beside(const char *name);
/** A file beside \p at appears whole, or nothing does.
 *  \param now  the folder's time (folder_time.h): the file gets no earlier one; 0: not known
 *  \return -1 with errno */
int store_file_write(int at, const char *name, const char *text, size_t size, int64_t now);

#endif
