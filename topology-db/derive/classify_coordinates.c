/* SPDX-License-Identifier: BSD-3-Clause */
/* What the hosts' coordinates are coordinates of. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/derive/derive.h"
#include "util/alloc.h"

struct coordinates {
    topomap_coordinates *point; /* [count] sorted */
    size_t count, room;
    topomap_grid grid;
    size_t routers, most; /* distinct coordinates, and the most nodes that one of them has */
    int cray;             /* every one of them is of a Cray node */
    int aries_rule;       /* and y and z are what an Aries cabinet's place gives */
    int high_cpu;         /* some node is 2 or 3 of its blade */
    int given;            /* the size is given, not the coordinates' extent */
    char dims_text[TOPOMAP_COORDINATES_TEXT], wrap_text[TOPOMAP_DIMS + 1], shape[64];
};

static int by_point(const void *a, const void *b)
{
    const topomap_coordinates *x = a, *y = b;

    for (uint32_t axis = 0; axis < TOPOMAP_DIMS; axis++)
        if (x->at[axis] != y->at[axis])
            return x->at[axis] < y->at[axis] ? -1 : 1;
    return 0;
}

/* ---- What there is ------------------------------------------------------------------------- */

/* Where two sources say something, the one that is last by importer and name stays. */
static int read_geometry(sqlite3 *file, struct coordinates *c, topomap_error *err)
{
    DB_ROWS rows =
        db_ask(file,
               "SELECT geometry.dims, wrap, shape FROM geometry JOIN source ON source.id = source"
               " ORDER BY importer, name",
               err);

    while (db_next(&rows)) {
        const struct {
            char *text;
            size_t size;
        } into[] = {{c->dims_text, sizeof c->dims_text},
                    {c->wrap_text, sizeof c->wrap_text},
                    {c->shape, sizeof c->shape}};

        for (int i = 0; i < 3; i++)
            if (!db_is_null(rows.row, i))
                snprintf(into[i].text, into[i].size, "%s", sqlite3_column_text(rows.row, i));
    }
    return rows.result;
}

static int take_point(struct coordinates *c, sqlite3_stmt *statement, topomap_error *err)
{
    topomap_coordinates point;
    struct cray_name name;

    if (topomap_coordinates_parse((const char *)sqlite3_column_text(statement, 0), ',', &point))
        return topomap_error_set(err, TOPOMAP_EINPUT, "damaged coordinates");
    if (c->count && point.dims != c->grid.dims)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "node %s has %u coordinates, others have %u: they cannot be of "
                                 "one network",
                                 sqlite3_column_text(statement, 2), point.dims, c->grid.dims);
    c->grid.dims = point.dims;
    for (uint32_t axis = 0; axis < point.dims; axis++)
        if (point.at[axis] >= c->grid.dim[axis])
            c->grid.dim[axis] = point.at[axis] + 1u;
    if (db_is_null(statement, 1)) {
        c->cray = 0;
    } else {
        cray_name_unpack(sqlite3_column_int64(statement, 1), &name);
        /* Chassis and blade in a group of two cabinets; checked on two machines' full lists. */
        if (point.at[1] != name.cage + 3 * (name.col % 2) || point.at[2] != name.slot)
            c->aries_rule = 0;
        c->high_cpu |= name.node >= 2;
    }
    return TOPOMAP_APPEND(c->point, c->count, c->room, err, point);
}

static int read_points(sqlite3 *file, struct coordinates *c, topomap_error *err)
{
    DB_ROWS rows = db_ask(
        file, "SELECT place, cname, name FROM host WHERE place IS NOT NULL ORDER BY id", err);

    c->cray = c->aries_rule = 1;
    while (db_next(&rows))
        if (take_point(c, rows.row, err))
            return -1;
    return rows.result;
}

