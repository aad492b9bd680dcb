/* SPDX-License-Identifier: BSD-3-Clause */
#include "metric/metric.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/shapes.h"
#include "machine/machine.h"
#include "util/alloc.h"

/* Ways kept: slots by a hash of their ends, and their entries in all. */
enum { SLOTS_MOST = 1 << 20, ENTRIES_MOST = 1 << 23, SEARCH_BYTES = 1 << 27 };
enum { NONE = UINT32_MAX, CACHED_NODES = 512 };

/* Of one way; a line of the processor's cache, as long as the way is short, for what is looked up
 * here is mostly not in the cache. */
enum { NEAR = 12, LINE = 64 };
struct kept {
    uint32_t after_from, to; /* from + 1; 0: empty */
    uint32_t links;
    uint8_t is_missing, is_far;
    union {
        uint32_t near[NEAR]; /* all of the traffic is on each */
        struct {
            uint32_t *link;
            double *part; /* or NULL: likewise */
            uint32_t room;
        } far;
    } way;
};
_Static_assert(sizeof(struct kept) == LINE, "a way is more than a line of the cache");

struct topomap_shares {
    topomap_arena memory;
    const topomap_machine *machine;
    const topomap_network *network;
    int (*fill)(topomap_shares *s, uint32_t from, uint32_t to);
    struct kept *kept; /* [slots] */
    uint32_t slots, entries;
    uint64_t looked; /* by searches, for the way being made */
    /* the way being made */
    uint32_t *link;
    double *part;
    size_t link_room, part_room;
    uint32_t links;
    int single;
    uint32_t *node_at;    /* [vertices] routes: a node there, NONE: none */
    uint32_t *place;      /* [links] adaptive: where in `link` it is, if it is */
    const uint32_t *port; /* grid: topomap_grid_ports() */
    double *flow;         /* grid: [cells] */
    size_t flow_room;
    /* exact: shortest paths from the sources kept */
    uint32_t sources, *source;  /* [sources] NONE: empty */
    uint32_t *distance, *order; /* [sources * vertices], [vertices] */
    double *paths, *through;    /* likewise */
    uint32_t *reverse;          /* [links] the same cables the other way */
    uint32_t *seen, epoch;
};

static int put(topomap_shares *s, uint32_t link, double part)
{
    if (topomap_grow(&s->link, &s->link_room, (size_t)s->links + 1, sizeof *s->link, NULL) ||
        topomap_grow(&s->part, &s->part_room, (size_t)s->links + 1, sizeof *s->part, NULL))
        return -1;
    s->link[s->links] = link;
    s->part[s->links++] = part;
    return 0;
}

/* ---- Routing tables ------------------------------------------------------------------------ */

static int fill_route(topomap_shares *s, uint32_t from, uint32_t to)
{
    const topomap_network *n = s->network;

    if (s->node_at[to] == NONE)
        return 1;
    s->single = 1;
    for (uint32_t at = from; at != to; at = n->head[s->link[s->links - 1]]) {
        uint32_t link = topomap_network_next(n, at, s->node_at[to]);

        if (link == NONE || s->links == n->vertices)
            return 1;
        if (put(s, link, 1.0))
            return -1;
    }
    return 0;
}

/* Many of the detours share links: parts of the same one are added up. `place` needs no clearing,
 * for what it says of another way is not where it says. */
static int put_share(void *data, uint32_t link, double part)
{
    topomap_shares *s = data;
    uint32_t at = s->place[link];

    if (at < s->links && s->link[at] == link) {
        s->part[at] += part;
        return 0;
    }
    s->place[link] = s->links;
    return put(s, link, part);
}

static int fill_adaptive(topomap_shares *s, uint32_t from, uint32_t to)
{
    return s->node_at[to] == NONE
               ? 1
               : topomap_dragonfly_ways(s->network, from, s->node_at[to], put_share, s);
}

/* The node of each vertex. */
static int list_nodes(topomap_shares *s, topomap_error *err)
{
    const topomap_network *n = s->network;

    s->node_at = topomap_arena_alloc(&s->memory, n->vertices, sizeof *s->node_at, err);
    if (!s->node_at)
        return -1;
    memset(s->node_at, 0xff, n->vertices * sizeof *s->node_at);
    for (uint32_t i = n->nodes; i-- > 0;)
        s->node_at[n->vertex_of[i]] = i;
    return 0;
}

static int open_adaptive(topomap_shares *s, topomap_error *err)
{
    s->fill = fill_adaptive;
    s->place = topomap_arena_alloc(&s->memory, s->network->links, sizeof *s->place, err);
    return s->place ? list_nodes(s, err) : -1;
}

