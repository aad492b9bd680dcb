/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/query/query.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/infiniband.h"
#include "util/alloc.h"
#include "util/sorted.h"

struct cable {
    int64_t a, b; /* vertices */
    uint32_t aport, bport, mbps;
    int trunk; /* between two switches */
    char class[40];
};

/* One end of a cable. */
struct tip {
    int64_t vertex, peer;
    uint32_t port, cable;
};

/* Whose adapter a vertex is. */
struct owner {
    int64_t host, adapter;
};

struct db_paths {
    topomap_db *db;
    topomap_db_router *router;
    struct db_finder finder;
    struct cable *cable;
    struct tip *tip;     /* [2 * cables] ascending by vertex and port */
    struct owner *owner; /* ascending by host and adapter */
    size_t cables, cable_room, owners, owner_room;
};

void db_paths_close(struct db_paths *p)
{
    if (!p)
        return;
    topomap_db_router_close(p->router);
    db_finder_close(&p->finder);
    free(p->cable);
    free(p->tip);
    free(p->owner);
    free(p);
}

/* ---- Loading ----------------------------------------------------------------------------- */

static int add_cable(struct db_paths *p, sqlite3_stmt *row, topomap_error *err)
{
    struct cable *cable;

    if (sqlite3_column_int64(row, 4) > IB_SPEEDS + 1)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: damaged: a link's speed", p->db->path);
    if (topomap_grow(&p->cable, &p->cable_room, p->cables + 1, sizeof *p->cable, err))
        return -1;
    cable = &p->cable[p->cables++];
    *cable = (struct cable){sqlite3_column_int64(row, 0),
                            sqlite3_column_int64(row, 2),
                            db_u32(row, 1),
                            db_u32(row, 3),
                            db_u32(row, 5),
                            sqlite3_column_int(row, 7),
                            ""};
    snprintf(cable->class, sizeof cable->class, "%s", db_column_text(row, 6));
    return 0;
}

static int add_owner(struct db_paths *p, sqlite3_stmt *row, topomap_error *err)
{
    return TOPOMAP_APPEND(
        p->owner, p->owners, p->owner_room, err,
        (struct owner){sqlite3_column_int64(row, 0), sqlite3_column_int64(row, 1)});
}

static int load_rows(struct db_paths *p, const char *sql,
                     int (*add)(struct db_paths *, sqlite3_stmt *, topomap_error *),
                     topomap_error *err)
{
    DB_ROWS rows = db_ask(p->db->file, sql, err);

    while (db_next(&rows))
        if (add(p, rows.row, err))
            return -1;
    return rows.result;
}

TOPOMAP_COMPARE(by_vertex, struct tip, TOPOMAP_ORDER(x->vertex, y->vertex),
                TOPOMAP_ORDER(x->port, y->port) ?: TOPOMAP_ORDER(x->cable, y->cable))

static int load(struct db_paths *p, topomap_error *err)
{
    if (load_rows(p,
                  "SELECT a, aport, b, bport, speed, link_mbps(width, speed, mbps),"
                  " link_class(width, speed, mbps, kind), a IN (SELECT id FROM switch) AND"
                  " b IN (SELECT id FROM switch) FROM link"
                  " WHERE state IS NOT 1 ORDER BY source, a, aport, b, bport",
                  add_cable, err) ||
        load_rows(p,
                  "SELECT DISTINCT attach.host, adapter FROM attach"
                  " JOIN host ON host.id = attach.host ORDER BY attach.host, adapter",
                  add_owner, err) ||
        !(p->tip = topomap_alloc(p->cables, 2 * sizeof *p->tip, err)))
        return -1;
    for (size_t i = 0; i < p->cables; i++) {
        const struct cable *c = &p->cable[i];

        p->tip[2 * i] = (struct tip){c->a, c->b, c->aport, (uint32_t)i};
        p->tip[2 * i + 1] = (struct tip){c->b, c->a, c->bport, (uint32_t)i};
    }
    TOPOMAP_SORT(p->tip, 2 * p->cables, by_vertex);
    return 0;
}

int db_paths_open(topomap_db *db, struct db_paths **paths, topomap_error *err)
{
    struct db_paths *p = topomap_alloc(1, sizeof *p, err);

    if (!p)
        return -1;
    p->db = db;
    if (db_finder_open(db, &p->finder, err) || topomap_db_router_open(db, &p->router, err) ||
        load(p, err)) {
        db_paths_close(p);
        return -1;
    }
    *paths = p;
    return 0;
}

/* ---- Finding ----------------------------------------------------------------------------- */

enum { NONE = -1 };

