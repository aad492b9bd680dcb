/* SPDX-License-Identifier: BSD-3-Clause */
/* db distance: hops, cost and route between two hosts. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/costs.h"
#include "topology-db/network.h"
#include "util/alloc.h"

struct end {
    struct db_place place;
    struct db_hanging *hanging;
    size_t room, count;
    struct db_start *at; /* [count] its switches */
};

struct question {
    topomap_db *db;
    struct end a, b;
    int slurm; /* over the switches of Slurm's topology file */
    struct db_network network;
    struct db_switches switches;
    uint16_t *hops; /* [switches] to b */
    uint32_t *cost; /* [switches] likewise, thousandths of a hop */
};

static int find_end(struct question *q, struct db_finder *finder, const char *name, struct end *end,
                    topomap_error *err)
{
    if (db_finder_find(finder, name, &end->place, err) ||
        db_finder_switches(finder, q->slurm, end->place.host, &end->hanging, &end->room,
                           &end->count, err))
        return -1;
    return 0;
}

static int check_end(struct question *q, const struct end *end, size_t on_fabric,
                     topomap_error *err)
{
    if (end->place.point.dims || end->count || on_fabric)
        return 0;
    return topomap_error_set(err, TOPOMAP_EINPUT, "%s: node '%s' is known, but no network has it",
                             q->db->path, end->place.name);
}

static int find_ends(struct question *q, const char *a, const char *b, topomap_error *err)
{
    struct db_finder finder;
    int result = db_finder_open(q->db, &finder, err);

    if (result)
        return -1;
    result = find_end(q, &finder, a, &q->a, err) || find_end(q, &finder, b, &q->b, err) ? -1 : 0;
    /* Slurm's own view where the fabric's links and coordinates do not have both. */
    if (!result && !(q->a.count && q->b.count) &&
        !(q->a.place.point.dims && q->b.place.point.dims)) {
        size_t on_fabric[] = {q->a.count, q->b.count};

        q->slurm = 1;
        result =
            find_end(q, &finder, a, &q->a, err) || find_end(q, &finder, b, &q->b, err) ? -1 : 0;
        if (!result)
            result =
                check_end(q, &q->a, on_fabric[0], err) || check_end(q, &q->b, on_fabric[1], err)
                    ? -1
                    : 0;
    }
    db_finder_close(&finder);
    return result;
}

static int index_end(struct question *q, struct end *end, topomap_error *err)
{
    end->at = topomap_alloc(end->count, sizeof *end->at, err);
    if (!end->at)
        return -1;
    for (size_t i = 0; i < end->count; i++) {
        end->at[i] = (struct db_start){db_switches_find(&q->switches, end->hanging[i].sw),
                                       end->hanging[i].hops, end->hanging[i].cost};
        if (end->at[i].at == UINT32_MAX)
            return topomap_error_set(err, TOPOMAP_EINPUT, "%s: damaged: a switch is missing",
                                     q->db->path);
    }
    return 0;
}

static int put_label(FILE *out, sqlite3_stmt *labels, int64_t id, topomap_error *err)
{
    int row;

    sqlite3_bind_int64(labels, 1, id);
    row = db_step(labels, err);
    if (row > 0)
        fprintf(out, "\n%s", sqlite3_column_text(labels, 0));
    sqlite3_reset(labels);
    return row < 0 ? -1 : 0;
}

