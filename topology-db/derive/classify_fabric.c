/* SPDX-License-Identifier: BSD-3-Clause */
/* What kind of network the switches make: each plane of them is asked. */
#include <stdlib.h>
#include <string.h>

#include "fabric/kinds/kinds.h"
#include "topology-db/derive/derive.h"
#include "util/alloc.h"

struct fabric {
    sqlite3 *file;
    topomap_part *part; /* [parts] by plane, from 1 on */
    size_t parts, part_room;
    topomap_verdict *verdict; /* [parts] */
    topomap_trunk *trunk;     /* of the part that is joined */
    uint32_t *cables;         /* of each */
    size_t trunk_room, cables_room;
};

/* ---- The graph ----------------------------------------------------------------------------- */

static int read_switches(struct fabric *f, topomap_error *err)
{
    DB_ROWS rows = db_ask(f->file, "SELECT plane, id FROM switch ORDER BY plane, id", err);
    size_t id_room = 0, port_room = 0;

    while (db_next(&rows)) {
        topomap_part *part;
        uint32_t at;

        if (sqlite3_column_int64(rows.row, 0) > (int64_t)f->parts) {
            if (TOPOMAP_APPEND(f->part, f->parts, f->part_room, err, (topomap_part){0}))
                return -1;
            id_room = port_room = 0;
        }
        part = &f->part[f->parts - 1];
        at = part->switches.count;
        if (topomap_grow(&part->switches.id, &id_room, at + 1u, sizeof *part->switches.id, err) ||
            topomap_grow(&part->ports, &port_room, at + 1u, sizeof *part->ports, err))
            return -1;
        part->switches.id[at] = sqlite3_column_int64(rows.row, 1);
        part->ports[at] = 0;
        part->switches.count++;
    }
    return rows.result;
}

static int read_ports(struct fabric *f, topomap_error *err)
{
    DB_ROWS rows =
        db_ask(f->file, "SELECT plane, switch FROM attach JOIN switch ON id = switch", err);

    while (db_next(&rows)) {
        topomap_part *part = &f->part[sqlite3_column_int64(rows.row, 0) - 1];

        part->ports[topomap_switches_find(&part->switches, sqlite3_column_int64(rows.row, 1))]++;
    }
    return rows.result;
}

static int take_trunk(struct fabric *f, topomap_trunk trunk, size_t at, int64_t cables,
                      topomap_error *err)
{
    if (topomap_grow(&f->trunk, &f->trunk_room, at + 1, sizeof *f->trunk, err) ||
        topomap_grow(&f->cables, &f->cables_room, at + 1, sizeof *f->cables, err))
        return -1;
    f->trunk[at] = trunk;
    f->cables[at] = (uint32_t)cables;
    return 0;
}

static int join_part(struct fabric *f, topomap_part *part, sqlite3_stmt *trunks, topomap_error *err)
{
    const topomap_switches *s = &part->switches;
    size_t count = 0;
    int row = 0;

    for (uint32_t a = 0; row == 0 && a < s->count; a++) {
        sqlite3_bind_int64(trunks, 1, s->id[a]);
        while ((row = db_step(trunks, err)) > 0) {
            uint32_t b = topomap_switches_find(s, sqlite3_column_int64(trunks, 0));
            uint32_t cost = db_u32(trunks, 1);

            if (take_trunk(f, (topomap_trunk){a, b, cost}, count++, sqlite3_column_int64(trunks, 2),
                           err))
                return -1;
        }
        sqlite3_reset(trunks);
    }
    return row < 0 ? -1 : topomap_part_join(part, f->trunk, f->cables, count, err);
}

static int join_parts(struct fabric *f, topomap_error *err)
{
    DB_STATEMENT *trunks =
        db_prepare(f->file, "SELECT b, cost, links FROM trunk WHERE a = ? ORDER BY b", err);

    for (size_t p = 0; trunks && p < f->parts; p++)
        if (join_part(f, &f->part[p], trunks, err))
            return -1;
    return trunks ? 0 : -1;
}

static int narrow(const struct fabric *f)
{
    for (size_t p = 0; p < f->parts; p++)
        for (uint32_t i = 0; i < f->part[p].switches.count; i++)
            if (f->part[p].switches.first[i + 1] - f->part[p].switches.first[i] >
                TOPOMAP_TORUS_LINKS)
                return 0;
    return 1;
}

/* The ports of the cable of lowest ports between two switches. */
static int read_sockets(struct fabric *f, topomap_error *err)
{
    DB_ROWS rows =
        db_ask(f->file, "SELECT plane, a, aport, b, bport FROM link JOIN switch ON id = a", err);

    while (db_next(&rows)) {
        topomap_part *part = &f->part[sqlite3_column_int64(rows.row, 0) - 1];
        uint32_t a = topomap_switches_find(&part->switches, sqlite3_column_int64(rows.row, 1));
        uint32_t b = topomap_switches_find(&part->switches, sqlite3_column_int64(rows.row, 3));
        uint32_t p = sqlite3_column_int(rows.row, 2) & 255;
        uint32_t q = sqlite3_column_int(rows.row, 4) & 255;
        uint32_t at = b == UINT32_MAX ? b : topomap_switches_link(&part->switches, a, b);
        uint16_t sockets = (uint16_t)(p < q ? p << 8 | q : q << 8 | p);

        if (at != UINT32_MAX && (!part->sockets[at] || sockets < part->sockets[at]))
            part->sockets[at] = sockets;
    }
    return rows.result;
}

/* ---- All parts ----------------------------------------------------------------------------- */

