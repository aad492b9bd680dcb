/* SPDX-License-Identifier: BSD-3-Clause */
/* What was measured by distance, by class of node, and inside nodes. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/calibrate/calibrate.h"
#include "util/alloc.h"

struct tables {
    struct db_calibrated *own;
    topomap_db_calibration *result;
    char **class;          /* [names] of nodes, or NULL */
    char **now;            /* that of the node which is looked up */
    struct db_times times; /* of at most all pairs, or all insides */
    topomap_error *err;
};

/* ---- By distance ------------------------------------------------------------------------- */

TOPOMAP_COMPARE(by_ends, struct db_pair, TOPOMAP_ORDER(x->from, y->from),
                TOPOMAP_ORDER(x->to, y->to))

static const struct db_pair *find_pair(const struct db_calibrated *own, uint32_t from, uint32_t to)
{
    const struct db_pair wanted = {.from = from, .to = to};

    return own->pairs ? bsearch(&wanted, own->pair, own->pairs, sizeof wanted, by_ends) : NULL;
}

static double time_at(const struct db_calibrated *own, const struct db_pair *pair, double size)
{
    for (size_t i = pair->first; i < pair->end; i++)
        if (own->measured.row[i].size == size)
            return own->measured.row[i].us;
    return 0;
}

/* Each loaded message against the same pair alone, else against what its distance takes. */
static double slowdown(struct tables *t, const topomap_db_distance_class *distance)
{
    const struct db_calibrated *own = t->own;
    const struct db_measured *m = &own->measured;
    double size = -1;
    size_t count = 0;

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < m->rows; i++) {
            const struct db_measurement *row = &m->row[i];
            const struct db_pair *pair;
            double alone;

            if (row->kind != DB_MEASURED_LOADED || (pass && row->size != size))
                continue;
            pair = find_pair(own, row->from, row->to);
            if (!pair || pair->hops != distance->hops ||
                !((alone = time_at(own, pair, row->size)) > 0))
                continue;
            if (!pass)
                size = row->size > size ? row->size : size;
            else if (count < own->pairs)
                t->times.latency[count++] = row->us / alone;
        }
    return db_fit_median(t->times.latency, count);
}

TOPOMAP_COMPARE(by_hops, topomap_db_distance_class, TOPOMAP_ORDER(x->hops, y->hops), 0)

static int list_distances(struct tables *t, topomap_error *err)
{
    topomap_db_calibration *r = t->result;
    size_t room = 0;

    for (size_t i = 0; i < t->own->pairs; i++) {
        size_t d = 0;

        while (d < r->distances && r->distance[d].hops != t->own->pair[i].hops)
            d++;
        if (d == r->distances &&
            TOPOMAP_APPEND(r->distance, r->distances, room, err,
                           (topomap_db_distance_class){.hops = t->own->pair[i].hops}))
            return -1;
        r->distance[d].pairs++;
    }
    TOPOMAP_SORT(r->distance, r->distances, by_hops);
    for (size_t d = 0; d < r->distances; d++) {
        for (size_t i = 0; i < t->own->pairs; i++)
            if (t->own->pair[i].hops == r->distance[d].hops)
                db_times_add(&t->times, 0, t->own->pair[i].time);
        r->distance[d].median = db_times_median(&t->times);
        r->distance[d].slowdown = slowdown(t, &r->distance[d]);
    }
    return 0;
}

/* ---- By class of node -------------------------------------------------------------------- */

static int keep_class(const topomap_db_host *host, void *data)
{
    struct tables *t = data;

    if (host->class_name)
        *t->now = topomap_arena_strdup(&t->own->texts, host->class_name, t->err);
    return host->class_name && !*t->now ? -1 : 0;
}

static int read_classes(struct tables *t, topomap_db *db, topomap_error *err)
{
    const struct db_measured *m = &t->own->measured;

    for (uint32_t i = 0; i < m->names; i++) {
        t->now = &t->class[i];
        if (t->own->is_node[i] && topomap_db_hosts(db, m->name[i], keep_class, t, err))
            return -1;
    }
    return 0;
}

