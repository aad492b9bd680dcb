/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions and fragments that SQL statements share: names of hosts and switches, rates and costs
 * of links, measured traffic.
 *
 * The unit of a link's cost is a thousandth of a hop over the reference link, whole numbers, so
 * that sums are the same in either direction. A network's reference is the rate that most of its
 * links between switches have (of two, the higher; without such links, of its links to hosts); a
 * link of half that rate costs 2000. A rate that is not known counts as the reference. If a
 * calibration was imported, a class that it has costs what was measured instead, and half of its
 * level "router" is added to every link to a host. */
#pragma once

#include "topology-db/store.h"

enum { DB_KEY = 256 };

/** The key that hosts are looked up by: lower case, without the domain (an IPv4 address is kept
 *  whole).
 *  \param key  [DB_KEY]; a longer name is cut */
void db_host_key(const char *name, char *key);
/** Compares names in the order that people expect: node2 before node10, without case, then as
 *  bytes. */
int db_natural_order(const char *a, const char *b);

/** Registers functions that statements call:
 *  - COLLATE human: the order of db_natural_order();
 *  - peers(name): the name without its domain, in lower case, each number replaced by '#';
 *  - link_mbps(width, speed, mbps): the rate of a row of table link, or 0;
 *  - link_class(width, speed, mbps, kind): the source's own name, "25G", "4xEDR" or "unknown";
 *  - link_cost(reference, mbps): the cost of a rate.
 *  Returns 0, or -1 with `err` set. */
int db_functions_register(sqlite3 *file, topomap_error *err);

/** SQL expression: the cost of a row of table calibration in thousandths of a hop. */
#define DB_COST_MEASURED                                                                           \
    "min(max(coalesce(CAST(round(1000.0 * ns / (SELECT ns FROM calibration WHERE level='hop')) AS" \
    " INTEGER), 0), 1), 1000000)"

/** Begins a question. whose: the vertices that a row of traffic is about; a GUID may be in several
 *  subnets, and a LID of several subnets is nobody's. load: what a vertex's port sends and
 * receives; flow: bytes a second over a cable that is up, from a to b and back, from whichever end
 * is known.
 */
#define DB_TRAFFIC                                                                                 \
    "WITH at_lid(row, vertex) AS (SELECT traffic.rowid, vertex.id FROM traffic JOIN vertex"        \
    " USING (lid) UNION SELECT traffic.rowid, port.vertex FROM traffic JOIN port USING (lid)),"    \
    " whose(row, vertex) AS (SELECT traffic.rowid, vertex.id FROM traffic JOIN vertex USING"       \
    " (guid) UNION SELECT traffic.rowid, port.vertex FROM traffic JOIN port USING (guid)"          \
    " UNION SELECT row, max(vertex) FROM at_lid GROUP BY row HAVING count(*) = 1),"                \
    " load(vertex, port, sent, received) AS (SELECT vertex, port, max(sent), max(received)"        \
    " FROM whose JOIN traffic ON traffic.rowid = row GROUP BY vertex, port),"                      \
    " flow(a, b, there, back, mbps) AS (SELECT a, b, coalesce(x.sent, y.received),"                \
    " coalesce(y.sent, x.received), link_mbps(width, speed, mbps)"                                 \
    " FROM link LEFT JOIN load x ON x.vertex = a AND x.port = aport"                               \
    " LEFT JOIN load y ON y.vertex = b AND y.port = bport"                                         \
    " WHERE coalesce(state, 0) <> 1" /* IB_DOWN */                                                 \
    " AND (x.vertex IS NOT NULL OR y.vertex IS NOT NULL)) "
