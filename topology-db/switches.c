/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/switches.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

struct pair {
    uint32_t a, b, cost;
};

void db_switches_clear(struct db_switches *switches)
{
    free(switches->id);
    free(switches->first);
    free(switches->neighbour);
    free(switches->cost);
    free(switches->queue);
    memset(switches, 0, sizeof *switches);
}

uint32_t db_switches_find(const struct db_switches *switches, int64_t id)
{
    uint32_t low = 0, high = switches->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (switches->id[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < switches->count && switches->id[low] == id ? low : UINT32_MAX;
}

/* The same, looked for first where the one before was found and behind it. */
static uint32_t find_from(const struct db_switches *switches, int64_t id, uint32_t before)
{
    for (uint32_t i = before; i < switches->count && i - before < 2; i++)
        if (switches->id[i] == id)
            return i;
    return db_switches_find(switches, id);
}

static int load_ids(sqlite3 *file, int slurm, struct db_switches *switches, topomap_error *err)
{
    sqlite3_stmt *statement = db_prepare(file,
                                         slurm ? "SELECT id FROM slurm_switch ORDER BY id"
                                               : "SELECT id FROM switch ORDER BY id",
                                         err);
    size_t room = 0;
    int row = -1;

    while (statement && (row = db_step(statement, err)) > 0) {
        if (topomap_grow(&switches->id, &room, switches->count + 1u, sizeof *switches->id, err)) {
            row = -1;
            break;
        }
        switches->id[switches->count++] = sqlite3_column_int64(statement, 0);
    }
    sqlite3_finalize(statement);
    return row;
}

static int load_pairs(sqlite3 *file, int slurm, const struct db_switches *switches,
                      struct pair **pairs, size_t *count, topomap_error *err)
{
    sqlite3_stmt *statement = db_prepare(file,
                                         slurm ? "SELECT a, b, cost FROM slurm_trunk ORDER BY a, b"
                                               : "SELECT a, b, cost FROM trunk ORDER BY a, b",
                                         err);
    struct pair before = {0};
    size_t room = 0;
    int row = -1;

    while (statement && (row = db_step(statement, err)) > 0) {
        struct pair pair = {find_from(switches, sqlite3_column_int64(statement, 0), before.a),
                            find_from(switches, sqlite3_column_int64(statement, 1), before.b),
                            (uint32_t)sqlite3_column_int64(statement, 2)};

        if (pair.a == UINT32_MAX || pair.b == UINT32_MAX)
            continue;
        before = pair;
        if (topomap_grow(pairs, &room, *count + 1, sizeof **pairs, err)) {
            row = -1;
            break;
        }
        (*pairs)[(*count)++] = pair;
    }
    sqlite3_finalize(statement);
    return row;
}

/* Pairs are sorted by (a, b) with a < b: filling the smaller neighbours first keeps every list
 * ascending. */
static int index_pairs(struct db_switches *switches, const struct pair *pairs, size_t count,
                       topomap_error *err)
{
    uint32_t *at = topomap_alloc(switches->count + 1u, sizeof *at, err);

    switches->first = topomap_alloc(switches->count + 1u, sizeof *switches->first, err);
    switches->neighbour = topomap_alloc(count * 2, sizeof *switches->neighbour, err);
    switches->queue = topomap_alloc(switches->count, sizeof *switches->queue, err);
    switches->cost = topomap_alloc(count * 2, sizeof *switches->cost, err);
    if (!at || !switches->first || !switches->neighbour || !switches->queue || !switches->cost) {
        free(at);
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        switches->first[pairs[i].a + 1]++;
        switches->first[pairs[i].b + 1]++;
    }
    for (uint32_t i = 0; i < switches->count; i++)
        switches->first[i + 1] += switches->first[i];
    memcpy(at, switches->first, (switches->count + 1u) * sizeof *at);
    for (size_t i = 0; i < count; i++) {
        switches->cost[at[pairs[i].b]] = pairs[i].cost;
        switches->neighbour[at[pairs[i].b]++] = pairs[i].a;
    }
    for (size_t i = 0; i < count; i++) {
        switches->cost[at[pairs[i].a]] = pairs[i].cost;
        switches->neighbour[at[pairs[i].a]++] = pairs[i].b;
    }
    free(at);
    return 0;
}

int db_switches_load(sqlite3 *file, int slurm, struct db_switches *switches, topomap_error *err)
{
    struct pair *pairs = NULL;
    size_t count = 0;
    int result;

    memset(switches, 0, sizeof *switches);
    result = load_ids(file, slurm, switches, err) ||
                     load_pairs(file, slurm, switches, &pairs, &count, err) ||
                     index_pairs(switches, pairs, count, err)
                 ? -1
                 : 0;
    free(pairs);
    if (result)
        db_switches_clear(switches);
    return result;
}

uint32_t db_switches_cost(const struct db_switches *switches, uint32_t a, uint32_t b)
{
    if (a >= switches->count || b >= switches->count)
        return 0;
    for (uint32_t i = switches->first[a]; i < switches->first[a + 1]; i++)
        if (switches->neighbour[i] == b)
            return switches->cost[i];
    return 0;
}

void db_switches_spread(struct db_switches *switches, const uint32_t *from, size_t count,
                        uint16_t *hops)
{
    uint32_t head = 0, tail = 0;

    for (uint32_t i = 0; i < switches->count; i++)
        hops[i] = DB_FAR;
    for (size_t i = 0; i < count; i++)
        if (hops[from[i]] == DB_FAR) {
            hops[from[i]] = 0;
            switches->queue[tail++] = from[i];
        }
    while (head < tail) {
        uint32_t at = switches->queue[head++];

        for (uint32_t i = switches->first[at]; i < switches->first[at + 1]; i++) {
            uint32_t next = switches->neighbour[i];

            if (hops[next] == DB_FAR && hops[at] < DB_FAR - 1) {
                hops[next] = (uint16_t)(hops[at] + 1);
                switches->queue[tail++] = next;
            }
        }
    }
}

/* Breadth first: when a switch is taken from the queue, all of those one hop nearer are done, and
 * its cost is final. */
void db_switches_reach(struct db_switches *switches, const struct db_start *start, size_t starts,
                       uint16_t *hops, uint32_t *cost)
{
    uint32_t head = 0, tail = 0;

    for (uint32_t i = 0; i < switches->count; i++)
        hops[i] = DB_FAR;
    for (size_t i = 0; i < starts; i++) {
        if (hops[start[i].at] == DB_FAR) {
            switches->queue[tail++] = start[i].at;
            cost[start[i].at] = start[i].cost;
        } else if (start[i].cost < cost[start[i].at]) {
            cost[start[i].at] = start[i].cost;
        }
        hops[start[i].at] = (uint16_t)start[i].hops;
    }
    while (head < tail) {
        uint32_t at = switches->queue[head++], far = hops[at] + 1u, own = cost[at];

        if (far >= DB_FAR)
            continue;
        for (uint32_t i = switches->first[at]; i < switches->first[at + 1]; i++) {
            uint32_t next = switches->neighbour[i], sum = own + switches->cost[i];

            if (hops[next] == DB_FAR) {
                hops[next] = (uint16_t)far;
                cost[next] = sum;
                switches->queue[tail++] = next;
            } else if (hops[next] == far && sum < cost[next]) {
                cost[next] = sum;
            }
        }
    }
}
