/* SPDX-License-Identifier: BSD-3-Clause */
/* The views: what all facts together say. They are made anew at the end of every import. */
#pragma once

#include <stdint.h>
#include <uthash.h>

#include "fabric/coordinates.h"
#include "fabric/kinds/kinds.h"
#include "topology-db/fabric/load.h"
#include "topology-db/sql_functions.h"
#include "topology-db/store.h"
#include "topomap/topomap.h"

/* ---- derive -------------------------------------------------------------------- */

/** Makes all views, inside the writer's transaction. */
int db_derive(sqlite3 *file, topomap_error *err);
/** The part of it that works out what kind of network it is, after the other tables are there. */
int db_classify(sqlite3 *file, topomap_error *err);

/** What kind of network the hosts' coordinates are of, and how many hosts it is about; the topology
 *  "" where no host has any and there is no Cray node. */
int db_classify_coordinates(sqlite3 *file, topomap_verdict *verdict, int64_t *hosts,
                            topomap_error *err);
/** The same of all switches of the database, "" where there is none; levels and places are written
 *  to table switch. */
int db_classify_fabric(sqlite3 *file, topomap_verdict *verdict, int64_t *hosts, topomap_error *err);
/** Judges every part of the fabric that has hosts, for what is asked later: \p each gets it with
 *  what its kind leaves behind (kinds.h), ids being those of table switch. Stops where that does
 *  not return 0. */
int db_judge_parts(sqlite3 *file, int (*each)(const topomap_part *part, void *data), void *data,
                   topomap_error *err);

/* ---- Between the derive_*.c files --------------------------------------------------------- */

struct db_host_row {
    char key[DB_KEY], name[DB_KEY];
    char status[24], type[24];
    int64_t id, class; /* class 0: none */
    int64_t cname;     /* packed, of a Cray node; -1: none */
    topomap_coordinates point;
    int fabric; /* some fabric source knows it */
    int listed; /* Slurm's topology file does */
    UT_hash_handle hh;
};

struct db_alias {
    uint64_t guid;
    char key[DB_KEY], node[DB_KEY];
    UT_hash_handle by_guid, by_key;
};

struct db_nic {
    uint64_t guid;
    size_t node; /* its name: offset into db_views.nic_names */
    int exact;   /* the XML is that node's own */
};

struct db_nickname {
    char key[DB_KEY];
    const struct db_host_row *host;
};

struct db_adapter_host {
    int64_t vertex;
    struct db_host_row *host; /* NULL: unknown */
};

/* Of a Cray interconnect list. */
struct db_router {
    int64_t cname, vertex;
    topomap_coordinates point; /* no dimensions: its place is not known */
};

struct db_views {
    sqlite3 *file;
    struct db_host_row *hosts; /* a hash by key */
    struct db_alias *alias_guid, *alias_key;
    struct db_nic *nic; /* by GUID, each once */
    size_t nics;
    char *nic_names;
    struct db_nickname *nickname;
    size_t nicknames, nickname_room;
    struct db_adapter_host *adapter; /* by vertex */
    size_t adapters, adapter_room;
    struct db_router *router; /* by cname */
    size_t routers;
    char router_kind;     /* 'a' Aries, 'g' Gemini, 's' SeaStar */
    uint32_t router_cost; /* of leaving a Cray node; sql_functions.h */
    int router_measured;  /* a calibration has it: of leaving any node */
    int64_t refused;      /* names that no node can have */
    char refused_name[DB_KEY];
};

/** Finds the host of this name, or makes it. *\p host becomes NULL if no node can have the name
 *  (topomap_is_node_name()); fact "refused_names" counts these, and "refused_name" is one of them.
 *  \p original, if not NULL and different, is added as a nickname. Returns 0, or -1 if memory is
 * short.
 */
int db_views_host(struct db_views *views, const char *name, const char *original,
                  struct db_host_row **host, topomap_error *err);
/** What the site's map makes of a name, or the name itself. */
const char *db_views_mapped(const struct db_views *views, const char *name);
const char *db_views_mapped_guid(const struct db_views *views, uint64_t guid);

/** The GUIDs in nodes' hwloc XMLs; one that two nodes claim says nothing. */
int db_views_nics(struct db_views *views, topomap_error *err);
/** The node whose adapter has this GUID, or NULL. */
const char *db_views_nic(const struct db_views *views, uint64_t guid, int *exact);

/** Hosts from Cray rows and named coordinates; what the shape of a Cray machine adds. */
int db_views_cray(struct db_views *views, topomap_error *err);
/** A Cray node's router, or NULL. */
const struct db_router *db_views_router(const struct db_views *views,
                                        const struct db_host_row *host);
/** Hosts and adapters from InfiniBand vertices, and from lists that name hosts. */
int db_views_adapters(struct db_views *views, topomap_error *err);
/** Hosts that Slurm's topology file names; and, after the fabric's links, its switches. */
int db_views_slurm_hosts(struct db_views *views, topomap_error *err);
int db_views_slurm(struct db_views *views, topomap_error *err);
/** Hosts that sources of devices and NVLink domains name; and, after hosts have their ids, tables
 *  host_devices and host_domain. */
