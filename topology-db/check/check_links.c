/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of links. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/check/check.h"
#include "topology-db/derive/derive.h"
#include "fabric/infiniband.h"
#include "util/alloc.h"

/* ---- Links with their ends ----------------------------------------------------------------- */

enum { END_TEXT = 96, FEW = 4 };

struct end {
    int64_t kind, level, device, vertex;
    int port;
    char text[END_TEXT]; /* "leaf1 port 3" */
    char peers[32];      /* of an adapter: its host's name, every number as '#' */
};

struct cable {
    int64_t source, vertex;
    struct end end[2]; /* the switch, or the end of the lower text, first */
    uint32_t width, speed, mbps;
    int ends;
    char kind[32];
    int old_chip; /* no faster link is to be expected of an end */
};

struct cables {
    struct cable *list;
    size_t count, room;
};

/* Hosts whose names differ in numbers alone were bought together. */
static void put_peers(const char *text, char *peers, size_t size)
{
    size_t used = 0;

    for (; *text && *text != ' ' && used + 1 < size; text++)
        if (*text < '0' || *text > '9')
            peers[used++] = *text;
        else if (!used || peers[used - 1] != '#')
            peers[used++] = '#';
    peers[used] = 0;
}

static void take_end(sqlite3_stmt *row, int column, struct end *end)
{
    const char *text = db_column_text(row, column + 3);

    end->port = sqlite3_column_int(row, column);
    end->kind = sqlite3_column_int64(row, column + 1);
    end->level = db_is_null(row, column + 4) ? -1 : sqlite3_column_int64(row, column + 4);
    end->device = sqlite3_column_int64(row, column + 5);
    end->vertex = sqlite3_column_int64(row, column + 6);
    if (end->kind == IB_ADAPTER)
        put_peers(text, end->peers, sizeof end->peers);
    if (end->kind == IB_ADAPTER || !*text)
        snprintf(end->text, sizeof end->text, "%.48s%s0x%016llx port %d", text, *text ? " " : "",
                 (unsigned long long)sqlite3_column_int64(row, column + 2), end->port);
    else
        snprintf(end->text, sizeof end->text, "%.64s port %d", text, end->port);
}

static int end_order(const struct end *a, const struct end *b)
{
    return TOPOMAP_ORDER(b->kind == IB_SWITCH, a->kind == IB_SWITCH)
               ?: db_natural_order(a->text, b->text);
}

TOPOMAP_COMPARE(by_text, struct cable, db_natural_order(x->end[0].text, y->end[0].text),
                db_natural_order(x->end[1].text, y->end[1].text))

static void take_cable(sqlite3_stmt *row, struct cable *cable)
{
    memset(cable, 0, sizeof *cable);
    cable->source = sqlite3_column_int64(row, 0);
    cable->width = db_u32(row, 1);
    cable->speed = db_u32(row, 2);
    cable->mbps = db_u32(row, 3);
    cable->ends = sqlite3_column_int(row, 4);
    snprintf(cable->kind, sizeof cable->kind, "%s", db_column_text(row, 5));
    take_end(row, 6, &cable->end[0]);
    take_end(row, 13, &cable->end[1]);
    if (end_order(&cable->end[0], &cable->end[1]) > 0) {
        struct end swap = cable->end[0];

        cable->end[0] = cable->end[1];
        cable->end[1] = swap;
    }
}

