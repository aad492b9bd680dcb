/* SPDX-License-Identifier: BSD-3-Clause */
/* Switches as Slurm's topology file has them. They are kept beside the fabric's own, for nodes that
 * no fabric has, and stand for them where there is no other network at all.
 *
 * tree: as it is written. block: each block a switch, below switches for the aggregates that
 * BlockSizes name (consecutive blocks), below one for all. ring, torus3d: a router a place, nodes
 * on one router being 0 hops apart as on a Cray. flat: nothing is known. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/sql_functions.h"
#include "topology-db/derive/derive.h"
#include "util/alloc.h"
#include "util/sorted.h"

/* Ids of Slurm's switches, above every vertex. */
#define FIRST_ID ((int64_t)1 << 40)

struct unit {
    int64_t id;    /* in slurm_unit */
    int64_t first; /* its switch, or its first place's */
    uint32_t dim[3];
    char name[DB_KEY];
};

struct build {
    struct db_views *views;
    char kind[16], sizes[256];
    struct unit *unit;
    size_t units, room;
    int64_t next;
    sqlite3_stmt *add_switch, *add_trunk, *add_attach;
};

/* ---- Hosts -------------------------------------------------------------------------------- */

int db_views_slurm_hosts(struct db_views *views, topomap_error *err)
{
    DB_ROWS rows = db_ask(
        views->file,
        "SELECT host FROM slurm_member WHERE host IS NOT NULL ORDER BY unit, position, rowid", err);

    while (db_next(&rows)) {
        struct db_host_row *host;

        if (db_views_host(views, db_column_text(rows.row, 0), NULL, &host, err))
            return -1;
        if (host)
            host->listed = 1;
    }
    return rows.result;
}

/* ---- Rows --------------------------------------------------------------------------------- */

static int put_switch(struct build *b, const char *label, int64_t *id, topomap_error *err)
{
    *id = b->next++;
    return DB_PUT(b->add_switch, err, DB_INT(*id), DB_TEXT(label));
}

static int put_trunk(struct build *b, int64_t x, int64_t y, topomap_error *err)
{
    if (x == y)
        return 0;
    return DB_PUT(b->add_trunk, err, DB_INT(x < y ? x : y), DB_INT(x < y ? y : x));
}

static int put_attach(struct build *b, int64_t host, int64_t sw, int grid, topomap_error *err)
{
    return DB_PUT(b->add_attach, err, DB_INT(host), DB_INT(sw), DB_INT(grid ? 0 : 1),
                  DB_INT(grid ? b->views->router_cost / 2 : TOPOMAP_HOP));
}

static int is_grid(const struct build *b)
{
    return strcmp(b->kind, "ring") == 0 || strcmp(b->kind, "torus3d") == 0;
}

/* ---- Units -------------------------------------------------------------------------------- */

static int read_chosen(struct build *b, int64_t *chosen, topomap_error *err)
{
    DB_ROWS rows =
        db_ask(b->views->file, "SELECT id, kind, sizes FROM slurm_topology WHERE chosen", err);
    int row = db_next(&rows);

    if (row) {
        *chosen = sqlite3_column_int64(rows.row, 0);
        snprintf(b->kind, sizeof b->kind, "%s", sqlite3_column_text(rows.row, 1));
        snprintf(b->sizes, sizeof b->sizes, "%s", sqlite3_column_text(rows.row, 2));
    }
    return rows.result ? -1 : row;
}

/* A ring is a torus of one dimension, as long as it has nodes. */
static int read_units(struct build *b, int64_t chosen, topomap_error *err)
{
    DB_ROWS rows = DB_ASK(
        b->views->file,
        "SELECT id, name, dims, (SELECT count(*) FROM slurm_member WHERE unit = slurm_unit.id)"
        " FROM slurm_unit WHERE topology=? ORDER BY id",
        err, DB_INT(chosen));

    while (db_next(&rows)) {
        struct unit unit = {.id = sqlite3_column_int64(rows.row, 0), .dim = {1, 1, 1}};

        snprintf(unit.name, sizeof unit.name, "%s", sqlite3_column_text(rows.row, 1));
        if (strcmp(b->kind, "ring") == 0)
            unit.dim[0] = db_u32(rows.row, 3);
        else if (strcmp(b->kind, "torus3d") == 0 &&
                 sscanf((const char *)sqlite3_column_text(rows.row, 2), "%ux%ux%u", &unit.dim[0],
                        &unit.dim[1], &unit.dim[2]) != 3)
            return topomap_error_set(err, TOPOMAP_EINPUT, "damaged: the size of a torus");
        if (TOPOMAP_APPEND(b->unit, b->units, b->room, err, unit))
            return -1;
    }
    return rows.result;
}

static int make_grid(struct build *b, struct unit *unit, topomap_error *err)
{
    const uint32_t *dim = unit->dim, step[] = {1, dim[0], dim[0] * dim[1]};
    uint32_t places = dim[0] * dim[1] * dim[2];
    int result = 0;

    unit->first = b->next;
    for (uint32_t i = 0; !result && i < places; i++) {
        char label[DB_KEY + 40];
        int64_t id;

        if (strcmp(b->kind, "ring") == 0)
            snprintf(label, sizeof label, "%s(%u)", unit->name, i);
        else
            snprintf(label, sizeof label, "%s(%u,%u,%u)", unit->name, i % dim[0],
                     i / step[1] % dim[1], i / step[2]);
        result = put_switch(b, label, &id, err);
    }
    for (uint32_t i = 0; !result && i < places; i++)
        for (int axis = 0; !result && axis < 3; axis++) {
            uint32_t at = i / step[axis] % dim[axis], next = (at + 1) % dim[axis];

            if (dim[axis] > 1 && (dim[axis] > 2 || at == 0))
                result = put_trunk(b, unit->first + i,
                                   unit->first + i + ((int64_t)next - at) * step[axis], err);
        }
    return result;
}

