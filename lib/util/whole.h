/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes that are written or read all or not at all, however few the kernel takes at a time and
 * however often a signal comes between. */
#ifndef TOPOMAP_UTIL_WHOLE_H
#define TOPOMAP_UTIL_WHOLE_H

#include <stddef.h>

/** \return 0, or -1 with errno */
int topomap_whole_write(int fd, const void *bytes, size_t size);
/** \return 0, or -1 with errno, which is 0 where the end came first */
int topomap_whole_read(int fd, void *bytes, size_t size);

#endif