/* All links but those of aggregation engines, in the order of their ends' names. */
static int read_cables(struct db_check *check, struct cables *cables)
{
    static const char sql[] =
        "SELECT link.source, width, speed, link_mbps(width, speed, mbps), ends, link.kind,"
        " aport, p.kind, p.guid, coalesce(p.label, p.text), s.level, p.device, p.id,"
        " bport, q.kind, q.guid, coalesce(q.label, q.text), t.level, q.device, q.id"
        " FROM link JOIN vertex p ON p.id = a JOIN vertex q ON q.id = b"
        " LEFT JOIN switch s ON s.id = a LEFT JOIN switch t ON t.id = b"
        " WHERE p.kind <> 3 AND q.kind <> 3 AND coalesce(link.kind, '') <> '" DB_LEVEL "'";
    DB_ROWS rows = db_ask(check->file, sql, check->err);

    while (db_next(&rows)) {
        if (topomap_grow(&cables->list, &cables->room, cables->count + 1, sizeof *cables->list,
                         check->err))
            return -1;
        take_cable(rows.row, &cables->list[cables->count++]);
    }
    if (!rows.result)
        TOPOMAP_SORT(cables->list, cables->count, by_text);
    return rows.result;
}

static void put_rate(const struct cable *cable, char *text, size_t size)
{
    db_put_rate(cable->width, cable->speed, cable->mbps, text, size);
}

/* ---- Degraded ----------------------------------------------------------------------------- */

static int by_class(const struct cable *x, const struct cable *y)
{
    int order = TOPOMAP_ORDER(x->source, y->source);

    for (int e = 0; !order && e < 2; e++) {
        const struct end *a = &x->end[e], *b = &y->end[e];

        order = TOPOMAP_ORDER(a->kind, b->kind) ?: TOPOMAP_ORDER(a->level, b->level);
        order = order ?: TOPOMAP_ORDER(a->device, b->device) ?: strcmp(a->peers, b->peers);
    }
    return order ?: strcmp(x->kind, y->kind);
}

/* Between two switches neither end is the first one by nature. */
static void orient(struct cable *cable)
{
    const struct end a = cable->end[0], b = cable->end[1];

    if (a.kind == b.kind && (a.level > b.level || (a.level == b.level && a.device > b.device))) {
        cable->end[0] = b;
        cable->end[1] = a;
    }
}

TOPOMAP_COMPARE(by_class_and_rate, struct cable, by_class(x, y),
                TOPOMAP_ORDER(x->mbps, y->mbps) ?: by_text(x, y))

/* The most frequent known rate of one class, the higher of equals. */
static const struct cable *usual(const struct cable *list, size_t count)
{
    const struct cable *best = NULL;
    size_t most = 0, end;

    for (size_t i = 0; i < count; i = end) {
        for (end = i; end < count && list[end].mbps == list[i].mbps; end++)
            ;
        if (list[i].mbps && end - i >= most) {
            most = end - i;
            best = &list[i];
        }
    }
    return best;
}

/* What the next finding is about. */
static void name_link(struct db_check *check, const struct cable *cable)
{
    for (int i = 0; i < 2; i++) {
        check->vertex[i] = cable->end[i].vertex;
        check->port[i] = (uint32_t)cable->end[i].port;
    }
}

static int is_slower(const struct cable *cable, const struct cable *most)
{
    return cable->mbps && cable->mbps < most->mbps && !cable->old_chip;
}

/* Where a fifth of a class is slower, it is two kinds of equipment and not broken cables. */
int db_is_mixed(size_t fewer, size_t all)
{
    return fewer * 5 > all && fewer > FEW;
}

static int tell_class(struct db_check *check, const struct cable *list, size_t count)
{
    const struct cable *most = usual(list, count);
    size_t slower = 0, first = count;
    char is[32], should[32];
    int result = 0;

    for (size_t i = 0; most && i < count; i++)
        if (is_slower(&list[i], most) && !slower++)
            first = i;
    if (!slower)
        return 0;
    put_rate(most, should, sizeof should);
    if (db_is_mixed(slower, count)) {
        put_rate(&list[first], is, sizeof is);
        return db_found_as(check, TOPOMAP_DB_INFO,
                           "%zu of %zu links like %s to %s are slower (%s) than the others (%s)",
                           slower, count, list[first].end[0].text, list[first].end[1].text, is,
                           should);
    }
    for (size_t i = first; !result && i < count; i++) {
        if (!is_slower(&list[i], most))
            continue;
        put_rate(&list[i], is, sizeof is);
        name_link(check, &list[i]);
        result = db_found(check, "%s to %s: %s, where links of its kind have %s",
                          list[i].end[0].text, list[i].end[1].text, is, should);
    }
    return result;
}

