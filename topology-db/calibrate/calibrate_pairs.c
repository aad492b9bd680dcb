/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs out of rows, and the way that each takes. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/calibrate/calibrate.h"
#include "util/alloc.h"
#include "util/input.h"
#include "util/names/known.h"

/* ---- The file --------------------------------------------------------------------------- */

enum { FIELDS = 7, ROWS_MOST = 1 << 27, NAME_MOST = 255 };

enum field { KIND, FROM, TO, HOPS, SIZE, LATENCY, BANDWIDTH };

static const char *const kinds[] = {"pair", "inside", "contention"};
enum { KINDS = sizeof kinds / sizeof *kinds };

struct reader {
    topomap_input *input;
    struct db_calibrated *own;
    struct db_measured *measured;
    topomap_known known; /* the names that the measurements have */
    size_t name_room, row_room;
};

static int intern(struct reader *r, const char *text, uint32_t *index, topomap_error *err)
{
    struct db_measured *m = r->measured;
    size_t length = strlen(text);
    char *copy;

    if (!length || length > NAME_MOST)
        return topomap_input_fail(r->input, err, "expected a name of 1 to %d bytes", NAME_MOST);
    if (topomap_known_number(&r->known, text, length, index, err))
        return -1;
    if (*index < m->names)
        return 0;
    copy = topomap_arena_strdup(&r->own->texts, text, err);
    return copy ? TOPOMAP_APPEND(m->name, m->names, r->name_room, err, copy) : -1;
}

static int read_number(const char *text, double least, double *number)
{
    char *end;

    *number = strtod(text, &end);
    return end == text || *end || !(*number >= least && *number <= 1e15) ? -1 : 0;
}

/* The bandwidth is size / latency, for people. */
static int read_row(struct reader *r, char *line, topomap_error *err)
{
    struct db_measured *m = r->measured;
    struct db_measurement row = {.hops = -1};
    char *field[FIELDS + 1];
    size_t count = 0, kind = 0;

    while (count <= FIELDS && (field[count] = strsep(&line, ",")))
        count++;
    if (count != FIELDS)
        return topomap_input_fail(r->input, err,
                                  "expected kind,from,to,hops,size,latency_us,bandwidth_MBps");
    if (strcmp(field[KIND], "kind") == 0)
        return 0;
    while (kind < KINDS && strcmp(field[KIND], kinds[kind]) != 0)
        kind++;
    row.kind = (enum db_measured_kind)kind;
    if (kind == KINDS)
        return topomap_input_fail(r->input, err, "expected pair, inside or contention, not '%.40s'",
                                  field[KIND]);
    if ((*field[HOPS] && read_number(field[HOPS], 0, &row.hops)) ||
        read_number(field[SIZE], 0, &row.size) || read_number(field[LATENCY], 0, &row.us))
        return topomap_input_fail(r->input, err,
                                  "expected hops or nothing, bytes, and microseconds");
    if (intern(r, field[FROM], &row.from, err) || intern(r, field[TO], &row.to, err))
        return -1;
    if (row.from == row.to)
        return topomap_input_fail(r->input, err, "'%.60s' with itself", field[FROM]);
    if (m->rows == ROWS_MOST)
        return topomap_input_fail(r->input, err, "more than %d rows", ROWS_MOST);
    return TOPOMAP_APPEND(m->row, m->rows, r->row_room, err, row);
}

static int read_rows(struct reader *r, topomap_error *err)
{
    char *line;
    size_t length;
    int got;

    while ((got = topomap_input_line(r->input, 4096, &line, &length, err)) > 0) {
        line[strcspn(line, "#")] = 0;
        if (line[strspn(line, " \t")] && read_row(r, line, err))
            return -1;
    }
    if (!got && !r->measured->rows)
        return topomap_input_fail(r->input, err, "no measurements");
    return got;
}

/* Reads a file: plain, xz or zstd. */
static int read_file(struct db_calibrated *own, const char *path, topomap_error *err)
{
    struct reader r = {.own = own, .measured = &own->measured};
    int result;

    if (topomap_input_open(path, &r.input, err))
        return -1;
    result = read_rows(&r, err);
    topomap_known_clear(&r.known);
    topomap_input_close(r.input);
    return result;
}

/* ---- What is made of it ----------------------------------------------------------------- */

void db_calibrated_free(struct db_calibrated *own)
{
    if (!own)
        return;
    topomap_arena_clear(&own->texts);
    free(own->measured.name);
    free(own->measured.row);
    db_paths_close(own->paths);
    free(own->is_node);
    free(own->pair);
    free(own->path.cable);
    free(own->link);
    free(own->x);
    free(own->fitted_latency);
    free(own->fitted_byte);
    free(own);
}

/* ---- One pair's times -------------------------------------------------------------------- */