static int too_small(sqlite3 *file, const struct coordinates *c, uint32_t axis, topomap_error *err)
{
    DB_ROWS rows =
        db_ask(file, "SELECT name, place FROM host WHERE place IS NOT NULL ORDER BY id", err);
    char name[DB_KEY] = "?", place[TOPOMAP_COORDINATES_TEXT] = "";
    topomap_coordinates point;

    while (db_next(&rows)) {
        snprintf(name, sizeof name, "%s", sqlite3_column_text(rows.row, 0));
        snprintf(place, sizeof place, "%s", sqlite3_column_text(rows.row, 1));
        if (topomap_coordinates_parse(place, ',', &point) == 0 &&
            point.at[axis] == c->grid.dim[axis] - 1)
            break;
    }
    return topomap_error_set(err, TOPOMAP_EINPUT, "node %s at %s is outside of the size %s", name,
                             place, c->dims_text);
}

static int set_size(sqlite3 *file, struct coordinates *c, topomap_error *err)
{
    struct cray_shape shape;
    uint32_t dims, dim[TOPOMAP_DIMS] = {0};

    if (*c->shape && !*c->dims_text) {
        if (cray_shape_parse(c->shape, &shape, err))
            return -1;
        dims = cray_shape_dims(&shape, dim);
        topomap_dims_format(dims, dim, c->dims_text);
    }
    if (!*c->dims_text)
        return 0;
    if (topomap_dims_parse(c->dims_text, &dims, dim) || dims != c->grid.dims)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "the size %s does not fit nodes with %u coordinates", c->dims_text,
                                 c->grid.dims);
    for (uint32_t axis = 0; axis < dims; axis++) {
        if (c->grid.dim[axis] > dim[axis])
            return too_small(file, c, axis, err);
        c->grid.dim[axis] = dim[axis];
    }
    c->given = 1;
    return 0;
}

/* One digit for all, or one a dimension; a torus where nothing is said. */
static int set_wrap(struct coordinates *c, topomap_error *err)
{
    size_t length = strlen(c->wrap_text);

    if (length > 1 && length != c->grid.dims)
        return topomap_error_set(
            err, TOPOMAP_EINPUT,
            "wraparound is given for %zu dimensions, nodes have %u coordinates", length,
            c->grid.dims);
    for (uint32_t axis = 0; axis < c->grid.dims; axis++)
        c->grid.wrap[axis] = !length || c->wrap_text[length > 1 ? axis : 0] == '1';
    return 0;
}

static void count_routers(struct coordinates *c)
{
    size_t end;

    TOPOMAP_SORT(c->point, c->count, by_point);
    for (size_t i = 0; i < c->count; i = end) {
        for (end = i; end < c->count && by_point(&c->point[end], &c->point[i]) == 0; end++)
            ;
        c->routers++;
        if (end - i > c->most)
            c->most = end - i;
    }
}

/* ---- What it is ---------------------------------------------------------------------------- */

/* Cray routers serve one node (SeaStar), two (Gemini) or four (Aries); on Aries the three numbers
 * are group, chassis and blade, not places in a torus. */
static const char *judge(const struct coordinates *c)
{
    struct cray_shape shape;
    topomap_error ignored;

    if (*c->shape && cray_shape_parse(c->shape, &shape, &ignored) == 0)
        return shape.rule->topology;
    if (c->routers == 1 && c->count > 4)
        return "irregular";
    if (!c->cray || c->grid.dims != 3)
        return "torus";
    if (c->most > 4)
        return "irregular";
    return c->most > 2 || (c->aries_rule && c->high_cpu) ? "dragonfly" : "torus";
}

static size_t count_groups(const struct coordinates *c)
{
    size_t groups = 0;

    for (size_t i = 0; i < c->count; i++)
        groups += !i || c->point[i].at[0] != c->point[i - 1].at[0];
    return groups;
}

static int wraps(const struct coordinates *c)
{
    int count = 0;

    for (uint32_t axis = 0; axis < c->grid.dims; axis++)
        count += c->grid.wrap[axis];
    return count;
}

static void describe_torus(const struct coordinates *c, int64_t nodes, topomap_verdict *verdict)
{
    char size[TOPOMAP_COORDINATES_TEXT], which[64] = "";
    uint64_t places = 1;

    topomap_dims_format(c->grid.dims, c->grid.dim, size);
    for (uint32_t axis = 0; axis < c->grid.dims; axis++)
        places = places > UINT32_MAX ? places : places * c->grid.dim[axis];
    if (wraps(c) && wraps(c) < (int)c->grid.dims) {
        strcpy(which, " wrapping in dimension");
        for (uint32_t axis = 0; axis < c->grid.dims; axis++)
            if (c->grid.wrap[axis])
                snprintf(which + strlen(which), sizeof which - strlen(which), " %u", axis + 1);
    }
    snprintf(verdict->evidence, sizeof verdict->evidence,
             "%s %s%s (%s), %zu of %" PRId64 " nodes have coordinates, %zu of %" PRIu64
             " routers, up to %zu nodes each",
             size, wraps(c) ? "torus" : "mesh", which,
             c->given ? "size as given" : "extents of the coordinates", c->count, nodes, c->routers,
             places, c->most);
}