/* A source without device ids, such as a ports report, does not say that a switch is of an older
 * kind. One that has several links to switches, and none that is faster, is taken for such. */
static int mark_old_chips(struct db_check *check, struct cables *cables)
{
    struct fastest {
        uint32_t mbps, trunks;
    };
    TOPOMAP_FREED struct fastest *fastest = NULL;
    int64_t ids;

    if (db_number(check->file, "SELECT max(id) + 1 FROM vertex", 0, &ids, check->err) ||
        !(fastest = topomap_alloc((size_t)ids, sizeof *fastest, check->err)))
        return -1;
    for (size_t i = 0; i < cables->count; i++) {
        const struct cable *cable = &cables->list[i];

        for (int e = 0; e < 2; e++) {
            struct fastest *end = &fastest[cable->end[e].vertex];

            end->mbps = cable->mbps > end->mbps ? cable->mbps : end->mbps;
            end->trunks += cable->end[0].kind == IB_SWITCH && cable->end[1].kind == IB_SWITCH;
        }
    }
    for (size_t i = 0; i < cables->count; i++)
        for (int e = 0; e < 2; e++) {
            const struct end *end = &cables->list[i].end[e];

            cables->list[i].old_chip |= end->kind == IB_SWITCH && !end->device &&
                                        fastest[end->vertex].trunks > 1 &&
                                        fastest[end->vertex].mbps == cables->list[i].mbps;
        }
    return 0;
}

int db_check_degraded(struct db_check *check)
{
    struct cables cables = {0};
    int result = read_cables(check, &cables);
    size_t end;

    for (size_t i = 0; i < cables.count; i++)
        orient(&cables.list[i]);
    if (!result && cables.count)
        result = mark_old_chips(check, &cables);
    TOPOMAP_SORT(cables.list, cables.count, by_class_and_rate);
    for (size_t i = 0; !result && i < cables.count; i = end) {
        for (end = i; end < cables.count && by_class(&cables.list[i], &cables.list[end]) == 0;
             end++)
            ;
        result = tell_class(check, &cables.list[i], end - i);
    }
    free(cables.list);
    return result;
}

int db_check_rates(struct db_check *check)
{
    struct cables cables = {0};
    int result = read_cables(check, &cables);
    size_t unknown = 0, first = 0;

    for (size_t i = 0; i < cables.count; i++)
        if (!cables.list[i].mbps && !unknown++)
            first = i;
    if (!result && unknown)
        result = db_found(check, "%zu of %zu links, such as %s to %s", unknown, cables.count,
                          cables.list[first].end[0].text, cables.list[first].end[1].text);
    free(cables.list);
    return result;
}

/* ---- One-way -------------------------------------------------------------------------------- */

/* A source that lists every link once says nothing by that. */
static int lists_once(const struct cables *cables, int64_t source)
{
    for (size_t i = 0; i < cables->count; i++)
        if (cables->list[i].source == source && cables->list[i].ends != 1)
            return 0;
    return 1;
}

int db_check_one_way(struct db_check *check)
{
    struct cables cables = {0};
    int result = read_cables(check, &cables), once = 0;
    int64_t asked = 0;

    for (size_t i = 0; !result && i < cables.count; i++) {
        const struct cable *cable = &cables.list[i];

        if (cable->ends != 1)
            continue;
        if (cable->source != asked) {
            asked = cable->source;
            once = lists_once(&cables, asked);
        }
        if (once)
            continue;
        name_link(check, cable);
        result = db_found(check, "%s to %s", cable->end[0].text, cable->end[1].text);
    }
    free(cables.list);
    return result;
}
