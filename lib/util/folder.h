/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a path's file lies: its folder, held open, and its name there. */
#pragma once

#include <sys/stat.h>

#include "topomap/topomap.h"

struct topomap_folder {
    int fd;     /* the folder (O_PATH) */
    char *name; /* of the file in it */
    int exists;
    struct stat file; /* where it exists; no link */
    int number;       /* of our own descriptor that the path stands for (/dev/stdout), else -1 */
};

/** Finds the folder of \p path, name by name. A link is followed to its end only if it and the
 *  folder that it is in belong to this user or root; links of /proc always are. In a folder that
 *  everybody may write to, other users' files, FIFOs and devices are refused. The file need not
 *  exist; a folder is refused. */
int topomap_folder_find(const char *path, struct topomap_folder *folder, topomap_error *err);
/** Refuses a folder where any user may take a file away and put his own in its place. Its owner and
 *  its group may; they could do so with the finished file, too. */
int topomap_folder_check(const char *path, const struct topomap_folder *folder, topomap_error *err);
void topomap_folder_clear(struct topomap_folder *folder);
