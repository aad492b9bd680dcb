/* SPDX-License-Identifier: BSD-3-Clause */
/* Where switches and hosts stand in a picture of the fabric. */
#include "topology-db/export/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/coordinates.h"
#include "util/alloc.h"

enum {
    STEP = 12,
    CELL = 24,
    ROW = 120,
    EDGE = DB_DRAW_EDGE,
    DIMENSIONS = DB_DRAW_DIMENSIONS,
    PLACES_MOST = 1 << 22
};

/* ---- By coordinates ---------------------------------------------------------------------- */

/* 0: it is none that a database has. */
static uint32_t read_place(const char *text, uint32_t at[DIMENSIONS])
{
    topomap_coordinates point;

    if (topomap_coordinates_parse(text, ',', &point) != 0 || point.dims > DIMENSIONS)
        return 0;
    for (uint32_t d = 0; d < point.dims; d++)
        at[d] = point.at[d];
    return point.dims;
}

/* 0: these are not all on one grid.
 * \param dimensions  of those before; 0: there are none */
static uint32_t take_place(const char *place, uint32_t dimensions, uint32_t size[DIMENSIONS])
{
    uint32_t at[DIMENSIONS], count = read_place(place, at);

    if (!count || (dimensions && count != dimensions))
        return 0;
    for (uint32_t d = 0; d < count; d++)
        if (!dimensions || at[d] >= size[d])
            size[d] = at[d] + 1;
    return count;
}

/* Nonzero where every switch has coordinates. */
static uint32_t find_dimensions(const struct db_export *x, uint32_t size[DIMENSIONS])
{
    uint32_t dimensions = 0;

    for (uint32_t i = 0; i < x->graph.count; i++)
        if (x->sw[i].kept && !(dimensions = take_place(x->sw[i].place, dimensions, size)))
            return 0;
    return dimensions;
}

static void place_grid(struct db_places *p, uint32_t dimensions, const uint32_t *size)
{
    for (uint32_t i = 0; i < p->x->graph.count; i++) {
        uint32_t at[DIMENSIONS] = {0};

        if (!p->x->sw[i].kept)
            continue;
        read_place(p->x->sw[i].place, at);
        p->sw[i] = topomap_draw_in_grid(at, size, dimensions, CELL, EDGE);
    }
}

/* Beside their switch, three in a row. \param nth  [switches], zero */
static void place_hosts_near(struct db_places *p, uint32_t *nth)
{
    for (uint32_t h = 0; h < p->x->hosts; h++) {
        uint32_t home = p->x->host[h].home;

        if (home == UINT32_MAX)
            continue;
        p->host[h] = (topomap_spot){p->sw[home].x + 6 + 5 * (nth[home] % 3),
                                    p->sw[home].y + 6 + 5 * (nth[home] / 3)};
        nth[home]++;
    }
}

/* ---- By levels --------------------------------------------------------------------------- */

static int64_t highest(const struct db_export *x)
{
    int64_t most = -1;

    for (uint32_t i = 0; i < x->graph.count; i++) {
        if (x->sw[i].kept && x->sw[i].level < 0)
            return -1;
        if (x->sw[i].kept && x->sw[i].level > most)
            most = x->sw[i].level;
    }
    return most;
}

/* Hosts in the order of their leaves, in their own order below one; a gap between two leaves.
 * \param next  [switches], zero */
static void place_hosts(struct db_places *p, double y, uint32_t *next)
{
    const struct db_export *x = p->x;
    uint32_t at = 0;

    for (uint32_t h = 0; h < x->hosts; h++)
        if (x->host[h].home != UINT32_MAX)
            next[x->host[h].home]++;
    for (uint32_t i = 0; i < x->graph.count; i++) {
        uint32_t below = next[i];

        next[i] = at;
        at += below + (below > 0);
    }
    for (uint32_t h = 0; h < x->hosts; h++)
        if (x->host[h].home != UINT32_MAX)
            p->host[h] = (topomap_spot){EDGE + STEP * (double)next[x->host[h].home]++, y};
    p->width = fmax(p->width, 2 * EDGE + STEP * (double)at);
}

