/* SPDX-License-Identifier: BSD-3-Clause */
/* db distance: hops, cost and route between two hosts. */
#include <stdlib.h>

#include "topology-db/query/query.h"
#include "topology-db/fabric/load.h"
#include "util/alloc.h"

struct end {
    struct db_place place;
    struct db_hanging *hanging;
    size_t room, count;
    topomap_start *at;            /* [count] its switches */
    topomap_fabric_port *landing; /* its ports */
    size_t landings, landing_room;
};

/* Switches and the distances of the present question: of the fabric, or of Slurm's topology file.
 */
struct graph {
    int loaded;
    topomap_switches switches;
    sqlite3_stmt *labels;
    uint16_t *hops; /* [switches] to b */
    uint32_t *cost; /* [switches] likewise, thousandths of a hop */
};

struct topomap_db_router {
    topomap_db *db;
    struct db_finder finder;
    sqlite3_stmt *landings;
    int64_t tables; /* routing tables in the database */
    topomap_coordinate_network network;
    struct graph graph[2]; /* of the fabric, of Slurm */
    topomap_lft_fabric routes;
    int64_t *passed; /* [passes] switches of the last route */
    size_t passes, passed_room;
};

struct question {
    topomap_db_router *router;
    topomap_db_route_options options;
    int slurm; /* over the switches of Slurm's topology file */
    struct graph *graph;
    struct end a, b;
    topomap_route best, walk;
    const topomap_fabric_port *from, *to; /* of best */
    uint64_t cost;                        /* of best */
};

void topomap_db_distance_clear(topomap_db_distance *distance)
{
    free(distance->route);
    free(distance->note);
    free(distance->step);
    *distance = (topomap_db_distance){0};
}

static void end_clear(struct end *end)
{
    free(end->hanging);
    free(end->at);
    free(end->landing);
}

/* ---- The router -------------------------------------------------------------------------- */

void topomap_db_router_close(topomap_db_router *router)
{
    if (!router)
        return;
    db_finder_close(&router->finder);
    sqlite3_finalize(router->landings);
    db_lft_clear(&router->routes);
    for (int slurm = 0; slurm < 2; slurm++) {
        sqlite3_finalize(router->graph[slurm].labels);
        topomap_switches_clear(&router->graph[slurm].switches);
        free(router->graph[slurm].hops);
        free(router->graph[slurm].cost);
    }
    free(router->passed);
    free(router);
}

static int prepare(topomap_db_router *router, topomap_error *err)
{
    sqlite3 *file;

    if (db_finder_open(router->db, &router->finder, err))
        return -1;
    file = router->db->file;
    router->landings = db_prepare(file,
                                  "SELECT adapter, attach.port, lid, lmc, attach.cost FROM attach"
                                  " LEFT JOIN port ON vertex = adapter AND number = attach.port"
                                  " WHERE host=? ORDER BY adapter, attach.port",
                                  err);
    return router->landings &&
                   db_number(file, "SELECT count(*) FROM lft", 0, &router->tables, err) == 0
               ? 0
               : -1;
}

int topomap_db_router_open(topomap_db *db, topomap_db_router **router, topomap_error *err)
{
    topomap_db_router *made = topomap_alloc(1, sizeof *made, err);

    if (!made)
        return -1;
    made->db = db;
    if (prepare(made, err)) {
        topomap_db_router_close(made);
        return -1;
    }
    *router = made;
    return 0;
}

/* What only hosts on switches need, when it is needed first. */
static int load(struct question *q, topomap_error *err)
{
    topomap_db_router *router = q->router;
    sqlite3 *file = router->db->file;
    struct graph *g = q->graph = &router->graph[q->slurm];

    if (g->loaded)
        return 0;
    if (db_switches_load(file, q->slurm, &g->switches, err) ||
        (!q->slurm && router->tables && db_lft_load(file, &router->routes, err)))
        return -1;
    g->labels = db_prepare(file,
                           q->slurm ? "SELECT label FROM slurm_switch WHERE id=?"
                                    : "SELECT label FROM switch WHERE id=?",
                           err);
    g->hops = topomap_alloc(g->switches.count, sizeof *g->hops, err);
    g->cost = topomap_alloc(g->switches.count, sizeof *g->cost, err);
    g->loaded = g->labels && g->hops && g->cost;
    return g->loaded ? 0 : -1;
}

