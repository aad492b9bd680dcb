/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/derive/derive.h"

#include <stdlib.h>
#include <string.h>
#include <inttypes.h>

#include "topology-db/sql_functions.h"
#include "util/alloc.h"
#include "util/hash64.h"

/* ---- Facts in ---------------------------------------------------------------------------- */

/* Where two maps say something about one name, the source imported later wins. */
static int read_aliases(struct db_views *views, topomap_error *err)
{
    DB_ROWS rows =
        db_ask(views->file, "SELECT guid, key, node FROM alias ORDER BY source DESC, rowid", err);

    while (db_next(&rows)) {
        struct db_alias *alias = topomap_alloc(1, sizeof *alias, err), *old;
        const char *key = (const char *)sqlite3_column_text(rows.row, 1);

        if (!alias)
            return -1;
        alias->guid = db_u64(rows.row, 0);
        snprintf(alias->key, sizeof alias->key, "%s", key ? key : "");
        snprintf(alias->node, sizeof alias->node, "%s", sqlite3_column_text(rows.row, 2));
        if (alias->guid)
            HASH_FIND(by_guid, views->alias_guid, &alias->guid, sizeof alias->guid, old);
        else
            HASH_FIND(by_key, views->alias_key, alias->key, strlen(alias->key), old);
        if (old)
            free(alias);
        else if (alias->guid)
            HASH_ADD(by_guid, views->alias_guid, guid, sizeof alias->guid, alias);
        else
            HASH_ADD_KEYPTR(by_key, views->alias_key, alias->key, strlen(alias->key), alias);
    }
    return rows.result;
}

/* Classes, also of nodes that no fabric knows. The name may be the fabric's or Slurm's. */
static int read_classes(struct db_views *views, topomap_error *err)
{
    DB_ROWS rows = db_ask(views->file, "SELECT name, class FROM node_class ORDER BY key", err);

    while (db_next(&rows)) {
        const char *name = (const char *)sqlite3_column_text(rows.row, 0);
        struct db_host_row *host;

        if (db_views_host(views, db_views_mapped(views, name), NULL, &host, err))
            return -1;
        if (host)
            host->class = sqlite3_column_int64(rows.row, 1);
    }
    return rows.result;
}

/* ---- Views out --------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const struct db_host_row *x = *(struct db_host_row *const *)a;
    const struct db_host_row *y = *(struct db_host_row *const *)b;

    return db_natural_order(x->key, y->key) ?: strcmp(x->key, y->key);
}

static int write_host(sqlite3_stmt *insert, const struct db_host_row *host, topomap_error *err)
{
    char place[TOPOMAP_COORDINATES_TEXT];

    topomap_coordinates_format(&host->point, place);
    return DB_PUT(insert, err, DB_INT(host->id), DB_TEXT(host->key), DB_TEXT(host->name),
                  DB_INT_IF(host->class, host->class),
                  DB_TEXT(*host->status  ? host->status
                          : host->fabric ? "up"
                                         : "not in the fabric"),
                  DB_TEXT(*host->type ? host->type : "compute"), DB_TEXT_IF(*place, place),
                  DB_INT_IF(host->cname >= 0, host->cname));
}

static int write_hosts(struct db_views *views, topomap_error *err)
{
    size_t count = HASH_COUNT(views->hosts), i = 0;
    TOPOMAP_FREED struct db_host_row **sorted = topomap_alloc(count, sizeof *sorted, err);
    DB_STATEMENT *insert = db_prepare(views->file, "INSERT INTO host VALUES(?,?,?,?,?,?,?,?)", err);

    if (!sorted || !insert)
        return -1;
    for (struct db_host_row *host = views->hosts; host; host = host->hh.next)
        sorted[i++] = host;
    TOPOMAP_SORT(sorted, count, by_name);
    for (i = 0; i < count; i++) {
        sorted[i]->id = (int64_t)i + 1;
        if (write_host(insert, sorted[i], err))
            return -1;
    }
    return 0;
}

/* A nickname never hides a host of that very name. */
static int write_nicknames(struct db_views *views, topomap_error *err)
{
    DB_STATEMENT *insert =
        db_prepare(views->file, "INSERT OR IGNORE INTO nickname VALUES(?,?)", err);

    for (size_t i = 0; insert && i < views->nicknames; i++) {
        struct db_host_row *same;

        HASH_FIND_STR(views->hosts, views->nickname[i].key, same);
        if (same)
            continue;
        if (DB_PUT(insert, err, DB_TEXT(views->nickname[i].key),
                   DB_INT(views->nickname[i].host->id)))
            return -1;
    }
    return insert ? 0 : -1;
}

