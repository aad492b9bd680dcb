/* SPDX-License-Identifier: BSD-3-Clause */
/* db diff: what one database has and another has not, by names. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/check/check.h"
#include "topology-db/derive/derive.h"
#include "fabric/infiniband.h"
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

/* What both sides know of links. */
struct terms {
    int rates; /* some link has no width and speed: usable Mb/s */
    int hosts; /* one side has hosts in place of adapters: their names, without ports */
};

static int take_plain(sqlite3_stmt *row, const struct terms *terms, struct item *item)
{
    (void)terms;
    snprintf(item->key, sizeof item->key, "%s", db_column_text(row, 0));
    snprintf(item->value, sizeof item->value, "%s", db_column_text(row, 1));
    return 1;
}

static void put_rate(sqlite3_stmt *row, const struct terms *terms, struct item *item)
{
    uint32_t width = db_u32(row, 4);
    uint32_t speed = db_u32(row, 5);
    int64_t mbps = sqlite3_column_int64(row, 6);
    int other = !db_is_null(row, 6);

    if (!other && terms->rates)
        mbps = ib_mbps(width, speed);
    if (mbps)
        snprintf(item->value, sizeof item->value, "%.10g Gb/s", (double)mbps / 1000);
    else if (!other && width && ib_mbps(width, speed))
        snprintf(item->value, sizeof item->value, "%ux%s", width, ib_speeds[speed].name);
    else
        snprintf(item->value, sizeof item->value, "rate unknown");
}

/* A link is where its two ends are: "leaf1[20] - spine1[1]", the lower name first. A list of links
 * between hosts has nothing that is neither a host nor a switch. */
static int take_link(sqlite3_stmt *row, const struct terms *terms, struct item *item)
{
    int level = strcmp(db_column_text(row, 11), DB_LEVEL) == 0; /* no cable, and no ports */
    char end[2][KEY / 2 - 2];
    int swap;

    for (int e = 0; e < 2; e++) {
        const char *host = db_column_text(row, 7 + e);

        if (terms->hosts && sqlite3_column_int(row, 9 + e) != IB_SWITCH) {
            if (!*host)
                return 0;
            snprintf(end[e], sizeof end[e], "%.100s", host);
        } else if (level)
            snprintf(end[e], sizeof end[e], "%.100s", db_column_text(row, e * 2));
        else
            snprintf(end[e], sizeof end[e], "%.100s[%d]", db_column_text(row, e * 2),
                     sqlite3_column_int(row, e * 2 + 1));
    }
    swap = db_natural_order(end[0], end[1]) > 0;
    snprintf(item->key, sizeof item->key, "%s - %s", end[swap], end[!swap]);
    put_rate(row, terms, item);
    return 1;
}

