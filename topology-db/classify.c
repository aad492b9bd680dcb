/* SPDX-License-Identifier: BSD-3-Clause */
/* What kind of network it is, and why we think so. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/classify.h"
#include "topology-db/cray.h"
#include "topology-db/derive.h"
#include "util/alloc.h"

int db_put_fact(sqlite3 *file, const char *name, const char *text, int64_t number,
                topomap_error *err)
{
    sqlite3_stmt *insert = db_prepare(file, "INSERT OR REPLACE INTO fact VALUES(?,?)", err);
    int result;

    if (!insert)
        return -1;
    sqlite3_bind_text(insert, 1, name, -1, SQLITE_STATIC);
    if (text)
        sqlite3_bind_text(insert, 2, text, -1, SQLITE_STATIC);
    else
        sqlite3_bind_int64(insert, 2, number);
    result = db_insert(insert, err);
    sqlite3_finalize(insert);
    return result;
}

/* ---- Cray: coordinates ------------------------------------------------------------------- */

struct coordinates {
    uint64_t *packed; /* [count] x << 32 | y << 16 | z, sorted */
    size_t count, room;
    uint32_t dim[3];
    size_t routers, most; /* distinct coordinates, and the most nodes that one of them has */
    int aries_rule;       /* every row's y and z are what an Aries cabinet's place gives */
    int high_cpu;         /* some row is node 2 or 3 of its blade */
};

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static int read_coordinates(sqlite3 *file, struct coordinates *c, topomap_error *err)
{
    sqlite3_stmt *statement = db_prepare(file, "SELECT x, y, z, cname FROM cray_proc", err);
    int row = -1;

    c->aries_rule = 1;
    while (statement && (row = db_step(statement, err)) > 0) {
        uint32_t at[3];
        struct cray_name name;

        for (int axis = 0; axis < 3; axis++) {
            at[axis] = (uint32_t)sqlite3_column_int(statement, axis);
            if (at[axis] >= c->dim[axis])
                c->dim[axis] = at[axis] + 1;
        }
        cray_name_unpack(sqlite3_column_int64(statement, 3), &name);
        /* Chassis and blade within a group of two cabinets; checked on two machines' full lists. */
        if (at[1] != name.cage + 3 * (name.col % 2) || at[2] != name.slot)
            c->aries_rule = 0;
        c->high_cpu |= name.node >= 2;
        if (topomap_grow(&c->packed, &c->room, c->count + 1, sizeof *c->packed, err)) {
            row = -1;
            break;
        }
        c->packed[c->count++] = (uint64_t)at[0] << 32 | (uint64_t)at[1] << 16 | at[2];
    }
    sqlite3_finalize(statement);
    return row;
}

static void count_routers(struct coordinates *c)
{
    size_t end;

    qsort(c->packed, c->count, sizeof *c->packed, by_number);
    for (size_t i = 0; i < c->count; i = end) {
        for (end = i; end < c->count && c->packed[end] == c->packed[i]; end++)
            ;
        c->routers++;
        if (end - i > c->most)
            c->most = end - i;
    }
}

/* Routers serve one node (SeaStar), two (Gemini) or four (Aries); on Aries the three numbers are
 * group, chassis and blade, not places in a torus. */
static const char *judge(const struct coordinates *c)
{
    if (c->most > 4 || (c->routers == 1 && c->count > 4))
        return "irregular";
    if (c->most > 2 || (c->aries_rule && c->high_cpu))
        return "dragonfly";
    return "torus";
}

static size_t count_groups(const struct coordinates *c)
{
    size_t groups = 0;

    for (size_t i = 0; i < c->count; i++)
        groups += !i || c->packed[i] >> 32 != c->packed[i - 1] >> 32;
    return groups;
}

static void describe(const struct coordinates *c, int wrap, int64_t nodes,
                     struct db_verdict *verdict)
{
    if (strcmp(verdict->topology, "torus") == 0)
        snprintf(verdict->evidence, sizeof verdict->evidence,
                 "%ux%ux%u %s (extents of the coordinates), %zu of %" PRId64
                 " nodes have coordinates, %zu of %" PRIu64 " routers, up to %zu nodes each",
                 c->dim[0], c->dim[1], c->dim[2], wrap ? "torus" : "mesh", c->count, nodes,
                 c->routers, (uint64_t)c->dim[0] * c->dim[1] * c->dim[2], c->most);
    else if (strcmp(verdict->topology, "dragonfly") == 0)
        snprintf(verdict->evidence, sizeof verdict->evidence,
                 "coordinates are group, chassis, blade (%s): %zu nodes, %zu routers, %zu groups; "
                 "hops 1 in a chassis or along a blade position, 2 in a group, other groups taken "
                 "as 4 (1 to 5 by links that are not listed)",
                 c->aries_rule ? "as the cabinets' places give" : "up to 4 nodes a router",
                 c->count, c->routers, count_groups(c));
    else
        snprintf(verdict->evidence, sizeof verdict->evidence,
                 "%zu nodes share one coordinate: these are not coordinates of a network", c->most);
}

