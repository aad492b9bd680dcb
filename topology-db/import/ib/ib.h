/* SPDX-License-Identifier: BSD-3-Clause */
/* An InfiniBand dump in memory, while it is read: vertices by GUID, and what each port line
 * said. */
#pragma once

#include "fabric/fabric.h"
#include "fabric/infiniband.h"
#include "topology-db/import/import.h"

struct ib_vertex {
    uint64_t guid, system;
    uint64_t port_guid; /* a switch's port 0, where the dump says it and it is another; else 0 */
    uint32_t vendor, device;
    uint16_t ports, lid; /* 0: not known */
    uint16_t subnet;     /* which of the dumps in one file, from 0 */
    uint8_t kind, recorded;
    uint32_t text; /* its description: offset into the texts, or UINT32_MAX */
    uint32_t was;  /* scratch: its index before vertices are sorted */
    size_t line;   /* of its header */
    size_t first;  /* its ports are end[first .. first + ends) */
    size_t ends;
};

/** One port line. */
struct ib_end {
    uint32_t vertex, remote; /* indices of vertices */
    uint8_t port, remote_port;
    uint8_t width, speed; /* lanes, row of ib_speeds[]; 0 unknown */
    uint8_t lmc, state;
    uint8_t derived; /* not listed itself: its neighbour's line describes both ends */
    uint16_t lid;    /* the local port's; 0 where the line has none */
    uint64_t guid;   /* the local port's, likewise */
    size_t line;
};

/** A port that the dump lists without a neighbour. What it says of such a port's width and speed
 *  is not kept: it means nothing. */
struct ib_idle {
    uint32_t vertex;
    uint8_t port;
    uint16_t lid;
    uint64_t guid; /* an adapter's; 0 for a switch's */
};

struct ib_fabric {
    topomap_fabric base; /* its links, once it is joined, and its texts */
    struct ib_vertex *vertex;
    size_t vertices, vertex_room;
    struct ib_end *end;
    size_t ends, end_room;
    struct ib_idle *idle;
    size_t idles, idle_room;
    uint16_t subnet;     /* that new vertices are of */
    uint8_t both;        /* a line describes both ends: a file may list each link once */
    uint64_t last;       /* GUID of the vertex whose record came last */
    topomap_known guids; /* of vertices, with their subnets; until they are renumbered */
};

/** Index of the vertex with this GUID in the present subnet, which is made, not recorded, where it
 *  is new. */
int ib_intern(struct ib_fabric *fabric, uint64_t guid, uint32_t *index, topomap_error *err);
static inline const char *ib_text(const struct ib_fabric *fabric, uint32_t vertex)
{
    return fabric->base.text + fabric->vertex[vertex].text;
}
/** Gives ends and idle ports their vertices' new indices; GUIDs are not looked up any more. */
void ib_renumber(struct ib_fabric *fabric, const uint32_t *now);

/** What a record says of its vertex's name and kind; an aggregation engine is known by either. */
int ib_describe(struct ib_fabric *fabric, uint32_t vertex, int kind, const char *text,
                size_t length, topomap_error *err);
/** The vertex at the other end of a line, with what this line says of it until its own record
 *  comes. */
int ib_neighbour(struct ib_fabric *fabric, uint64_t guid, int kind, const char *text, size_t length,
                 uint32_t *index, topomap_error *err);
/** The other end of a line: the same but for the two vertices and their ports. */
struct ib_end ib_reverse(const struct ib_end *end);
int ib_add_end(struct ib_fabric *fabric, const struct ib_end *end, topomap_error *err);
/** The same, and its other end, which the line describes too. */
int ib_add_both(struct ib_fabric *fabric, const struct ib_end *end, topomap_error *err);
int ib_add_idle(struct ib_fabric *fabric, const struct ib_idle *idle, topomap_error *err);

/** Joins what belongs to one adapter, in a fabric whose adapters are known by the GUIDs of their
 *  ports: ports of one node GUID, where \p nodes has it (from the tool's progress lines); else
 *  ports with one description that names a host and an adapter, and with different numbers.
 *  \p nodes  [count] GUIDs of nodes; sorted here */
int ib_merge_adapters(struct ib_fabric *fabric, uint64_t *nodes, size_t count, topomap_error *err);

/** Sorts vertices by GUID and ends by vertex and port, and joins ends into links. Ends that do not
 *  agree are warnings; two different lines for one port are an error. */
int ib_join(struct ib_fabric *fabric, struct db_import *import);

/** Writes a joined fabric as the import's source. */
int ib_write(struct db_import *import, void *fabric);
/** Once the views are made: hosts, and adapters without one, of the import's source. */
int ib_count_hosts(struct db_import *import);
/** Forgets all of it. */
void ib_clear(void *fabric);

/** Members that all importers with a struct ib_fabric as content have in common. */
#define IB_IMPORTER                                                                                \
    .tables = {"vertex", "port", "link", "routing"}, .size = sizeof(struct ib_fabric),             \
    .write = ib_write, .derived = ib_count_hosts, .clear = ib_clear
