/* SPDX-License-Identifier: BSD-3-Clause */
/* What kind of network the switches make: each connected part of them is asked for each kind. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/derive/classify.h"
#include "util/alloc.h"

/* The first that says yes. A tree is told by its levels, a torus by its squares, a dragonfly by its
 * groups: no graph is two of these but small ones (a ring of 4 with hosts on two opposite switches
 * is two leaves and two spines). */
static db_kind_test *const kinds[] = {
    db_is_tree,
    db_is_torus,
    db_is_dragonfly,
    db_is_dragonfly_plus,
};

struct fabric {
    sqlite3 *file;
    topomap_switches switches;
    uint32_t *cables;          /* as switches.neighbour */
    uint16_t *sockets;         /* likewise, or NULL */
    uint32_t *ports;           /* [switches] */
    uint32_t *order, *start;   /* switches by part; [parts + 1] where each part begins */
    uint32_t *part_of, *index; /* [switches] its part, and its number in that */
    uint32_t parts;
    struct db_part *part;
    struct db_verdict *verdict; /* [parts] */
};

void db_say(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;

    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

/* ---- The graph ----------------------------------------------------------------------------- */

static void set_cables(struct fabric *f, uint32_t a, uint32_t b, uint32_t cables)
{
    uint32_t at = topomap_switches_link(&f->switches, a, b);

    if (at != UINT32_MAX)
        f->cables[at] = cables;
}

static int read_cables(struct fabric *f, topomap_error *err)
{
    struct db_rows rows;

    f->cables = topomap_alloc(f->switches.first[f->switches.count], sizeof *f->cables, err);
    if (!f->cables)
        return -1;
    rows = db_ask(f->file, "SELECT a, b, links FROM trunk", err);
    while (db_next(&rows)) {
        uint32_t a = topomap_switches_find(&f->switches, sqlite3_column_int64(rows.row, 0));
        uint32_t b = topomap_switches_find(&f->switches, sqlite3_column_int64(rows.row, 1));

        if (a == UINT32_MAX || b == UINT32_MAX)
            continue;
        set_cables(f, a, b, (uint32_t)sqlite3_column_int64(rows.row, 2));
        set_cables(f, b, a, (uint32_t)sqlite3_column_int64(rows.row, 2));
    }
    return rows.result;
}

/* The ports of the cable of lowest ports between two switches, where tori are possible at all. */
static int read_sockets(struct fabric *f, topomap_error *err)
{
    struct db_rows rows;

    f->sockets = topomap_alloc(f->switches.first[f->switches.count], sizeof *f->sockets, err);
    if (!f->sockets)
        return -1;
    rows = db_ask(f->file, "SELECT a, aport, b, bport FROM link", err);
    while (db_next(&rows)) {
        uint32_t a = topomap_switches_find(&f->switches, sqlite3_column_int64(rows.row, 0)), b, at;
        uint32_t p = sqlite3_column_int(rows.row, 1) & 255,
                 q = sqlite3_column_int(rows.row, 3) & 255;
        uint32_t sockets = p < q ? p << 8 | q : q << 8 | p;

        if (a == UINT32_MAX)
            continue;
        b = topomap_switches_find(&f->switches, sqlite3_column_int64(rows.row, 2));
        at =
            b == UINT32_MAX ? b : topomap_switches_link(&f->switches, a < b ? a : b, a < b ? b : a);
        if (at != UINT32_MAX && (!f->sockets[at] || sockets < f->sockets[at]))
            f->sockets[at] = (uint16_t)sockets;
    }
    return rows.result;
}

static int narrow(const topomap_switches *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->first[i + 1] - s->first[i] > DB_TORUS_LINKS)
            return 0;
    return 1;
}

static int read_ports(struct fabric *f, topomap_error *err)
{
    struct db_rows rows;

    f->ports = topomap_alloc(f->switches.count, sizeof *f->ports, err);
    if (!f->ports)
        return -1;
    rows = db_ask(f->file, "SELECT switch FROM attach", err);
    while (db_next(&rows)) {
        uint32_t at = topomap_switches_find(&f->switches, sqlite3_column_int64(rows.row, 0));

        if (at != UINT32_MAX)
            f->ports[at]++;
    }
    return rows.result;
}