static size_t first_tip(const struct db_paths *p, int64_t vertex)
{
    return topomap_sorted_rows(p->tip, 2 * p->cables, sizeof *p->tip, offsetof(struct tip, vertex),
                               vertex);
}

/* The cable from a vertex to another; \p port NONE: the first of them. */
static int64_t find_cable(const struct db_paths *p, int64_t from, int port, int64_t to)
{
    for (size_t i = first_tip(p, from); i < 2 * p->cables && p->tip[i].vertex == from; i++)
        if (port == NONE ? p->tip[i].peer == to : p->tip[i].port == (uint32_t)port)
            return p->tip[i].cable;
    return NONE;
}

/* The cable between a switch and any adapter of a host. */
static int64_t find_host_cable(const struct db_paths *p, int64_t sw, int port, int64_t host)
{
    size_t low = topomap_sorted_rows(p->owner, p->owners, sizeof *p->owner,
                                     offsetof(struct owner, host), host);
    int64_t found = NONE;

    if (port != NONE)
        return find_cable(p, sw, port, 0);
    for (; found == NONE && low < p->owners && p->owner[low].host == host; low++)
        found = find_cable(p, sw, NONE, p->owner[low].adapter);
    return found;
}

/* ---- Paths ------------------------------------------------------------------------------- */

static int add(struct db_path *path, int64_t cable, topomap_error *err)
{
    if (cable == NONE)
        return 0;
    return TOPOMAP_APPEND(path->cable, path->cables, path->room, err, (uint32_t)cable);
}

static int follow(const struct db_paths *p, const topomap_db_distance *d, const int64_t host[2],
                  struct db_path *path, topomap_error *err)
{
    size_t switches;
    const int64_t *sw = db_router_passed(p->router, &switches);
    int result = 0;

    for (size_t i = 0; !result && i < switches; i++) {
        int in = i < d->steps ? d->step[i].in : NONE;

        result = add(
            path, i ? find_cable(p, sw[i], in, sw[i - 1]) : find_host_cable(p, sw[i], in, host[0]),
            err);
    }
    if (!result && switches)
        result = add(path,
                     find_host_cable(p, sw[switches - 1],
                                     d->steps ? d->step[d->steps - 1].out : NONE, host[1]),
                     err);
    return result;
}

int db_paths_between(struct db_paths *p, const char *a, const char *b, struct db_path *path,
                     topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_db_distance_clear) topomap_db_distance d = {0};
    struct db_place place[2] = {0};
    int64_t host[2];
    int result;

    path->cables = 0;
    if (db_finder_find(&p->finder, a, &place[0], err) ||
        db_finder_find(&p->finder, b, &place[1], err) ||
        topomap_db_router_route(p->router, a, b, NULL, &d, err))
        return -1;
    host[0] = place[0].host;
    host[1] = place[1].host;
    path->hops = d.hops;
    result = d.route ? follow(p, &d, host, path, err) : 0;
    path->complete = d.hops && path->cables == d.hops;
    return result;
}

/* ---- Cables ------------------------------------------------------------------------------ */

uint32_t db_paths_cables(const struct db_paths *p)
{
    return (uint32_t)p->cables;
}

int db_paths_cable_trunk(const struct db_paths *p, uint32_t cable)
{
    return p->cable[cable].trunk;
}

/* Only ends of cables that are named in a report are looked for, so that a search through all
 * will do. */
static void name_tip(const struct db_paths *p, int64_t vertex, uint32_t port, char *text,
                     size_t size)
{
    static const char sql[] =
        "SELECT name, 0 FROM attach JOIN host ON host.id = attach.host WHERE adapter = ?1"
        " UNION ALL SELECT label, 1 FROM switch WHERE id = ?1 LIMIT 1";
    topomap_error ignored;
    DB_ROWS rows = DB_ASK(p->db->file, sql, &ignored, DB_INT(vertex));

    if (!db_next(&rows))
        snprintf(text, size, "?");
    else if (sqlite3_column_int(rows.row, 1))
        snprintf(text, size, "%s[%u]", db_column_text(rows.row, 0), port);
    else
        snprintf(text, size, "%s", db_column_text(rows.row, 0));
}

void db_paths_cable_name(const struct db_paths *p, uint32_t cable, char *text, size_t size)
{
    const struct cable *c = &p->cable[cable];
    char a[280], b[280];

    name_tip(p, c->a, c->aport, a, sizeof a);
    name_tip(p, c->b, c->bport, b, sizeof b);
    snprintf(text, size, "%s - %s", a, b);
}

void db_paths_cable_class(const struct db_paths *p, uint32_t cable, char *name, uint32_t *mbps)
{
    strcpy(name, p->cable[cable].class);
    *mbps = p->cable[cable].mbps;
}
