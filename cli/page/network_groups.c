/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "cli/page/page.h"
#include "util/alloc.h"
#include "util/sorted.h"

/* What a round goes by: the groups so far, as a network, and what each of them is put to. */
typedef struct round {
    const topomap_network *network;
    uint32_t *level, *to; /* [vertices] to: the lowest of those that become one */
    uint32_t most;
} round;

uint32_t page_network_levels(const topomap_network *n, uint32_t *level, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *queue = topomap_alloc(n->vertices, sizeof *queue, err);
    uint32_t found = 0, levels;

    if (!queue)
        return 0;
    memset(level, 0xff, n->vertices * sizeof *level);
    for (uint32_t i = 0; i < n->nodes; i++)
        if (level[n->vertex_of[i]] == UINT32_MAX) {
            level[n->vertex_of[i]] = 0;
            queue[found++] = n->vertex_of[i];
        }
    for (uint32_t i = 0; i < found; i++)
        for (uint32_t link = n->first[queue[i]]; link < n->first[queue[i] + 1]; link++)
            if (level[n->head[link]] == UINT32_MAX) {
                level[n->head[link]] = level[queue[i]] + 1;
                queue[found++] = n->head[link];
            }
    levels = found ? level[queue[found - 1]] + 1 : 1;
    for (uint32_t v = 0; v < n->vertices; v++)
        if (level[v] == UINT32_MAX) /* joined to nobody */
            level[v] = levels - 1;
    return levels;
}

/* ---- Rounds ------------------------------------------------------------------------------ */

/* A node goes to its only switch. */
static int absorb(const round *r, topomap_error *err)
{
    const topomap_network *n = r->network;

    (void)err;
    for (uint32_t v = 0; v < n->vertices; v++)
        if (r->level[v] == 0 && n->first[v] + 1 == n->first[v + 1] &&
            r->level[n->head[n->first[v]]] == 1)
            r->to[v] = n->head[n->first[v]];
    return 0;
}

typedef struct looks {
    uint64_t sum; /* of its neighbours */
    uint32_t level, vertex;
} looks;

TOPOMAP_COMPARE(by_looks, looks, TOPOMAP_ORDER(x->level, y->level) ?: TOPOMAP_ORDER(x->sum, y->sum),
                TOPOMAP_ORDER(x->vertex, y->vertex))

/* splitmix64's last step (Steele, Lea, Flood, OOPSLA 2014). */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Those of one level that have the same neighbours, or the same ones below them, become one. */
static int join_alike(const round *r, int below, topomap_error *err)
{
    const topomap_network *n = r->network;
    TOPOMAP_FREED looks *list = topomap_alloc(n->vertices, sizeof *list, err);

    if (!list)
        return -1;
    for (uint32_t v = 0; v < n->vertices; v++) {
        list[v] = (looks){0, r->level[v], v};
        for (uint32_t link = n->first[v]; link < n->first[v + 1]; link++)
            if (!below || r->level[n->head[link]] < r->level[v])
                list[v].sum += mix(n->head[link] + 1u);
    }
    qsort(list, n->vertices, sizeof *list, by_looks);
    for (uint32_t i = 1; i < n->vertices; i++)
        if (list[i].sum && list[i].level == list[i - 1].level && list[i].sum == list[i - 1].sum)
            r->to[list[i].vertex] = r->to[list[i - 1].vertex];
    return 0;
}

static int join_twins(const round *r, topomap_error *err)
{
    return join_alike(r, 0, err);
}

static int join_above(const round *r, topomap_error *err)
{
    return join_alike(r, 1, err);
}

