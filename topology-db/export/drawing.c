/* SPDX-License-Identifier: BSD-3-Clause */
/* The fabric, drawn. */
#include "topology-db/export/export.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

enum { RATES = 5, LEGEND = 40, EDGE = DB_DRAW_EDGE, CELL = DB_DRAW_CELL, SLICE_FONT = 9 };

/* Rates are the first, in the order of the legend; then one that is not known. */
enum { UNKNOWN = RATES, SWITCH, HOST, DOWN, FAULT, KEY, PLACE = KEY + RATES, TEXT };

#define RATE(name, light, dark, thick, dash)                                                       \
    {                                                                                              \
        name, light, dark, thick, .7, dash                                                         \
    }
static const topomap_draw_style styles[] = {
    RATE("r0", 0x1b4f9c, 0x7fb0ff, .6, NULL), RATE("r1", 0x2e8b8b, 0x6fd6d0, .6, NULL),
    RATE("r2", 0xb8860b, 0xe8c35a, .6, NULL), RATE("r3", 0xc2571a, 0xf29a5c, .6, NULL),
    RATE("r4", 0xa11d33, 0xff7088, .6, NULL), RATE("r5", 0x888888, 0x888888, .6, "3 2"),
    {"s", 0x3b4a6b, 0xb9c4e4, 0, 0, NULL},    {"h", 0x7f8aa3, 0x8b93a8, 0, 0, NULL},
    {"hd", 0xc0392b, 0xff7b6b, 0, 0, NULL},   {"f", 0xe03030, 0xff5050, 4, .4, NULL},
    RATE("k0", 0x1b4f9c, 0x7fb0ff, 3, NULL),  RATE("k1", 0x2e8b8b, 0x6fd6d0, 3, NULL),
    RATE("k2", 0xb8860b, 0xe8c35a, 3, NULL),  RATE("k3", 0xc2571a, 0xf29a5c, 3, NULL),
    RATE("k4", 0xa11d33, 0xff7088, 3, NULL),  {"p", 0xeceff4, 0x2a2d33, 0, 0, NULL},
    {"text", 0x333333, 0xcccccc, 0, 0, NULL},
};

/* What db check says of a cable, known by the switch port that it is in. */
struct fault {
    int64_t vertex;
    uint32_t port;
    char *text; /* owned by the first of its two ends */
    int owned;
};

struct picture {
    struct db_export *x;
    topomap_drawing *out;
    struct db_places places;
    uint32_t rate[RATES], rates; /* Mb/s, the most first; slower ones are with the last */
    struct fault *fault;
    size_t faults, room;
    topomap_error *err;
};

/* ---- Rates ------------------------------------------------------------------------------- */

/* Different ones, the most first. */
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

static int rate_style(const struct picture *p, uint32_t rate)
{
    uint32_t k = 0;

    if (!rate)
        return UNKNOWN;
    while (k + 1 < p->rates && p->rate[k] > rate)
        k++;
    return (int)k;
}

/* ---- Faults ------------------------------------------------------------------------------ */

static int take_finding(const topomap_db_finding *finding, void *data)
{
    struct picture *p = data;
    char text[1200];
    char *kept;

    if (!finding->end[0].port && !finding->end[1].port)
        return 0;
    snprintf(text, sizeof text, "%s: %s", finding->check, finding->text);
    kept = topomap_strdup(text, p->err);
    if (!kept || topomap_grow(&p->fault, &p->room, p->faults + 2, sizeof *p->fault, p->err) != 0) {
        free(kept);
        return -1;
    }
    for (int i = 0; i < 2; i++)
        p->fault[p->faults++] =
            (struct fault){finding->end[i].vertex, finding->end[i].port, kept, i == 0};
    return 0;
}

TOPOMAP_COMPARE(by_port, struct fault, TOPOMAP_ORDER(x->vertex, y->vertex),
                TOPOMAP_ORDER(x->port, y->port))

