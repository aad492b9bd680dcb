/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/network.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/derive.h"
#include "util/alloc.h"

int db_network_load(sqlite3 *file, struct db_network *network, topomap_error *err)
{
    static const char *const names[] = {"dim_x", "dim_y", "dim_z"};
    char kind[32], number[32];

    *network = (struct db_network){0};
    if (db_fact_text(file, "coordinates", kind, sizeof kind, err))
        return -1;
    network->kind = strcmp(kind, "torus") == 0       ? DB_TORUS
                    : strcmp(kind, "dragonfly") == 0 ? DB_DRAGONFLY
                                                     : DB_NO_COORDINATES;
    for (int axis = 0; axis < 3; axis++) {
        if (db_fact_text(file, names[axis], number, sizeof number, err))
            return -1;
        network->dim[axis] = (uint32_t)strtoul(number, NULL, 10);
    }
    if (db_fact_text(file, "wrap", number, sizeof number, err))
        return -1;
    network->wrap = *number == '1';
    return 0;
}

static uint32_t apart(uint32_t a, uint32_t b)
{
    return a < b ? b - a : a - b;
}

static uint32_t torus_hops(const struct db_network *network, const uint32_t *a, const uint32_t *b)
{
    uint32_t hops = 0;

    for (int axis = 0; axis < 3; axis++) {
        uint32_t way = apart(a[axis], b[axis]), around = network->dim[axis] - way;

        hops += network->wrap && around < way ? around : way;
    }
    return hops;
}

uint32_t db_network_hops(const struct db_network *network, const uint32_t *a, const uint32_t *b)
{
    if (network->kind == DB_TORUS)
        return torus_hops(network, a, b);
    if (a[0] != b[0])
        return DB_DRAGONFLY_FAR;
    return (uint32_t)(a[1] != b[1]) + (uint32_t)(a[2] != b[2]);
}

/* ---- Finding hosts ----------------------------------------------------------------------- */

#define HOST_COLUMNS "host.id, host.name, host.class, host.x, host.y, host.z"

int db_finder_open(topomap_db *db, struct db_finder *finder, topomap_error *err)
{
    *finder = (struct db_finder){.db = db};
    if (!db->file)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: nothing has been imported yet",
                                 db->path);
    finder->by_key = db_prepare(db->file, "SELECT " HOST_COLUMNS " FROM host WHERE key=?", err);
    if (finder->by_key)
        finder->by_nickname =
            db_prepare(db->file,
                       "SELECT " HOST_COLUMNS " FROM nickname JOIN host ON host.id = nickname.host"
                       " WHERE nickname.key=?",
                       err);
    if (finder->by_nickname)
        finder->switches = db_prepare(
            db->file, "SELECT DISTINCT switch FROM attach WHERE host=? ORDER BY switch", err);
    if (finder->switches)
        return 0;
    db_finder_close(finder);
    return -1;
}

void db_finder_close(struct db_finder *finder)
{
    sqlite3_finalize(finder->by_key);
    sqlite3_finalize(finder->by_nickname);
    sqlite3_finalize(finder->switches);
    *finder = (struct db_finder){0};
}

static int take_place(sqlite3_stmt *statement, struct db_place *place)
{
    const char *name = (const char *)sqlite3_column_text(statement, 1);

    place->host = sqlite3_column_int64(statement, 0);
    snprintf(place->name, sizeof place->name, "%s", name ? name : "");
    place->class = sqlite3_column_int64(statement, 2);
    place->placed = sqlite3_column_type(statement, 3) != SQLITE_NULL;
    for (int axis = 0; axis < 3; axis++)
        place->coordinate[axis] = (uint32_t)sqlite3_column_int(statement, 3 + axis);
    return 1;
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

/* nid000123 and nid123 are nid00123: sites pad NIDs with five or six digits. */
static int as_nid(char *key)
{
    unsigned long nid;
    char padded[DB_KEY];

    if (strncmp(key, "nid", 3) != 0 || strlen(key) < 4 || strlen(key) > 12 ||
        key[3 + strspn(key + 3, "0123456789")])
        return 0;
    nid = strtoul(key + 3, NULL, 10);
    snprintf(padded, sizeof padded, "nid%05lu", nid);
    if (strcmp(padded, key) == 0)
        return 0;
    strcpy(key, padded);
    return 1;
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
    if (!found && as_nid(key)) {
        found = ask(finder->by_key, key, place, err);
        if (!found)
            found = ask(finder->by_nickname, key, place, err);
    }
    if (found)
        return found < 0 ? -1 : 0;
    return topomap_error_set(err, TOPOMAP_EINPUT,
                             "%s: no node '%.100s' in this database; import the dump that has it, "
                             "or a hosts file that maps its name",
                             finder->db->path, name);
}

int db_finder_switches(struct db_finder *finder, int64_t host, int64_t **list, size_t *room,
                       size_t *count, topomap_error *err)
{
    int row;

    *count = 0;
    sqlite3_bind_int64(finder->switches, 1, host);
    while ((row = db_step(finder->switches, err)) > 0) {
        if (topomap_grow(list, room, *count + 1, sizeof **list, err)) {
            row = -1;
            break;
        }
        (*list)[(*count)++] = sqlite3_column_int64(finder->switches, 0);
    }
    sqlite3_reset(finder->switches);
    return row;
}