/* ---- Ends -------------------------------------------------------------------------------- */

static int find_end(struct question *q, const char *name, struct end *end, topomap_error *err)
{
    struct db_finder *finder = &q->router->finder;

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
                             q->router->db->path, end->place.name);
}

static int find_ends(struct question *q, const char *a, const char *b, topomap_error *err)
{
    size_t on_fabric[2];

    if (find_end(q, a, &q->a, err) || find_end(q, b, &q->b, err))
        return -1;
    /* Slurm's own view where the fabric's links and coordinates do not have both. */
    if ((q->a.count && q->b.count) || (q->a.place.point.dims && q->b.place.point.dims))
        return 0;
    on_fabric[0] = q->a.count;
    on_fabric[1] = q->b.count;
    q->slurm = 1;
    return DB_STATUS(find_end(q, a, &q->a, err) || find_end(q, b, &q->b, err) ||
                     check_end(q, &q->a, on_fabric[0], err) ||
                     check_end(q, &q->b, on_fabric[1], err));
}

static int index_end(struct question *q, struct end *end, topomap_error *err)
{
    end->at = topomap_alloc(end->count, sizeof *end->at, err);
    if (!end->at)
        return -1;
    for (size_t i = 0; i < end->count; i++) {
        end->at[i] = (topomap_start){topomap_switches_find(&q->graph->switches, end->hanging[i].sw),
                                     end->hanging[i].hops, end->hanging[i].cost};
        if (end->at[i].at == UINT32_MAX)
            return topomap_error_set(err, TOPOMAP_EINPUT, "%s: damaged: a switch is missing",
                                     q->router->db->path);
    }
    return 0;
}

static int find_landings(struct question *q, struct end *end, topomap_error *err)
{
    sqlite3_stmt *statement = q->router->landings;
    int row;

    sqlite3_bind_int64(statement, 1, end->place.host);
    while ((row = db_step(statement, err)) > 0) {
        uint32_t adapter = topomap_lft_find(&q->router->routes, sqlite3_column_int64(statement, 0));

        if (adapter == UINT32_MAX)
            continue;
        if (topomap_grow(&end->landing, &end->landing_room, end->landings + 1, sizeof *end->landing,
                         err)) {
            row = -1;
            break;
        }
        end->landing[end->landings++] =
            (topomap_fabric_port){.adapter = adapter,
                                  .port = (uint8_t)sqlite3_column_int(statement, 1),
                                  .lid = (uint16_t)sqlite3_column_int(statement, 2),
                                  .lmc = (uint8_t)sqlite3_column_int(statement, 3),
                                  .cost = db_u32(statement, 4)};
    }
    sqlite3_reset(statement);
    return row;
}

/* ---- A shortest path --------------------------------------------------------------------- */

static int pass_switch(struct question *q, FILE *out, int64_t id, topomap_error *err)
{
    topomap_db_router *router = q->router;
    sqlite3_stmt *labels = q->graph->labels;
    int row;

    if (TOPOMAP_APPEND(router->passed, router->passes, router->passed_room, err, id))
        return -1;
    sqlite3_bind_int64(labels, 1, id);
    row = db_step(labels, err);
    if (row > 0)
        fprintf(out, "\n%s", sqlite3_column_text(labels, 0));
    sqlite3_reset(labels);
    return row < 0 ? -1 : 0;
}

/* Walks down from \p at towards b, always to the lowest neighbour on a cheapest shortest path. */
static int put_shortest(struct question *q, FILE *out, uint32_t at, topomap_error *err)
{
    const struct graph *r = q->graph;
    int result = 0;

    while (!result) {
        uint32_t next = at;

        result = pass_switch(q, out, r->switches.id[at], err);
        for (uint32_t i = r->switches.first[at]; next == at && i < r->switches.first[at + 1]; i++)
            if (r->hops[r->switches.neighbour[i]] + 1 == r->hops[at] &&
                r->cost[r->switches.neighbour[i]] + r->switches.cost[i] == r->cost[at])
                next = r->switches.neighbour[i];
        if (next == at)
            break;
        at = next;
    }
    return result;
}

static int put_walked(struct question *q, FILE *out, topomap_error *err)
{
    const topomap_lft_fabric *routes = &q->router->routes;
    int result = 0;

    for (size_t i = 0; !result && i < q->best.steps; i++)
        result = pass_switch(q, out, routes->vertex[q->best.step[i].vertex].id, err);
    return result;
}

