/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/query/query.h"

#include <stdlib.h>
#include <string.h>

#include "topology-db/derive/derive.h"
#include "util/alloc.h"

int db_network_load(sqlite3 *file, topomap_coordinate_network *network, topomap_error *err)
{
    char kind[32], cost[32];

    *network = (topomap_coordinate_network){0};
    if (db_fact_text(file, "coordinates", kind, sizeof kind, err) ||
        db_fact_text(file, "router_cost", cost, sizeof cost, err))
        return -1;
    network->kind = strcmp(kind, "torus") == 0       ? TOPOMAP_COORDINATES_TORUS
                    : strcmp(kind, "dragonfly") == 0 ? TOPOMAP_COORDINATES_DRAGONFLY
                                                     : TOPOMAP_NO_COORDINATES;
    if (network->kind != TOPOMAP_NO_COORDINATES) {
        if (db_grid_load(file, "dims", "wrap", &network->grid, err))
            return -1;
        if (!network->grid.dims)
            return topomap_error_set(err, TOPOMAP_EINPUT, "damaged: the size of the network");
    }
    network->base = (uint32_t)strtoul(cost, NULL, 10);
    return 0;
}

/* ---- Finding hosts ----------------------------------------------------------------------- */

#define HOST_COLUMNS "host.id, host.name, host.class, host.place"

int db_finder_open(topomap_db *db, struct db_finder *finder, topomap_error *err)
{
    *finder = (struct db_finder){.db = db};
    if (db_imported(db, err))
        return -1;
    finder->by_key = db_prepare(db->file, "SELECT " HOST_COLUMNS " FROM host WHERE key=?", err);
    if (finder->by_key)
        finder->by_nickname =
            db_prepare(db->file,
                       "SELECT " HOST_COLUMNS " FROM nickname JOIN host ON host.id = nickname.host"
                       " WHERE nickname.key=?",
                       err);
    if (finder->by_nickname)
        finder->switches[0] =
            db_prepare(db->file,
                       "SELECT switch, min(hops), min(cost) FROM attach WHERE host=?"
                       " GROUP BY switch ORDER BY switch",
                       err);
    if (finder->switches[0])
        finder->switches[1] = db_prepare(
            db->file, "SELECT switch, hops, cost FROM slurm_attach WHERE host=? ORDER BY switch",
            err);
    if (finder->switches[1])
        return 0;
    db_finder_close(finder);
    return -1;
}

void db_finder_close(struct db_finder *finder)
{
    sqlite3_finalize(finder->by_key);
    sqlite3_finalize(finder->by_nickname);
    sqlite3_finalize(finder->switches[0]);
    sqlite3_finalize(finder->switches[1]);
    *finder = (struct db_finder){0};
}

static void take_place(sqlite3_stmt *statement, struct db_place *place)
{
    const char *name = (const char *)sqlite3_column_text(statement, 1);
    const char *point = (const char *)sqlite3_column_text(statement, 3);

    place->host = sqlite3_column_int64(statement, 0);
    snprintf(place->name, sizeof place->name, "%s", name ? name : "");
    place->class = sqlite3_column_int64(statement, 2);
    place->point = (topomap_coordinates){0};
    if (point && topomap_coordinates_parse(point, ',', &place->point))
        place->point.dims = 0;
}

/* 1 found, 0 not, -1 failure. */
static int ask(sqlite3_stmt *statement, const char *key, struct db_place *place, topomap_error *err)
{
    int row;

    sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC);
    row = db_step(statement, err);
    if (row > 0)
        take_place(statement, place);
    sqlite3_reset(statement);
    return row;
}

int db_finder_find(struct db_finder *finder, const char *name, struct db_place *place,
                   topomap_error *err)
{
    char key[DB_KEY];
    int found;

    db_host_key(name, key);
    found = ask(finder->by_key, key, place, err);
    if (!found)
        found = ask(finder->by_nickname, key, place, err);
    if (found)
        return found < 0 ? -1 : 0;
    return topomap_error_set(err, TOPOMAP_EINPUT,
                             "%s: no node '%.100s' in this database; import the dump that has it, "
                             "or a hosts file that maps its name",
                             finder->db->path, name);
}

int db_host_id(topomap_db *db, const char *name, int64_t *id, topomap_error *err)
{
    DB_FINDER finder = {0};
    struct db_place place = {0};

    if (db_finder_open(db, &finder, err) || (name && db_finder_find(&finder, name, &place, err)))
        return -1;
    *id = place.host;
    return 0;
}

int db_finder_switches(struct db_finder *finder, int slurm, int64_t host, struct db_hanging **list,
                       size_t *room, size_t *count, topomap_error *err)
{
    sqlite3_stmt *statement = finder->switches[slurm];
    int row;

    *count = 0;
    sqlite3_bind_int64(statement, 1, host);
    while ((row = db_step(statement, err)) > 0) {
        if (topomap_grow(list, room, *count + 1, sizeof **list, err)) {
            row = -1;
            break;
        }
        (*list)[(*count)++] = (struct db_hanging){sqlite3_column_int64(statement, 0),
                                                  db_u32(statement, 1), db_u32(statement, 2)};
    }
    sqlite3_reset(statement);
    return row;
}