/* Aggregates of the blocks: 2, 4, ... consecutive ones as BlockSizes has them, and all. */
static int join_blocks(struct build *b, topomap_error *err)
{
    uint64_t base = strtoull(b->sizes, NULL, 10), below = 1, members = b->units;
    int64_t first = b->units ? b->unit[0].first : 0;
    const char *at = b->sizes;
    int result = 0;

    while (!result && members > 1) {
        uint64_t per = 0;
        int64_t upper = b->next;

        at = at ? strchr(at, ',') : NULL;
        at += at != NULL;
        per = at && base ? strtoull(at, NULL, 10) / base / below : members;
        if (per < 2)
            continue;
        for (uint64_t i = 0; !result && i < members; i += per) {
            char label[40];
            int64_t id;

            snprintf(label, sizeof label, "blocks %zu-%zu", (size_t)(i * below + 1),
                     (size_t)((i + per < members ? i + per : members) * below));
            result = put_switch(b, label, &id, err);
            for (uint64_t k = i; !result && k < i + per && k < members; k++)
                result = put_trunk(b, first + (int64_t)k, id, err);
        }
        members = (members + per - 1) / per;
        below *= per;
        first = upper;
    }
    return result;
}

static int make_units(struct build *b, topomap_error *err)
{
    int result = 0;

    for (size_t i = 0; !result && i < b->units; i++)
        result = is_grid(b) ? make_grid(b, &b->unit[i], err)
                            : put_switch(b, b->unit[i].name, &b->unit[i].first, err);
    if (!result && strcmp(b->kind, "block") == 0)
        result = join_blocks(b, err);
    return result;
}

/* ---- Members ------------------------------------------------------------------------------- */

static const struct unit *find_unit(const struct build *b, int64_t id)
{
    size_t low =
        topomap_sorted_rows(b->unit, b->units, sizeof *b->unit, offsetof(struct unit, id), id);

    return low < b->units && b->unit[low].id == id ? &b->unit[low] : NULL;
}

static int take_member(struct build *b, sqlite3_stmt *statement, topomap_error *err)
{
    const struct unit *unit = find_unit(b, sqlite3_column_int64(statement, 0)), *child;
    const char *name = (const char *)sqlite3_column_text(statement, 2);
    struct db_host_row *host;
    char key[DB_KEY];

    if (!unit)
        return 0; /* of a topology that is not the chosen one */
    if (!name) {
        child = find_unit(b, sqlite3_column_int64(statement, 1));
        return child ? put_trunk(b, unit->first, child->first, err) : 0;
    }
    db_host_key(name, key);
    HASH_FIND_STR(b->views->hosts, key, host);
    if (!host)
        return 0;
    return put_attach(b, host->id,
                      unit->first + (is_grid(b) ? sqlite3_column_int64(statement, 3) : 0),
                      is_grid(b), err);
}

static int make_members(struct build *b, topomap_error *err)
{
    DB_ROWS rows = db_ask(
        b->views->file, "SELECT unit, child, host, position FROM slurm_member ORDER BY rowid", err);

    while (db_next(&rows))
        if (take_member(b, rows.row, err))
            return -1;
    return rows.result;
}

/* Where no fabric and no coordinates are, Slurm's file is the network. */
static int stand_in(struct build *b, topomap_error *err)
{
    int64_t known;

    if (db_number(b->views->file,
                  "SELECT count(*) FROM (SELECT 1 FROM switch UNION ALL"
                  " SELECT 1 FROM host WHERE place IS NOT NULL LIMIT 1)",
                  0, &known, err))
        return -1;
    if (known)
        return 0;
    if (db_execute(
            b->views->file,
            "INSERT INTO switch(id, label) SELECT id, label FROM slurm_switch;"
            "INSERT INTO attach SELECT host, 0, row_number() OVER (PARTITION BY host ORDER BY"
            " switch), switch, hops, cost FROM slurm_attach;"
            "INSERT INTO trunk SELECT a, b, 1, 0, cost FROM slurm_trunk;",
            err))
        return -1;
    return db_put_fact(b->views->file, "slurm", b->kind, 0, err);
}

int db_views_slurm(struct db_views *views, topomap_error *err)
{
    DB_STATEMENT *add_switch = db_prepare(views->file, "INSERT INTO slurm_switch VALUES(?,?)", err);
    DB_STATEMENT *add_trunk =
        db_prepare(views->file, "INSERT OR IGNORE INTO slurm_trunk VALUES(?,?,1000)", err);
    DB_STATEMENT *add_attach =
        db_prepare(views->file, "INSERT OR IGNORE INTO slurm_attach VALUES(?,?,?,?)", err);
    struct build b = {.views = views,
                      .next = FIRST_ID,
                      .add_switch = add_switch,
                      .add_trunk = add_trunk,
                      .add_attach = add_attach};
    int64_t chosen;
    int row = read_chosen(&b, &chosen, err);

    if (row <= 0)
        return row;
    row = add_switch && add_trunk && add_attach && read_units(&b, chosen, err) == 0 &&
                  make_units(&b, err) == 0 && make_members(&b, err) == 0
              ? stand_in(&b, err)
              : -1;
    free(b.unit);
    return row;
}
