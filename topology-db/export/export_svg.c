/* SPDX-License-Identifier: BSD-3-Clause */
/* A picture of the fabric as SVG: tori and meshes by coordinates, slice beside slice; fat trees by
 * levels, hosts below; anything else in a ring, hosts outside. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/export/export.h"
#include "util/alloc.h"
#include "xml/markup.h"

enum { STEP = 12, CELL = 24, ROW = 120, EDGE = 30, RATES = 5, DIMENSIONS = 8, LEGEND = 40 };

struct spot {
    double x, y;
};

struct picture {
    struct db_export *x;
    struct spot *host, *sw;
    double width, height;
    int is_grid;
    uint32_t rate[RATES], rates; /* Mb/s, the most first; slower ones are with the last */
};

/* ---- By coordinates ---------------------------------------------------------------------- */

static uint32_t read_place(const char *text, uint32_t at[DIMENSIONS])
{
    uint32_t count = 0;

    for (char *end; *text && count < DIMENSIONS; text = *end == ',' ? end + 1 : end) {
        at[count++] = (uint32_t)strtoul(text, &end, 10);
        if (end == text || (*end && *end != ','))
            return 0;
    }
    return count;
}

/* x and y are a slice; further dimensions go right and down by turns. */
static struct spot spot_at(const uint32_t *at, uint32_t dimensions, const uint32_t *size)
{
    double step[2] = {CELL, CELL}, spot[2] = {0, 0};

    for (uint32_t d = 0; d < dimensions; d++) {
        spot[d % 2] += at[d] * step[d % 2];
        step[d % 2] = (step[d % 2] * size[d]) + CELL;
    }
    return (struct spot){EDGE + spot[0], EDGE + spot[1]};
}

/* Nonzero where every switch has coordinates. */
static uint32_t find_dimensions(const struct db_export *x, uint32_t size[DIMENSIONS])
{
    uint32_t dimensions = 0;

    for (uint32_t i = 0; i < x->graph.count; i++) {
        uint32_t at[DIMENSIONS], count = x->sw[i].kept ? read_place(x->sw[i].place, at) : 0;

        if (!x->sw[i].kept)
            continue;
        if (!count || (dimensions && count != dimensions))
            return 0;
        for (uint32_t d = 0; d < count; d++)
            if (!dimensions || at[d] >= size[d])
                size[d] = at[d] + 1;
        dimensions = count;
    }
    return dimensions;
}

static void place_grid(struct picture *p, uint32_t dimensions, const uint32_t *size)
{
    for (uint32_t i = 0; i < p->x->graph.count; i++) {
        uint32_t at[DIMENSIONS] = {0};

        if (!p->x->sw[i].kept)
            continue;
        read_place(p->x->sw[i].place, at);
        p->sw[i] = spot_at(at, dimensions, size);
    }
}

