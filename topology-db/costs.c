/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/costs.h"

#include <stdlib.h>
#include <string.h>

#include "topology-db/ib_names.h"
#include "util/alloc.h"
#include "util/sorted.h"

int db_link_classes_find(struct db_link_classes *classes, const struct db_link_key *key,
                         struct db_link_class **found, topomap_error *err)
{
    struct db_link_class *class;

    HASH_FIND(hh, classes->by_key, key, sizeof *key, class);
    if (!class) {
        if (topomap_grow(&classes->by_index, &classes->room, classes->count + 1u,
                         sizeof *classes->by_index, err))
            return -1;
        class = topomap_alloc(1, sizeof *class, err);
        if (!class)
            return -1;
        class->key = *key;
        class->mbps = key->mbps ? key->mbps : ib_mbps(key->width, key->speed);
        class->index = classes->count;
        classes->by_index[classes->count++] = class;
        HASH_ADD(hh, classes->by_key, key, sizeof *key, class);
    }
    *found = class;
    return 0;
}

void db_link_classes_clear(struct db_link_classes *classes)
{
    struct db_link_class *class, *next;

    HASH_ITER(hh, classes->by_key, class, next)
    {
        HASH_DELETE(hh, classes->by_key, class);
        free(class);
    }
    free(classes->by_index);
    *classes = (struct db_link_classes){0};
}

void db_link_class_name(const struct db_link_key *key, char *text)
{
    if (*key->kind)
        snprintf(text, 40, "%s", key->kind);
    else if (key->mbps)
        snprintf(text, 40, "%gG", key->mbps / 1000.0);
    else if (key->width && key->speed)
        snprintf(text, 40, "%ux%s", key->width, ib_speeds[key->speed].name);
    else
        strcpy(text, "unknown");
}

uint32_t db_cost_of_rate(uint64_t reference, uint64_t mbps)
{
    uint64_t cost = TOPOMAP_HOP;

    if (reference && mbps)
        cost = (reference * TOPOMAP_HOP + mbps / 2) / mbps;
    return cost < 1 ? 1 : cost > TOPOMAP_COST_MOST ? TOPOMAP_COST_MOST : (uint32_t)cost;
}

int db_cost_measured(sqlite3 *file, const char *level, uint32_t *cost, topomap_error *err)
{
    struct db_rows rows =
        DB_ASK(file,
               "SELECT CAST(round(1000.0 * ns / (SELECT ns FROM calibration WHERE level='hop')) AS"
               " INTEGER) FROM calibration WHERE level=?",
               err, DB_TEXT(level));

    *cost = 0;
    if (db_next(&rows)) {
        int64_t measured = sqlite3_column_int64(rows.row, 0);

        *cost = measured < 1                   ? 1
                : measured > TOPOMAP_COST_MOST ? TOPOMAP_COST_MOST
                                               : (uint32_t)measured;
    }
    db_end(&rows);
    return rows.result;
}

/* ---- The reference rate of each source ----------------------------------------------------- */

struct rate {
    int64_t source;
    uint32_t mbps;
    uint64_t trunks, others;
};

static int by_rate(const void *a, const void *b)
{
    const struct rate *x = a, *y = b;

    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return x->mbps < y->mbps ? -1 : x->mbps > y->mbps;
}

static size_t list_rates(const struct db_link_classes *classes, struct rate *rate)
{
    size_t count = 0, kept = 0;

    for (uint32_t i = 0; i < classes->count; i++) {
        const struct db_link_class *class = classes->by_index[i];

        if (class->mbps)
            rate[count++] =
                (struct rate){class->key.source, class->mbps, class->trunks, class->others};
    }
    qsort(rate, count, sizeof *rate, by_rate);
    for (size_t i = 0; i < count; i++)
        if (kept && by_rate(&rate[kept - 1], &rate[i]) == 0) {
            rate[kept - 1].trunks += rate[i].trunks;
            rate[kept - 1].others += rate[i].others;
        } else {
            rate[kept++] = rate[i];
        }
    return kept;
}

/* Leaves the reference rate of each source, in ascending order of sources. */
static size_t choose_references(struct rate *rate, size_t count)
{
    size_t chosen = 0;

    for (size_t i = 0; i < count; i++) {
        struct rate *best = chosen ? &rate[chosen - 1] : NULL;

        if (!best || best->source != rate[i].source)
            rate[chosen++] = rate[i];
        else if (rate[i].trunks > best->trunks || /* of two, the later is the higher rate */
                 (rate[i].trunks == best->trunks &&
                  (rate[i].trunks || rate[i].others >= best->others)))
            *best = rate[i];
    }
    return chosen;
}

static uint32_t reference_of(const struct rate *rate, size_t count, int64_t source)
{
    size_t low =
        topomap_sorted_rows(rate, count, sizeof *rate, offsetof(struct rate, source), source);

    return low < count && rate[low].source == source ? rate[low].mbps : 0;
}

/* A class of the calibration: "hop:" and its name. Without a calibration nothing is asked. */
static int price_measured(const struct db_link_classes *classes, sqlite3 *file, topomap_error *err)
{
    int64_t rows;

    if (db_number(file, "SELECT count(*) FROM calibration", 0, &rows, err))
        return -1;
    for (uint32_t i = 0; rows && i < classes->count; i++) {
        char level[48] = "hop:";
        uint32_t cost;

        db_link_class_name(&classes->by_index[i]->key, level + 4);
        if (db_cost_measured(file, level, &cost, err))
            return -1;
        if (cost) {
            classes->by_index[i]->cost = cost;
            classes->by_index[i]->measured = 1;
        }
    }
    return 0;
}

int db_link_classes_price(struct db_link_classes *classes, sqlite3 *file, topomap_error *err)
{
    struct rate *rate = topomap_alloc(classes->count, sizeof *rate, err);
    size_t count;

    if (!rate)
        return -1;
    count = choose_references(rate, list_rates(classes, rate));
    for (uint32_t i = 0; i < classes->count; i++) {
        struct db_link_class *class = classes->by_index[i];

        class->cost = db_cost_of_rate(reference_of(rate, count, class->key.source), class->mbps);
    }
    free(rate);
    return price_measured(classes, file, err);
}