static int sort_parts(struct fabric *f, topomap_error *err)
{
    uint32_t *at;

    f->order = topomap_alloc(f->switches.count, sizeof *f->order, err);
    f->start = topomap_alloc(f->parts + 1u, sizeof *f->start, err);
    at = topomap_alloc(f->parts, sizeof *at, err);
    if (!f->order || !f->start || !at) {
        free(at);
        return -1;
    }
    for (uint32_t i = 0; i < f->switches.count; i++)
        f->start[f->part_of[i] + 1]++;
    for (uint32_t p = 0; p < f->parts; p++)
        f->start[p + 1] += f->start[p];
    for (uint32_t i = 0; i < f->switches.count; i++) {
        f->index[i] = at[f->part_of[i]]++;
        f->order[f->start[f->part_of[i]] + f->index[i]] = i;
    }
    free(at);
    return 0;
}

/* Numbers connected parts by their lowest switch, and the switches in each, ascending. */
static int find_parts(struct fabric *f, topomap_error *err)
{
    f->part_of = topomap_alloc(f->switches.count, sizeof *f->part_of, err);
    f->index = topomap_alloc(f->switches.count, sizeof *f->index, err);
    if (!f->part_of || !f->index)
        return -1;
    f->parts = topomap_switches_parts(&f->switches, f->part_of);
    return sort_parts(f, err);
}

static int part_open(struct fabric *f, uint32_t number, topomap_error *err)
{
    struct db_part *part = &f->part[number];
    const topomap_switches *s = &f->switches;
    uint32_t edges = 0;

    for (uint32_t n = f->start[number]; n < f->start[number + 1]; n++)
        edges += s->first[f->order[n] + 1] - s->first[f->order[n]];
    part->count = f->start[number + 1] - f->start[number];
    part->id = topomap_alloc(part->count, sizeof *part->id, err);
    part->first = topomap_alloc(part->count + 1u, sizeof *part->first, err);
    part->neighbour = topomap_alloc(edges, sizeof *part->neighbour, err);
    part->cables = topomap_alloc(edges, sizeof *part->cables, err);
    part->sockets = topomap_alloc(edges, sizeof *part->sockets, err);
    part->ports = topomap_alloc(part->count, sizeof *part->ports, err);
    if (!part->sockets || !part->id || !part->first || !part->neighbour || !part->cables ||
        !part->ports)
        return -1;
    edges = 0;
    for (uint32_t at = 0; at < part->count; at++) {
        uint32_t i = f->order[f->start[number] + at];

        part->id[at] = s->id[i];
        part->ports[at] = f->ports[i];
        part->all_ports += f->ports[i];
        for (uint32_t k = s->first[i]; k < s->first[i + 1]; k++) {
            part->neighbour[edges] = f->index[s->neighbour[k]];
            part->sockets[edges] = f->sockets ? f->sockets[k] : 0;
            part->cables[edges++] = f->cables[k];
            part->pairs += s->neighbour[k] > i;
            part->all_cables += s->neighbour[k] > i ? f->cables[k] : 0;
        }
        part->first[at + 1] = edges;
    }
    return 0;
}

static void part_close(struct db_part *part)
{
    free(part->id);
    free(part->first);
    free(part->neighbour);
    free(part->cables);
    free(part->sockets);
    free(part->ports);
    free(part->level);
    free(part->place);
    memset(part, 0, sizeof *part);
}

/* ---- One part ------------------------------------------------------------------------------ */

static int judge(struct db_part *part, struct db_verdict *verdict, topomap_error *err)
{
    struct db_verdict none = {.topology = "irregular", .confidence = 1};

    db_say(none.evidence, sizeof none.evidence, "%u switches, %" PRIu64 " joined pairs",
           part->count, part->pairs);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int is;

        *verdict = (struct db_verdict){0};
        is = kinds[i](part, verdict, err);
        if (is)
            return is < 0 ? -1 : 0;
        if (*verdict->evidence)
            db_say(none.evidence, sizeof none.evidence, "; %s", verdict->evidence);
    }
    *verdict = none;
    return 0;
}

/* ---- All parts ----------------------------------------------------------------------------- */

/* The verdict on the part with most ports of hosts stands for all; parts of another kind take from
 * its confidence. */