static int find_faults(struct picture *p)
{
    const topomap_db_check_options options = {.max_age = INFINITY};

    if (topomap_db_check(p->x->db, &options, take_finding, p, p->err) != 0)
        return -1;
    TOPOMAP_SORT(p->fault, p->faults, by_port);
    return 0;
}

static const char *fault_at(const struct picture *p, uint32_t sw, uint32_t port)
{
    const struct fault key = {p->x->graph.id[sw], port, NULL, 0};
    const struct fault *found =
        p->faults && port ? bsearch(&key, p->fault, p->faults, sizeof key, by_port) : NULL;

    return found ? found->text : NULL;
}

/* ---- Drawing ----------------------------------------------------------------------------- */

/* In a grid what goes beyond the next one, round the edge or to another slice, is an arc. */
static void put_way(struct picture *p, int style, topomap_spot from, topomap_spot to,
                    const char *tip)
{
    double dx = to.x - from.x, dy = to.y - from.y;

    if (p->places.is_grid && fabs(dx) + fabs(dy) > 1.5 * CELL)
        topomap_draw_curve(p->out, style, from.x, from.y, to.x, to.y, from.x + dx / 2 - dy * 0.12,
                           from.y + dy / 2 + dx * 0.12, tip);
    else
        topomap_draw_line(p->out, style, from.x, from.y, to.x, to.y, tip);
}

static void put_cables(struct picture *p)
{
    const struct db_places *places = &p->places;

    for (size_t c = 0; c < p->x->cables; c++) {
        const struct db_cable *cable = &p->x->cable[c];
        topomap_spot from, to = places->sw[cable->b];
        const char *fault = fault_at(p, cable->b, cable->bport);

        if (!db_cable_kept(p->x, cable))
            continue;
        from = cable->host == UINT32_MAX ? places->sw[cable->a] : places->host[cable->host];
        if (!fault && cable->host == UINT32_MAX)
            fault = fault_at(p, cable->a, cable->aport);
        if (fault)
            put_way(p, FAULT, from, to, fault);
        put_way(p, rate_style(p, cable->mbps), from, to, NULL);
    }
}

/* The places of a grid without switches, whether a node is there or not, and which slice is which.
 */
static void put_places(struct picture *p)
{
    const struct db_places *places = &p->places;
    uint32_t at[DB_DRAW_DIMENSIONS] = {0}, d = 0;
    const uint32_t *size = places->size;

    while (places->dimensions && d < places->dimensions) {
        topomap_spot spot = topomap_draw_in_grid(at, size, places->dimensions, CELL, EDGE);

        topomap_draw_rect(p->out, PLACE, spot.x - 4, spot.y - 4, CELL - 3, CELL - 3, NULL);
        if (places->dimensions > 2 && at[0] == 0 && at[1] == 0) {
            char name[80] = "";

            for (uint32_t k = 2; k < places->dimensions; k++)
                snprintf(name + strlen(name), sizeof name - strlen(name), "%s%s%" PRIu32,
                         k > 2 ? "," : "", k == 2 ? "z=" : "", at[k]);
            topomap_draw_text(p->out, TEXT, spot.x - 4, spot.y - 7, SLICE_FONT, 0, "%s", name);
        }
        for (d = 0; d < places->dimensions && ++at[d] == size[d]; d++)
            at[d] = 0;
    }
}

static void put_hosts(struct picture *p)
{
    const struct db_places *places = &p->places;

    for (uint32_t h = 0; h < p->x->hosts; h++) {
        const struct db_export_host *host = &p->x->host[h];
        int is_down = *host->status && strcmp(host->status, "up") != 0;
        char tip[sizeof host->name + sizeof host->status + sizeof host->place + 8];

        if (!places->placed[h])
            continue;
        snprintf(tip, sizeof tip, "%s%s%s%s%s", host->name, is_down ? ": " : "",
                 is_down ? host->status : "", p->x->graph.count ? "" : " at ",
                 p->x->graph.count ? "" : host->place);
        topomap_draw_rect(p->out, is_down ? DOWN : HOST, places->host[h].x - 2,
                          places->host[h].y - 2, 4, 4, tip);
    }
}

