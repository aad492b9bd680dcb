/* SPDX-License-Identifier: BSD-3-Clause */
/* Hosts of Cray tables and of named coordinates. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/derive/derive.h"
#include "util/alloc.h"

static void copy_column(sqlite3_stmt *statement, int column, char *text, size_t size)
{
    const char *value = (const char *)sqlite3_column_text(statement, column);

    if (!*text && value)
        snprintf(text, size, "%s", value);
}

/* What the site's map makes of a node: by its name, else by its component name. */
static const char *map_name(const struct db_views *views, const char *name, int64_t cname,
                            char *place)
{
    const char *mapped = db_views_mapped(views, name);
    struct cray_name parts;

    if (mapped != name || cname < 0 || !views->alias_key)
        return mapped;
    cray_name_unpack(cname, &parts);
    cray_name_format(&parts, place);
    mapped = db_views_mapped(views, place);
    return mapped == place ? name : mapped;
}

/* One row: NID or NULL, name, cname, status, type, place. What came first stays. */
static int take_row(struct db_views *views, sqlite3_stmt *statement, topomap_error *err)
{
    struct db_host_row *host;
    char own[DB_KEY], component[DB_KEY];
    const char *name, *place = (const char *)sqlite3_column_text(statement, 5);
    int64_t cname = db_is_null(statement, 2) ? -1 : sqlite3_column_int64(statement, 2);

    /* Slurm's names on XT, XE and XC: nid%05d of the decimal NID; later systems pad to six, which
     * db_host_key() takes as the same. */
    if (db_is_null(statement, 0))
        snprintf(own, sizeof own, "%s", sqlite3_column_text(statement, 1));
    else
        snprintf(own, sizeof own, "nid%05lld", (long long)sqlite3_column_int64(statement, 0));
    name = map_name(views, own, cname, component);
    if (db_views_host(views, name, name == own ? NULL : own, &host, err))
        return -1;
    if (!host)
        return 0;
    host->fabric = 1;
    copy_column(statement, 3, host->status, sizeof host->status);
    copy_column(statement, 4, host->type, sizeof host->type);
    if (host->cname < 0)
        host->cname = cname;
    if (place && !host->point.dims && topomap_coordinates_parse(place, ',', &host->point))
        return topomap_error_set(err, TOPOMAP_EINPUT, "damaged: coordinates '%.40s'", place);
    return 0;
}

/* ---- Routers' coordinates ----------------------------------------------------------------- */

TOPOMAP_COMPARE(by_cname, struct db_router, TOPOMAP_ORDER(x->cname, y->cname), 0)

static int read_routers(struct db_views *views, topomap_error *err)
{
    DB_ROWS rows = db_ask(views->file, "SELECT cname, vertex, place, kind FROM cray_router", err);
    size_t room = 0;

    while (db_next(&rows)) {
        struct db_router router = {.cname = sqlite3_column_int64(rows.row, 0),
                                   .vertex = sqlite3_column_int64(rows.row, 1)};
        const char *place = (const char *)sqlite3_column_text(rows.row, 2);

        views->router_kind = *db_column_text(rows.row, 3);
        if ((place && topomap_coordinates_parse(place, ',', &router.point)) ||
            topomap_grow(&views->router, &room, views->routers + 1, sizeof router, err))
            return -1;
        views->router[views->routers++] = router;
    }
    if (!rows.result)
        TOPOMAP_SORT(views->router, views->routers, by_cname);
    return rows.result;
}

const struct db_router *db_views_router(const struct db_views *views,
                                        const struct db_host_row *host)
{
    const struct db_router wanted = {.cname = cray_router_of(host->cname, views->router_kind)};

    return views->routers && host->cname >= 0
               ? bsearch(&wanted, views->router, views->routers, sizeof wanted, by_cname)
               : NULL;
}

static void place_by_routers(struct db_views *views)
{
    for (struct db_host_row *host = views->hosts; host; host = host->hh.next) {
        const struct db_router *router = db_views_router(views, host);

        if (router && !host->point.dims)
            host->point = router->point;
    }
}

/* ---- The machine's shape ------------------------------------------------------------------- */

static int disagree(const char *name, const topomap_coordinates *known,
                    const topomap_coordinates *made, const char *shape, topomap_error *err)
{
    char a[TOPOMAP_COORDINATES_TEXT], b[TOPOMAP_COORDINATES_TEXT];

    topomap_coordinates_format(known, a);
    topomap_coordinates_format(made, b);
    return topomap_error_set(err, TOPOMAP_EINPUT,
                             "%s has the coordinates %s, but the shape '%.60s' gives it %s", name,
                             a, shape, *b ? b : "none");
}

static int check_routers(const struct db_views *views, const struct cray_shape *shape,
                         const char *text, topomap_error *err)
{
    for (size_t i = 0; i < views->routers; i++) {
        const topomap_coordinates *known = &views->router[i].point;
        struct cray_name name;
        topomap_coordinates made;
        char label[40];

        cray_name_unpack(views->router[i].cname, &name);
        cray_router_format(&name, views->router_kind, label);
        name.node *= views->router_kind == 'g' ? 2 : 1;
        cray_shape_place(shape, &name, &made);
        if (known->dims && !topomap_coordinates_same(&made, known))
            return disagree(label, known, &made, text, err);
    }
    return 0;
}

static int apply_shape(struct db_views *views, const char *text, topomap_error *err)
{
    struct cray_shape shape;

    if (cray_shape_parse(text, &shape, err) || check_routers(views, &shape, text, err))
        return -1;
    for (struct db_host_row *host = views->hosts; host; host = host->hh.next) {
        struct cray_name name;
        topomap_coordinates made;

        if (host->cname < 0)
            continue;
        cray_name_unpack(host->cname, &name);
        cray_shape_place(&shape, &name, &made);
        if (host->point.dims && !topomap_coordinates_same(&made, &host->point)) {
            char label[DB_KEY + 48];

            snprintf(label, sizeof label, "node %s (", host->name);
            cray_name_format(&name, label + strlen(label));
            strcat(label, ")");
            return disagree(label, &host->point, &made, text, err);
        }
        host->point = made;
    }
    return 0;
}

static int apply_shapes(struct db_views *views, topomap_error *err)
{
    DB_ROWS rows =
        db_ask(views->file,
               "SELECT DISTINCT shape FROM geometry WHERE shape IS NOT NULL ORDER BY shape", err);

    while (db_next(&rows))
        if (apply_shape(views, (const char *)sqlite3_column_text(rows.row, 0), err))
            return -1;
    return rows.result;
}

/* xtprocadmin, which knows the nodes' present state, comes first; coordinates that were given by
 * themselves come before a table's. */
int db_views_cray(struct db_views *views, topomap_error *err)
{
    static const char *const queries[] = {
        "SELECT nid, NULL, cname, status, type, NULL FROM cray_admin ORDER BY nid",
        "SELECT NULL, name, cname, NULL, type, place FROM place ORDER BY source, rowid",
        "SELECT nid, NULL, cname, status, type, x || ',' || y || ',' || z FROM cray_proc"
        " ORDER BY nid",
    };
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        DB_ROWS rows = db_ask(views->file, queries[i], err);

        while (db_next(&rows))
            if (take_row(views, rows.row, err))
                return -1;
        if (rows.result)
            return -1;
    }
    if (read_routers(views, err))
        return -1;
    place_by_routers(views);
    return apply_shapes(views, err);
}
