/* SPDX-License-Identifier: BSD-3-Clause */
/* Queries of a database. */
#pragma once

#include <uthash.h>

#include "fabric/network.h"
#include "machine/devices.h"
#include "machine/shape.h"
#include "plan/bindings.h"
#include "topology-db/db.h"
#include "topology-db/derive/derive.h"
#include "topology-db/fabric/load.h"
#include "topology-db/store.h"

/* ---- query_devices ------------------------------------------------------------- */
/* Which GPUs and NICs nodes have, and which NVLink domain they are in: for the launch, `db show`
 * and `db check`. A database of an earlier topomap, or one that was told nothing of them, has none.
 */

/** One node's own, with the UUIDs of its GPUs and the states of its NICs where a source was this
 *  node's, or a fabric lists its ports. None: count 0.
 *  \param node     a Slurm name; one that is not known is an error that names it
 *  \param devices  ends with topomap_devices_clear() */
int topomap_db_devices(topomap_db *db, const char *node, topomap_devices *devices,
                       topomap_error *err);

enum { TOPOMAP_DB_NO_DEVICES = UINT32_MAX };

/** The devices of many nodes: one of \p classes each, few for any number of nodes. */
typedef struct topomap_db_device_classes {
    uint32_t nodes, classes, domains;
    topomap_devices *class; /* [classes] without what is one node's alone */
    uint32_t *class_of;     /* [nodes] or TOPOMAP_DB_NO_DEVICES */
    uint32_t *domain_of;    /* [nodes] its NVLink domain, numbered by the first node; nodes of none
                               have TOPOMAP_DB_NO_DEVICES */
    char **domain;          /* [domains] names: "UUID.CLIQUE", or Slurm's block */
} topomap_db_device_classes;
/** \param nodes  Slurm names; one that is not known is an error that names it
 *  \param found  ends with topomap_db_device_classes_clear() */
int topomap_db_devices_of(topomap_db *db, const topomap_names *nodes,
                          topomap_db_device_classes *found, topomap_error *err);
void topomap_db_device_classes_clear(topomap_db_device_classes *found);

/** The machine of an allocation whose slots are GPUs. Inside nodes it goes by what joins these
 *  (topomap_devices_levels()), slots of one GPU being closest; between nodes by the database's
 *  network as topomap_db_machine() does, by the rails of the NICs that the GPUs use, and by NVLink
 *  domains. Nodes that hang on several leaf switches have their rails spread over these in the
 * order of the NICs. In tenths of a hop: an NVLink 1, two nodes of one domain 2, another rail an
 * NVLink more where NVLink joins all GPUs of every node, else two hops. Nodes without devices have
 * slots that are equally far. bind, compact, cores and CPUs of the allocation are not looked at.
 *  \param gpu      [slots] which of its node's GPUs a slot has, in topomap_devices_levels()'s order
 *                  of all GPUs: TOPOMAP_EUSAGE where one is not there, or stands before its turn
 *  \param machine  finished; ends with topomap_machine_free() */
int topomap_db_machine_gpus(topomap_db *db, const topomap_db_allocation *allocation,
                            const uint32_t *gpu, topomap_machine **machine, topomap_error *err);

/** A node's NVLink domain: "" where it is in none. \p domain [size] */
int topomap_db_domain(topomap_db *db, const char *node, char *domain, size_t size,
                      topomap_error *err);

/** The inside of a node's class; no core where none is known.
 *  \param shape  ends with topomap_shape_clear() */
int topomap_db_shape(topomap_db *db, const char *node, topomap_shape *shape, topomap_error *err);

/* ---- coordinate_network -------------------------------------------------------- */
/* Distances in the networks that a database holds, for readers. */

/** Costs of one byte, in thousandths of a hop over the reference link (sql_functions.h). Two
 * InfiniBand hosts on one switch are 2 hops apart (into it and out of it). On a Cray network hops
 * are counted between routers, so that two nodes on one router are 0 hops apart: there leaving a
 * node at all costs as much as a hop, which keeps them farther than two cores of a node (6 tenths
 * of a hop, machine/shape.h). In results costs are tenths of a hop. */
#define DB_TENTHS(cost) ((double)(cost) / 100.0)

/** Where a host is. */
struct db_place {
    int64_t host, class; /* class 0: none */
    char name[256];
    topomap_coordinates point; /* no dimensions: has no coordinates */
};

/** A switch that a host hangs on. */
struct db_hanging {
    int64_t sw;
    uint32_t hops, cost; /* from the host into it */
};

int db_network_load(sqlite3 *file, topomap_coordinate_network *network, topomap_error *err);

/** The prepared questions of a look-up of many hosts. */
struct db_finder {
    topomap_db *db;
    sqlite3_stmt *by_key, *by_nickname, *switches[2];
};
int db_finder_open(topomap_db *db, struct db_finder *finder, topomap_error *err);
void db_finder_close(struct db_finder *finder);
/** Type of a local finder, `DB_FINDER finder = {0};`: it closes with its scope. */
#define DB_FINDER TOPOMAP_CLEANUP(db_finder_close) struct db_finder
/** Finds a Slurm node name; one that is not there is an error that names it. */
int db_finder_find(struct db_finder *finder, const char *name, struct db_place *place,
                   topomap_error *err);