/* Neighbours of one level that have most neighbours in common: a group of a dragonfly. */
static int join_groups(const round *r, topomap_error *err)
{
    const topomap_network *n = r->network;
    TOPOMAP_FREED uint32_t *near = topomap_alloc(n->vertices, sizeof *near, err);

    if (!near)
        return -1;
    for (uint32_t v = 0; v < n->vertices; v++) {
        uint32_t degree = n->first[v + 1] - n->first[v];

        if (r->to[v] != v)
            continue;
        near[v] = v + 1;
        for (uint32_t link = n->first[v]; link < n->first[v + 1]; link++)
            near[n->head[link]] = v + 1;
        for (uint32_t link = n->first[v]; link < n->first[v + 1]; link++) {
            uint32_t u = n->head[link], common = 1, other = n->first[u + 1] - n->first[u];

            if (u <= v || r->to[u] != u || r->level[u] != r->level[v])
                continue;
            for (uint32_t i = n->first[u]; i < n->first[u + 1]; i++)
                common += near[n->head[i]] == v + 1;
            if (2 * common > (degree > other ? degree : other))
                r->to[u] = v;
        }
    }
    return 0;
}

/* So many one after the other, where nothing else helps. */
static int join_next(const round *r, topomap_error *err)
{
    const topomap_network *n = r->network;
    uint32_t many = n->vertices / r->most + (n->vertices % r->most != 0), levels = 0;
    TOPOMAP_FREED uint32_t *last = NULL;

    for (uint32_t v = 0; v < n->vertices; v++)
        levels = r->level[v] >= levels ? r->level[v] + 1 : levels;
    last = topomap_alloc(2 * (size_t)levels, sizeof *last, err); /* the first of the open one, and
                                                                    how many it has */
    if (!last)
        return -1;
    for (uint32_t v = 0; v < n->vertices; v++) {
        uint32_t *open = last + 2 * (size_t)r->level[v];

        if (open[1] % many == 0)
            open[0] = v;
        open[1]++;
        r->to[v] = open[0];
    }
    return 0;
}

/* Boxes: the largest dimension is halved until they are few. */
static void join_boxes(const round *r, const topomap_machine *grid, uint32_t *dim)
{
    uint32_t box[TOPOMAP_MACHINE_DIMS], all = r->network->vertices;

    for (uint32_t d = 0; d < grid->dims; d++) {
        box[d] = 1;
        dim[d] = grid->dim[d];
    }
    while (all > r->most) {
        uint32_t largest = 0;

        for (uint32_t d = 1; d < grid->dims; d++)
            largest = dim[d] > dim[largest] ? d : largest;
        box[largest] *= 2;
        dim[largest] = grid->dim[largest] / box[largest] + (grid->dim[largest] % box[largest] != 0);
        all = 1;
        for (uint32_t d = 0; d < grid->dims; d++)
            all *= dim[d];
    }
    for (uint32_t v = 0; v < r->network->vertices; v++) {
        uint32_t rest = v, lowest = 0, step = 1;

        for (uint32_t d = 0; d < grid->dims; d++) {
            uint32_t at = rest % grid->dim[d];

            lowest += step * (at - at % box[d]);
            step *= grid->dim[d];
            rest /= grid->dim[d];
        }
        r->to[v] = lowest;
    }
}

/* ---- Groups ------------------------------------------------------------------------------ */

/* Numbers the groups by their lowest vertices, and joins their links. \return 0, or -1 */
static int rebuild(const round *r, page_network_groups *c, uint32_t vertices, topomap_error *err)
{
    const topomap_network *n = r->network;
    TOPOMAP_FREED uint32_t *number = topomap_alloc(n->vertices, sizeof *number, err);
    TOPOMAP_FREED uint32_t *vertex_of = topomap_alloc(n->nodes, sizeof *vertex_of, err);
    TOPOMAP_FREED topomap_link *link = topomap_alloc(n->links, sizeof *link, err);
    topomap_network *made = NULL;
    uint32_t groups = 0;
    size_t links = 0;

    if (!number || !vertex_of || !link)
        return -1;
    for (uint32_t v = 0; v < n->vertices; v++)
        if (r->to[v] == v)
            number[v] = groups++;
    for (uint32_t v = 0; v < n->vertices; v++)
        for (uint32_t i = n->first[v]; i < n->first[v + 1]; i++) {
            uint32_t a = number[r->to[v]], b = number[r->to[n->head[i]]];

            if (a < b || (a > b && topomap_network_link(n, n->head[i], v) == UINT32_MAX))
                link[links++] = (topomap_link){.a = a, .b = b, .rate = 1, .ends = 3};
        }
    for (uint32_t i = 0; i < n->nodes; i++)
        vertex_of[i] = number[r->to[n->vertex_of[i]]];
    if (topomap_network_new(groups, links, link, n->nodes, vertex_of, &made, err) != 0)
        return -1;
    for (uint32_t v = 0; v < vertices; v++)
        c->group_of[v] = number[r->to[c->group_of[v]]];
    topomap_network_free(c->network);
    c->network = made;
    return 0;
}

