/* SPDX-License-Identifier: BSD-3-Clause */
/* What all sources together say of nodes' devices, and which NVLink domain a node is in. */
#include <stdlib.h>
#include <string.h>

#include "machine/devices.h"
#include "topology-db/derive/derive.h"
#include "util/alloc.h"

/* hwloc sees most; then NCCL, which knows bus ids and links; then what has only names. Of one kind
 * of source, the last one. */
static const char sources[] =
    "SELECT n.name, n.devices, s.importer FROM node_devices n JOIN source s ON s.id = n.source"
    " ORDER BY n.key, CASE s.importer WHEN 'hwloc' THEN 0 WHEN 'nccl-topology' THEN 1 ELSE 2 END,"
    " s.importer, n.source DESC, n.rowid DESC";

enum { SETS = 8 }; /* sources of one node */

/* Nodes that the same sets speak of have the same devices. */
struct merged {
    int64_t set[SETS];
    uint32_t sets;
    int64_t result;
    struct merged *next;
};

struct joining {
    struct db_views *views;
    struct merged *known;
    sqlite3_stmt *text, *put;
    char name[DB_KEY], importer[32]; /* of the node at hand, and of its last set */
    struct merged at;
};

int db_views_device_hosts(struct db_views *views, topomap_error *err)
{
    DB_ROWS rows =
        db_ask(views->file,
               "SELECT name FROM node_devices UNION SELECT name FROM clique ORDER BY name", err);

    while (db_next(&rows)) {
        const char *name = (const char *)sqlite3_column_text(rows.row, 0);
        struct db_host_row *host;

        if (db_views_host(views, db_views_mapped(views, name), NULL, &host, err))
            return -1;
    }
    return rows.result;
}

static int read_set(struct joining *j, int64_t id, topomap_devices *devices, topomap_error *err)
{
    int result;

    sqlite3_bind_int64(j->text, 1, id);
    result = db_step(j->text, err);
    if (result == 1)
        result = topomap_devices_parse(db_column_text(j->text, 0), devices, err);
    else if (result == 0)
        result = topomap_error_set(err, TOPOMAP_EINPUT, "damaged: a set of devices is missing");
    sqlite3_reset(j->text);
    return result;
}

/* The set that several make together. */
static int merge(struct joining *j, int64_t *result, topomap_error *err)
{
    topomap_devices all = {0}, more;
    TOPOMAP_FREED char *text = NULL;
    int failed = read_set(j, j->at.set[0], &all, err);

    for (uint32_t i = 1; !failed && i < j->at.sets; i++) {
        failed = read_set(j, j->at.set[i], &more, err);
        if (failed)
            break;
        failed = topomap_devices_merge(&all, &more, err);
        topomap_devices_clear(&more);
    }
    text = failed ? NULL : topomap_devices_format(&all, err);
    failed = !text || DB_RUN(j->views->file, "INSERT OR IGNORE INTO device_set(text) VALUES(?)",
                             err, DB_TEXT(text));
    if (!failed) {
        DB_ROWS rows =
            DB_ASK(j->views->file, "SELECT id FROM device_set WHERE text=?", err, DB_TEXT(text));

        *result = db_next(&rows) ? sqlite3_column_int64(rows.row, 0) : 0;
        failed = rows.result;
    }
    topomap_devices_clear(&all);
    return failed ? -1 : 0;
}

static int find_merged(struct joining *j, int64_t *result, topomap_error *err)
{
    struct merged *known = j->known;

    *result = j->at.set[0];
    if (j->at.sets == 1)
        return 0;
    while (known && (known->sets != j->at.sets || memcmp(known->set, j->at.set, sizeof known->set)))
        known = known->next;
    if (!known) {
        if (merge(j, result, err) || !(known = topomap_alloc(1, sizeof *known, err)))
            return -1;
        *known = j->at;
        known->result = *result;
        known->next = j->known;
        j->known = known;
    }
    *result = known->result;
    return 0;
}