/* Over the middle of what they join below, in a row as wide as the hosts'. */
static void place_level(struct db_places *p, int64_t level, double y, topomap_draw_place *order,
                        uint32_t *joined)
{
    const struct db_export *x = p->x;
    uint32_t count = 0;

    memset(joined, 0, x->graph.count * sizeof *joined);
    for (uint32_t i = 0; i < x->graph.count; i++)
        order[i] = (topomap_draw_place){0, i, 0};
    for (size_t c = 0; c < x->cables; c++) {
        const struct db_cable *cable = &x->cable[c];
        int from_host = cable->host != UINT32_MAX;
        uint32_t up = cable->b, down = cable->a;

        if (!from_host && x->sw[down].level > x->sw[up].level)
            up = cable->a, down = cable->b;
        if (x->sw[up].level != level || (!from_host && x->sw[down].level >= level))
            continue;
        order[up].key += from_host ? p->host[cable->host].x : p->sw[down].x;
        joined[up]++;
    }
    for (uint32_t i = 0; i < x->graph.count; i++)
        if (x->sw[i].kept && x->sw[i].level == level)
            order[count++] = (topomap_draw_place){joined[i] ? order[i].key / joined[i] : 0, i, 0};
    topomap_draw_row(order, count, EDGE, p->width - 2 * EDGE);
    for (uint32_t k = 0; k < count; k++)
        p->sw[order[k].number] = (topomap_spot){order[k].x, y};
}

/* \param count  [switches], zero */
static int place_tree(struct db_places *p, int64_t levels, uint32_t *count, topomap_error *err)
{
    TOPOMAP_FREED topomap_draw_place *order = topomap_alloc(p->x->graph.count, sizeof *order, err);

    if (!order)
        return -1;
    p->width = fmax(p->width, 2.0 * EDGE + 2.0 * STEP * p->x->graph.count / (double)(levels + 1));
    place_hosts(p, EDGE + ROW * (double)(levels + 1), count);
    for (int64_t level = 0; level <= levels; level++)
        place_level(p, level, EDGE + ROW * (double)(levels - level), order, count);
    return 0;
}

/* ---- Anything else ----------------------------------------------------------------------- */

static topomap_spot ring_spot(double radius, double out, double angle)
{
    return topomap_draw_in_ring(EDGE + ROW / 2.0 + radius, radius + out, angle);
}

/* Hosts stand outside of their switch. \param nth  [switches], zero */
static int place_ring(struct db_places *p, uint32_t *nth, topomap_error *err)
{
    uint32_t count = 0, next = 0;
    double radius, step;
    TOPOMAP_FREED double *angle = topomap_alloc(p->x->graph.count, sizeof *angle, err);

    if (!angle)
        return -1;
    for (uint32_t i = 0; i < p->x->graph.count; i++)
        count += p->x->sw[i].kept != 0;
    radius = fmax(100, STEP * count / 3.0);
    step = 6.283185307179586 / (count ? count : 1);
    for (uint32_t i = 0; i < p->x->graph.count; i++) {
        if (!p->x->sw[i].kept)
            continue;
        angle[i] = step * next++;
        p->sw[i] = ring_spot(radius, 0, angle[i]);
    }
    for (uint32_t h = 0; h < p->x->hosts; h++) {
        uint32_t home = p->x->host[h].home;

        if (home == UINT32_MAX)
            continue;
        p->host[h] = ring_spot(radius, 16 + 6 * (nth[home] / 4),
                               angle[home] + step * ((nth[home] % 4) / 5.0 - 0.3));
        nth[home]++;
    }
    return 0;
}

/* ---- Nodes without switches -------------------------------------------------------------- */