static const struct {
    const char *name, *sql;
    /* 0: nothing to compare */
    int (*take)(sqlite3_stmt *row, const struct terms *terms, struct item *item);
    int guids; /* only where GUIDs are compared */
} kinds[] = {
    {"host",
     "SELECT host.key, host.status || ', ' || host.type || ', class ' ||"
     " coalesce(class.name, 'none') || CASE WHEN host.place IS NULL THEN '' ELSE ', at ' ||"
     " host.place END FROM host LEFT JOIN class ON class.id = host.class",
     take_plain, 0},
    {"switch", "SELECT label, '' FROM switch", take_plain, 0},
    {"link",
     "SELECT coalesce(p.label, p.text), aport, coalesce(q.label, q.text), bport, width, speed,"
     " mbps, h.key, k.key, p.kind, q.kind, link.kind FROM link JOIN vertex p ON p.id = a"
     " JOIN vertex q ON q.id = b LEFT JOIN adapter c ON c.vertex = a"
     " LEFT JOIN host h ON h.id = c.host LEFT JOIN adapter d ON d.vertex = b"
     " LEFT JOIN host k ON k.id = d.host WHERE coalesce(link.state, 0) <> 1" /* IB_DOWN */,
     take_link, 0},
    {"class", "SELECT name, '' FROM class", take_plain, 0},
    {"vertex",
     "SELECT printf('0x%016llx', guid), CASE kind WHEN 0 THEN 'switch' WHEN 1 THEN 'adapter' WHEN 2"
     " THEN 'router' WHEN 3 THEN 'aggregation' ELSE 'other' END || ' ' || text FROM vertex"
     " WHERE guid IS NOT NULL",
     take_plain, 1},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

TOPOMAP_COMPARE(by_item, struct item, TOPOMAP_ORDER(x->what, y->what),
                db_natural_order(x->key, y->key) ?: strcmp(x->value, y->value))

static int read_kind(sqlite3 *file, size_t what, const struct terms *terms, struct items *items,
                     topomap_error *err)
{
    DB_ROWS rows = db_ask(file, kinds[what].sql, err);

    while (db_next(&rows)) {
        struct item *item;

        if (topomap_grow(&items->list, &items->room, items->count + 1, sizeof *items->list, err))
            return -1;
        item = &items->list[items->count];
        item->what = what;
        items->count += (size_t)kinds[what].take(rows.row, terms, item);
    }
    return rows.result;
}

/* Nonzero *rates: a link has a rate without width and speed; *adapters: there is one. */
static int look(topomap_db *db, int64_t *rates, int64_t *adapters, topomap_error *err)
{
    if (db_imported(db, err))
        return -1;
    return DB_STATUS(db_number(db->file, "SELECT EXISTS(SELECT 1 FROM link WHERE mbps IS NOT NULL)",
                               0, rates, err) ||
                     db_number(db->file, "SELECT EXISTS(SELECT 1 FROM vertex WHERE kind = 1)", 0,
                               adapters, err));
}

static int read_items(topomap_db *db, int guids, const struct terms *terms, struct items *items,
                      topomap_error *err)
{
    for (size_t what = 0; what < KINDS; what++)
        if ((guids || !kinds[what].guids) && read_kind(db->file, what, terms, items, err))
            return -1;
    TOPOMAP_SORT(items->list, items->count, by_item);
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
    int64_t rates[2], adapters[2];
    struct terms terms;
    int result = look(a, &rates[0], &adapters[0], err) || look(b, &rates[1], &adapters[1], err);

    if (result)
        return -1;
    terms = (struct terms){rates[0] || rates[1], adapters[0] != adapters[1]};
    result = DB_STATUS(read_items(a, guids, &terms, &before, err) ||
                       read_items(b, guids, &terms, &after, err));
    if (!result)
        result = compare(&before, &after, each, data);
    free(before.list);
    free(after.list);
    return result;
}

/* ---- What a network has lost --------------------------------------------------------------- */

/* Hosts that have links, or coordinates, in the order of their keys. */
static const char connected[] =
    "SELECT key FROM host WHERE place IS NOT NULL OR id IN (SELECT host FROM attach)"
    " OR id IN (SELECT host FROM slurm_attach) OR id IN (SELECT host FROM adapter WHERE vertex IN"
    "  (SELECT a FROM link WHERE coalesce(state, 0) <> 1 UNION"
    "   SELECT b FROM link WHERE coalesce(state, 0) <> 1)) ORDER BY key";

static int lost_hosts(sqlite3 *before, sqlite3 *after, topomap_db_loss *loss, topomap_error *err)
{
    DB_ROWS old = db_ask(before, connected, err), new = db_ask(after, connected, err);
    int more = db_next(&new);

    while (db_next(&old)) {
        const char *key = db_column_text(old.row, 0);
        int order = -1;

        while (more && (order = strcmp(db_column_text(new.row, 0), key)) < 0)
            more = db_next(&new);
        loss->before++;
        loss->lost += !more || order > 0;
    }
    return old.result || new.result ? -1 : 0;
}

static int fewer(sqlite3 *before, sqlite3 *after, const char *sql, topomap_db_loss *loss,
                 topomap_error *err)
{
    int64_t old, new;

    if (db_number(before, sql, 0, &old, err) || db_number(after, sql, 0, &new, err))
        return -1;
    loss->before = (uint64_t)old;
    loss->lost = new < old ? (uint64_t)(old - new) : 0;
    return 0;
}

int topomap_db_losses(topomap_db *before, topomap_db *after,
                      topomap_db_loss loss[TOPOMAP_DB_LOSSES], topomap_error *err)
{
    loss[0] = (topomap_db_loss){.what = "hosts"};
    loss[1] = (topomap_db_loss){.what = "switches"};
    loss[2] = (topomap_db_loss){.what = "links"};
    if (db_imported(before, err) || db_imported(after, err) ||
        lost_hosts(before->file, after->file, &loss[0], err))
        return -1;
    return DB_STATUS(
        fewer(before->file, after->file, "SELECT count(*) FROM switch", &loss[1], err) ||
        fewer(before->file, after->file, "SELECT count(*) FROM link WHERE coalesce(state, 0) <> 1",
              &loss[2], err));
}