/* Latency and time of a byte from times at several sizes, by least squares. Weights 1 / t^2: a
 * share of each time counts alike, or the longest message alone would. */
static void fit_time(const struct db_measurement *row, size_t rows, topomap_db_time *time,
                     int *sizes)
{
    static const double least = 1e-6; /* no clock tells less */
    double w = 0, ws = 0, wss = 0, wt = 0, wst = 0, spread;

    *sizes = 0;
    for (size_t i = 0; i < rows; i++) {
        double us = row[i].us > least ? row[i].us : least, s = row[i].size;
        double weight = 1 / (us * us);

        *sizes += !i || row[i].size != row[i - 1].size;
        w += weight;
        ws += weight * s;
        wss += weight * s * s;
        wt += weight * row[i].us;
        wst += weight * s * row[i].us;
    }
    *time = (topomap_db_time){0};
    spread = w * wss - ws * ws;
    if (*sizes > 1 && spread > 1e-12 * w * wss)
        time->us_per_byte = (w * wst - ws * wt) / spread;
    time->latency_us = (wt - time->us_per_byte * ws) / w;
    if (time->us_per_byte < 0)
        *time = (topomap_db_time){wt / w, 0};
    if (time->latency_us < 0)
        *time = (topomap_db_time){0, wss > 0 ? wst / wss : 0};
}

/* ---- Grouping ---------------------------------------------------------------------------- */

static int pair_order(const struct db_measurement *x, const struct db_measurement *y)
{
    return TOPOMAP_ORDER(x->kind, y->kind)
               ?: TOPOMAP_ORDER(x->from, y->from) ?: TOPOMAP_ORDER(x->to, y->to);
}

TOPOMAP_COMPARE(by_pair, struct db_measurement, pair_order(x, y),
                TOPOMAP_ORDER(x->size, y->size) ?: TOPOMAP_ORDER(x->us, y->us))

static int add_pair(struct db_calibrated *own, size_t first, size_t end, topomap_error *err)
{
    const struct db_measurement *row = &own->measured.row[first];
    size_t before = own->pairs + own->insides;
    struct db_pair pair = {
        .from = row->from, .to = row->to, .first = first, .end = end, .hops = -1};

    fit_time(row, end - first, &pair.time, &pair.sizes);
    for (size_t i = first; i < end; i++)
        if (own->measured.row[i].hops >= 0)
            pair.hops = own->measured.row[i].hops;
    if (TOPOMAP_APPEND(own->pair, before, own->room, err, pair))
        return -1;
    ++*(row->kind == DB_MEASURED_INSIDE ? &own->insides : &own->pairs);
    own->inside = own->pair + own->pairs;
    return 0;
}

/* Rows of one pair lie together, those between nodes before those inside. */
int db_calibrated_read(struct db_calibrated *own, const char *path, topomap_error *err)
{
    struct db_measured *m = &own->measured;

    if (read_file(own, path, err) || !(own->is_node = topomap_alloc(m->names, 1, err)))
        return -1;
    for (size_t i = 0; i < m->rows; i++) {
        struct db_measurement *row = &m->row[i];
        uint32_t from = row->from;

        own->is_node[from] = 1;
        if (row->kind == DB_MEASURED_INSIDE)
            continue;
        own->is_node[row->to] = 1;
        if (from > row->to) {
            row->from = row->to;
            row->to = from;
        }
    }
    TOPOMAP_SORT(m->row, m->rows, by_pair);
    for (size_t first = 0, end; first < m->rows; first = end) {
        const struct db_measurement *row = &m->row[first];

        for (end = first + 1; end < m->rows && pair_order(row, &m->row[end]) == 0;)
            end++;
        if (row->kind != DB_MEASURED_LOADED && add_pair(own, first, end, err))
            return -1;
    }
    return 0;
}

/* ---- Ways -------------------------------------------------------------------------------- */

static int add_link(struct db_calibrated *own, struct db_pair *pair, uint32_t cable,
                    topomap_error *err)
{
    for (size_t i = pair->link; i < own->links; i++)
        if (own->link[i].cable == cable) {
            own->link[i].share += 0.5f;
            return 0;
        }
    return TOPOMAP_APPEND(own->link, own->links, own->link_room, err,
                          (struct db_pair_link){cable, 0.5f});
}

/* A round trip passes the way there and the way back, which differ where routing tables say so. */
static int route_pair(struct db_calibrated *own, struct db_pair *pair, topomap_error *err)
{
    char **name = own->measured.name;
    struct db_path *path = &own->path;

    pair->link = own->links;
    pair->hops = 0;
    for (int back = 0; back < 2; back++) {
        if (db_paths_between(own->paths, name[back ? pair->to : pair->from],
                             name[back ? pair->from : pair->to], path, err))
            return -1;
        pair->hops += path->hops / 2.0;
        own->routed &= path->complete;
        for (size_t i = 0; i < path->cables; i++)
            if (add_link(own, pair, path->cable[i], err))
                return -1;
    }
    pair->links = own->links - pair->link;
    return 0;
}