/* The verdict on the part with most ports of hosts stands for all; parts of another kind take from
 * its confidence. */
static void combine(const struct fabric *f, topomap_verdict *verdict)
{
    uint64_t all = 0, same = 0;
    uint32_t parts = 0, alike = 0, idle = 0;
    size_t best = f->parts;

    for (size_t p = 0; p < f->parts; p++) {
        all += f->part[p].all_ports;
        parts += f->part[p].all_ports > 0;
        idle += f->part[p].all_ports ? 0 : f->part[p].switches.count;
        if (f->part[p].all_ports &&
            (best == f->parts || f->part[p].all_ports > f->part[best].all_ports))
            best = p;
    }
    if (best == f->parts) {
        strcpy(verdict->topology, "unknown");
        strcpy(verdict->evidence, "no switch has an adapter");
        return;
    }
    for (size_t p = 0; p < f->parts; p++)
        if (f->part[p].all_ports &&
            strcmp(f->verdict[p].topology, f->verdict[best].topology) == 0) {
            same += f->part[p].all_ports;
            alike++;
        }
    strcpy(verdict->topology, f->verdict[best].topology);
    verdict->confidence = f->verdict[best].confidence * (double)same / (double)all;
    if (parts > 1)
        topomap_verdict_say(
            verdict,
            "%u of %u parts without a link between them (rails, planes, subnets); the largest: ",
            alike, parts);
    topomap_verdict_say(verdict, "%s", f->verdict[best].evidence);
    if (idle)
        topomap_verdict_say(verdict, "; %u switches without hosts left out", idle);
}

static int write_switch(sqlite3_stmt *update, const topomap_part *part, uint32_t i,
                        topomap_error *err)
{
    topomap_coordinates point = {part->place ? part->dims : 0, {0}};
    char place[TOPOMAP_COORDINATES_TEXT];

    for (uint32_t d = 0; d < point.dims; d++) {
        int32_t at = part->place[(size_t)i * TOPOMAP_DIMS + d];

        if (at < 0)
            point.dims = 0;
        else
            point.at[d] = (uint16_t)at;
    }
    topomap_coordinates_format(&point, place);
    return DB_PUT(update, err,
                  DB_INT_IF(part->level && part->level[i] != TOPOMAP_FAR, part->level[i]),
                  DB_TEXT_IF(*place, place), DB_INT(part->switches.id[i]));
}

static int write_part(sqlite3 *file, const topomap_part *part, topomap_error *err)
{
    DB_STATEMENT *update = db_prepare(file, "UPDATE switch SET level=?, place=? WHERE id=?", err);

    for (uint32_t i = 0; update && (part->level || part->place) && i < part->switches.count; i++)
        if (write_switch(update, part, i, err))
            return -1;
    return update ? 0 : -1;
}

/* One torus: several (a rail each) would need coordinates of their own. */
static int write_torus(const struct fabric *f, topomap_error *err)
{
    topomap_grid grid;
    const topomap_part *torus = NULL;

    for (size_t p = 0; p < f->parts; p++)
        if (f->part[p].place && f->part[p].all_ports) {
            if (torus)
                return 0;
            torus = &f->part[p];
        }
    if (!torus)
        return 0;
    grid.dims = torus->dims;
    memcpy(grid.dim, torus->dim, sizeof grid.dim);
    memcpy(grid.wrap, torus->wrap, sizeof grid.wrap);
    return db_grid_put(f->file, "fabric_dims", "fabric_wrap", &grid, err);
}

static int judge_parts(struct fabric *f, topomap_error *err)
{
    f->verdict = topomap_alloc(f->parts, sizeof *f->verdict, err);
    if (!f->verdict)
        return -1;
    for (size_t p = 0; p < f->parts; p++)
        if (f->part[p].all_ports && topomap_part_judge(&f->part[p], &f->verdict[p], err))
            return -1;
    return 0;
}

static int write_parts(const struct fabric *f, topomap_error *err)
{
    for (size_t p = 0; p < f->parts; p++)
        if (f->part[p].all_ports && write_part(f->file, &f->part[p], err))
            return -1;
    return write_torus(f, err);
}

static int read_fabric(struct fabric *f, topomap_error *err)
{
    return DB_STATUS(read_switches(f, err) || read_ports(f, err) || join_parts(f, err) ||
                     /* No torus where a switch has more neighbours than that. */
                     (narrow(f) && read_sockets(f, err)) || judge_parts(f, err));
}

static void fabric_clear(struct fabric *f)
{
    for (size_t p = 0; p < f->parts; p++)
        topomap_part_clear(&f->part[p]);
    free(f->part);
    free(f->verdict);
    free(f->trunk);
    free(f->cables);
}

int db_judge_parts(sqlite3 *file, int (*each)(const topomap_part *part, void *data), void *data,
                   topomap_error *err)
{
    TOPOMAP_CLEANUP(fabric_clear) struct fabric f = {.file = file};
    int result = read_fabric(&f, err);

    for (size_t p = 0; !result && p < f.parts; p++)
        if (f.part[p].all_ports)
            result = each(&f.part[p], data);
    return result;
}

int db_classify_fabric(sqlite3 *file, topomap_verdict *verdict, int64_t *hosts, topomap_error *err)
{
    TOPOMAP_CLEANUP(fabric_clear) struct fabric f = {.file = file};

    if (read_fabric(&f, err) || write_parts(&f, err) ||
        db_number(file, "SELECT count(DISTINCT host) FROM adapter", 0, hosts, err))
        return -1;
    if (f.parts)
        combine(&f, verdict);
    return 0;
}
