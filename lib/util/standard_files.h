/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that was started with descriptor 0, 1 or 2 closed would open its first file under that
 * number, and what it prints would go into that file. */
#ifndef TOPOMAP_UTIL_STANDARD_FILES_H
#define TOPOMAP_UTIL_STANDARD_FILES_H

/** Opens /dev/null as each of the descriptors 0, 1 and 2 that is closed, so that reading from it
 * or writing to it fails with EBADF, as before. To be called first in main(), before there are
 * threads. Returns 0, or -1 with errno set. */
int topomap_standard_files_open(void);

#endif