static int is_class(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static int name_group(const struct tables *t, const struct db_pair *pair, char *text, size_t size)
{
    const char *a = t->class[pair->from], *b = t->class[pair->to];

    if (!a || !b)
        return 0;
    if (strcmp(a, b) == 0)
        snprintf(text, size, "%s", a);
    else
        snprintf(text, size, "%s, %s", strcmp(a, b) < 0 ? a : b, strcmp(a, b) < 0 ? b : a);
    return 1;
}

static int fit_group(struct tables *t, topomap_db_group *group, topomap_error *err)
{
    char text[600];

    for (size_t i = 0; i < t->own->pairs; i++) {
        const struct db_pair *pair = &t->own->pair[i];

        if (name_group(t, pair, text, sizeof text) && strcmp(text, group->name) == 0)
            db_times_add(&t->times, pair->hops, pair->time);
    }
    group->pairs = t->times.count;
    return db_times_fit(&t->times, &group->latency, &group->byte, err);
}

static int list_groups(struct tables *t, topomap_error *err)
{
    topomap_db_calibration *r = t->result;
    size_t room = 0;
    char text[600];

    for (size_t i = 0; i < t->own->pairs; i++) {
        size_t g = 0;

        if (!name_group(t, &t->own->pair[i], text, sizeof text))
            continue;
        while (g < r->groups && strcmp(r->group[g].name, text) != 0)
            g++;
        if (g < r->groups)
            continue;
        if (TOPOMAP_APPEND(r->group, r->groups, room, err, (topomap_db_group){0}) ||
            !(r->group[g].name = topomap_arena_strdup(&t->own->texts, text, err)) ||
            fit_group(t, &r->group[g], err))
            return -1;
    }
    return 0;
}

/* ---- Inside ------------------------------------------------------------------------------ */

/* \p class NULL: of all nodes. */
static int add_inside(struct tables *t, size_t *room, uint32_t level, char *class,
                      topomap_error *err)
{
    struct db_calibrated *own = t->own;
    topomap_db_calibration *r = t->result;
    topomap_db_inside one = {.level = own->measured.name[level], .node_class = class};

    for (size_t i = 0; i < own->insides; i++)
        if (own->inside[i].to == level &&
            (!class || is_class(t->class[own->inside[i].from], class)))
            db_times_add(&t->times, 0, own->inside[i].time);
    one.nodes = t->times.count;
    one.median = db_times_median(&t->times);
    return TOPOMAP_APPEND(r->inside, r->insides, *room, err, one);
}

static int list_insides(struct tables *t, topomap_error *err)
{
    struct db_calibrated *own = t->own;
    topomap_db_calibration *r = t->result;
    size_t room = 0;

    for (int all = 1; all >= 0; all--)
        for (size_t i = 0; i < own->insides; i++) {
            const char *level = own->measured.name[own->inside[i].to];
            char *class = all ? NULL : t->class[own->inside[i].from];
            size_t k = 0;

            if (!all && !class)
                continue;
            while (k < r->insides && !(strcmp(r->inside[k].level, level) == 0 &&
                                       is_class(r->inside[k].node_class, class)))
                k++;
            if (k == r->insides && add_inside(t, &room, own->inside[i].to, class, err))
                return -1;
        }
    return 0;
}

/* ---- All --------------------------------------------------------------------------------- */

static void tables_clear(struct tables *t)
{
    free(t->class);
    db_times_clear(&t->times);
}

int db_calibrated_tables(struct db_calibrated *own, topomap_db *db, topomap_db_calibration *result,
                         topomap_error *err)
{
    size_t most = own->pairs > own->insides ? own->pairs : own->insides;
    TOPOMAP_CLEANUP(tables_clear) struct tables t = {.own = own, .result = result, .err = err};

    t.class = topomap_alloc(own->measured.names, sizeof *t.class, err);
    return DB_STATUS(db_times_make(&t.times, most, err) || !t.class ||
                     (db && read_classes(&t, db, err)) || list_distances(&t, err) ||
                     list_groups(&t, err) || list_insides(&t, err));
}
