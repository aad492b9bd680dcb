/* SPDX-License-Identifier: BSD-3-Clause */
/* The network drawn: where its vertices stand, and what its cables carry before and after. Grids by
 * coordinates, slice beside slice; what has no cables inside of a level by levels, nodes below;
 * anything else in a ring, nodes outside. */
#include <math.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/page/page.h"
#include "draw/draw.h"
#include "machine/machine.h"
#include "util/alloc.h"
#include "util/sorted.h"
#include "util/text.h"

enum { STEP = 14, ROW = 60, CELL = 26, EDGE = 20, SPOKE = 40 };
/* A picture of more is no picture: it is of groups, then. */
enum { VERTICES_MOST = 6000, GROUPS_MOST = 1500, CABLES_MOST = 6000 };

typedef struct vertex {
    uint32_t number, level;
    double angle, x, y;
} vertex;

typedef struct picture {
    const topomap_network *network; /* that is drawn */
    topomap_link_loads *const *load;
    const page_network_groups *coarse; /* whose network it is, or NULL */
    double *share[2];                  /* [links] before and after */
    vertex *vertex;                    /* [vertices] in the order of their numbers */
    topomap_draw_place *place;         /* [vertices] */
    uint32_t levels;
    double width, height, slice[2]; /* the latter of grids: what a slice takes */
    const char *shape;
    topomap_arena arrays;
} picture;

/* ---- Grids ------------------------------------------------------------------------------- */

static int is_grid(const topomap_machine *m, const topomap_network *n)
{
    uint64_t routers = 1;

    for (uint32_t d = 0; d < m->dims; d++)
        routers *= m->dim[d];
    return m->kind == TOPOMAP_MACHINE_TORUS && !m->network && routers == n->vertices;
}

/* x and y are a slice; further dimensions go right and down by turns. */
static void place_grid(picture *p, const topomap_machine *m)
{
    const uint32_t *dim = p->coarse ? p->coarse->dim : m->dim;

    p->shape = "grid";
    for (uint32_t d = 0; d < 2; d++)
        p->slice[d] = CELL * ((d < m->dims ? dim[d] : 1) + 1.0);
    for (uint32_t v = 0; v < p->network->vertices; v++) {
        uint32_t at[sizeof m->dim / sizeof *m->dim], rest = v;
        topomap_spot spot;

        for (uint32_t d = 0; d < m->dims; d++) {
            at[d] = rest % dim[d];
            rest /= dim[d];
        }
        spot = topomap_draw_in_grid(at, dim, m->dims, CELL, EDGE);
        p->vertex[v].x = spot.x;
        p->vertex[v].y = spot.y;
    }
}

/* ---- Levels ------------------------------------------------------------------------------ */

static int find_levels(picture *p, topomap_error *err)
{
    uint32_t vertices = p->network->vertices;
    TOPOMAP_FREED uint32_t *level = topomap_alloc(vertices, sizeof *level, err);

    p->levels = level ? page_network_levels(p->network, level, err) : 0;
    for (uint32_t v = 0; p->levels && v < vertices; v++)
        p->vertex[v] = (vertex){.number = v, .level = level[v]};
    return p->levels ? 0 : -1;
}

static int is_levelled(const picture *p)
{
    const topomap_network *n = p->network;

    for (uint32_t v = 0; v < n->vertices; v++)
        for (uint32_t link = n->first[v]; link < n->first[v + 1]; link++)
            if (p->vertex[v].level == p->vertex[n->head[link]].level)
                return 0;
    return p->levels > 1;
}

/* Nodes by their switches, switches by the middle of what hangs below them. */
static double key_of(const picture *p, const vertex *v)
{
    const topomap_network *n = p->network;
    double sum = 0;
    uint32_t below = 0;

    for (uint32_t link = n->first[v->number]; link < n->first[v->number + 1]; link++) {
        const vertex *other = &p->vertex[n->head[link]];

        if (v->level == 0)
            return other->number; /* heads ascend */
        if (other->level + 1 == v->level) {
            sum += other->x;
            below++;
        }
    }
    return below ? sum / below : 0;
}

static void place_level(picture *p, uint32_t level)
{
    uint32_t count = 0;

    for (uint32_t v = 0; v < p->network->vertices; v++)
        if (p->vertex[v].level == level)
            p->place[count++] = (topomap_draw_place){key_of(p, &p->vertex[v]), v, 0};
    topomap_draw_row(p->place, count, EDGE, p->width);
    for (uint32_t i = 0; i < count; i++) {
        p->vertex[p->place[i].number].x = p->place[i].x;
        p->vertex[p->place[i].number].y =
            EDGE + (p->levels - 1 - level) * fmin(fmax(ROW, p->width / 8), 20 * ROW);
    }
}

