/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicts the linear forwarding tables that OpenSM sets, from cables, GUIDs and LIDs alone.
 *
 * The source is OpenSM 3.3.23 (osm_ucast_mgr.c, osm_switch.c, osm_ucast_updn.c, osm_ucast_ftree.c):
 * the rules were read there, and the tables compared with those that opensm set in fabrics of
 * ibsim. NVIDIA's own OpenSM (4.x and 5.x, of MLNX_OFED and UFM) may set other tables.
 *
 * Limits: The subnet manager has its default options and no files of root GUIDs, hop weights or
 * orders, which cannot be seen in cables. It runs on a little-endian host. It has calculated the
 * tables anew since cables or hosts were lost: OpenSM keeps old routes until a port comes up. */
#pragma once

#include "fabric/infiniband.h"

/** A port of a host, an aggregation engine or a router, with a cable to a switch. The prediction
 *  needs all of a subnet: each missing one may change the routes to others. */
typedef struct topomap_opensm_end {
    uint32_t vertex; /* index of its adapter or router in the fabric */
    uint16_t lid;    /* the first one; 0: not known */
    uint8_t port;
    uint8_t lmc; /* the port has 2^lmc LIDs, from lid on */
} topomap_opensm_end;

struct topomap_opensm_subnet;

/** A routing engine: a row of the table. */
typedef struct topomap_opensm_engine {
    const char *name, *help;
    /** Fills the tables of the subnet, which are all TOPOMAP_NO_PORT before. Returns 0, or 1 if
     *  OpenSM's engine refuses this subnet (no entry is changed then), or -1 with `err` set. */
    int (*route)(struct topomap_opensm_subnet *subnet, topomap_error *err);
} topomap_opensm_engine;

/** Returns row \p i of the table of engines, or NULL if the table has fewer rows. Row 0 is minhop,
 *  the engine that OpenSM uses if the one that was asked for refuses. */
const topomap_opensm_engine *topomap_opensm_engine_at(size_t i);

/** Predicts the forwarding tables of all switches of a subnet.
 *
 *  The tables have the LIDs of \p end and of the switches' port 0. Routes use cables that lead back
 *  from their other end; of several cables at a port only one counts, and cables that join a vertex
 *  to itself or to another subnet are left out. Ends that have no LID or no cable to a switch of
 * the subnet, or that occur again, are left out, and so are switches without a LID. Switches of one
 *  system (a director switch) count as separate systems, which matters only for the second and
 *  further LIDs of a port (lmc > 0).
 *
 *  The same input gives the same bytes always. For S switches with C cables and ends with L LIDs,
 *  minhop, dor and updn cost O(2^lmc * S * C + S * L * ports to choose from), and ftree
 *  O((S + L) * C) if few cables join switches of one level. Memory is O(C + S * highest LID).
 *  1,000 switches with 24,000 cables and 8,000 hosts take 0.2 s, with ftree 0.5 s.
 *
 *  \param fabric  after topomap_lft_index(). Out: lft[] of the subnet's switches has new tables
 *                 (TOPOMAP_NO_PORT: no route) in place of old ones; topomap_lft_clear() frees them
 *  \param subnet  routes the switches whose topomap_lft_vertex.subnet has this value
 *  \param end     [ends] ends of other subnets are left out
 *  \param engine  the name of a row of the table
 *  \param used    out: whose tables these are: \p engine, or "minhop" if that engine refuses the
 *                 subnet, as OpenSM then uses minhop
 *  \return 0, or -1 with `err` set and the tables unchanged: TOPOMAP_EUSAGE if there is no such
 *          engine; TOPOMAP_EINPUT if a LID is no unicast LID or belongs to two ports, or if the
 *          engine is ftree and a cable joins two switches with hosts (OpenSM's own tables are then
 *          arbitrary, because it sorts hosts by memory that is not theirs) */
int topomap_opensm_route(topomap_lft_fabric *fabric, int64_t subnet, const topomap_opensm_end *end,
                         size_t ends, const char *engine, const char **used, topomap_error *err);
