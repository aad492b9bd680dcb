/* SPDX-License-Identifier: BSD-3-Clause */
/* Distances over the routing tables, for a launch: what derive_routes.c worked out. */
#ifndef TOPOMAP_DB_WALKS_H
#define TOPOMAP_DB_WALKS_H

#include "topology-db/switches.h"

enum { DB_NO_WAY = 0, DB_WAYS = 65535, DB_WALK_PLACE = 2 }; /* bytes a place */

struct db_way {
    uint32_t hops, cost;
};

struct db_walk_row {
    uint32_t place;
    uint8_t *code; /* [places * DB_WALK_PLACE]; NULL: not read */
};

struct db_walks {
    int used; /* some route is not a cheapest shortest path; else there is nothing here */
    sqlite3_stmt *starts, *read;
    uint32_t places;
    struct db_walk_row *row; /* [rows] by id */
    size_t rows;
    struct db_way *way; /* [DB_WAYS + 1] by code; TOPOMAP_FAR hops where there is none */
};

int db_walks_load(sqlite3 *file, struct db_walks *walks, topomap_error *err);
void db_walks_clear(struct db_walks *walks);
/** The walks that end at a host, with what it takes from their switches to the host: at is a walk.
 *  Ascending, each once. */
int db_walks_starts(struct db_walks *walks, int64_t host, topomap_start **list, size_t *room,
                    size_t *count, topomap_error *err);
/** The codes of a start's walk. */
static inline const uint8_t *db_walks_codes(const struct db_walks *walks,
                                            const topomap_start *start)
{
    return walks->row[start->at].code;
}

/** The way from a start, whose at is a place, to the end of the walk with these codes. */
static inline topomap_start db_walks_lone(const struct db_walks *walks, const uint8_t *codes,
                                          const topomap_start *from, const topomap_start *to)
{
    const uint8_t *code = codes + (size_t)from->at * DB_WALK_PLACE;
    const struct db_way *way = &walks->way[code[0] | code[1] << 8];

    return (topomap_start){from->at, way->hops + from->hops + to->hops,
                           way->cost + from->cost + to->cost};
}

/** The best way from a host at \p from to one at \p to; hops TOPOMAP_FAR where there is none. */
static inline topomap_start db_walks_way(const struct db_walks *walks, const topomap_start *from,
                                         size_t froms, const topomap_start *to, size_t tos)
{
    topomap_start best = {.hops = TOPOMAP_FAR};

    for (size_t j = 0; j < tos; j++) {
        const uint8_t *codes = walks->row[to[j].at].code;

        for (size_t i = 0; i < froms; i++) {
            const uint8_t *code = codes + (size_t)walks->row[from[i].at].place * DB_WALK_PLACE;
            const struct db_way *way = &walks->way[code[0] | code[1] << 8];
            uint32_t hops = way->hops + from[i].hops + to[j].hops;
            uint32_t cost = way->cost + from[i].cost + to[j].cost;

            if (hops < best.hops || (hops == best.hops && cost < best.cost))
                best = (topomap_start){to[j].at, hops, cost};
        }
    }
    return best;
}

#endif
