/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/query/paths.h"

#include <stdlib.h>
#include <string.h>

#include "topology-db/costs.h"
#include "topology-db/ib_names.h"
#include "topology-db/query/network.h"
#include "util/alloc.h"
#include "util/sorted.h"

struct cable {
    int64_t a, b; /* vertices */
    uint32_t aport, bport, class;
    int trunk; /* between two switches */
};

/* One end of a cable. */
struct tip {
    int64_t vertex, peer;
    uint32_t port, cable;
};

struct label {
    char *text;
    int64_t vertex;
};

/* Whose adapter a vertex is. */
struct owner {
    int64_t host, adapter;
    char *name;
};

struct db_paths {
    topomap_db *db;
    topomap_db_router *router;
    struct db_finder finder;
    struct db_link_classes classes;
    struct cable *cable;
    struct tip *tip; /* [2 * cables] ascending by vertex and port */
    struct label *label;
    struct owner *owner; /* ascending by host and adapter */
    size_t cables, cable_room, labels, label_room, owners, owner_room;
};

void db_paths_close(struct db_paths *p)
{
    if (!p)
        return;
    topomap_db_router_close(p->router);
    db_finder_close(&p->finder);
    db_link_classes_clear(&p->classes);
    for (size_t i = 0; i < p->labels; i++)
        free(p->label[i].text);
    for (size_t i = 0; i < p->owners; i++)
        free(p->owner[i].name);
    free(p->cable);
    free(p->tip);
    free(p->label);
    free(p->owner);
    free(p);
}

/* ---- Loading ----------------------------------------------------------------------------- */

static int add_cable(struct db_paths *p, sqlite3_stmt *row, topomap_error *err)
{
    struct db_link_key key;
    struct db_link_class *class;
    const char *kind = (const char *)sqlite3_column_text(row, 8);

    memset(&key, 0, sizeof key);
    key.source = sqlite3_column_int64(row, 4);
    key.width = (uint32_t)sqlite3_column_int(row, 5);
    key.speed = (uint32_t)sqlite3_column_int(row, 6);
    key.mbps = (uint32_t)sqlite3_column_int(row, 7);
    snprintf(key.kind, sizeof key.kind, "%s", kind ? kind : "");
    if (key.speed > IB_SPEEDS + 1)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: damaged: a link's speed", p->db->path);
    if (db_link_classes_find(&p->classes, &key, &class, err) ||
        topomap_grow(&p->cable, &p->cable_room, p->cables + 1, sizeof *p->cable, err))
        return -1;
    p->cable[p->cables++] = (struct cable){sqlite3_column_int64(row, 0),
                                           sqlite3_column_int64(row, 2),
                                           (uint32_t)sqlite3_column_int(row, 1),
                                           (uint32_t)sqlite3_column_int(row, 3),
                                           class->index,
                                           0};
    return 0;
}

static int add_label(struct db_paths *p, sqlite3_stmt *row, topomap_error *err)
{
    if (topomap_grow(&p->label, &p->label_room, p->labels + 1, sizeof *p->label, err) ||
        !(p->label[p->labels].text = db_column_copy(row, 1, err)))
        return -1;
    p->label[p->labels++].vertex = sqlite3_column_int64(row, 0);
    return 0;
}

static int add_owner(struct db_paths *p, sqlite3_stmt *row, topomap_error *err)
{
    if (topomap_grow(&p->owner, &p->owner_room, p->owners + 1, sizeof *p->owner, err) ||
        !(p->owner[p->owners].name = db_column_copy(row, 2, err)))
        return -1;
    p->owner[p->owners].host = sqlite3_column_int64(row, 0);
    p->owner[p->owners++].adapter = sqlite3_column_int64(row, 1);
    return 0;
}

static int load_rows(struct db_paths *p, const char *sql,
                     int (*add)(struct db_paths *, sqlite3_stmt *, topomap_error *),
                     topomap_error *err)
{
    struct db_rows rows = db_ask(p->db->file, sql, err);

    while (db_next(&rows))
        if (add(p, rows.row, err))
            return db_stop(&rows);
    return rows.result;
}

static int by_vertex(const void *a, const void *b)
{
    const struct tip *x = a, *y = b;

    if (x->vertex != y->vertex)
        return x->vertex < y->vertex ? -1 : 1;
    if (x->port != y->port)
        return x->port < y->port ? -1 : 1;
    return x->cable < y->cable ? -1 : x->cable > y->cable;
}

static int by_label(const void *a, const void *b)
{
    const struct label *x = a, *y = b;
    int order = strcmp(x->text, y->text);

    return order ? order : x->vertex < y->vertex ? -1 : x->vertex > y->vertex;
}