static void describe(const struct coordinates *c, int64_t nodes, int64_t links,
                     topomap_verdict *verdict)
{
    if (strcmp(verdict->topology, "torus") == 0) {
        describe_torus(c, nodes, verdict);
        if (!wraps(c))
            strcpy(verdict->topology, "mesh");
    } else if (strcmp(verdict->topology, "dragonfly") == 0) {
        snprintf(verdict->evidence, sizeof verdict->evidence,
                 "coordinates are group, chassis, blade (%s): %zu nodes, %zu routers, %zu groups; "
                 "hops %s",
                 *c->shape       ? "as the given shape"
                 : c->aries_rule ? "as the cabinets' places give"
                                 : "up to 4 nodes a router",
                 c->count, c->routers, count_groups(c),
                 links ? "over the imported links"
                       : "1 in a chassis or along a blade position, 2 in a group, other groups "
                         "taken as 4 (links not imported)");
    } else {
        snprintf(verdict->evidence, sizeof verdict->evidence,
                 "%zu nodes share one coordinate: these are not coordinates of a network", c->most);
    }
}

static int put_coordinates(sqlite3 *file, const struct coordinates *c, const char *kind,
                           topomap_error *err)
{
    return db_put_fact(file, "coordinates", kind, 0, err) ||
                   db_grid_put(file, "dims", "wrap", &c->grid, err) ||
                   db_put_fact(file, "routers", NULL, c->cray ? (int64_t)c->routers : 0, err)
               ? -1
               : 0;
}

/* A list of links alone: its routers, without nodes. */
static int describe_routers(sqlite3 *file, topomap_verdict *verdict, topomap_error *err)
{
    int64_t aries, routers;

    if (db_number(file, "SELECT count(*) FROM cray_router WHERE kind='a'", 0, &aries, err) ||
        db_number(file, "SELECT count(*) FROM cray_router", 0, &routers, err))
        return -1;
    strcpy(verdict->topology, aries ? "dragonfly" : "torus");
    snprintf(verdict->evidence, sizeof verdict->evidence,
             "%" PRId64 " %s routers; import xtprocadmin's or xtdb2proc's output for their nodes",
             routers, aries ? "Aries" : "Gemini or SeaStar");
    return 0;
}

static int classify(sqlite3 *file, struct coordinates *c, topomap_verdict *verdict, int64_t *hosts,
                    topomap_error *err)
{
    int64_t cray, links;

    if (read_geometry(file, c, err) || read_points(file, c, err) ||
        db_number(file, "SELECT count(*) FROM host WHERE cname IS NOT NULL", 0, &cray, err) ||
        db_number(file, "SELECT count(*) FROM cray_router", 0, &links, err))
        return -1;
    *hosts = cray > (int64_t)c->count ? cray : (int64_t)c->count;
    if (!c->count) {
        if (!cray && links)
            return describe_routers(file, verdict, err);
        if (cray) {
            strcpy(verdict->topology, "unknown");
            strcpy(verdict->evidence, "no coordinates: import the output of xtdb2proc too, or give "
                                      "a shape");
        }
        return 0;
    }
    if (set_size(file, c, err) || set_wrap(c, err))
        return -1;
    count_routers(c);
    strcpy(verdict->topology, judge(c));
    if (put_coordinates(file, c, verdict->topology, err))
        return -1;
    describe(c, *hosts, links, verdict);
    return 0;
}

int db_classify_coordinates(sqlite3 *file, topomap_verdict *verdict, int64_t *hosts,
                            topomap_error *err)
{
    struct coordinates c = {0};
    int result = classify(file, &c, verdict, hosts, err);

    free(c.point);
    return result;
}