static void put_switches(struct picture *p)
{
    for (uint32_t i = 0; i < p->x->graph.count; i++)
        if (p->x->sw[i].kept)
            topomap_draw_circle(p->out, SWITCH, p->places.sw[i].x, p->places.sw[i].y, 4,
                                p->x->sw[i].label);
}

/* Rates, and what is marked. */
static double put_legend(struct picture *p)
{
    double x = EDGE, y = p->places.height + LEGEND / 2.0;
    int down = 0;

    for (uint32_t k = 0; k < p->rates; k++, x += 110) {
        topomap_draw_line(p->out, KEY + (int)k, x, y, x + 20, y, NULL);
        topomap_draw_text(p->out, TEXT, x + 26, y + 4, 11, 0, "%.6g Gb/s%s", p->rate[k] / 1000.0,
                          k == RATES - 1 ? " and less" : "");
    }
    for (size_t i = 0; i < p->out->items; i++)
        down |= p->out->item[i].style == DOWN;
    if (p->faults) {
        topomap_draw_line(p->out, FAULT, x, y, x + 20, y, NULL);
        topomap_draw_text(p->out, TEXT, x + 26, y + 4, 11, 0, "db check has found something");
        x += 190;
    }
    if (down) {
        topomap_draw_box(p->out, styles[DOWN].colour, x, y - 3, 6, 6);
        topomap_draw_text(p->out, TEXT, x + 12, y + 4, 11, 0, "not up");
        x += 70;
    }
    return x + EDGE;
}

static int draw(struct picture *p)
{
    topomap_db_summary summary;
    topomap_drawing *out = p->out;

    if ((p->x->graph.count && db_export_check_links(p->x, "svg", p->err) != 0) ||
        topomap_db_summarise(p->x->db, &summary, p->err) != 0 ||
        db_places_find(p->x, &p->places, p->err) != 0 || find_faults(p) != 0)
        return -1;
    out->style = styles;
    out->styles = sizeof styles / sizeof *styles;
    snprintf(out->title, sizeof out->title, "%s: %u hosts, %" PRIu64 " switches, %" PRIu64 " links",
             summary.topology, p->x->kept_hosts, summary.switches, summary.links);
    find_rates(p);
    put_places(p);
    put_cables(p);
    put_hosts(p);
    put_switches(p);
    out->width = fmax(p->places.width, put_legend(p));
    out->height = p->places.height + LEGEND;
    return topomap_draw_check(out, p->err);
}

static int draw_export(struct db_export *x, topomap_drawing *out, topomap_error *err)
{
    struct picture p = {.x = x, .out = out, .err = err};
    int result = draw(&p);

    for (size_t i = 0; i < p.faults; i++)
        if (p.fault[i].owned)
            free(p.fault[i].text);
    free(p.fault);
    db_places_clear(&p.places);
    return result;
}

int db_draw(topomap_db *db, topomap_drawing *drawing, topomap_error *err)
{
    TOPOMAP_CLEANUP(db_export_clear) struct db_export x = {.db = db, .file = db->file};

    return db_imported(db, err) || db_export_load(&x, NULL, err) || draw_export(&x, drawing, err)
               ? -1
               : 0;
}

static int export_svg(struct db_export *x, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_draw_clear) topomap_drawing drawing = {0};

    if (draw_export(x, &drawing, err))
        return -1;
    topomap_draw_svg(&drawing, "fabric", x->out);
    return 0;
}

const db_exporter db_export_svg = {
    .row = {"svg", "a picture: switches, hosts and cables by their rates"},
    .run = export_svg,
};