int db_calibrated_route(struct db_calibrated *own, topomap_db *db, topomap_error *err)
{
    if (db && db_paths_open(db, &own->paths, err))
        return -1;
    own->routed = db != NULL;
    for (size_t i = 0; i < own->pairs; i++) {
        struct db_pair *pair = &own->pair[i];

        if (db && route_pair(own, pair, err))
            return -1;
        if (!db && pair->hops < 0)
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "'%s' and '%s' have no hops in the file, and there is no "
                                     "database to say them (--db)",
                                     own->measured.name[pair->from], own->measured.name[pair->to]);
    }
    return 0;
}

/* ---- Classes of link --------------------------------------------------------------------- */

const topomap_db_hop *db_calibrated_hop(const struct db_calibrated *own,
                                        const topomap_db_calibration *result, uint32_t cable)
{
    char name[40];
    uint32_t mbps;

    db_paths_cable_class(own->paths, cable, name, &mbps);
    for (size_t c = 0; c < result->hops; c++)
        if (strcmp(result->hop[c].name, name) == 0)
            return &result->hop[c];
    return NULL;
}

static int list_class(struct db_calibrated *own, topomap_db_calibration *result, size_t *room,
                      uint32_t cable, topomap_error *err)
{
    topomap_db_hop hop = {0};

    if (db_calibrated_hop(own, result, cable))
        return 0;
    db_paths_cable_class(own->paths, cable, hop.name, &hop.mbps);
    if (result->hops + 1 == DB_FIT_COLUMNS)
        return topomap_error_set(err, TOPOMAP_EINPUT, "more than %d classes of links on the way",
                                 DB_FIT_COLUMNS - 1);
    return TOPOMAP_APPEND(result->hop, result->hops, *room, err, hop);
}

static int list_classes(struct db_calibrated *own, topomap_db_calibration *result,
                        topomap_error *err)
{
    size_t room = 0;

    for (size_t i = 0; own->routed && i < own->links; i++)
        if (list_class(own, result, &room, own->link[i].cable, err))
            return -1;
    return result->hops
               ? 0
               : TOPOMAP_APPEND(result->hop, result->hops, room, err, (topomap_db_hop){.name = ""});
}

/* The rate that most links between switches have, of two the higher; without such links, of the
 * links to hosts: as sql_functions.h chooses its reference. */
static void choose_reference(struct db_calibrated *own, topomap_db_calibration *result)
{
    uint64_t count[2][DB_FIT_COLUMNS] = {{0}};
    uint32_t cables = own->routed ? db_paths_cables(own->paths) : 0;
    size_t best = 0;
    int trunks = 0;

    for (uint32_t i = 0; i < cables; i++) {
        const topomap_db_hop *hop = db_calibrated_hop(own, result, i);
        int trunk = db_paths_cable_trunk(own->paths, i);

        if (!hop)
            continue;
        count[trunk][hop - result->hop]++;
        trunks |= trunk;
    }
    for (size_t c = 1; c < result->hops; c++)
        if (count[trunks][c] > count[trunks][best] ||
            (count[trunks][c] == count[trunks][best] &&
             result->hop[c].mbps > result->hop[best].mbps))
            best = c;
    result->hop[best].reference = 1;
}

static void count_links(struct db_calibrated *own, topomap_db_calibration *result)
{
    for (size_t c = 0; c < result->hops; c++) {
        double links = 0;

        for (size_t i = 0; i < own->pairs; i++)
            links += own->x[i * (result->hops + 1) + 1 + c];
        result->hop[c].links = (uint64_t)(links + 0.5);
    }
}

int db_calibrated_classes(struct db_calibrated *own, topomap_db_calibration *result,
                          topomap_error *err)
{
    size_t columns;

    if (list_classes(own, result, err))
        return -1;
    columns = result->hops + 1;
    own->x = topomap_alloc(own->pairs, columns * sizeof *own->x, err);
    if (!own->x)
        return -1;
    for (size_t i = 0; i < own->pairs; i++) {
        const struct db_pair *pair = &own->pair[i];
        double *x = own->x + i * columns;

        x[0] = 1;
        if (!own->routed)
            x[1] = pair->hops;
        for (size_t l = pair->link; own->routed && l < pair->link + pair->links; l++)
            x[1 + (db_calibrated_hop(own, result, own->link[l].cable) - result->hop)] +=
                own->link[l].share;
    }
    count_links(own, result);
    choose_reference(own, result);
    return 0;
}
