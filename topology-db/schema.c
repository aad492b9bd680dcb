/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of two kinds. Facts are what a source said, each row with its source, so that importing
 * the source again can replace them. Views (here plain tables, for speed) are worked out from all
 * facts at the end of every import, in the same transaction, so that the order of imports does
 * not matter and a launch has nothing to work out. */
#include "topology-db/store.h"

const char db_schema[] =
    /* ---- Facts */
    "CREATE TABLE source(id INTEGER PRIMARY KEY, importer TEXT NOT NULL, name TEXT NOT NULL,"
    " time INTEGER NOT NULL, partial INTEGER NOT NULL, warnings INTEGER NOT NULL,"
    " UNIQUE(importer, name));"
    /* InfiniBand: a vertex is known by (source, subnet, guid); subnet counts the dumps in one file,
     * from 0, and is 0 for nearly all. Sources that name hosts and switches instead (lists of
     * links) give no GUID. kind: enum ib_kind. recorded 0: only named by a port at the other end.
     * label: what a switch is called, unique within the source. */
    "CREATE TABLE vertex(id INTEGER PRIMARY KEY, source INTEGER NOT NULL, kind INTEGER NOT NULL,"
    " guid INTEGER, system INTEGER, vendor INTEGER, device INTEGER, ports INTEGER,"
    " lid INTEGER, recorded INTEGER NOT NULL, text TEXT NOT NULL, label TEXT,"
    " subnet INTEGER NOT NULL DEFAULT 0);"
    "CREATE UNIQUE INDEX vertex_guid ON vertex(source, guid, subnet);"
    /* Ports of adapters and routers, all ports that are listed as down, and a switch's port 0 where
     * its GUID is not the switch's own; a switch has one LID, in its vertex. state: enum ib_state.
     */
    "CREATE TABLE port(vertex INTEGER NOT NULL, number INTEGER NOT NULL, source INTEGER NOT NULL,"
    " guid INTEGER, lid INTEGER, lmc INTEGER, state INTEGER, PRIMARY KEY(vertex, number)) WITHOUT "
    "ROWID;"
    /* One row a cable, (a, aport) <= (b, bport). Width in lanes, speed a row of ib_speeds[], 0
     * unknown. mbps: usable Mb/s where the source gives a rate instead. ends: how many of its two
     * ends the source lists. kind: the source's own class of link ("backplane", "blue"). state:
     * enum ib_state; a link that is down is no link of the views. */
    "CREATE TABLE link(source INTEGER NOT NULL, a INTEGER NOT NULL, aport INTEGER NOT NULL,"
    " b INTEGER NOT NULL, bport INTEGER NOT NULL, width INTEGER, speed INTEGER, mbps INTEGER,"
    " ends INTEGER NOT NULL DEFAULT 2, kind TEXT, state INTEGER);"
    /* Routing tables: packed (zstd), one byte a LID from 0 to lids - 1, the port or 255. A switch
     * has one, the newest, whichever source it came from. */
    "CREATE TABLE lft(guid INTEGER PRIMARY KEY, source INTEGER NOT NULL, lids INTEGER NOT NULL,"
    " ports BLOB NOT NULL);"
    /* Cray: cname is packed (derive.h). */
    "CREATE TABLE cray_admin(nid INTEGER PRIMARY KEY, source INTEGER NOT NULL, cname INTEGER,"
    " type TEXT, status TEXT, mode TEXT);"
    "CREATE TABLE cray_proc(nid INTEGER PRIMARY KEY, source INTEGER NOT NULL, cname INTEGER,"
    " type TEXT, status TEXT, mode TEXT, x INTEGER, y INTEGER, z INTEGER);"
    /* Routers of a Cray interconnect list. kind: a Aries, g Gemini, s SeaStar; cname: packed, the
     * router's number in place of the node's; place: its coordinates "x,y,z", or NULL. */
    "CREATE TABLE cray_router(vertex INTEGER PRIMARY KEY, source INTEGER NOT NULL,"
    " kind TEXT NOT NULL, cname INTEGER NOT NULL, place TEXT);"
    /* Coordinates of named nodes: "x,y,z", 1 to 8 numbers. cname: packed, where the source has it.
     */
    "CREATE TABLE place(source INTEGER NOT NULL, name TEXT NOT NULL, place TEXT NOT NULL,"
    " cname INTEGER, type TEXT);"
    /* What a source's coordinates span, where the import said so. dims: "25x16x24"; wrap: one
     * digit a dimension, "101" wrapping in the first and the last, or "1" or "0" for all. shape: of
     * a Cray machine (derive.h). */
    "CREATE TABLE geometry(source INTEGER PRIMARY KEY, dims TEXT, wrap TEXT, shape TEXT);"
    /* Measured nanoseconds a byte of a level ("core", "numa", "hop", "hop:4xEDR"). */
    "CREATE TABLE calibration(level TEXT PRIMARY KEY, source INTEGER NOT NULL, ns REAL NOT NULL)"
    " WITHOUT ROWID;"
    /* Slurm's topology file. kind: tree, block, flat, ring, torus3d; chosen: distances come from
     * it; sizes: of blocks, "30,120"; dims of a torus, "4x4x2". A member is a unit or a host;
     * position: a host's in a ring or torus, x + X * (y + Y * z). */
    "CREATE TABLE slurm_topology(id INTEGER PRIMARY KEY, source INTEGER NOT NULL,"
    " name TEXT NOT NULL, kind TEXT NOT NULL, chosen INTEGER NOT NULL, sizes TEXT NOT NULL);"
    "CREATE TABLE slurm_unit(id INTEGER PRIMARY KEY, source INTEGER NOT NULL,"
    " topology INTEGER NOT NULL, name TEXT NOT NULL, dims TEXT NOT NULL);"
    "CREATE TABLE slurm_member(source INTEGER NOT NULL, unit INTEGER NOT NULL, child INTEGER,"
    " host TEXT, position INTEGER NOT NULL);"
    "CREATE INDEX slurm_member_unit ON slurm_member(unit);" DB_SLURM_SETTING DB_MEASUREMENTS
        DB_DEVICES DB_ROUTING
    /* Insides of nodes. */
    "CREATE TABLE class(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " shape TEXT NOT NULL UNIQUE);"
    "CREATE TABLE node_class(key TEXT PRIMARY KEY, source INTEGER NOT NULL, name TEXT NOT NULL,"
    " class INTEGER NOT NULL) WITHOUT ROWID;"
    /* GUIDs of a node's adapters (node, ports, system image), from its hwloc XML. exact 0: the XML
     * may be another node's, of the same class. */
    "CREATE TABLE nic(source INTEGER NOT NULL, node TEXT NOT NULL, device TEXT, guid INTEGER NOT"
    " NULL, exact INTEGER NOT NULL);"
    /* The site's own map: a GUID, or a name in the dump, is this Slurm node. */
    "CREATE TABLE alias(source INTEGER NOT NULL, guid INTEGER, key TEXT, node TEXT NOT NULL);"
    /* ---- Views. host ids are in natural order of names; key is what a name is looked up by;
     * place its coordinates "x,y,z"; cname of a Cray node, packed. */
    "CREATE TABLE host(id INTEGER PRIMARY KEY, key TEXT NOT NULL, name TEXT NOT NULL,"
    " class INTEGER, status TEXT NOT NULL, type TEXT NOT NULL, place TEXT, cname INTEGER);"
    "CREATE UNIQUE INDEX host_key ON host(key);"
    "CREATE TABLE nickname(key TEXT PRIMARY KEY, host INTEGER NOT NULL) WITHOUT ROWID;"
    /* level: in a fat tree, 0 the leaves. plane: which connected component of switches, from 1 by
     * their lowest id. place: in a torus or mesh, "x,y,z" as far as there are dimensions; facts
     * "fabric_dims" and "fabric_wrap" say the rest. */
    "CREATE TABLE switch(id INTEGER PRIMARY KEY, label TEXT NOT NULL, level INTEGER,"
    " plane INTEGER, place TEXT);"
    "CREATE TABLE adapter(vertex INTEGER PRIMARY KEY, host INTEGER);"
    /* host 0: of an adapter whose host is not known. adapter 0: a Cray node on its router. hops and
     * cost (sql_functions.h) from the host into the switch. */
    "CREATE TABLE attach(host INTEGER NOT NULL, adapter INTEGER NOT NULL, port INTEGER NOT NULL,"
    " switch INTEGER NOT NULL, hops INTEGER NOT NULL, cost INTEGER NOT NULL, PRIMARY KEY(host, "
    "adapter, port)) WITHOUT ROWID;"
    /* mbps: of all its links together. cost of a byte over it. */
    "CREATE TABLE trunk(a INTEGER NOT NULL, b INTEGER NOT NULL, links INTEGER NOT NULL,"
    " mbps INTEGER NOT NULL, cost INTEGER NOT NULL, PRIMARY KEY(a, b)) WITHOUT ROWID;"
    /* The same by Slurm's file, for nodes that no fabric has; derive_slurm.c. */
    "CREATE TABLE slurm_switch(id INTEGER PRIMARY KEY, label TEXT NOT NULL);"
    "CREATE TABLE slurm_attach(host INTEGER NOT NULL, switch INTEGER NOT NULL,"
    " hops INTEGER NOT NULL, cost INTEGER NOT NULL, PRIMARY KEY(host, switch)) WITHOUT ROWID;"
    "CREATE TABLE slurm_trunk(a INTEGER NOT NULL, b INTEGER NOT NULL, cost INTEGER NOT NULL,"
    " PRIMARY KEY(a, b)) WITHOUT ROWID;"
    /* Only where some route over the routing tables is not a cheapest shortest path
     * (derive_routes.c). A walk: the ports of one switch that are equally far from every switch
     * with hosts. place: of its switch among these, ascending by id. codes: two bytes a place, the
     * lower first, packed (zstd) where there are many: 0 for no way from there, else a row of way.
     * landing: each port's walk. way: hops and cost between two switches. */
    "CREATE TABLE walk(id INTEGER PRIMARY KEY, switch INTEGER NOT NULL, place INTEGER NOT NULL,"
    " codes BLOB NOT NULL);"
    "CREATE TABLE way(code INTEGER PRIMARY KEY, hops INTEGER NOT NULL, cost INTEGER NOT NULL);"
    "CREATE TABLE landing(adapter INTEGER NOT NULL, port INTEGER NOT NULL, walk INTEGER NOT NULL,"
    " PRIMARY KEY(adapter, port)) WITHOUT ROWID;"
    "CREATE TABLE fact(name TEXT PRIMARY KEY, value) WITHOUT ROWID;";