/** The id of one Slurm node name; 0 for NULL. */
int db_host_id(topomap_db *db, const char *name, int64_t *id, topomap_error *err);
/** Switches that the host hangs on, ascending, each once with its cheapest link. \p list grows;
 *  \p count is set. \param slurm  those of Slurm's topology file in place of the fabric's */
int db_finder_switches(struct db_finder *finder, int slurm, int64_t host, struct db_hanging **list,
                       size_t *room, size_t *count, topomap_error *err);

/** The switches, by id, that the last route of topomap_db_router_route() names; lent until the
 * next. */
const int64_t *db_router_passed(const topomap_db_router *router, size_t *switches);

/* ---- machine build ------------------------------------------------------------- */
/* An allocation's machine while it is made. */

/** No index. */
#define DB_NOWHERE UINT32_MAX

/* What nodes hang on: a set of switches, or a Cray router. */
struct db_site {
    void *key; /* topomap_start of its switches, or a topomap_coordinates */
    size_t length;
    uint32_t index;
    UT_hash_handle hh;
};

struct db_build {
    topomap_db *db;
    const topomap_db_allocation *allocation;
    uint32_t nodes;
    struct db_place *place;
    size_t placed, hanging; /* nodes with coordinates, nodes with switches */
    topomap_coordinate_network network;
    topomap_switches switches;
    struct db_route_costs routes; /* if they are not all shortest: then sites start at its rows */
    struct db_site *sites;
    struct db_site **by_index; /* [number of sites] */
    uint32_t *site_of;         /* [nodes] */
    float *cost;
    uint16_t *hops;
    topomap_machine *machine;
};

/** The allocation as this library knows it: topomap_sized_copy(). */
int db_allocation_copy(topomap_db_allocation *allocation, const topomap_db_allocation *given,
                       topomap_error *err);

/* ---- node levels --------------------------------------------------------------- */
/* The insides of an allocation's nodes: which core each slot starts on, how close slots are, and
 * which PUs each task gets. */

/** Adds the levels inside nodes to a machine that has its frame only, and fills \p bindings (NULL:
 *  not wanted). \p places [allocation->nodes->count] */
int db_node_levels_add(topomap_db *db, const topomap_db_allocation *allocation,
                       const struct db_place *places, topomap_machine *machine,
                       topomap_bindings *bindings, topomap_error *err);

/* ---- paths --------------------------------------------------------------------- */
/* The cables that a message between two hosts passes, by name and class. */

struct db_paths;

struct db_path {
    uint32_t hops;
    uint32_t *cable; /* [cables] from a to b; indices for the functions below */
    size_t cables, room;
    int complete; /* a cable for every hop; 0: the network has none (coordinates), or not all */
};

/** Loads all cables once; the handle must outlive it. */
int db_paths_open(topomap_db *db, struct db_paths **paths, topomap_error *err);
void db_paths_close(struct db_paths *paths);
/** As topomap_db_router_route(). Of parallel cables, where no routing table tells which, the one
 *  with the lowest port stands for all. \p path is reused; its cables end with free(). */
int db_paths_between(struct db_paths *paths, const char *a, const char *b, struct db_path *path,
                     topomap_error *err);

uint32_t db_paths_cables(const struct db_paths *paths);
/** "leaf1[3] - spine2[7]"; a host's end is its name. Cut where it does not fit. */
void db_paths_cable_name(const struct db_paths *paths, uint32_t cable, char *text, size_t size);
/** Whether it joins two switches. */
int db_paths_cable_trunk(const struct db_paths *paths, uint32_t cable);
/** The class' name ("4xEDR") in \p name [40], and its rate in Mb/s or 0. */
void db_paths_cable_class(const struct db_paths *paths, uint32_t cable, char *name, uint32_t *mbps);

/* ---- slurm order --------------------------------------------------------------- */
/* The order in which Slurm gives tasks to the nodes of a step: what decides it (`scontrol show
 * config`), and what it is by the topology. */

/** Where a node is in Slurm's topology. */
struct slurm_place {
    uint32_t unit;     /* row of the table of units; UINT32_MAX: nowhere */
    uint32_t position; /* in a ring or torus */
};

/** A leaf switch, block, ring or torus in the order of the file. */
struct slurm_order_unit {
    int64_t id;
    uint32_t index;  /* among those that count: leaf switches, blocks, rings, toruses */
    uint32_t dim[3]; /* of a torus */
    uint32_t nodes;  /* that the file gives it */
};

/** Ranks as Slurm 26.05 computes them, lower first; nodes of one rank stay in node-index order.
 *  \param kind   as in the database: tree, block, ring, torus3d, flat
 *  \param place  [count] of the job's nodes
 *  \param rank   [count] out */
int slurm_ranks(const char *kind, const struct slurm_order_unit *unit, size_t units,
                const struct slurm_place *place, size_t count, uint64_t *rank, topomap_error *err);

/** What slurm-config and slurm-topology put into the table slurm_setting; the table is made where
 *  an earlier topomap did not. */
int slurm_put_setting(sqlite3 *file, int64_t source, const char *name, const char *value,
                      topomap_error *err);
/** "" where it is not there. */
int slurm_get_setting(sqlite3 *file, const char *name, char *text, size_t size, topomap_error *err);