static void place_levels(picture *p)
{
    uint32_t most = 1;

    p->shape = "levels";
    for (uint32_t level = 0; level < p->levels; level++) {
        uint32_t count = 0;

        for (uint32_t v = 0; v < p->network->vertices; v++)
            count += p->vertex[v].level == level;
        most = count > most ? count : most;
    }
    p->width = (double)most * STEP;
    for (uint32_t level = 0; level < p->levels; level++)
        place_level(p, level);
}

/* ---- A ring ------------------------------------------------------------------------------ */

static void place_at(vertex *v, double radius, double out, double angle)
{
    topomap_spot spot = topomap_draw_in_ring(EDGE + SPOKE + radius, radius + out, angle);

    v->x = spot.x;
    v->y = spot.y;
}

static void place_ring(picture *p)
{
    const topomap_network *n = p->network;
    const double turn = 2 * acos(-1);
    uint32_t switches = 0, at = 0;
    double radius, each;

    p->shape = "ring";
    for (uint32_t v = 0; v < n->vertices; v++)
        switches += p->levels == 1 || p->vertex[v].level > 0;
    each = turn / switches;
    radius = fmax(120, switches * STEP / turn);
    for (uint32_t v = 0; v < n->vertices; v++)
        if (p->levels == 1 || p->vertex[v].level > 0) {
            p->vertex[v].angle = at * each;
            place_at(&p->vertex[v], radius, 0, at++ * each);
        }
    /* A switch's nodes share its part of the ring. */
    for (uint32_t v = 0; p->levels > 1 && v < n->vertices; v++) {
        uint32_t of, nodes = 0, before = 0;

        if (p->vertex[v].level > 0)
            continue;
        of = n->first[v] < n->first[v + 1] ? n->head[n->first[v]] : v;
        for (uint32_t link = n->first[of]; link < n->first[of + 1]; link++)
            if (p->vertex[n->head[link]].level == 0) {
                before += n->head[link] < v;
                nodes++;
            }
        nodes = nodes ? nodes : 1;
        place_at(&p->vertex[v], radius, SPOKE,
                 p->vertex[of].angle + each * ((before + 0.5) / nodes - 0.5));
    }
}

/* ---- Cables ------------------------------------------------------------------------------ */

typedef struct cable {
    uint32_t a, b;
    double share[2];
} cable;

static double most_of(const cable *c)
{
    return fmax(c->share[0], c->share[1]);
}

TOPOMAP_COMPARE(by_load, cable, TOPOMAP_ORDER(most_of(y), most_of(x)),
                TOPOMAP_ORDER(x->a, y->a) ?: TOPOMAP_ORDER(x->b, y->b))

/* Of a link, or of the fullest one between two groups. */
static int find_shares(picture *p, topomap_error *err)
{
    const topomap_network *n = topomap_link_loads_network(p->load[0]);

    for (int i = 0; i < 2; i++) {
        p->share[i] =
            topomap_arena_alloc(&p->arrays, p->network->links + 1u, sizeof *p->share[i], err);
        if (!p->share[i])
            return -1;
        for (uint32_t v = 0; v < n->vertices; v++)
            for (uint32_t link = n->first[v]; link < n->first[v + 1]; link++) {
                double share = topomap_link_loads_share(p->load[i], link);
                uint32_t at = link;

                if (p->coarse)
                    at = topomap_network_link(p->network, p->coarse->group_of[v],
                                              p->coarse->group_of[n->head[link]]);
                if (at != UINT32_MAX) /* inside of a group */
                    p->share[i][at] = fmax(p->share[i][at], share);
            }
    }
    return 0;
}

/* Both ways of a pair are one cable, with what the fuller way carries. */
static uint32_t find_cables(const picture *p, cable *cables)
{
    const topomap_network *n = p->network;
    uint32_t count = 0;

    for (uint32_t a = 0; a < n->vertices; a++)
        for (uint32_t link = n->first[a]; link < n->first[a + 1]; link++) {
            uint32_t b = n->head[link], back = topomap_network_link(n, b, a);
            cable *c = &cables[count];

            if (back != UINT32_MAX && b < a)
                continue;
            *c = (cable){a, b, {0, 0}};
            for (int i = 0; i < 2; i++)
                c->share[i] = fmax(p->share[i][link], back == UINT32_MAX ? 0 : p->share[i][back]);
            count++;
        }
    qsort(cables, count, sizeof *cables, by_load);
    return count;
}

