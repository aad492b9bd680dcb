/* SPDX-License-Identifier: BSD-3-Clause */
/* Predicted forwarding tables: most sites import cables alone. For each InfiniBand subnet of which
 * no table was imported, the tables are worked out as its subnet manager would
 * (lib/fabric/opensm). */
#include <stdlib.h>
#include <string.h>

#include "fabric/opensm/opensm.h"
#include "topology-db/derive/derive.h"
#include "topology-db/fabric/load.h"
#include "util/alloc.h"
#include "util/text.h"

enum { ENGINE = 32 };

struct prediction {
    sqlite3 *file;
    topomap_lft_fabric fabric;
    topomap_opensm_end *end;
    size_t ends, room;
    char default_engine[ENGINE]; /* of subnets whose import named no engine */
    char used[ENGINE];           /* engines of the subnets that were predicted */
};

static void prediction_clear(struct prediction *p)
{
    db_lft_clear(&p->fabric);
    free(p->end);
}

static int load_ends(struct prediction *p, topomap_error *err)
{
    DB_ROWS rows = db_ask(p->file,
                          "SELECT vertex, number, port.lid, lmc FROM port"
                          " JOIN vertex ON vertex.id = vertex WHERE kind <> 0 AND number > 0"
                          " AND port.lid > 0 ORDER BY vertex, number",
                          err);

    while (db_next(&rows)) {
        topomap_opensm_end end = {
            .vertex = topomap_lft_find(&p->fabric, sqlite3_column_int64(rows.row, 0)),
            .lid = (uint16_t)sqlite3_column_int(rows.row, 2),
            .port = (uint8_t)sqlite3_column_int(rows.row, 1),
            .lmc = (uint8_t)sqlite3_column_int(rows.row, 3)};

        if (end.vertex != UINT32_MAX && TOPOMAP_APPEND(p->end, p->ends, p->room, err, end))
            return -1;
    }
    return rows.result;
}

/* OpenSM's default is minhop. On a torus that would deadlock, so that sites choose another engine
 * there, mostly one that routes dimension by dimension. */
static int choose_default(struct prediction *p, topomap_error *err)
{
    char kind[32];

    if (db_fact_text(p->file, "topology", kind, sizeof kind, err))
        return -1;
    snprintf(p->default_engine, sizeof p->default_engine, "%s",
             strcmp(kind, "torus") == 0 || strcmp(kind, "mesh") == 0 ? "dor" : "minhop");
    return 0;
}

static int write_table(const struct prediction *p, sqlite3_stmt *insert, uint32_t vertex,
                       topomap_error *err)
{
    const topomap_lft *lft = &p->fabric.lft[vertex];
    size_t size;
    TOPOMAP_FREED void *packed = db_pack(lft->port, lft->lids, 1, &size, err);

    return packed ? DB_PUT(insert, err, DB_INT(p->fabric.vertex[vertex].id), DB_INT(lft->lids),
                           DB_BLOB(packed, (int64_t)size))
                  : -1;
}

/* Predicts and writes the tables of one subnet. Cables that no tables can be predicted from (a LID
 * that two ports have, say) leave the subnet without routes. */
static int predict(struct prediction *p, int64_t subnet, const char *engine, topomap_error *err)
{
    DB_STATEMENT *insert = db_prepare(p->file, "INSERT INTO predicted_lft VALUES(?1, ?2, ?3)", err);
    const char *used;
    topomap_error why;

    if (!insert)
        return -1;
    if (topomap_opensm_route(&p->fabric, subnet, p->end, p->ends, engine, &used, &why))
        return why.code == TOPOMAP_EINPUT ? 0 : topomap_error_set(err, why.code, "%s", why.text);
    for (uint32_t v = 0; v < p->fabric.count; v++)
        if (p->fabric.vertex[v].subnet == subnet && p->fabric.lft[v].port &&
            write_table(p, insert, v, err))
            return -1;
    if (!strstr(p->used, used))
        topomap_text_append(p->used, sizeof p->used, "%s%s", *p->used ? ", " : "", used);
    return 0;
}

/* SQL condition on a row of table routing: its switches share traffic among all shortest paths. */
#define SHARED "(engine IN ('adaptive', 'ecmp') OR engine GLOB 'ar_*')"

/* Subnets with switches that have LIDs, none of whose tables was imported, and that have fixed
 * routes. */
static int predict_all(struct prediction *p, topomap_error *err)
{
    DB_ROWS rows = db_ask(
        p->file,
        "SELECT source * 65536 + subnet, (SELECT engine FROM routing"
        "  WHERE routing.source = vertex.source) FROM vertex WHERE kind = 0"
        " AND source NOT IN (SELECT source FROM routing WHERE " SHARED ")"
        " GROUP BY 1 HAVING max(lid) > 0 AND NOT max(coalesce(guid IN (SELECT guid FROM lft), 0))"
        " ORDER BY 1",
        err);

    while (db_next(&rows)) {
        const char *engine = db_column_text(rows.row, 1);

        if (predict(p, sqlite3_column_int64(rows.row, 0), *engine ? engine : p->default_engine,
                    err))
            return -1;
    }
    return rows.result;
}

/* Sets the fact routes_shared if a source's switches share traffic and no source has fixed routes.
 * Tables that were imported for an adaptive subnet are not its routes. */
static int name_shared(sqlite3 *file, topomap_error *err)
{
    DB_ROWS rows =
        db_ask(file,
               "SELECT group_concat(DISTINCT engine) FROM routing WHERE " SHARED
               " AND NOT EXISTS (SELECT 1 FROM predicted_lft)"
               " AND NOT EXISTS (SELECT 1 FROM lft JOIN vertex USING (guid)"
               "  WHERE vertex.source NOT IN (SELECT source FROM routing WHERE " SHARED "))",
               err);
    const char *names = db_next(&rows) ? db_column_text(rows.row, 0) : "";

    if (*names && db_put_fact(file, "routes_shared", names, 0, err))
        return -1;
    return rows.result;
}

static int predict_tables(sqlite3 *file, topomap_error *err)
{
    TOPOMAP_CLEANUP(prediction_clear) struct prediction p = {.file = file};
    int64_t switches;

    if (db_number(file,
                  "SELECT count(*) FROM vertex WHERE kind = 0 AND lid > 0"
                  " AND guid NOT IN (SELECT guid FROM lft)",
                  0, &switches, err))
        return -1;
    if (!switches)
        return 0;
    if (choose_default(&p, err) || db_lft_load(file, &p.fabric, err) || load_ends(&p, err) ||
        predict_all(&p, err))
        return -1;
    return *p.used ? db_put_fact(file, "routes_predicted", p.used, 0, err) : 0;
}

int db_views_predicted(sqlite3 *file, topomap_error *err)
{
    return DB_STATUS(predict_tables(file, err) || name_shared(file, err));
}
