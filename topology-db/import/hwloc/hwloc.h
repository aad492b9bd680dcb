/* SPDX-License-Identifier: BSD-3-Clause */
/* Topologies of nodes from hwloc's XML. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "machine/devices.h"
#include "topomap/topomap.h"

/* ---- Running code in a child process ---------------------------------------- */

/** Runs \p child in a process of its own, without a core file, output or signal handlers, that ends
 *  after two minutes, and takes what it writes to \p reply. A child that crashes has written less.
 *  \param path   of what it looks at, for errors
 *  \param most   bytes that are taken of it, at least
 *  \param reply  with a NUL behind; ends with free(), on failure, too */
int db_hwloc_ask(const char *path, void (*child)(FILE *reply, void *data), void *data, size_t most,
                 char **reply, size_t *size, topomap_error *err);

/* ---- hwloc child --------------------------------------------------------------- */

/** What a node's XML says, as text; all but \p text may be NULL. */
typedef struct db_hwloc_inside {
    char *text;    /* the shape (machine/shape.h) */
    char *host;    /* the node's name */
    char *nics;    /* its adapters (see hwloc nics, below) */
    char *devices; /* its GPUs and NICs (machine/devices.h) */
    char *owned;   /* what of these is this node's alone (see hwloc devices) */
} db_hwloc_inside;

/** Loads an hwloc XML in a child process.
 *  \param inside  all 0; db_hwloc_inside_clear() ends it, after a failure, too
 *  \param xml     may be changed in the child only */
int db_hwloc_load(const char *path, char *xml, size_t size, db_hwloc_inside *inside,
                  topomap_error *err);
void db_hwloc_inside_clear(db_hwloc_inside *inside);

/* ---- hwloc devices ------------------------------------------------------------- */

/** The GPUs and NICs of an hwloc XML with I/O objects, with the links between GPUs (distances
 *  NVLinkBandwidth and XGMIBandwidth). -1 where hwloc cannot load it. Call it in a child process:
 *  libhwloc trusts the XML. \p xml has \p size bytes and a NUL, and is changed. */
int db_hwloc_devices(char *xml, size_t size, topomap_devices *devices, topomap_error *err);

/** Printed behind the devices' own text: what is one node's alone, a line "BUS UUID STATE" each. */
void db_hwloc_print_owned(const topomap_devices *devices, FILE *out);

/* ---- hwloc diff ---------------------------------------------------------------- */
/* hwloc differences (hwloc-diff's output, <topologydiff>): what is other in a node than in the
 * node whose whole topology they refer to. */

int db_hwloc_is_diff(const char *xml, size_t size);

/** Applies a difference to the whole topology in \p base_path, in a process of its own, as libhwloc
 *  trusts its input.
 *  \param path   of the difference, for messages
 *  \param xml    the difference, replaced by the whole topology that comes of it; ends with free()
 *  \param base_path  NULL: an error that asks for it */
int db_hwloc_patch(const char *path, const char *base_path, char **xml, size_t *size,
                   topomap_error *err);

/* ---- hwloc nics ---------------------------------------------------------------- */

/** The GUIDs of an hwloc XML's InfiniBand adapters (OS devices with the infos NodeGUID,
 *  SysImageGUID and Port<n>GID0, whose second half is the port's): a line "DEVICE GUID" each, the
 *  GUID as 16 hexadecimal digits. -1 where hwloc cannot load it; then nothing is written. Call it
 *  in a child process: libhwloc trusts the XML. \p xml has \p size bytes and a NUL, and is
 *  changed. */
int db_hwloc_nics(char *xml, size_t size, FILE *out);
/** Reads the next line of it; 1 a line, 0 the end. \p device [\p room]. */
int db_hwloc_nic(const char **lines, char *device, size_t room, uint64_t *guid);
