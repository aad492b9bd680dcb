/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOPOMAP_DB_HWLOC_DEVICES_H
#define TOPOMAP_DB_HWLOC_DEVICES_H

#include "machine/devices.h"

/** The GPUs and NICs of an hwloc XML with I/O objects, with the links between GPUs (distances
 *  NVLinkBandwidth and XGMIBandwidth). -1 where hwloc cannot load it. Call it in a child process:
 *  libhwloc trusts the XML. \p xml has \p size bytes and a NUL, and is changed. */
int db_hwloc_devices(char *xml, size_t size, topomap_devices *devices, topomap_error *err);

/** Printed behind the devices' own text: what is one node's alone, a line "BUS UUID STATE" each. */
void db_hwloc_print_owned(const topomap_devices *devices, FILE *out);

#endif