static json_t *cables_json(const cable *cables, uint32_t count)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < count; i++) {
        json_array_append_new(list, json_integer(cables[i].a));
        json_array_append_new(list, json_integer(cables[i].b));
        for (int k = 0; k < 2; k++)
            json_array_append_new(list, json_real(cables[i].share[k]));
    }
    return list;
}

/* ---- The picture ------------------------------------------------------------------------- */

/* "leaf3 and 2 more, 48 nodes" */
static json_t *name_of(const picture *p, uint32_t v)
{
    const page_network_groups *c = p->coarse;
    char name[64], text[128];

    topomap_link_loads_vertex(p->load[0], c ? c->first[v] : v, name, sizeof name);
    if (!c)
        return cli_json_text(name);
    snprintf(text, sizeof text, "%s", name);
    if (c->switches[v] > 1 || (c->switches[v] == 0 && c->nodes[v] > 1))
        snprintf(text, sizeof text, "%s and %u more", name,
                 (c->switches[v] ? c->switches[v] : c->nodes[v]) - 1);
    if (c->switches[v] && c->nodes[v])
        topomap_text_append(text, sizeof text, ", %u node%s", c->nodes[v],
                            c->nodes[v] == 1 ? "" : "s");
    return cli_json_text(text);
}

static json_t *vertices_json(const picture *p)
{
    json_t *list = json_array();

    for (uint32_t v = 0; v < p->network->vertices; v++)
        json_array_append_new(
            list, json_pack("[o, f, f, i]", name_of(p, v), round(10 * p->vertex[v].x) / 10,
                            round(10 * p->vertex[v].y) / 10,
                            !p->coarse && p->levels > 1 && p->vertex[v].level == 0 ? 1 : 0));
    return list;
}

static json_t *draw(picture *p, cable *cables)
{
    uint32_t count = find_cables(p, cables);
    uint32_t shown = count < CABLES_MOST ? count : CABLES_MOST;

    for (uint32_t v = 0; v < p->network->vertices; v++) {
        p->width = fmax(p->width, p->vertex[v].x + EDGE);
        p->height = fmax(p->height, p->vertex[v].y + EDGE);
    }
    return json_pack("{s:s, s:[f, f], s:f, s:f, s:o, s:o, s:I, s:I}", "shape", p->shape, "slice",
                     p->slice[0], p->slice[1], "width", p->width, "height", p->height, "vertex",
                     vertices_json(p), "cable", cables_json(cables, shown), "left_out",
                     (json_int_t)(count - shown), "of",
                     (json_int_t)topomap_link_loads_network(p->load[0])->vertices);
}

static json_t *make(picture *p, const topomap_machine *machine, int grid, topomap_error *err)
{
    const topomap_network *n = p->network;
    cable *cables = topomap_arena_alloc(&p->arrays, n->links ? n->links : 1, sizeof *cables, err);

    p->vertex = topomap_arena_alloc(&p->arrays, n->vertices, sizeof *p->vertex, err);
    p->place = topomap_arena_alloc(&p->arrays, n->vertices, sizeof *p->place, err);
    if (p->arrays.is_short || find_levels(p, err) != 0 || find_shares(p, err) != 0)
        return NULL;
    if (grid)
        place_grid(p, machine);
    else if (is_levelled(p))
        place_levels(p);
    else
        place_ring(p);
    return draw(p, cables);
}

static void picture_clear(picture *p)
{
    topomap_arena_clear(&p->arrays);
}

json_t *page_network(const page_job *job, topomap_link_loads *const load[2], topomap_error *err)
{
    const topomap_network *n = topomap_link_loads_network(load[0]);
    TOPOMAP_CLEANUP(picture_clear) picture p = {.network = n, .load = load};
    TOPOMAP_CLEANUP(page_network_groups_clear) page_network_groups coarse = {.network = NULL};
    int grid = is_grid(job->machine, n);

    if (n->vertices == 0)
        return json_null();
    if (n->vertices <= VERTICES_MOST)
        return make(&p, job->machine, grid, err);
    if (page_network_groups_make(n, grid ? job->machine : NULL, GROUPS_MOST, &coarse, err) != 0)
        return NULL;
    p.network = coarse.network;
    p.coarse = &coarse;
    return make(&p, job->machine, grid, err);
}