static int write_adapters(struct db_views *views, topomap_error *err)
{
    DB_STATEMENT *insert = db_prepare(views->file, "INSERT INTO adapter VALUES(?,?)", err);

    for (size_t i = 0; insert && i < views->adapters; i++) {
        if (DB_PUT(insert, err, DB_INT(views->adapter[i].vertex),
                   DB_INT_IF(views->adapter[i].host, views->adapter[i].host->id)))
            return -1;
    }
    return insert ? 0 : -1;
}

static void views_clear(struct db_views *views)
{
    struct db_host_row *host, *next;
    struct db_alias *alias, *after;

    HASH_ITER(hh, views->hosts, host, next)
    {
        HASH_DELETE(hh, views->hosts, host);
        free(host);
    }
    HASH_ITER(by_guid, views->alias_guid, alias, after)
    {
        HASH_DELETE(by_guid, views->alias_guid, alias);
        free(alias);
    }
    HASH_ITER(by_key, views->alias_key, alias, after)
    {
        HASH_DELETE(by_key, views->alias_key, alias);
        free(alias);
    }
    free(views->nickname);
    free(views->adapter);
    free(views->router);
    free(views->nic);
    free(views->nic_names);
}

/* Leaving a Cray node costs as much as a hop where nothing was measured: network.h. */
static int price_router(struct db_views *views, topomap_error *err)
{
    int64_t measured;

    if (db_number(views->file, "SELECT " DB_COST_MEASURED " FROM calibration WHERE level='router'",
                  0, &measured, err))
        return -1;
    views->router_cost = (uint32_t)measured;
    views->router_measured = views->router_cost > 0;
    if (!views->router_measured)
        views->router_cost = TOPOMAP_HOP;
    views->router_cost += views->router_cost % 2; /* half of it at either end */
    /* Inside nodes: tenths of a hop, for node_levels.c. */
    if (db_execute(views->file,
                   "INSERT INTO fact SELECT 'cost:' || level,"
                   " 10.0 * ns / (SELECT ns FROM calibration WHERE level='hop') FROM calibration"
                   " WHERE level NOT LIKE 'hop%' AND level <> 'router'",
                   err))
        return -1;
    return db_put_fact(views->file, "router_cost", NULL, views->router_cost, err);
}

/* Where no network has been imported, a host that Slurm lists is as good as on it. */
static int judge_listed(struct db_views *views)
{
    for (struct db_host_row *host = views->hosts; host; host = host->hh.next)
        if (host->fabric)
            return 0;
    for (struct db_host_row *host = views->hosts; host; host = host->hh.next)
        host->fabric = host->listed;
    return 0;
}

static int make_views(sqlite3 *file, topomap_error *err)
{
    static const char forget[] =
        "DELETE FROM host; DELETE FROM nickname; DELETE FROM adapter;"
        "DELETE FROM switch; DELETE FROM attach; DELETE FROM trunk;"
        "DELETE FROM slurm_switch; DELETE FROM slurm_attach;"
        "DELETE FROM slurm_trunk; DELETE FROM fact;"
        "DELETE FROM host_devices; DELETE FROM host_domain; DELETE FROM predicted_lft;";
    TOPOMAP_CLEANUP(views_clear) struct db_views views = {.file = file};

    return DB_STATUS(
        db_execute(file, forget, err) || price_router(&views, err) || read_aliases(&views, err) ||
        db_views_nics(&views, err) || db_views_cray(&views, err) ||
        db_views_adapters(&views, err) || db_views_slurm_hosts(&views, err) ||
        read_classes(&views, err) || db_views_device_hosts(&views, err) || judge_listed(&views) ||
        write_hosts(&views, err) || write_nicknames(&views, err) || write_adapters(&views, err) ||
        db_views_links(&views, err) || db_views_routes(file, err) || db_views_slurm(&views, err) ||
        db_views_planes(&views, err) || db_views_devices(&views, err) ||
        db_put_fact(file, "refused_names", NULL, views.refused, err) ||
        db_put_fact(file, "refused_name", views.refused_name, 0, err) || db_classify(file, err) ||
        db_views_predicted(file, err));
}

