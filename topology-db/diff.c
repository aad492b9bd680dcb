/* SPDX-License-Identifier: BSD-3-Clause */
/* db diff: what one database has and another has not, by names. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/check.h"
#include "topology-db/derive.h"
#include "topology-db/ib.h"
#include "util/alloc.h"

enum { VALUE = 320, KEY = 256 };

struct item {
    size_t what; /* row of kinds[] */
    char key[KEY], value[VALUE];
};

struct items {
    struct item *list;
    size_t count, room;
};

/* ---- What is compared ----------------------------------------------------------------------- */

static void take_plain(sqlite3_stmt *row, struct item *item)
{
    snprintf(item->key, sizeof item->key, "%s", db_column_text(row, 0));
    snprintf(item->value, sizeof item->value, "%s", db_column_text(row, 1));
}

/* A link is where its two ends are: "leaf1[20] - spine1[1]", the lower name first. */
static void take_link(sqlite3_stmt *row, struct item *item)
{
    char end[2][KEY / 2 - 2];
    int swap;
    uint32_t width = (uint32_t)sqlite3_column_int(row, 4);
    uint32_t speed = (uint32_t)sqlite3_column_int(row, 5);

    for (int e = 0; e < 2; e++)
        snprintf(end[e], sizeof end[e], "%.100s[%d]", db_column_text(row, e * 2),
                 sqlite3_column_int(row, e * 2 + 1));
    swap = db_natural_order(end[0], end[1]) > 0;
    snprintf(item->key, sizeof item->key, "%s - %s", end[swap], end[!swap]);
    if (sqlite3_column_type(row, 6) != SQLITE_NULL)
        snprintf(item->value, sizeof item->value, "%g Gb/s",
                 (double)sqlite3_column_int64(row, 6) / 1000);
    else if (width && ib_mbps(width, speed))
        snprintf(item->value, sizeof item->value, "%ux%s", width, ib_speeds[speed].name);
    else
        snprintf(item->value, sizeof item->value, "rate unknown");
}

static const struct {
    const char *name, *sql;
    void (*take)(sqlite3_stmt *row, struct item *item);
    int guids; /* only where GUIDs are compared */
} kinds[] = {
    {"host",
     "SELECT host.key, host.status || ', ' || host.type || ', class ' ||"
     " coalesce(class.name, 'none') || CASE WHEN host.place IS NULL THEN '' ELSE ', at ' ||"
     " host.place END FROM host LEFT JOIN class ON class.id = host.class",
     take_plain, 0},
    {"switch", "SELECT label, '' FROM switch", take_plain, 0},
    {"link",
     "SELECT coalesce(p.label, p.text), aport, coalesce(q.label, q.text), bport, width, speed, mbps"
     " FROM link JOIN vertex p ON p.id = a JOIN vertex q ON q.id = b",
     take_link, 0},
    {"class", "SELECT name, '' FROM class", take_plain, 0},
    {"vertex",
     "SELECT printf('0x%016llx', guid), CASE kind WHEN 0 THEN 'switch' WHEN 1 THEN 'adapter' WHEN 2"
     " THEN 'router' WHEN 3 THEN 'aggregation' ELSE 'other' END || ' ' || text FROM vertex"
     " WHERE guid IS NOT NULL",
     take_plain, 1},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

static int by_item(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int order;

    if (x->what != y->what)
        return x->what < y->what ? -1 : 1;
    order = db_natural_order(x->key, y->key);
    return order ? order : strcmp(x->value, y->value);
}

static int read_kind(sqlite3 *file, size_t what, struct items *items, topomap_error *err)
{
    sqlite3_stmt *statement = db_prepare(file, kinds[what].sql, err);
    int row = -1;

    while (statement && (row = db_step(statement, err)) > 0) {
        struct item *item;

        if (topomap_grow(&items->list, &items->room, items->count + 1, sizeof *items->list, err)) {
            row = -1;
            break;
        }
        item = &items->list[items->count++];
        item->what = what;
        kinds[what].take(statement, item);
    }
    sqlite3_finalize(statement);
    return row;
}

static int read_items(topomap_db *db, int guids, struct items *items, topomap_error *err)
{
    if (!db->file)
        return topomap_error_set(err, TOPOMAP_EINPUT, "%s: nothing has been imported yet",
                                 db->path);
    for (size_t what = 0; what < KINDS; what++)
        if ((guids || !kinds[what].guids) && read_kind(db->file, what, items, err))
            return -1;
    if (items->count)
        qsort(items->list, items->count, sizeof *items->list, by_item);
    return 0;
}

/* ---- The difference -------------------------------------------------------------------------- */

typedef int each_change(const topomap_db_change *change, void *data);

/* Both lists are sorted. What has one key and another value on both sides has changed; of several
 * with one key (a description that is not unique) the equal values are taken out first. */
static int compare(const struct items *a, const struct items *b, each_change *each, void *data)
{
    size_t i = 0, j = 0;
    int result = 0;

    while (!result && (i < a->count || j < b->count)) {
        const struct item *x = i < a->count ? &a->list[i] : NULL;
        const struct item *y = j < b->count ? &b->list[j] : NULL;
        topomap_db_change change = {0};
        int order = !x ? 1 : !y ? -1 : by_item(x, y);

        if (!order) {
            i++;
            j++;
            continue;
        }
        if (x && y && x->what == y->what && strcmp(x->key, y->key) == 0 &&
            (i + 1 == a->count || by_item(&a->list[i + 1], y) > 0) &&
            (j + 1 == b->count || by_item(x, &b->list[j + 1]) < 0)) {
            change =
                (topomap_db_change){"changed", kinds[x->what].name, x->key, x->value, y->value};
            i++;
            j++;
        } else if (order < 0) {
            change = (topomap_db_change){"removed", kinds[x->what].name, x->key, x->value, NULL};
            i++;
        } else {
            change = (topomap_db_change){"added", kinds[y->what].name, y->key, NULL, y->value};
            j++;
        }
        result = each(&change, data);
    }
    return result;
}

int topomap_db_diff(topomap_db *a, topomap_db *b, int guids, each_change *each, void *data,
                    topomap_error *err)
{
    struct items before = {0}, after = {0};
    int result = read_items(a, guids, &before, err) || read_items(b, guids, &after, err) ? -1 : 0;

    if (!result)
        result = compare(&before, &after, each, data);
    free(before.list);
    free(after.list);
    return result;
}