static int put_coordinates(sqlite3 *file, const struct coordinates *c, const char *kind, int wrap,
                           topomap_error *err)
{
    return db_put_fact(file, "coordinates", kind, 0, err) ||
                   db_put_fact(file, "dim_x", NULL, c->dim[0], err) ||
                   db_put_fact(file, "dim_y", NULL, c->dim[1], err) ||
                   db_put_fact(file, "dim_z", NULL, c->dim[2], err) ||
                   db_put_fact(file, "wrap", NULL, wrap, err) ||
                   db_put_fact(file, "routers", NULL, (int64_t)c->routers, err)
               ? -1
               : 0;
}

static int classify_cray(sqlite3 *file, struct db_verdict *verdict, topomap_error *err)
{
    struct coordinates c = {0};
    int64_t wrap;
    int result = read_coordinates(file, &c, err);

    if (!result)
        result = db_number(file,
                           "SELECT count(*) FROM (SELECT nid FROM cray_admin UNION"
                           " SELECT nid FROM cray_proc)",
                           0, &verdict->hosts, err);
    if (!result)
        result =
            db_number(file, "SELECT wrap FROM source WHERE importer='xtdb2proc'", 1, &wrap, err);
    if (!result && c.count) {
        count_routers(&c);
        strcpy(verdict->topology, judge(&c));
        describe(&c, wrap != 0, verdict->hosts, verdict);
        verdict->confidence = (double)c.count / (double)verdict->hosts;
        result = put_coordinates(file, &c, verdict->topology, wrap != 0, err);
    } else if (!result && verdict->hosts) {
        strcpy(verdict->topology, "unknown");
        strcpy(verdict->evidence, "no coordinates: import the output of xtdb2proc too");
    }
    free(c.packed);
    return result;
}

/* ---- Both -------------------------------------------------------------------------------- */

static int put_counts(sqlite3 *file, topomap_error *err)
{
    static const struct {
        const char *name, *sql;
    } counts[] = {
        {"hosts", "SELECT count(*) FROM host"},
        {"switches", "SELECT count(*) + coalesce((SELECT value FROM fact WHERE name='routers'), 0)"
                     " FROM vertex WHERE kind=0"},
        {"links", "SELECT count(*) FROM link WHERE coalesce(state, 0) <> 1"},
        {"classes", "SELECT count(*) FROM class"},
        {"subnets", "SELECT count(DISTINCT source * 65536 + subnet) FROM vertex"},
        {"unknown_adapters", "SELECT count(*) FROM adapter WHERE host IS NULL"},
    };

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        int64_t count;

        if (db_number(file, counts[i].sql, 0, &count, err) ||
            db_put_fact(file, counts[i].name, NULL, count, err))
            return -1;
    }
    return 0;
}

int db_classify(sqlite3 *file, topomap_error *err)
{
    struct db_verdict cray = {0}, fabric = {0}, *chosen;
    char confidence[32];

    if (classify_cray(file, &cray, err) || db_classify_fabric(file, &fabric, err))
        return -1;
    /* A machine with both (an InfiniBand storage network beside Cray's own) is what more of its
     * hosts are on. */
    chosen = *fabric.topology && (fabric.hosts > cray.hosts || !*cray.topology) ? &fabric : &cray;
    if (!*chosen->topology) {
        strcpy(chosen->topology, "unknown");
        strcpy(chosen->evidence, "no network has been imported");
    }
    snprintf(confidence, sizeof confidence, "%.3f", chosen->confidence);
    if (db_put_fact(file, "topology", chosen->topology, 0, err) ||
        db_put_fact(file, "evidence", chosen->evidence, 0, err) ||
        db_put_fact(file, "confidence", confidence, 0, err))
        return -1;
    return put_counts(file, err);
}