/* A Cray's database lists nodes with the coordinates of their routers: those of a router stand
 * beside each other. */
static int place_nodes(struct db_places *p, topomap_error *err)
{
    const struct db_export *x = p->x;
    uint32_t size[DIMENSIONS] = {0}, dimensions = 0;
    uint64_t slot = 1; /* a size is 65,535 at most */
    topomap_spot corner;
    TOPOMAP_FREED uint32_t *nth = NULL;

    for (uint32_t h = 0; h < x->hosts; h++)
        if (*x->host[h].place)
            dimensions = take_place(x->host[h].place, dimensions, size) ?: dimensions;
    for (uint32_t d = 0; d < dimensions && slot <= PLACES_MOST; d++)
        slot *= size[d];
    if (!dimensions || slot > PLACES_MOST)
        return db_export_check_links(x, "svg", err);
    nth = topomap_alloc((size_t)slot, sizeof *nth, err);
    if (!nth)
        return -1;
    for (uint32_t h = 0; h < x->hosts; h++) {
        uint32_t at[DIMENSIONS] = {0}, number = 0;

        if (read_place(x->host[h].place, at) != dimensions)
            continue;
        for (uint32_t d = dimensions; d-- > 0;)
            number = number * size[d] + at[d];
        p->host[h] = topomap_draw_in_grid(at, size, dimensions, CELL, EDGE);
        p->host[h].x += 1 + 6 * (nth[number] % 3);
        p->host[h].y += 4 + 6 * (nth[number] / 3);
        p->placed[h] = 1;
        nth[number]++;
    }
    p->dimensions = dimensions;
    memcpy(p->size, size, sizeof p->size);
    for (uint32_t d = 0; d < dimensions; d++)
        size[d]--; /* the last place of all, empty or not */
    corner = topomap_draw_in_grid(size, p->size, dimensions, CELL, EDGE);
    p->width = corner.x + EDGE;
    p->height = corner.y + EDGE;
    return 0;
}

/* ---- All --------------------------------------------------------------------------------- */

static int place_switches(struct db_places *p, topomap_error *err)
{
    uint32_t size[DIMENSIONS] = {0}, dimensions = find_dimensions(p->x, size);
    TOPOMAP_FREED uint32_t *nth = topomap_alloc(p->x->graph.count, sizeof *nth, err);
    int64_t levels = highest(p->x);

    if (!nth)
        return -1;
    p->is_grid = dimensions > 0;
    for (uint32_t h = 0; h < p->x->hosts; h++)
        p->placed[h] = p->x->host[h].home != UINT32_MAX;
    if (!dimensions)
        return levels >= 0 ? place_tree(p, levels, nth, err) : place_ring(p, nth, err);
    place_grid(p, dimensions, size);
    place_hosts_near(p, nth);
    return 0;
}

int db_places_find(const struct db_export *x, struct db_places *p, topomap_error *err)
{
    *p = (struct db_places){.x = x,
                            .host = topomap_alloc(x->hosts, sizeof *p->host, err),
                            .placed = topomap_alloc(x->hosts, 1, err),
                            .sw = topomap_alloc(x->graph.count, sizeof *p->sw, err)};
    if (!p->host || !p->placed || !p->sw ||
        (x->graph.count ? place_switches(p, err) : place_nodes(p, err)))
        return -1;
    for (uint32_t i = 0; i < x->graph.count; i++) {
        p->width = fmax(p->width, p->sw[i].x + EDGE);
        p->height = fmax(p->height, p->sw[i].y + EDGE);
    }
    for (uint32_t h = 0; h < x->hosts; h++) {
        p->width = fmax(p->width, p->host[h].x + EDGE);
        p->height = fmax(p->height, p->host[h].y + EDGE);
    }
    return 0;
}

void db_places_clear(struct db_places *p)
{
    free(p->host);
    free(p->placed);
    free(p->sw);
}
