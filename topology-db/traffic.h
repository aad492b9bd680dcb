/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured traffic (store.h, table traffic), as questions have it. */
#ifndef TOPOMAP_DB_TRAFFIC_H
#define TOPOMAP_DB_TRAFFIC_H

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

#endif