/* While labels are in the order of switches. */
static int is_switch(const struct db_paths *p, int64_t vertex)
{
    size_t low = topomap_sorted_rows(p->label, p->labels, sizeof *p->label,
                                     offsetof(struct label, vertex), vertex);

    return low < p->labels && p->label[low].vertex == vertex;
}

static int load(struct db_paths *p, topomap_error *err)
{
    if (load_rows(p,
                  "SELECT a, aport, b, bport, source, width, speed, mbps, kind FROM link"
                  " WHERE state IS NOT 1 ORDER BY source, a, aport, b, bport",
                  add_cable, err) ||
        load_rows(p, "SELECT id, label FROM switch ORDER BY id", add_label, err) ||
        load_rows(p,
                  "SELECT DISTINCT attach.host, adapter, name FROM attach"
                  " JOIN host ON host.id = attach.host ORDER BY attach.host, adapter",
                  add_owner, err) ||
        !(p->tip = topomap_alloc(p->cables, 2 * sizeof *p->tip, err)))
        return -1;
    for (size_t i = 0; i < p->cables; i++) {
        struct cable *c = &p->cable[i];

        c->trunk = is_switch(p, c->a) && is_switch(p, c->b);
        p->tip[2 * i] = (struct tip){c->a, c->b, c->aport, (uint32_t)i};
        p->tip[2 * i + 1] = (struct tip){c->b, c->a, c->bport, (uint32_t)i};
    }
    qsort(p->tip, 2 * p->cables, sizeof *p->tip, by_vertex);
    if (p->labels)
        qsort(p->label, p->labels, sizeof *p->label, by_label);
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
    size_t low = topomap_sorted_rows(p->tip, 2 * p->cables, sizeof *p->tip,
                                     offsetof(struct tip, vertex), vertex);

    return low;
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

static const struct owner *owner_of(const struct db_paths *p, int64_t adapter)
{
    for (size_t i = 0; i < p->owners; i++)
        if (p->owner[i].adapter == adapter)
            return &p->owner[i];
    return NULL;
}

/* A switch by its label; of several, one that is joined to the one before. */
static int64_t find_switch(const struct db_paths *p, const char *text, int64_t before)
{
    size_t low = 0, high = p->labels;
    int64_t first = NONE;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (strcmp(p->label[middle].text, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < p->labels && strcmp(p->label[low].text, text) == 0; low++) {
        if (before != NONE && find_cable(p, before, NONE, p->label[low].vertex) != NONE)
            return p->label[low].vertex;
        first = first == NONE ? p->label[low].vertex : first;
    }
    return first;
}

/* ---- Paths ------------------------------------------------------------------------------- */

static int add(struct db_path *path, int64_t cable, topomap_error *err)
{
    if (cable == NONE)
        return 0;
    if (topomap_grow(&path->cable, &path->room, path->cables + 1, sizeof *path->cable, err))
        return -1;
    path->cable[path->cables++] = (uint32_t)cable;
    return 0;
}

static int follow(const struct db_paths *p, const topomap_db_distance *d, const int64_t host[2],
                  struct db_path *path, topomap_error *err)
{
    char *route = topomap_strdup(d->route, err), *keep, *word, *next;
    int64_t before = NONE;
    size_t at = 0;
    int result = route ? 0 : -1;

    if (result)
        return -1;
    strtok_r(route, "\n", &keep); /* the host */
    word = strtok_r(NULL, "\n", &keep);
    for (; !result && word && (next = strtok_r(NULL, "\n", &keep)); word = next, at++) {
        int64_t sw = find_switch(p, word, before);
        int in = at < d->steps ? d->step[at].in : NONE;

        result = add(path,
                     before == NONE ? find_host_cable(p, sw, in, host[0])
                                    : find_cable(p, sw, in, before),
                     err);
        before = sw;
    }
    if (!result && before != NONE)
        result = add(
            path, find_host_cable(p, before, d->steps ? d->step[d->steps - 1].out : NONE, host[1]),
            err);
    free(route);
    return result;
}

int db_paths_between(struct db_paths *p, const char *a, const char *b, struct db_path *path,
                     topomap_error *err)
{
    topomap_db_distance d;
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
    topomap_db_distance_clear(&d);
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
    const struct owner *owner = owner_of(p, vertex);

    if (owner) {
        snprintf(text, size, "%s", owner->name);
        return;
    }
    for (size_t i = 0; i < p->labels; i++)
        if (p->label[i].vertex == vertex) {
            snprintf(text, size, "%s[%u]", p->label[i].text, port);
            return;
        }
    snprintf(text, size, "?");
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
    const struct db_link_class *class = p->classes.by_index[p->cable[cable].class];

    db_link_class_name(&class->key, name);
    *mbps = class->mbps;
}