static void combine(const struct fabric *f, struct db_verdict *verdict)
{
    uint64_t all = 0, same = 0;
    uint32_t best = UINT32_MAX, parts = 0, alike = 0, idle = 0;

    for (uint32_t p = 0; p < f->parts; p++) {
        all += f->part[p].all_ports;
        parts += f->part[p].all_ports > 0;
        idle += f->part[p].all_ports ? 0 : f->part[p].count;
        if (f->part[p].all_ports &&
            (best == UINT32_MAX || f->part[p].all_ports > f->part[best].all_ports))
            best = p;
    }
    if (best == UINT32_MAX) {
        strcpy(verdict->topology, "unknown");
        strcpy(verdict->evidence, "no switch has an adapter");
        return;
    }
    for (uint32_t p = 0; p < f->parts; p++)
        if (f->part[p].all_ports &&
            strcmp(f->verdict[p].topology, f->verdict[best].topology) == 0) {
            same += f->part[p].all_ports;
            alike++;
        }
    strcpy(verdict->topology, f->verdict[best].topology);
    verdict->confidence = f->verdict[best].confidence * (double)same / (double)all;
    if (parts > 1)
        db_say(verdict->evidence, sizeof verdict->evidence,
               "%u of %u parts without a link between them (rails, planes, subnets); the largest: ",
               alike, parts);
    db_say(verdict->evidence, sizeof verdict->evidence, "%s", f->verdict[best].evidence);
    if (idle)
        db_say(verdict->evidence, sizeof verdict->evidence, "; %u switches without hosts left out",
               idle);
}

static int write_switch(sqlite3_stmt *update, const struct db_part *part, uint32_t i,
                        topomap_error *err)
{
    char place[DB_TORUS_DIMS * 12] = "";
    const int32_t *at = part->place ? &part->place[(size_t)i * DB_TORUS_DIMS] : NULL;

    for (uint32_t d = 0; at && d < part->dims; d++) {
        if (at[d] < 0) {
            *place = 0;
            break;
        }
        db_say(place, sizeof place, "%s%d", d ? "," : "", at[d]);
    }
    return DB_PUT(update, err,
                  DB_INT_IF(part->level && part->level[i] != TOPOMAP_FAR, part->level[i]),
                  DB_TEXT_IF(*place, place), DB_INT(part->id[i]));
}

static int write_part(sqlite3 *file, const struct db_part *part, topomap_error *err)
{
    sqlite3_stmt *update = db_prepare(file, "UPDATE switch SET level=?, place=? WHERE id=?", err);
    int result = update ? 0 : -1;

    for (uint32_t i = 0; !result && (part->level || part->place) && i < part->count; i++)
        result = write_switch(update, part, i, err);
    sqlite3_finalize(update);
    return result;
}

/* One torus: several (a rail each) would need coordinates of their own. */
static int write_torus(const struct fabric *f, topomap_error *err)
{
    char dims[DB_TORUS_DIMS * 12] = "", wrap[DB_TORUS_DIMS + 1] = "";
    const struct db_part *torus = NULL;

    for (uint32_t p = 0; p < f->parts; p++)
        if (f->part[p].place && f->part[p].all_ports) {
            if (torus)
                return 0;
            torus = &f->part[p];
        }
    if (!torus)
        return 0;
    for (uint32_t d = 0; d < torus->dims; d++) {
        db_say(dims, sizeof dims, "%s%u", d ? "x" : "", torus->dim[d]);
        db_say(wrap, sizeof wrap, "%d", torus->wrap[d]);
    }
    return db_put_fact(f->file, "fabric_dims", dims, 0, err) ||
                   db_put_fact(f->file, "fabric_wrap", wrap, 0, err)
               ? -1
               : 0;
}

static int judge_parts(struct fabric *f, topomap_error *err)
{
    f->part = topomap_alloc(f->parts, sizeof *f->part, err);
    f->verdict = topomap_alloc(f->parts, sizeof *f->verdict, err);
    if (!f->part || !f->verdict)
        return -1;
    for (uint32_t p = 0; p < f->parts; p++)
        if (part_open(f, p, err) ||
            (f->part[p].all_ports && judge(&f->part[p], &f->verdict[p], err)) ||
            write_part(f->file, &f->part[p], err))
            return -1;
    return write_torus(f, err);
}

int db_classify_fabric(sqlite3 *file, struct db_verdict *verdict, topomap_error *err)
{
    struct fabric f = {.file = file};
    int result = db_switches_load(file, 0, &f.switches, err);

    if (result)
        return -1;
    if (f.switches.count)
        result = read_cables(&f, err) || (narrow(&f.switches) && read_sockets(&f, err)) ||
                         read_ports(&f, err) || find_parts(&f, err) || judge_parts(&f, err) ||
                         db_number(file, "SELECT count(DISTINCT host) FROM adapter", 0,
                                   &verdict->hosts, err)
                     ? -1
                     : 0;
    if (!result && f.switches.count)
        combine(&f, verdict);
    for (uint32_t p = 0; f.part && p < f.parts; p++)
        part_close(&f.part[p]);
    free(f.part);
    free(f.verdict);
    free(f.cables);
    free(f.sockets);
    free(f.ports);
    free(f.order);
    free(f.start);
    free(f.part_of);
    free(f.index);
    topomap_switches_clear(&f.switches);
    return result;
}