/* ---- When it said something else -------------------------------------------------------- */

/* When the database last said something else: an import that brings what was there leaves the time.
 * What it says is a sum of its rows' hashes, so that neither ids nor the order of imports count. */

/* Without ids, sources and what is counted anew at every look (table traffic). */
static const char *const contents[] = {
    "SELECT name, status, type, place, (SELECT shape FROM class WHERE class.id = host.class)"
    " FROM host",
    "SELECT a.guid, a.text, a.subnet, aport, b.guid, b.text, bport, width, speed, mbps, link.kind,"
    " state FROM link JOIN vertex AS a ON a.id = link.a JOIN vertex AS b ON b.id = link.b",
    "SELECT vertex.guid, vertex.text, number, state FROM port JOIN vertex ON vertex.id = vertex",
    "SELECT label, place FROM switch",
    "SELECT guid, lids, ports FROM lft",
    "SELECT level, ns FROM calibration",
    "SELECT level, latency, rate FROM level_time",
    "SELECT t.name, u.name, (SELECT name FROM slurm_unit AS c WHERE c.id = child), host, position"
    " FROM slurm_member JOIN slurm_unit AS u ON u.id = unit"
    " JOIN slurm_topology AS t ON t.id = topology",
    "SELECT name, value FROM slurm_setting",
    "SELECT name, text FROM host_devices JOIN host ON host.id = host"
    " JOIN device_set ON device_set.id = devices",
    "SELECT key, bus, uuid, state FROM own_device",
    "SELECT name, domain FROM host_domain JOIN host ON host.id = host",
    "SELECT engine FROM routing",
};

static uint64_t hash_row(sqlite3_stmt *row, uint64_t table)
{
    uint64_t hash[3] = {table, 0, 0};

    for (int i = 0; i < sqlite3_column_count(row); i++) {
        /* In this order: bytes of what the blob is (sqlite.org/c3ref/column_blob.html). */
        const void *blob = sqlite3_column_blob(row, i);
        size_t size = (size_t)sqlite3_column_bytes(row, i);

        hash[1] = (uint64_t)sqlite3_column_type(row, i);
        hash[2] = blob ? topomap_hash64_all(blob, size) : 0;
        hash[0] = topomap_hash64_all(hash, sizeof hash);
    }
    return hash[0];
}

static int hash_contents(sqlite3 *file, uint64_t *sum, topomap_error *err)
{
    *sum = 0;
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        DB_ROWS rows = db_ask(file, contents[i], err);

        while (db_next(&rows))
            *sum += hash_row(rows.row, i);
        if (rows.result)
            return -1;
    }
    return 0;
}

/* What a database said before an import, by a hash, and since when; "" and 0: not known. */
struct change {
    char contents[24];
    int64_t time;
};

/* Before the views are made anew, and after: where what it says is the same the time stays. */
static int change_read(sqlite3 *file, struct change *change, topomap_error *err)
{
    char changed[32];

    if (db_fact_text(file, "contents", change->contents, sizeof change->contents, err) ||
        db_fact_text(file, "changed", changed, sizeof changed, err))
        return -1;
    change->time = strtoll(changed, NULL, 10);
    return 0;
}

static int change_write(sqlite3 *file, const struct change *before, topomap_error *err)
{
    char contents_now[sizeof before->contents];
    int64_t changed = before->time;
    uint64_t sum;

    if (hash_contents(file, &sum, err))
        return -1;
    snprintf(contents_now, sizeof contents_now, "%016" PRIx64, sum);
    if ((strcmp(contents_now, before->contents) != 0 || !changed) &&
        db_number(file, "SELECT max(time) FROM source", 0, &changed, err))
        return -1;
    return DB_STATUS(db_put_fact(file, "contents", contents_now, 0, err) ||
                     db_put_fact(file, "changed", NULL, changed, err));
}

/* ---- All -------------------------------------------------------------------------------- */

int db_derive(sqlite3 *file, topomap_error *err)
{
    struct change before;

    return DB_STATUS(change_read(file, &before, err) || make_views(file, err) ||
                     change_write(file, &before, err));
}
