/* SPDX-License-Identifier: BSD-3-Clause */
/* Distances over the routing tables, for a launch: what derive_routes.c worked out. */
#ifndef TOPOMAP_DB_WALKS_H
#define TOPOMAP_DB_WALKS_H

#include "topology-db/switches.h"

enum { DB_NO_WAY = 255, DB_WALK_PLACE = 5 }; /* bytes a place: hops, cost */

struct db_walk_row {
    uint32_t place;
    uint8_t *bytes; /* [places] hops, then [places] costs of four bytes; NULL: not read */
};

struct db_walks {
    int used; /* some route is not a cheapest shortest path; else there is nothing here */
    sqlite3_stmt *starts, *read;
    uint32_t places;
    struct db_walk_row *row; /* [rows] by id */
    size_t rows;
};

int db_walks_load(sqlite3 *file, struct db_walks *walks, topomap_error *err);
void db_walks_clear(struct db_walks *walks);
/** The walks that end at a host, with what it takes from their switches to the host: at is a walk.
 *  Ascending, each once. */
int db_walks_starts(struct db_walks *walks, int64_t host, struct db_start **list, size_t *room,
                    size_t *count, topomap_error *err);
/** The best way from a host at \p from to one at \p to; hops DB_FAR where there is none. */
static inline struct db_start db_walks_way(const struct db_walks *walks,
                                           const struct db_start *from, size_t froms,
                                           const struct db_start *to, size_t tos)
{
    struct db_start best = {.hops = DB_FAR};

    for (size_t j = 0; j < tos; j++) {
        const uint8_t *hops = walks->row[to[j].at].bytes, *costs = hops + walks->places;

        for (size_t i = 0; i < froms; i++) {
            size_t place = walks->row[from[i].at].place;
            const uint8_t *c = costs + place * 4;
            uint32_t far = hops[place] + from[i].hops + to[j].hops;
            uint32_t cost =
                from[i].cost + to[j].cost +
                (c[0] | (uint32_t)c[1] << 8 | (uint32_t)c[2] << 16 | (uint32_t)c[3] << 24);

            if (hops[place] != DB_NO_WAY &&
                (far < best.hops || (far == best.hops && cost < best.cost)))
                best = (struct db_start){to[j].at, far, cost};
        }
    }
    return best;
}

#endif
