/* SPDX-License-Identifier: BSD-3-Clause */
/* InfiniBand: kinds of vertices, states of ports, speeds, descriptions of adapters; and routes over
 * linear forwarding tables. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "topomap/topomap.h"

/* ---- infiniband ---------------------------------------------------------------- */

enum ib_kind {
    IB_SWITCH,
    IB_ADAPTER,
    IB_ROUTER,
    IB_AGGREGATION, /* an in-network reduction engine: an adapter that no host has */
    IB_OTHER,       /* of unknown type */
    IB_HOST,        /* a host that the source itself names, with no GUID; text is its name */
};

/** The logical state of a port or link, as PortInfo has it (InfiniBand specification 14.2.5.6). */
enum ib_state { IB_STATE_UNKNOWN, IB_DOWN, IB_INIT, IB_ARMED, IB_ACTIVE };

/** Per-lane signalling rates in Mb/s by speed code, and whether 8b/10b coding takes a fifth.
 *  Ends with name == NULL; row 0 is "???". */
struct ib_speed {
    const char *name;
    uint32_t mbps;
};
enum { IB_SPEEDS = 9 };
extern const struct ib_speed ib_speeds[IB_SPEEDS + 2];

/** Row of a speed by its name, or by its rate in Gb/s a lane as opensm and ibdiagnet write it
 *  ("2.5", "14", "25"); 0 where it is neither. The text ends after \p length. */
uint8_t ib_speed_named(const char *text, size_t length);
uint8_t ib_speed_of_rate(const char *text, size_t length);

/** Usable Mb/s of a link; 0 where its width or speed is unknown. */
uint32_t ib_mbps(uint32_t width, uint32_t speed);

/** The host that an adapter's description names: its first word where the second one is an
 *  adapter's name, or its only word; 0 where there is none (a driver that has not renamed
 *  its adapter, "MT4129 ConnectX7 ...").
 *  \param host  [size] */
int ib_host_name(const char *description, char *host, size_t size);
/** The adapter's name in it ("mlx5_0"), likewise. */
int ib_adapter_name(const char *description, char *adapter, size_t size);
/** Whether an adapter is an in-network aggregation engine. */
int ib_is_aggregation(const char *description, uint32_t device);

/* ---- lft ----------------------------------------------------------------------- */
/* Routes over InfiniBand's linear forwarding tables: the leaf switch of the source, the table's
 * port for the destination's LID, the cable's other end, and again until the destination. */

enum {
    TOPOMAP_LIDS = 0xc000, /* unicast LIDs are below it (IBA 1.3, 4.1.3) */
    TOPOMAP_NO_PORT = 255, /* in a table: unreachable */
    TOPOMAP_ROUTE_REASON = 320,
};

typedef struct topomap_lft_vertex {
    int64_t id, subnet; /* subnet: of its source, and in it */
    uint64_t guid;
    uint32_t cables; /* its cables are cable[cables .. next vertex's cables) */
    uint16_t lid;
    uint8_t kind; /* enum ib_kind */
} topomap_lft_vertex;

typedef struct topomap_cable {
    uint32_t at, peer; /* indices of vertices */
    uint32_t mbps;     /* 0: not known */
    uint8_t port, peer_port;
} topomap_cable;

typedef struct topomap_lft {
    uint8_t *port; /* [lids] NULL: no table, or not read yet */
    uint32_t lids;
    int asked;
} topomap_lft;

/** All cables of the InfiniBand subnets, and the tables, which are read when a route needs them. */
typedef struct topomap_lft_fabric {
    uint32_t count, cables;
    topomap_lft_vertex *vertex; /* [count + 1] ascending by id */
    topomap_cable *cable;       /* [cables] ascending by vertex and port; both directions */
    topomap_lft *lft;           /* [count] */
    void *source;               /* context of read() and label(), which the owner provides */
    /** Loads lft[vertex] on the first call for it; port stays NULL if the switch has no table. */
    int (*read)(struct topomap_lft_fabric *fabric, uint32_t vertex, topomap_error *err);
    /** Writes a vertex's name for messages. */
    void (*label)(const struct topomap_lft_fabric *fabric, uint32_t vertex, char *label,
                  size_t size);
} topomap_lft_fabric;

/** One switch on a route. */
typedef struct topomap_route_step {
    uint32_t vertex;
    uint8_t in, out;
} topomap_route_step;

typedef struct topomap_route {
    topomap_route_step *step;
    size_t steps, room;
    char reason[TOPOMAP_ROUTE_REASON]; /* why the tables do not lead there */
} topomap_route;

/** A port of a host. */
typedef struct topomap_fabric_port {
    uint32_t adapter; /* index of its vertex */
    uint8_t port;
    uint16_t lid; /* 0: not known */
    uint8_t lmc;
    uint32_t cost; /* of its link to the switch, thousandths of a hop */
} topomap_fabric_port;

/** Sorts the cables, and fills vertex[].cables and lft. */
int topomap_lft_index(topomap_lft_fabric *fabric, topomap_error *err);
/** Frees vertices, cables and tables. */
void topomap_lft_clear(topomap_lft_fabric *fabric);
/** Index of a vertex by its id, or UINT32_MAX. */
uint32_t topomap_lft_find(const topomap_lft_fabric *fabric, int64_t id);
/** The cable at a port, or NULL. */
const topomap_cable *topomap_lft_cable(const topomap_lft_fabric *fabric, uint32_t vertex,
                                       uint32_t port);
/** Follows the tables from one port to \p lid at another.
 *  Returns 1 with the route's steps if the tables lead to the port, 0 with the route's reason if
 * they do not, or -1 with `err` set. */
int topomap_lft_route(topomap_lft_fabric *fabric, const topomap_fabric_port *from,
                      const topomap_fabric_port *to, uint32_t lid, topomap_route *route,
                      topomap_error *err);