static struct db_host_row *host_of(struct db_views *views, const char *name)
{
    struct db_host_row *host;
    char key[DB_KEY];

    db_host_key(db_views_mapped(views, name), key);
    HASH_FIND_STR(views->hosts, key, host);
    return host;
}

static int end_node(struct joining *j, topomap_error *err)
{
    struct db_host_row *host = j->at.sets ? host_of(j->views, j->name) : NULL;
    int64_t set;
    int result = 0;

    if (host)
        result = find_merged(j, &set, err) || DB_PUT(j->put, err, DB_INT(host->id), DB_INT(set));
    j->at = (struct merged){.sets = 0};
    return result ? -1 : 0;
}

static int take_row(struct joining *j, const char *name, const char *importer, int64_t set,
                    topomap_error *err)
{
    char own[DB_KEY], last[DB_KEY];

    db_host_key(name, own);
    db_host_key(j->name, last);
    if (strcmp(own, last) != 0) {
        if (end_node(j, err))
            return -1;
        snprintf(j->name, sizeof j->name, "%s", name);
    } else if (strcmp(importer, j->importer) == 0 || j->at.sets == SETS)
        return 0;
    snprintf(j->importer, sizeof j->importer, "%s", importer);
    j->at.set[j->at.sets++] = set;
    return 0;
}

static int join_all(struct joining *j, topomap_error *err)
{
    DB_ROWS rows = db_ask(j->views->file, sources, err);

    while (db_next(&rows))
        if (take_row(j, db_column_text(rows.row, 0), db_column_text(rows.row, 2),
                     sqlite3_column_int64(rows.row, 1), err))
            return -1;
    return rows.result ? -1 : end_node(j, err);
}

/* ---- NVLink domains ------------------------------------------------------------------------ */

/* Slurm's blocks are the same racks, where they are all there is. */
static const char cliques[] = "SELECT name, domain FROM clique ORDER BY source DESC, rowid DESC";
static const char blocks[] =
    "SELECT m.host, u.name FROM slurm_topology t JOIN slurm_unit u ON u.topology = t.id"
    " JOIN slurm_member m ON m.unit = u.id WHERE t.kind = 'block' AND m.host IS NOT NULL"
    " ORDER BY t.chosen DESC, t.id, u.id, m.rowid";

static int add_domains(struct db_views *views, const char *sql, int *any, topomap_error *err)
{
    DB_ROWS rows = db_ask(views->file, sql, err);
    DB_STATEMENT *put =
        db_prepare(views->file, "INSERT OR IGNORE INTO host_domain VALUES(?,?)", err);

    *any = 0;
    while (put && db_next(&rows)) {
        struct db_host_row *host = host_of(views, db_column_text(rows.row, 0));

        *any = 1;
        if (host && DB_PUT(put, err, DB_INT(host->id), DB_TEXT(db_column_text(rows.row, 1))))
            return -1;
    }
    return put ? rows.result : -1;
}

int db_views_devices(struct db_views *views, topomap_error *err)
{
    DB_STATEMENT *text = db_prepare(views->file, "SELECT text FROM device_set WHERE id=?", err);
    DB_STATEMENT *put =
        db_prepare(views->file, "INSERT OR REPLACE INTO host_devices VALUES(?,?)", err);
    struct joining j = {.views = views, .text = text, .put = put};
    int result, any;

    result = text && put ? join_all(&j, err) : -1;
    for (struct merged *next; j.known; j.known = next) {
        next = j.known->next;
        free(j.known);
    }
    if (result || add_domains(views, cliques, &any, err) ||
        (!any && add_domains(views, blocks, &any, err)))
        return -1;
    return db_execute(views->file,
                      "DELETE FROM device_set WHERE id NOT IN (SELECT devices FROM node_devices"
                      " UNION SELECT devices FROM host_devices)",
                      err);
}