int db_views_device_hosts(struct db_views *views, topomap_error *err);
int db_views_devices(struct db_views *views, topomap_error *err);
/** Tables switch, attach, trunk, after hosts have their ids. */
int db_views_links(struct db_views *views, topomap_error *err);
/** Facts about the forwarding tables; and walk, way and landing if some route is not a cheapest
 *  shortest path. */
int db_views_routes(sqlite3 *file, topomap_error *err);
/** predicted_lft, of subnets without imported tables; the fact routes_predicted names the engine.
 *  The fact routes_shared names how switches share traffic, if there are no fixed routes. Needs the
 *  fact topology. */
int db_views_predicted(sqlite3 *file, topomap_error *err);
/** switch.plane, from the trunks. */
int db_views_planes(struct db_views *views, topomap_error *err);

/* ---- cray ---------------------------------------------------------------------- */
/* Cray component names and what both Cray importers share. */

enum { CRAY_NID_MOST = 9999999, CRAY_COORDINATE_MOST = 65535 };

/** A node's place on the floor: c<col>-<row>c<cage>s<slot>n<node>. */
struct cray_name {
    uint32_t col, row, cage, slot, node;
};

/** Reads the whole of \p text; -1 where it is not such a name. */
int cray_name_parse(const char *text, struct cray_name *name);
/** As one number, for the database: 8 bits each for node, slot and cage, 16 for row and column. */
int64_t cray_name_pack(const struct cray_name *name);
void cray_name_unpack(int64_t packed, struct cray_name *name);
/** \param text [40] */
void cray_name_format(const struct cray_name *name, char *text);

/** A link of a router: c0-0c0s1a0l27 (Aries), ...g1l27 (Gemini), ...s2l3 (SeaStar); the number of
 *  the router is in name->node. The link's number is octal.
 *  \param kind   'a', 'g' or 's'
 *  \param after  where the text goes on; NULL: it must end there
 *  \return -1 where it is not such a name */
int cray_link_parse(const char *text, struct cray_name *name, char *kind, uint32_t *link,
                    const char **after);
/** The router of a node, both packed: Aries, one a blade; Gemini, one for nodes 0 and 1, one for 2
 *  and 3; SeaStar, one a node. */
int64_t cray_router_of(int64_t node, char kind);
/** \param text [40] */
void cray_router_format(const struct cray_name *name, char kind, char *text);

/** Decimal digits alone, at most \p most. */
int cray_number(const char *text, uint32_t most, uint32_t *value);

/* ---- cray shape ---------------------------------------------------------------- */
/* Where a Cray node's coordinates follow from its place on the floor: named machine shapes.
 *
 *   aries:columns=K     Aries in cabinets of three chassis of 16 blades, two cabinets a group, K
 *                       cabinet columns a row of the floor plan: group, chassis, blade. Checked on
 *                       two machines' full lists and 499 nodes of a third.
 *   xt-class3:columns=C,rows=R
 *                       Gemini torus of C x 2R x 24 with folded cabling in both directions of the
 *                       floor. Checked on all 19,200 nodes of Titan.
 *
 * Shapes of known machines have a name of their own: titan, theta, cori, edison. A shape that
 * gives one node other coordinates than a dump does is refused. */

struct cray_shape {
    const struct cray_shape_rule *rule;
    uint32_t columns, rows; /* rows 0: any number */
};

struct cray_shape_rule {
    const char *name, *values;
    int needs_rows;
    const char *topology; /* "torus", "dragonfly" */
    void (*place)(const struct cray_shape *shape, const struct cray_name *name,
                  topomap_coordinates *point);
};

/** Reads the text of an option; what is wrong with it is a usage error. */
int cray_shape_parse(const char *text, struct cray_shape *shape, topomap_error *err);
/** The coordinates of a node; none where it lies outside of the shape. */
void cray_shape_place(const struct cray_shape *shape, const struct cray_name *name,
                      topomap_coordinates *point);
/** Size of the torus; 0 dimensions where the shape does not bound them. \param dim  [TOPOMAP_DIMS]
 */
uint32_t cray_shape_dims(const struct cray_shape *shape, uint32_t *dim);

#define CRAY_SHAPE_VALUES "titan|theta|cori|edison|aries:columns=N|xt-class3:columns=N,rows=N"
#define CRAY_SHAPE_HELP                                                                            \
    "coordinates from component names, where no dump has them; must agree with those known"

/* ---- grid_facts ---------------------------------------------------------------- */
/* The size of a torus or mesh, in facts: of hosts with coordinates ("dims", "wrap"), or of switches
 * that make one ("fabric_dims", "fabric_wrap"). */

/** The facts, under these names. */
int db_grid_put(sqlite3 *file, const char *dims, const char *wrap, const topomap_grid *grid,
                topomap_error *err);
/** No dimensions where there are none, or damaged ones. */
int db_grid_load(sqlite3 *file, const char *dims, const char *wrap, topomap_grid *grid,
                 topomap_error *err);
/** The places of switches by their index; no dimensions where one has none in this grid.
 *  \param place  [switches], ends with free() */
int db_grid_places(sqlite3 *file, const topomap_grid *grid, const topomap_switches *switches,
                   topomap_coordinates **place, topomap_error *err);
