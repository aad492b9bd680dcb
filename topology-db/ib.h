/* SPDX-License-Identifier: BSD-3-Clause */
/* One InfiniBand subnet in memory, while its dump is read: vertices by GUID, and what each port
 * line said. */
#ifndef TOPOMAP_DB_IB_H
#define TOPOMAP_DB_IB_H

#include "topology-db/import.h"

enum ib_kind {
    IB_SWITCH,
    IB_ADAPTER,
    IB_ROUTER,
    IB_AGGREGATION, /* an in-network reduction engine: an adapter that no host has */
    IB_OTHER,       /* of unknown type */
    IB_HOST,        /* a host that the source itself names, with no GUID; text is its name */
};

struct ib_vertex {
    uint64_t guid, system;
    uint32_t vendor, device;
    uint16_t ports, lid;
    uint8_t kind, recorded;
    size_t text;  /* its description: offset into ib_fabric.text */
    size_t line;  /* of its header */
    size_t first; /* its ports are end[first .. first + ends) */
    size_t ends;
};

/** One port line. */
struct ib_end {
    uint32_t vertex, remote; /* indices of vertices */
    uint8_t port, remote_port;
    uint8_t width, speed; /* lanes, row of ib_speeds[]; 0 unknown */
    uint8_t lmc;
    uint16_t lid;  /* the local port's; 0 where the line has none */
    uint64_t guid; /* the local port's, likewise */
    size_t line;
};

struct ib_link {
    uint32_t a, b; /* indices of vertices, (a, aport) <= (b, bport) */
    uint8_t aport, bport, width, speed;
    uint8_t ends; /* how many of its ends were listed: 1 or 2 */
};

struct ib_fabric {
    struct ib_vertex *vertex;
    size_t vertices, vertex_room;
    struct ib_end *end;
    size_t ends, end_room;
    struct ib_link *link;
    size_t links, link_room;
    char *text;
    size_t text_size, text_room;
    uint32_t *slot; /* hash table: index of a vertex + 1, or 0 */
    size_t slots;   /* a power of two */
};

/** Per-lane signalling rates in Mb/s by speed code, and whether 8b/10b coding takes a fifth.
 *  Ends with name == NULL; row 0 is "???". */
struct ib_speed {
    const char *name;
    uint32_t mbps;
};
extern const struct ib_speed ib_speeds[];

/** Usable Mb/s of a link; 0 where its width or speed is unknown. */
uint32_t ib_mbps(uint32_t width, uint32_t speed);

/** Index of the vertex with this GUID, which is made, not recorded, where it is new. */
int ib_intern(struct ib_fabric *fabric, uint64_t guid, uint32_t *index, topomap_error *err);
/** Keeps a text; its offset, or SIZE_MAX. */
size_t ib_keep_text(struct ib_fabric *fabric, const char *text, size_t length, topomap_error *err);

/** Sorts vertices by GUID and ends by vertex and port, and joins ends into links. Ends that do not
 *  agree are warnings; two different lines for one port are an error. */
int ib_join(struct ib_fabric *fabric, struct db_import *import, topomap_error *err);

/** Writes a joined fabric as the import's source. */
int ib_write(struct db_import *import, void *fabric, topomap_error *err);
void ib_free(void *fabric);

/** The host that an adapter's description names: its first word where the second one is an
 *  adapter's name, or its only word; 0 where there is none (FORMATS: a driver that has not renamed
 *  its adapter, "MT4129 ConnectX7 ...").
 *  \param host  [size] */
int ib_host_name(const char *description, char *host, size_t size);
/** Whether an adapter is an in-network aggregation engine. */
int ib_is_aggregation(const char *description, uint32_t device);

#endif
