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
    " wrap INTEGER, UNIQUE(importer, name));"
    /* InfiniBand: a vertex is known by (source, subnet, guid); subnet counts the dumps in one file,
     * from 0, and is 0 for nearly all. kind: enum ib_kind. recorded 0: only named by a port at the
     * other end. label: what a switch is called, unique within the source. */
    "CREATE TABLE vertex(id INTEGER PRIMARY KEY, source INTEGER NOT NULL, kind INTEGER NOT NULL,"
    " guid INTEGER NOT NULL, system INTEGER, vendor INTEGER, device INTEGER, ports INTEGER,"
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
    /* Cray: cname is packed (cray.h). */
    "CREATE TABLE cray_admin(nid INTEGER PRIMARY KEY, source INTEGER NOT NULL, cname INTEGER,"
    " type TEXT, status TEXT, mode TEXT);"
    "CREATE TABLE cray_proc(nid INTEGER PRIMARY KEY, source INTEGER NOT NULL, cname INTEGER,"
    " type TEXT, status TEXT, mode TEXT, x INTEGER, y INTEGER, z INTEGER);"
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
    /* ---- Views. host ids are in natural order of names; key is what a name is looked up by. */
    "CREATE TABLE host(id INTEGER PRIMARY KEY, key TEXT NOT NULL, name TEXT NOT NULL,"
    " class INTEGER, status TEXT NOT NULL, type TEXT NOT NULL, x INTEGER, y INTEGER, z INTEGER);"
    "CREATE UNIQUE INDEX host_key ON host(key);"
    "CREATE TABLE nickname(key TEXT PRIMARY KEY, host INTEGER NOT NULL) WITHOUT ROWID;"
    /* level: in a fat tree, 0 the leaves. plane: which connected component of switches, from 1 by
     * their lowest id. place: in a torus or mesh, "x,y,z" as far as there are dimensions; facts
     * "fabric_dims" and "fabric_wrap" say the rest. */
    "CREATE TABLE switch(id INTEGER PRIMARY KEY, label TEXT NOT NULL, level INTEGER,"
    " plane INTEGER, place TEXT);"
    "CREATE TABLE adapter(vertex INTEGER PRIMARY KEY, host INTEGER);"
    /* host 0: of an adapter whose host is not known. */
    "CREATE TABLE attach(host INTEGER NOT NULL, adapter INTEGER NOT NULL, port INTEGER NOT NULL,"
    " switch INTEGER NOT NULL, PRIMARY KEY(host, adapter, port)) WITHOUT ROWID;"
    "CREATE TABLE trunk(a INTEGER NOT NULL, b INTEGER NOT NULL, links INTEGER NOT NULL,"
    " mbps INTEGER NOT NULL, PRIMARY KEY(a, b)) WITHOUT ROWID;"
    "CREATE TABLE fact(name TEXT PRIMARY KEY, value) WITHOUT ROWID;";