/* Nothing is kept where a route is at hand sooner than what memory has of it: of pairs that a cache
 * does not hold. */
static int open_routes(topomap_shares *s, topomap_error *err)
{
    const topomap_network *n = s->network;

    if (n->route && n->nodes > CACHED_NODES) {
        s->link = topomap_alloc(n->route_links, sizeof *s->link, err);
        return s->link ? 0 : -1;
    }
    s->fill = fill_route;
    return list_nodes(s, err);
}

/* ---- Tori and meshes ----------------------------------------------------------------------- */

/* One choice of directions: a box from one corner to the opposite one. Of the shortest paths
 * through a cell, all equally likely, r_d / (sum of r) go on in dimension d, r_d being the hops
 * that are left in it: no path is counted, so that nothing overflows. */
struct box {
    uint32_t dims, dim[TOPOMAP_MACHINE_DIMS], from[TOPOMAP_MACHINE_DIMS];
    uint32_t hops[TOPOMAP_MACHINE_DIMS], stride[TOPOMAP_MACHINE_DIMS];
    uint8_t down[TOPOMAP_MACHINE_DIMS];
};

static uint32_t router_in(const struct box *b, const uint32_t *cell)
{
    uint32_t router = 0;

    for (uint32_t d = b->dims; d-- > 0;) {
        uint32_t step = b->down[d] ? b->dim[d] - cell[d] : cell[d];

        router = router * b->dim[d] + (b->from[d] + step) % b->dim[d];
    }
    return router;
}

static int fill_box(topomap_shares *s, const struct box *b, double part)
{
    uint32_t cell[TOPOMAP_MACHINE_DIMS] = {0}, left = 0, d;
    size_t cells = b->stride[b->dims - 1] * ((size_t)b->hops[b->dims - 1] + 1);

    if (topomap_grow(&s->flow, &s->flow_room, cells, sizeof *s->flow, NULL))
        return -1;
    memset(s->flow, 0, cells * sizeof *s->flow);
    s->flow[0] = part;
    for (d = 0; d < b->dims; d++)
        left += b->hops[d];
    for (size_t i = 0; left > 0; i++) {
        uint32_t router = router_in(b, cell);

        for (d = 0; d < b->dims; d++) {
            double share = s->flow[i] * (b->hops[d] - cell[d]) / left;

            if (cell[d] == b->hops[d])
                continue;
            s->flow[i + b->stride[d]] += share;
            if (put(s, s->port[(size_t)router * 2 * b->dims + 2 * d + b->down[d]], share))
                return -1;
        }
        for (d = 0; cell[d] == b->hops[d]; d++) {
            left += cell[d];
            cell[d] = 0;
        }
        cell[d]++;
        left--;
    }
    return 0;
}

/* The box between two routers, and where both ways round are as long: a bit for each dimension. */
static uint32_t find_box(const topomap_machine *m, uint32_t from, uint32_t to, struct box *b)
{
    uint32_t tied = 0, stride = 1;

    b->dims = m->dims;
    for (uint32_t d = 0; d < m->dims; d++) {
        uint32_t at = from % m->dim[d], end = to % m->dim[d];
        uint32_t up = at <= end ? end - at : m->dim[d] - (at - end), down = m->dim[d] - up;

        b->dim[d] = m->dim[d];
        b->from[d] = at;
        b->stride[d] = stride;
        b->down[d] = m->wrap[d] ? down < up : at > end;
        b->hops[d] = b->down[d] ? down : up;
        tied |= (uint32_t)(m->wrap[d] && down == up) << d;
        stride *= b->hops[d] + 1;
        from /= m->dim[d];
        to /= m->dim[d];
    }
    return tied;
}

uint64_t topomap_shares_estimate(const topomap_shares *s, uint32_t from, uint32_t to)
{
    struct box b;
    uint32_t tied = find_box(s->machine, from, to, &b), last = b.dims - 1;

    return (uint64_t)b.stride[last] * (b.hops[last] + 1) * b.dims << __builtin_popcount(tied);
}

static int fill_grid(topomap_shares *s, uint32_t from, uint32_t to)
{
    struct box b;
    uint32_t tied = find_box(s->machine, from, to, &b);

    /* Each choice of directions has as many paths. */
    for (uint32_t choice = tied;; choice = (choice - 1) & tied) {
        int status;

        for (uint32_t d = 0; d < b.dims; d++)
            if (tied >> d & 1)
                b.down[d] = choice >> d & 1;
        status = fill_box(s, &b, 1.0 / (double)(1u << __builtin_popcount(tied)));
        if (status || choice == 0)
            return status;
    }
}

