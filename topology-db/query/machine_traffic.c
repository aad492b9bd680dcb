/* SPDX-License-Identifier: BSD-3-Clause */
/* Measured traffic, as less capacity of an allocation's links. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/query/query.h"
#include "topology-db/functions.h"
#include "util/alloc.h"

/* Between the allocation's vertices; UINT32_MAX: of none. */
static uint32_t link_between(const struct db_links *l, int64_t a, int64_t b)
{
    if (a < 0 || b < 0 || a >= l->ids || b >= l->ids || l->vertex[a] == DB_NOWHERE ||
        l->vertex[b] == DB_NOWHERE)
        return UINT32_MAX;
    return topomap_network_link(l->network, l->vertex[a], l->vertex[b]);
}

static size_t add_flow(const struct db_links *l, sqlite3_stmt *flow, double *used)
{
    size_t known = 0;

    for (int back = 0; back < 2; back++) {
        uint32_t link =
            link_between(l, sqlite3_column_int64(flow, back), sqlite3_column_int64(flow, !back));
        double bytes = sqlite3_column_double(flow, 2 + back);

        if (link == UINT32_MAX || db_is_null(flow, 2 + back))
            continue;
        used[link] += bytes > 0 ? bytes : 0;
        known++;
    }
    return known;
}

int db_links_traffic(struct db_links *l, topomap_error *err)
{
    DB_ROWS flows = {0};
    TOPOMAP_FREED double *used = NULL;
    size_t known = 0;

    if (strcmp(l->network->unit, "s") != 0)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "%s: measured traffic needs cables with rates", l->db->path);
    used = topomap_alloc(l->network->links, sizeof *used, err);
    if (!used)
        return -1;
    flows = db_ask_if(l->db->file, "traffic", DB_TRAFFIC "SELECT a, b, there, back FROM flow", err);
    while (db_next(&flows))
        known += add_flow(l, flows.row, used);
    if (flows.result)
        return -1;
    if (known)
        topomap_network_take(l->network, used);
    return known ? 0
                 : topomap_error_set(err, TOPOMAP_EINPUT,
                                     "%s: it has no traffic of these links; measure it, and import "
                                     "it (topomap db import counters)",
                                     l->db->path);
}
