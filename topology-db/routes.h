/* SPDX-License-Identifier: BSD-3-Clause */
/* Routes over the routing tables that were imported: the leaf switch of the source, the table's
 * port for the destination's LID, the cable's other end, and again until the destination. */
#ifndef TOPOMAP_DB_ROUTES_H
#define TOPOMAP_DB_ROUTES_H

#include "topology-db/store.h"

enum {
    DB_LIDS = 0xc000, /* unicast LIDs are below it (IBA 1.3, 4.1.3) */
    DB_NO_PORT = 255, /* in a table: unreachable */
    DB_REASON = 320,
};

struct db_vertex {
    int64_t id, subnet; /* subnet: of its source, and in it */
    uint64_t guid;
    uint32_t cables; /* its cables are cable[cables .. next vertex's cables) */
    uint16_t lid;
    uint8_t kind; /* enum ib_kind */
};

struct db_cable {
    uint32_t at, peer; /* indices of vertices */
    uint32_t mbps;     /* 0: not known */
    uint8_t port, peer_port;
};

struct db_lft {
    uint8_t *port; /* [lids] NULL: no table, or not read yet */
    uint32_t lids;
    int asked;
};

/** All cables of the InfiniBand subnets, and the tables as they are asked for. */
struct db_routes {
    sqlite3 *file;
    sqlite3_stmt *table, *label;
    struct ZSTD_DCtx_s *unpacker; /* one for all tables: they are small */
    uint32_t count, cables;
    struct db_vertex *vertex; /* [count + 1] ascending by id */
    struct db_cable *cable;   /* [cables] ascending by vertex and port; both directions */
    struct db_lft *lft;       /* [count] */
};

/** One switch on a route. */
struct db_step {
    uint32_t vertex;
    uint8_t in, out;
};

struct db_walk {
    struct db_step *step;
    size_t steps, room;
    char reason[DB_REASON]; /* why the tables do not lead there */
};

/** A port of a host. */
struct db_landing {
    uint32_t adapter; /* index of its vertex */
    uint8_t port;
    uint16_t lid; /* 0: not known */
    uint8_t lmc;
    uint32_t cost; /* of its link to the switch (costs.h) */
};

/** Mb/s by a row's columns width, speed, mbps, from the given one on; 0: not known. */
uint32_t db_routes_rate(sqlite3_stmt *row, int column);
int db_routes_load(sqlite3 *file, struct db_routes *routes, topomap_error *err);
void db_routes_clear(struct db_routes *routes);
/** Index of a vertex by its id, UINT32_MAX where there is none. */
uint32_t db_routes_find(const struct db_routes *routes, int64_t id);
/** The cable at a port, or NULL. */
const struct db_cable *db_routes_cable(const struct db_routes *routes, uint32_t vertex,
                                       uint32_t port);
/** The table of a switch, read where it was not; lft[vertex].port stays NULL where it has none. */
int db_routes_table(struct db_routes *routes, uint32_t vertex, topomap_error *err);
/** What a switch is called. */
void db_routes_label(struct db_routes *routes, uint32_t vertex, char *label, size_t size);

/** Follows the tables from one port to \p lid at another.
 *  \return 1 it arrives, steps are filled; 0 it does not, reason is; -1 failure */
int db_routes_walk(struct db_routes *routes, const struct db_landing *from,
                   const struct db_landing *to, uint32_t lid, struct db_walk *walk,
                   topomap_error *err);

/** derive.c: facts about the tables, and walk and landing where routes are not all shortest. */
int db_views_routes(sqlite3 *file, topomap_error *err);

#endif