static int open_grid(topomap_shares *s, topomap_error *err)
{
    (void)err;
    s->fill = fill_grid;
    s->port = topomap_grid_ports(s->network);
    return 0;
}

/* ---- All shortest paths -------------------------------------------------------------------- */

uint32_t topomap_paths_count(const topomap_network *n, uint32_t from, uint32_t *distance,
                             double *paths, uint32_t *order)
{
    uint32_t found = 1;

    memset(distance, 0xff, n->vertices * sizeof *distance);
    distance[from] = 0;
    paths[from] = 1.0;
    order[0] = from;
    for (uint32_t i = 0; i < found; i++) {
        uint32_t u = order[i];

        for (uint32_t link = n->first[u]; link < n->first[u + 1]; link++) {
            uint32_t v = n->head[link];

            if (distance[v] == NONE) {
                distance[v] = distance[u] + 1;
                paths[v] = 0.0;
                order[found++] = v;
            }
            if (distance[v] == distance[u] + 1)
                paths[v] += paths[u] * n->cables[link];
        }
    }
    return found;
}

/* \return the row of the source among those kept */
static size_t count_paths(topomap_shares *s, uint32_t from)
{
    uint32_t slot = from % s->sources;
    size_t row = (size_t)slot * s->network->vertices;

    if (s->source[slot] == from)
        return row;
    s->source[slot] = from;
    s->looked += s->network->links;
    topomap_paths_count(s->network, from, s->distance + row, s->paths + row, s->order);
    return row;
}

/* Back from the end over the paths alone, as in congestion_exact.c for all ends at once. */
static int fill_exact(topomap_shares *s, uint32_t from, uint32_t to)
{
    const topomap_network *n = s->network;
    size_t row = count_paths(s, from);
    const uint32_t *distance = s->distance + row;
    const double *paths = s->paths + row;
    uint32_t found = 1;

    if (distance[to] == NONE)
        return 1;
    s->epoch++;
    s->through[to] = 1.0 / paths[to];
    s->order[0] = to;
    for (uint32_t i = 0; i < found; i++) {
        uint32_t v = s->order[i];

        for (uint32_t back = n->first[v]; distance[v] && back < n->first[v + 1]; back++) {
            uint32_t u = n->head[back], link = s->reverse[back];

            if (distance[u] == NONE || distance[u] + 1 != distance[v])
                continue;
            if (s->seen[u] != s->epoch) {
                s->seen[u] = s->epoch;
                s->through[u] = 0.0;
                s->order[found++] = u;
            }
            if (put(s, link, paths[u] * n->cables[link] * s->through[v]))
                return -1;
            s->through[u] += n->cables[link] * s->through[v];
        }
    }
    return 0;
}

static int open_exact(topomap_shares *s, topomap_error *err)
{
    const topomap_network *n = s->network;
    size_t each = (size_t)n->vertices * (sizeof *s->distance + sizeof *s->paths) + 1;
    size_t rows = SEARCH_BYTES / each;

    s->fill = fill_exact;
    s->sources = rows < 1 ? 1 : rows < n->vertices ? (uint32_t)rows : n->vertices;
    s->source = topomap_arena_alloc(&s->memory, s->sources, sizeof *s->source, err);
    s->distance =
        topomap_arena_alloc(&s->memory, (size_t)s->sources * n->vertices, sizeof *s->distance, err);
    s->paths =
        topomap_arena_alloc(&s->memory, (size_t)s->sources * n->vertices, sizeof *s->paths, err);
    s->order = topomap_arena_alloc(&s->memory, n->vertices, sizeof *s->order, err);
    s->through = topomap_arena_alloc(&s->memory, n->vertices, sizeof *s->through, err);
    s->seen = topomap_arena_alloc(&s->memory, n->vertices, sizeof *s->seen, err);
    s->reverse = topomap_arena_alloc(&s->memory, n->links, sizeof *s->reverse, err);
    if (s->memory.is_short)
        return -1;
    memset(s->source, 0xff, s->sources * sizeof *s->source);
    for (uint32_t v = 0; v < n->vertices; v++)
        for (uint32_t link = n->first[v]; link < n->first[v + 1]; link++)
            s->reverse[link] = topomap_network_link(n, n->head[link], v);
    return 0;
}

/* ---- What is kept -------------------------------------------------------------------------- */

static void drop(topomap_shares *s, struct kept *k)
{
    if (k->is_far) {
        free(k->way.far.link);
        free(k->way.far.part);
        s->entries -= k->way.far.room;
    }
    *k = (struct kept){0};
}