/* The names, from a to b; \p from: the switch that a shortest path begins at, or UINT32_MAX for
 * the tables' route. */
static int make_route(struct question *q, uint32_t from, char **route, topomap_error *err)
{
    size_t size;
    char *text = NULL;
    FILE *out = open_memstream(&text, &size);
    int result;

    if (!out)
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory: a route");
    fputs(q->a.place.name, out);
    result = from == UINT32_MAX ? put_walked(q, out, err) : put_shortest(q, out, from, err);
    fprintf(out, "\n%s", q->b.place.name);
    if (fclose(out) != 0 && !result)
        result = topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory: a route");
    if (result) {
        free(text);
        return -1;
    }
    *route = text;
    return 0;
}

static int is_nearer(const struct graph *r, const topomap_start *x, const topomap_start *y)
{
    if (r->hops[x->at] != r->hops[y->at])
        return r->hops[x->at] < r->hops[y->at];
    return r->cost[x->at] + x->cost < r->cost[y->at] + y->cost;
}

static int over_switches(struct question *q, topomap_db_distance *found, topomap_error *err)
{
    struct graph *r = q->graph;
    const topomap_start *best;

    if (index_end(q, &q->a, err) || index_end(q, &q->b, err))
        return -1;
    topomap_switches_reach(&r->switches, q->b.at, q->b.count, r->hops, r->cost);
    best = &q->a.at[0];
    for (size_t i = 1; i < q->a.count; i++)
        if (is_nearer(r, &q->a.at[i], best))
            best = &q->a.at[i];
    if (r->hops[best->at] == TOPOMAP_FAR)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: no path between '%s' and '%s'",
                                 q->router->db->path, q->a.place.name, q->b.place.name);
    found->hops = r->hops[best->at] + best->hops;
    found->cost = DB_TENTHS(r->cost[best->at] + best->cost);
    found->routing = "shortest-path";
    return make_route(q, best->at, &found->route, err);
}

/* ---- The tables' route ------------------------------------------------------------------- */

static int take_rail(struct question *q, struct end *end, topomap_error *err)
{
    if (!q->options.rail)
        return 0;
    if (q->options.rail > end->landings)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "node '%s' has %zu ports in the fabric, no "
                                 "rail %u",
                                 end->place.name, end->landings, q->options.rail);
    end->landing[0] = end->landing[q->options.rail - 1];
    end->landings = 1;
    return 0;
}

/* What a byte costs over the walk, thousandths of a hop. */
static uint64_t price(const topomap_db_router *r, const topomap_route *walk,
                      const topomap_fabric_port *from, const topomap_fabric_port *to)
{
    uint64_t cost = (uint64_t)from->cost + to->cost;

    for (size_t i = 1; i < walk->steps; i++)
        cost += topomap_switches_cost(
            &r->graph[0].switches,
            topomap_switches_find(&r->graph[0].switches,
                                  r->routes.vertex[walk->step[i - 1].vertex].id),
            topomap_switches_find(&r->graph[0].switches,
                                  r->routes.vertex[walk->step[i].vertex].id));
    return cost;
}

/* Keeps the walk between these ports where it is better than the best. */
static int try_ports(struct question *q, const topomap_fabric_port *from,
                     const topomap_fabric_port *to, topomap_error *err)
{
    topomap_lft_fabric *routes = &q->router->routes;
    topomap_route keep = q->best;
    uint64_t cost = 0;
    int way, better;

    if (routes->vertex[from->adapter].subnet != routes->vertex[to->adapter].subnet)
        return 0;
    if (q->options.path && q->options.path >> to->lmc)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "node '%s' has LMC %u at LID %u: no path %u",
                                 q->b.place.name, to->lmc, to->lid, q->options.path);
    way =
        topomap_lft_route(routes, from, to, to->lid ? to->lid + q->options.path : 0, &q->walk, err);
    if (way > 0)
        cost = price(q->router, &q->walk, from, to);
    better = way > 0 ? !q->from || q->walk.steps < q->best.steps ||
                           (q->walk.steps == q->best.steps && cost < q->cost)
                     : !way && !q->from && !*q->best.reason;
    if (better) {
        q->best = q->walk;
        q->walk = keep;
        q->cost = cost;
        if (way > 0) {
            q->from = from;
            q->to = to;
        }
    }
    return way < 0 ? -1 : 0;
}