/* Walks down from \p at towards b, always to the lowest neighbour on a cheapest shortest path. */
static int put_route(struct question *q, FILE *out, uint32_t at, topomap_error *err)
{
    sqlite3_stmt *labels = db_prepare(q->db->file,
                                      q->slurm ? "SELECT label FROM slurm_switch WHERE id=?"
                                               : "SELECT label FROM switch WHERE id=?",
                                      err);
    int result = labels ? 0 : -1;

    fputs(q->a.place.name, out);
    while (!result) {
        uint32_t next = at;

        result = put_label(out, labels, q->switches.id[at], err);
        for (uint32_t i = q->switches.first[at]; next == at && i < q->switches.first[at + 1]; i++)
            if (q->hops[q->switches.neighbour[i]] + 1 == q->hops[at] &&
                q->cost[q->switches.neighbour[i]] + q->switches.cost[i] == q->cost[at])
                next = q->switches.neighbour[i];
        if (next == at)
            break;
        at = next;
    }
    fprintf(out, "\n%s", q->b.place.name);
    sqlite3_finalize(labels);
    return result;
}

static int make_route(struct question *q, uint32_t from, char **route, topomap_error *err)
{
    size_t size;
    char *text = NULL;
    FILE *out = open_memstream(&text, &size);
    int result;

    if (!out)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory: a route");
    result = put_route(q, out, from, err);
    if (fclose(out) != 0 && !result)
        result = topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory: a route");
    if (result) {
        free(text);
        return -1;
    }
    *route = text;
    return 0;
}

static int is_nearer(const struct question *q, const struct db_start *x, const struct db_start *y)
{
    if (q->hops[x->at] != q->hops[y->at])
        return q->hops[x->at] < q->hops[y->at];
    return q->cost[x->at] + x->cost < q->cost[y->at] + y->cost;
}

static int over_switches(struct question *q, topomap_db_distance *found, topomap_error *err)
{
    const struct db_start *best;

    if (db_switches_load(q->db->file, q->slurm, &q->switches, err) || index_end(q, &q->a, err) ||
        index_end(q, &q->b, err))
        return -1;
    q->hops = topomap_alloc(q->switches.count, sizeof *q->hops, err);
    q->cost = topomap_alloc(q->switches.count, sizeof *q->cost, err);
    if (!q->hops || !q->cost)
        return -1;
    db_switches_reach(&q->switches, q->b.at, q->b.count, q->hops, q->cost);
    best = &q->a.at[0];
    for (size_t i = 1; i < q->a.count; i++)
        if (is_nearer(q, &q->a.at[i], best))
            best = &q->a.at[i];
    if (q->hops[best->at] == DB_FAR)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: no path between '%s' and '%s'",
                                 q->db->path, q->a.place.name, q->b.place.name);
    found->hops = q->hops[best->at] + best->hops;
    found->cost = DB_TENTHS(q->cost[best->at] + best->cost);
    return make_route(q, best->at, &found->route, err);
}

static int measure(struct question *q, topomap_db_distance *found, topomap_error *err)
{
    if (q->a.place.host == q->b.place.host) {
        found->route = topomap_strdup(q->a.place.name, err);
        return found->route ? 0 : -1;
    }
    if (q->a.count && q->b.count)
        return over_switches(q, found, err);
    if (db_network_load(q->db->file, &q->network, err))
        return -1;
    if (db_network_has(&q->network, &q->a.place.point) &&
        db_network_has(&q->network, &q->b.place.point)) {
        found->hops = db_network_hops(&q->network, &q->a.place.point, &q->b.place.point);
        found->cost = DB_TENTHS(q->network.base + (uint64_t)DB_HOP * found->hops);
        return 0;
    }
    return topomap_error_set(err, TOPOMAP_EINPUT, "%s: '%s' and '%s' have no network in common",
                             q->db->path, q->a.place.name, q->b.place.name);
}

int topomap_db_distance_between(topomap_db *db, const char *a, const char *b,
                                topomap_db_distance *distance, topomap_error *err)
{
    struct question q = {.db = db};
    topomap_db_distance found = {0};
    int result = find_ends(&q, a, b, err);

    if (!result)
        result = measure(&q, &found, err);
    db_switches_clear(&q.switches);
    free(q.hops);
    free(q.cost);
    free(q.a.hanging);
    free(q.a.at);
    free(q.b.hanging);
    free(q.b.at);
    if (!result)
        *distance = found;
    return result;
}
