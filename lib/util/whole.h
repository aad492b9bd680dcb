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

/** Moves a descriptor that has just been opened, or -1, to \p least or above, closed at exec: 0 to
 *  2 are standard streams, also where a program has closed them. Where there is no such number, one
 *  from 3 on stays. \return the descriptor; -1 with errno, and it is closed */
int topomap_whole_raise(int fd, int least);

#endif