static int grow(topomap_shares *s, struct kept *k)
{
    uint32_t *link;
    double *part;

    if (k->is_far && k->way.far.room >= s->links && (s->single || k->way.far.part))
        return 0;
    drop(s, k);
    link = malloc(s->links * sizeof *link);
    part = s->single ? NULL : malloc(s->links * sizeof *part);
    if (!link || (!part && !s->single)) {
        free(link);
        free(part);
        return -1;
    }
    k->is_far = 1;
    k->way.far.link = link;
    k->way.far.part = part;
    k->way.far.room = s->links;
    s->entries += s->links;
    return 0;
}

static int keep(topomap_shares *s, struct kept *k, uint32_t from, uint32_t to, int missing)
{
    k->after_from = 0;
    if (s->links > NEAR || (s->links && !s->single)) {
        if (grow(s, k))
            return -1;
        memcpy(k->way.far.link, s->link, s->links * sizeof *s->link);
        if (k->way.far.part) /* all 1 where it was made for another way */
            memcpy(k->way.far.part, s->part, s->links * sizeof *s->part);
    } else {
        drop(s, k);
        if (s->links)
            memcpy(k->way.near, s->link, s->links * sizeof *s->link);
    }
    k->after_from = from + 1;
    k->to = to;
    k->links = s->links;
    k->is_missing = (uint8_t)missing;
    return 0;
}

static void forget(topomap_shares *s)
{
    for (uint32_t i = 0; i < s->slots; i++)
        if (s->kept[i].after_from) /* most of a launch's table was never touched */
            drop(s, &s->kept[i]);
}

static struct kept *slot(const topomap_shares *s, uint32_t from, uint32_t to)
{
    uint64_t hash = ((uint64_t)from << 32 | to) * 0x9e3779b97f4a7c15u;

    return &s->kept[(hash >> 40) & (s->slots - 1)];
}

void topomap_shares_expect(const topomap_shares *s, uint32_t from, uint32_t to)
{
    if (s->kept)
        __builtin_prefetch(slot(s, from, to));
}

static int find_kept(topomap_shares *s, uint32_t from, uint32_t to, topomap_way *way)
{
    struct kept *k = slot(s, from, to);

    s->looked = 0;
    if (k->after_from != from + 1 || k->to != to) {
        int status;

        s->links = 0;
        s->single = 0;
        status = s->fill(s, from, to);
        if (status < 0)
            return -1;
        if (status)
            s->links = 0;
        if (s->entries > ENTRIES_MOST)
            forget(s);
        if (keep(s, k, from, to, status))
            return -1;
    }
    *way = k->is_far ? (topomap_way){k->way.far.link, k->way.far.part, k->links, 0}
                     : (topomap_way){k->way.near, NULL, k->links, 0};
    way->looked = s->looked + k->links + 1;
    return k->is_missing;
}

int topomap_shares_find(topomap_shares *s, uint32_t from, uint32_t to, topomap_way *way)
{
    if (s->kept)
        return find_kept(s, from, to, way);
    s->links = s->network->route(s->network, from, to, s->link);
    *way = (topomap_way){s->link, NULL, s->links, s->links + 1};
    return 0;
}

static int open_kept(topomap_shares *s, uint32_t keep, topomap_error *err)
{
    uint64_t pairs = (uint64_t)s->network->nodes * s->network->nodes;
    unsigned char *bytes;

    pairs = keep && keep < pairs ? keep : pairs;
    for (s->slots = 1; s->slots < pairs && s->slots < SLOTS_MOST;)
        s->slots *= 2;
    bytes = topomap_arena_alloc(&s->memory, (size_t)s->slots + 1, sizeof *s->kept, err);
    if (!bytes)
        return -1;
    s->kept = (struct kept *)(void *)(bytes + (LINE - (uintptr_t)bytes % LINE) % LINE);
    return 0;
}

int topomap_shares_new(const topomap_machine *machine, const topomap_network *network,
                       const char *model, uint32_t keep, topomap_shares **shares,
                       topomap_error *err)
{
    topomap_shares *s = topomap_alloc(1, sizeof *s, err);
    int status;

    if (!s)
        return -1;
    s->machine = machine;
    s->network = network;
    status = strcmp(model, "routes") == 0     ? open_routes(s, err)
             : strcmp(model, "adaptive") == 0 ? open_adaptive(s, err)
             : machine->network               ? open_exact(s, err)
                                              : open_grid(s, err);
    if (status == 0 && s->fill)
        status = open_kept(s, keep, err);
    if (status == 0)
        *shares = s;
    else
        topomap_shares_free(s);
    return status;
}

void topomap_shares_free(topomap_shares *s)
{
    if (!s)
        return;
    if (s->kept)
        forget(s);
    topomap_arena_clear(&s->memory);
    free(s->link);
    free(s->part);
    free(s->flow);
    free(s);
}
