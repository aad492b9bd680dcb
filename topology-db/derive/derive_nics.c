/* SPDX-License-Identifier: BSD-3-Clause */
/* Which node has an adapter, as the nodes' hwloc XMLs tell. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/derive/derive.h"
#include "util/alloc.h"
#include "util/sorted.h"

struct names {
    char *text;
    size_t size, room, last; /* last: where the name that was kept last begins */
};

/* Rows come by node: a name is kept once. */
static int keep_name(struct names *names, const char *name, topomap_error *err)
{
    size_t length = strlen(name) + 1;

    if (names->size && strcmp(names->text + names->last, name) == 0)
        return 0;
    if (topomap_grow(&names->text, &names->room, names->size + length, 1, err))
        return -1;
    memcpy(names->text + names->size, name, length);
    names->last = names->size;
    names->size += length;
    return 0;
}

/* By GUIDs as signed numbers, as they are looked up. */
TOPOMAP_COMPARE(by_guid, struct db_nic, TOPOMAP_ORDER((int64_t)x->guid, (int64_t)y->guid),
                TOPOMAP_ORDER(y->exact, x->exact) ?: TOPOMAP_ORDER(x->node, y->node))

static int same_node(const struct db_views *views, const struct db_nic *a, const struct db_nic *b)
{
    char x[DB_KEY], y[DB_KEY];

    if (a->node == b->node)
        return 1;
    db_host_key(views->nic_names + a->node, x);
    db_host_key(views->nic_names + b->node, y);
    return strcmp(x, y) == 0;
}

/* Keeps each GUID once. Two nodes may have one in copies of one XML, or where several hosts share a
 * card's system image GUID: the XML that names its node wins over one that does not, and otherwise
 * none does. */
static void settle(struct db_views *views)
{
    size_t kept = 0, end;

    for (size_t i = 0; i < views->nics; i = end) {
        int clear = 1;

        for (end = i + 1; end < views->nics && views->nic[end].guid == views->nic[i].guid; end++)
            if (views->nic[end].exact == views->nic[i].exact)
                clear &= same_node(views, &views->nic[i], &views->nic[end]);
        if (clear)
            views->nic[kept++] = views->nic[i];
    }
    views->nics = kept;
}

int db_views_nics(struct db_views *views, topomap_error *err)
{
    DB_ROWS rows =
        db_ask(views->file, "SELECT node, guid, exact FROM nic ORDER BY node, guid", err);
    struct names names = {0};
    size_t room = 0;

    while (db_next(&rows)) {
        if (topomap_grow(&views->nic, &room, views->nics + 1, sizeof *views->nic, err) ||
            keep_name(&names, (const char *)sqlite3_column_text(rows.row, 0), err)) {
            rows.result = -1;
            break;
        }
        views->nic[views->nics++] =
            (struct db_nic){db_u64(rows.row, 1), names.last, sqlite3_column_int(rows.row, 2)};
    }
    views->nic_names = names.text;
    if (!rows.result && views->nics) {
        TOPOMAP_SORT(views->nic, views->nics, by_guid);
        settle(views);
    }
    return rows.result;
}

const char *db_views_nic(const struct db_views *views, uint64_t guid, int *exact)
{
    size_t low = topomap_sorted_rows(views->nic, guid ? views->nics : 0, sizeof *views->nic,
                                     offsetof(struct db_nic, guid), (int64_t)guid);

    if (!guid || low == views->nics || views->nic[low].guid != guid)
        return NULL;
    *exact = views->nic[low].exact;
    return views->nic_names + views->nic[low].node;
}