static int find_walk(struct question *q, topomap_error *err)
{
    if (find_landings(q, &q->a, err) || find_landings(q, &q->b, err) || take_rail(q, &q->a, err) ||
        take_rail(q, &q->b, err))
        return -1;
    for (size_t i = 0; i < q->a.landings; i++)
        for (size_t j = 0; j < q->b.landings; j++)
            if (try_ports(q, &q->a.landing[i], &q->b.landing[j], err))
                return -1;
    return 0;
}

static int take_walk(struct question *q, topomap_db_distance *found, topomap_error *err)
{
    found->step = topomap_alloc(q->best.steps, sizeof *found->step, err);
    if (!found->step)
        return -1;
    found->steps = q->best.steps;
    for (size_t i = 0; i < q->best.steps; i++)
        found->step[i] = (topomap_db_step){q->best.step[i].in, q->best.step[i].out};
    found->from_port = q->from->port;
    found->from_lid = q->from->lid;
    found->to_port = q->to->port;
    found->to_lid = (uint16_t)(q->to->lid + q->options.path);
    found->hops = (uint32_t)q->best.steps + 1;
    found->cost = DB_TENTHS(q->cost);
    found->routing = "lft";
    return make_route(q, UINT32_MAX, &found->route, err);
}

static int over_fabric(struct question *q, topomap_db_distance *found, topomap_error *err)
{
    if (load(q, err))
        return -1;
    if (q->router->tables && !q->slurm) {
        if (find_walk(q, err))
            return -1;
        if (q->from)
            return take_walk(q, found, err);
        found->note = topomap_strdup(
            *q->best.reason ? q->best.reason : "the nodes have no subnet in common", err);
        if (!found->note)
            return -1;
    } else if (q->options.rail || q->options.path) {
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "%s: no routing tables were imported, so "
                                 "that there is no choice of a rail or a path",
                                 q->router->db->path);
    }
    return over_switches(q, found, err);
}

/* ---- All --------------------------------------------------------------------------------- */

static int over_coordinates(struct question *q, topomap_db_distance *found, topomap_error *err)
{
    topomap_db_router *r = q->router;

    if (db_network_load(r->db->file, &r->network, err))
        return -1;
    if (!topomap_grid_has(&r->network.grid, &q->a.place.point) ||
        !topomap_grid_has(&r->network.grid, &q->b.place.point))
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: '%s' and '%s' have no network in common",
                                 r->db->path, q->a.place.name, q->b.place.name);
    found->hops = topomap_coordinate_hops(&r->network, &q->a.place.point, &q->b.place.point);
    found->cost = DB_TENTHS(r->network.base + (uint64_t)TOPOMAP_HOP * found->hops);
    found->routing = "coordinates";
    return 0;
}

static int measure(struct question *q, topomap_db_distance *found, topomap_error *err)
{
    if (q->a.place.host == q->b.place.host) {
        found->routing = "shortest-path";
        found->route = topomap_strdup(q->a.place.name, err);
        return found->route ? 0 : -1;
    }
    if (!q->a.count || !q->b.count)
        return over_coordinates(q, found, err);
    return over_fabric(q, found, err);
}

int topomap_db_router_route(topomap_db_router *router, const char *a, const char *b,
                            const topomap_db_route_options *options, topomap_db_distance *distance,
                            topomap_error *err)
{
    struct question q = {.router = router};
    topomap_db_distance found = {0};
    int result;

    router->passes = 0;
    if (options)
        q.options = *options;
    result = find_ends(&q, a, b, err) || measure(&q, &found, err) ? -1 : 0;
    end_clear(&q.a);
    end_clear(&q.b);
    free(q.best.step);
    free(q.walk.step);
    if (result)
        topomap_db_distance_clear(&found);
    else
        *distance = found;
    return result;
}

const int64_t *db_router_passed(const topomap_db_router *router, size_t *switches)
{
    *switches = router->passes;
    return router->passed;
}

int topomap_db_distance_between(topomap_db *db, const char *a, const char *b,
                                topomap_db_distance *distance, topomap_error *err)
{
    topomap_db_router *router;
    int result = topomap_db_router_open(db, &router, err);

    if (result)
        return -1;
    result = topomap_db_router_route(router, a, b, NULL, distance, err);
    topomap_db_router_close(router);
    return result;
}
