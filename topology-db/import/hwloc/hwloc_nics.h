/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_DB_HWLOC_NICS_H
#define TOPOMAP_DB_HWLOC_NICS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** The GUIDs of an hwloc XML's InfiniBand adapters (OS devices with the infos NodeGUID,
 *  SysImageGUID and Port<n>GID0, whose second half is the port's): a line "DEVICE GUID" each, the
 *  GUID as 16 hexadecimal digits. -1 where hwloc cannot load it; then nothing is written. Call it
 *  in a child process: libhwloc trusts the XML. \p xml has \p size bytes and a NUL, and is
 *  changed. */
int db_hwloc_nics(char *xml, size_t size, FILE *out);
/** Reads the next line of it; 1 a line, 0 the end. \p device [\p room]. */
int db_hwloc_nic(const char **lines, char *device, size_t room, uint64_t *guid);

#endif