/* \param step  or NULL: boxes of the grid */
static int go(const topomap_network *whole, const topomap_machine *grid, uint32_t most,
              int (*step)(const round *r, topomap_error *err), page_network_groups *c,
              topomap_error *err)
{
    const topomap_network *n = c->network ? c->network : whole;
    TOPOMAP_FREED uint32_t *level = topomap_alloc(n->vertices, sizeof *level, err);
    TOPOMAP_FREED uint32_t *to = topomap_alloc(n->vertices, sizeof *to, err);
    const round r = {n, level, to, most};

    if (!level || !to || page_network_levels(n, level, err) == 0)
        return -1;
    for (uint32_t v = 0; v < n->vertices; v++)
        to[v] = v;
    if (!step)
        join_boxes(&r, grid, c->dim);
    else if (step(&r, err) != 0)
        return -1;
    return rebuild(&r, c, whole->vertices, err);
}

static int describe(const topomap_network *whole, page_network_groups *c, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *level = topomap_alloc(whole->vertices, sizeof *level, err);
    uint32_t levels;

    c->first = topomap_arena_alloc(&c->arrays, c->network->vertices, sizeof *c->first, err);
    c->switches = topomap_arena_alloc(&c->arrays, c->network->vertices, sizeof *c->switches, err);
    c->nodes = topomap_arena_alloc(&c->arrays, c->network->vertices, sizeof *c->nodes, err);
    if (!level || c->arrays.is_short || !(levels = page_network_levels(whole, level, err)))
        return -1;
    /* From the last on, so that the lowest one stays; switches behind nodes. */
    for (int node = 1; node >= 0; node--)
        for (uint32_t v = whole->vertices; v-- > 0;)
            if ((levels > 1 && level[v] == 0) == node) {
                c->first[c->group_of[v]] = v;
                (node ? c->nodes : c->switches)[c->group_of[v]]++;
            }
    return 0;
}

int page_network_groups_make(const topomap_network *network, const topomap_machine *grid,
                             uint32_t most, page_network_groups *c, topomap_error *err)
{
    static int (*const steps[])(const round *r, topomap_error *err) = {
        absorb, join_twins, join_groups, join_above, join_twins, join_next};

    *c = (page_network_groups){.network = NULL};
    c->group_of = topomap_arena_alloc(&c->arrays, network->vertices, sizeof *c->group_of, err);
    if (!c->group_of)
        return -1;
    for (uint32_t v = 0; v < network->vertices; v++)
        c->group_of[v] = v;
    if (grid && go(network, grid, most, NULL, c, err) != 0)
        return -1;
    for (size_t i = 0; !grid && i < sizeof steps / sizeof *steps; i++)
        if ((!c->network || c->network->vertices > most) &&
            go(network, NULL, most, steps[i], c, err) != 0)
            return -1;
    return describe(network, c, err);
}

void page_network_groups_clear(page_network_groups *c)
{
    topomap_network_free(c->network);
    topomap_arena_clear(&c->arrays);
    *c = (page_network_groups){.network = NULL};
}