/* Beside their switch, three in a row. \param nth  [switches], zero */
static void place_hosts_near(struct picture *p, uint32_t *nth)
{
    for (uint32_t h = 0; h < p->x->hosts; h++) {
        uint32_t home = p->x->host[h].home;

        if (home == UINT32_MAX)
            continue;
        p->host[h] = (struct spot){p->sw[home].x + 6 + 5 * (nth[home] % 3),
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

struct order {
    double at;
    uint32_t index;
};

static int by_order(const void *a, const void *b)
{
    const struct order *x = a, *y = b;

    return x->at != y->at ? (x->at < y->at ? -1 : 1)
                          : (x->index > y->index) - (x->index < y->index);
}

/* Hosts in the order of their leaves, in their own order below one; a gap between two leaves.
 * \param next  [switches], zero */
static void place_hosts(struct picture *p, double y, uint32_t *next)
{
    const struct db_export *x = p->x;
    uint32_t at = 0;

    for (uint32_t h = 0; h < x->hosts; h++)
        if (x->host[h].kept && x->host[h].home != UINT32_MAX)
            next[x->host[h].home]++;
    for (uint32_t i = 0; i < x->graph.count; i++) {
        uint32_t below = next[i];

        next[i] = at;
        at += below + (below > 0);
    }
    for (uint32_t h = 0; h < x->hosts; h++)
        if (x->host[h].kept && x->host[h].home != UINT32_MAX)
            p->host[h] = (struct spot){EDGE + STEP * (double)next[x->host[h].home]++, y};
    p->width = fmax(p->width, 2 * EDGE + STEP * (double)at);
}

/* Over the middle of what they join below, in a row as wide as the hosts'. */
static void place_level(struct picture *p, int64_t level, double y, struct order *order,
                        uint32_t *joined)
{
    const struct db_export *x = p->x;
    uint32_t count = 0;

    memset(joined, 0, x->graph.count * sizeof *joined);
    for (uint32_t i = 0; i < x->graph.count; i++)
        order[i] = (struct order){0, i};
    for (size_t c = 0; c < x->cables; c++) {
        const struct db_cable *cable = &x->cable[c];
        int from_host = cable->host != UINT32_MAX;
        uint32_t up = cable->b, down = cable->a;

        if (!db_cable_kept(x, cable))
            continue;
        if (!from_host && x->sw[down].level > x->sw[up].level)
            up = cable->a, down = cable->b;
        if (x->sw[up].level != level || (!from_host && x->sw[down].level >= level))
            continue;
        order[up].at += from_host ? p->host[cable->host].x : p->sw[down].x;
        joined[up]++;
    }
    for (uint32_t i = 0; i < x->graph.count; i++)
        if (x->sw[i].kept && x->sw[i].level == level)
            order[count++] = (struct order){joined[i] ? order[i].at / joined[i] : 0, i};
    if (count)
        qsort(order, count, sizeof *order, by_order);
    for (uint32_t k = 0; k < count; k++)
        p->sw[order[k].index] = (struct spot){EDGE + (p->width - 2 * EDGE) * (k + 0.5) / count, y};
}

/* \param count  [switches], zero */
static int place_tree(struct picture *p, int64_t levels, uint32_t *count, topomap_error *err)
{
    struct order *order = topomap_alloc(p->x->graph.count, sizeof *order, err);

    if (!order)
        return -1;
    p->width = fmax(p->width, 2.0 * EDGE + 2.0 * STEP * p->x->graph.count / (double)(levels + 1));
    place_hosts(p, EDGE + ROW * (double)(levels + 1), count);
    for (int64_t level = 0; level <= levels; level++)
        place_level(p, level, EDGE + ROW * (double)(levels - level), order, count);
    free(order);
    return 0;
}

/* ---- Anything else ----------------------------------------------------------------------- */

static double ring_radius(const struct db_export *x, uint32_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < x->graph.count; i++)
        *count += x->sw[i].kept != 0;
    return fmax(100, STEP * *count / 3.0);
}

static struct spot ring_spot(double radius, double out, double angle)
{
    double middle = EDGE + ROW / 2.0 + radius;

    return (struct spot){middle + (radius + out) * cos(angle),
                         middle + (radius + out) * sin(angle)};
}

/* Hosts stand outside of their switch. \param nth  [switches], zero */
static int place_ring(struct picture *p, uint32_t *nth, topomap_error *err)
{
    uint32_t count, next = 0;
    double radius = ring_radius(p->x, &count), step = 6.283185307179586 / (count ? count : 1);
    double *angle = topomap_alloc(p->x->graph.count, sizeof *angle, err);

    if (!angle)
        return -1;
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
    free(angle);
    return 0;
}

static int place(struct picture *p, topomap_error *err)
{
    uint32_t size[DIMENSIONS] = {0}, dimensions = find_dimensions(p->x, size);
    uint32_t *nth = topomap_alloc(p->x->graph.count, sizeof *nth, err);
    int64_t levels = highest(p->x);
    int status = nth ? 0 : -1;

    p->is_grid = dimensions > 0;
    if (nth && dimensions) {
        place_grid(p, dimensions, size);
        place_hosts_near(p, nth);
    } else if (nth && levels >= 0) {
        status = place_tree(p, levels, nth, err);
    } else if (nth) {
        status = place_ring(p, nth, err);
    }
    free(nth);
    for (uint32_t i = 0; i < p->x->graph.count; i++) {
        p->width = fmax(p->width, p->sw[i].x + EDGE);
        p->height = fmax(p->height, p->sw[i].y + EDGE);
    }
    for (uint32_t h = 0; h < p->x->hosts; h++) {
        p->width = fmax(p->width, p->host[h].x + EDGE);
        p->height = fmax(p->height, p->host[h].y + EDGE);
    }
    return status;
}

/* ---- Drawing ----------------------------------------------------------------------------- */

/* Different rates, the most first. */
static void find_rates(struct picture *p)
{
    for (size_t c = 0; c < p->x->cables; c++) {
        uint32_t rate = p->x->cable[c].mbps, k = 0;

        if (!rate || !db_cable_kept(p->x, &p->x->cable[c]))
            continue;
        while (k < p->rates && p->rate[k] > rate)
            k++;
        if (k == RATES || (k < p->rates && p->rate[k] == rate))
            continue;
        p->rates += p->rates < RATES;
        memmove(p->rate + k + 1, p->rate + k, (p->rates - k - 1) * sizeof *p->rate);
        p->rate[k] = rate;
    }
}

/* RATES: it is not known. */
static uint32_t rate_class(const struct picture *p, uint32_t rate)
{
    uint32_t k = 0;

    if (!rate)
        return RATES;
    while (k + 1 < p->rates && p->rate[k] > rate)
        k++;
    return k;
}

/* In a grid what goes beyond the next one, round the edge or to another slice, is an arc. */
static void put_way(const struct picture *p, struct spot from, struct spot to, FILE *out)
{
    double dx = to.x - from.x, dy = to.y - from.y;

    fprintf(out, "M%.1f %.1f", from.x, from.y);
    if (p->is_grid && fabs(dx) + fabs(dy) > 1.5 * CELL)
        fprintf(out, "Q%.1f %.1f ", from.x + dx / 2 - dy * 0.12, from.y + dy / 2 + dx * 0.12);
    else
        fputc('L', out);
    fprintf(out, "%.1f %.1f", to.x, to.y);
}

static void put_cables(const struct picture *p, FILE *out)
{
    for (size_t c = 0; c < p->x->cables; c++) {
        const struct db_cable *cable = &p->x->cable[c];

        if (!db_cable_kept(p->x, cable))
            continue;
        fprintf(out, "<path class=\"r%u\" d=\"", rate_class(p, cable->mbps));
        put_way(p, cable->host == UINT32_MAX ? p->sw[cable->a] : p->host[cable->host],
                p->sw[cable->b], out);
        fputs("\"/>\n", out);
    }
}

static void put_vertices(const struct picture *p, FILE *out)
{
    for (uint32_t h = 0; h < p->x->hosts; h++) {
        const struct db_export_host *host = &p->x->host[h];

        if (!host->kept || host->home == UINT32_MAX)
            continue;
        fprintf(out, "<rect class=\"h%s\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%d\"><title>",
                *host->status && strcmp(host->status, "up") ? " d" : "", p->host[h].x - 2,
                p->host[h].y - 2, 4, 4);
        topomap_markup_put(out, host->name);
        fputs("</title></rect>\n", out);
    }
    for (uint32_t i = 0; i < p->x->graph.count; i++) {
        if (!p->x->sw[i].kept)
            continue;
        fprintf(out, "<circle class=\"s\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>", p->sw[i].x,
                p->sw[i].y);
        topomap_markup_put(out, p->x->sw[i].label);
        fputs("</title></circle>\n", out);
    }
}

static void put_legend(const struct picture *p, FILE *out)
{
    double x = EDGE, y = p->height + LEGEND / 2.0;

    for (uint32_t k = 0; k < p->rates; k++, x += 110)
        fprintf(out,
                "<g><path class=\"r%u\" stroke-width=\"3\" d=\"M%.0f %.0fh20\"/><text x=\"%.0f\" "
                "y=\"%.0f\">%.6g Gb/s%s</text></g>\n",
                k, x, y, x + 26, y + 4, p->rate[k] / 1000.0, k == RATES - 1 ? " and less" : "");
}

static void put_svg(struct picture *p, const topomap_db_summary *summary)
{
    FILE *out = p->x->out;

    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" "
            "aria-labelledby=\"fabric\">\n<title id=\"fabric\">",
            fmax(p->width, 2 * EDGE + 110.0 * p->rates), p->height + LEGEND);
    topomap_markup_put(out, summary->topology);
    fprintf(out, ": %u hosts, %" PRIu64 " switches, %" PRIu64 " links</title>\n", p->x->kept_hosts,
            summary->switches, summary->links);
    fputs("<style>path{stroke-width:.6;fill:none;stroke-opacity:.7}.s{fill:#3b4a6b}.h{fill:#7f8aa3}"
          ".d{fill:#c0392b}.r0{stroke:#1b4f9c}.r1{stroke:#2e8b8b}.r2{stroke:#b8860b}.r3{stroke:"
          "#c2571a}.r4{stroke:#a11d33}.r5{stroke:#888;stroke-dasharray:3 2}text{font:11px "
          "sans-serif;fill:#333}@media(prefers-color-scheme:dark){.s{fill:#b9c4e4}.h{fill:#8b93a8}"
          ".d{fill:#ff7b6b}.r0{stroke:#7fb0ff}.r1{stroke:#6fd6d0}.r2{stroke:#e8c35a}.r3{stroke:"
          "#f29a5c}.r4{stroke:#ff7088}text{fill:#ccc}}</style>\n",
          out);
    put_cables(p, out);
    put_vertices(p, out);
    put_legend(p, out);
    fputs("</svg>\n", out);
}

static int export_svg(struct db_export *x, topomap_error *err)
{
    struct picture p = {.x = x,
                        .host = topomap_alloc(x->hosts ? x->hosts : 1, sizeof *p.host, err),
                        .sw = topomap_alloc(x->graph.count, sizeof *p.sw, err)};
    topomap_db_summary summary;
    int result = p.host && p.sw ? topomap_db_summarise(x->db, &summary, err) : -1;

    if (!result)
        result = place(&p, err);
    if (!result) {
        find_rates(&p);
        put_svg(&p, &summary);
    }
    free(p.host);
    free(p.sw);
    return result;
}

const db_exporter db_export_svg = {
    .row = {"svg", "a picture: switches, hosts and cables by their rates"},
    .run = export_svg,
    .links = 1,
};
