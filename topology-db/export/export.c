/* SPDX-License-Identifier: BSD-3-Clause */
/* db export: the formats, and what of a database they get. */
#include "topology-db/export/export.h"

#include <stdlib.h>
#include <string.h>

#include "topology-db/query/query.h"
#include "util/alloc.h"
#include "util/hostlist.h"
#include "util/output.h"
#include "util/text.h"

#define ADDRESS(exporter) &(exporter),
static const db_exporter *const exporters[] = {DB_EXPORTERS(ADDRESS)};
#undef ADDRESS

enum { EXPORTERS = sizeof exporters / sizeof *exporters };

const topomap_db_exporter_row *topomap_db_exporter_row_at(size_t i)
{
    return i < EXPORTERS ? &exporters[i]->row : NULL;
}

/* ---- Loading ----------------------------------------------------------------------------- */

static int read_hosts(struct db_export *x, topomap_error *err)
{
    static const char sql[] =
        "SELECT host.id, host.name, class.name, status, type, host.place FROM host"
        " LEFT JOIN class ON class.id = host.class ORDER BY host.id";
    DB_ROWS rows = db_ask(x->file, sql, err);
    size_t room = 0;

    while (db_next(&rows)) {
        struct db_export_host *host;

        if (topomap_grow(&x->host, &room, x->hosts + 1u, sizeof *host, err))
            return -1;
        host = &x->host[x->hosts++];
        memset(host, 0, sizeof *host);
        host->id = sqlite3_column_int64(rows.row, 0);
        snprintf(host->name, sizeof host->name, "%s", db_column_text(rows.row, 1));
        if (host->name[strspn(host->name, "0123456789.")])
            host->name[strcspn(host->name, ".")] = 0;
        snprintf(host->class, sizeof host->class, "%s", db_column_text(rows.row, 2));
        snprintf(host->status, sizeof host->status, "%s", db_column_text(rows.row, 3));
        snprintf(host->type, sizeof host->type, "%s", db_column_text(rows.row, 4));
        snprintf(host->place, sizeof host->place, "%s", db_column_text(rows.row, 5));
        host->home = UINT32_MAX;
    }
    return rows.result;
}

struct edge {
    uint32_t lower, upper; /* indices of switches */
};

/* Units of a tree and the blocks are the first switches, in order of their ids; switches of the
 * aggregates of blocks follow those that they join (derive_slurm.c). */
static int read_edges(struct db_export *x, int tree, struct edge **edge, size_t *count,
                      topomap_error *err)
{
    size_t room = 0;
    DB_ROWS rows = db_ask(
        x->file,
        tree ? "WITH u AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM slurm_unit WHERE"
               " topology = (SELECT id FROM slurm_topology WHERE chosen)),"
               " first AS (SELECT min(id) - 1 AS id FROM slurm_switch)"
               " SELECT c.n + first.id, p.n + first.id FROM slurm_member"
               " JOIN u AS p ON p.id = unit JOIN u AS c ON c.id = child, first"
             : "SELECT a, b FROM slurm_trunk",
        err);

    while (db_next(&rows)) {
        struct edge one = {topomap_switches_find(&x->graph, sqlite3_column_int64(rows.row, 0)),
                           topomap_switches_find(&x->graph, sqlite3_column_int64(rows.row, 1))};

        if (one.lower != UINT32_MAX && one.upper != UINT32_MAX &&
            TOPOMAP_APPEND(*edge, *count, room, err, one))
            return -1;
    }
    return rows.result;
}

TOPOMAP_COMPARE(by_lower, struct edge, TOPOMAP_ORDER(x->lower, y->lower),
                TOPOMAP_ORDER(x->upper, y->upper))

/* A switch has its level when all that is below it has. */
static int set_levels(struct db_export *x, const struct edge *edge, size_t count,
                      topomap_error *err)
{
    TOPOMAP_FREED uint32_t *below = topomap_alloc(x->graph.count, sizeof *below, err);
    TOPOMAP_FREED size_t *first = topomap_alloc(x->graph.count + 1u, sizeof *first, err);
    uint32_t head = 0, tail = 0;

    if (!below || !first)
        return -1;
    for (size_t i = 0; i < count; i++) {
        below[edge[i].upper]++;
        first[edge[i].lower + 1]++;
    }
    for (uint32_t i = 0; i < x->graph.count; i++) {
        first[i + 1] += first[i];
        x->sw[i].level = 0;
        if (!below[i])
            x->graph.queue[tail++] = i;
    }
    while (head < tail) {
        uint32_t at = x->graph.queue[head++];

        for (size_t i = first[at]; i < first[at + 1]; i++) {
            struct db_export_switch *upper = &x->sw[edge[i].upper];

            if (upper->level <= x->sw[at].level)
                upper->level = x->sw[at].level + 1;
            if (--below[edge[i].upper] == 0)
                x->graph.queue[tail++] = edge[i].upper;
        }
    }
    return 0;
}

/* Levels of the switches of Slurm's topology file, one above the highest that is below it, the
 * leaves being 0; none for a ring or torus. */
static int find_slurm_levels(struct db_export *x, topomap_error *err)
{
    static const char kind[] = "SELECT CASE kind WHEN 'tree' THEN 2 WHEN 'block' THEN 1 ELSE 0 END"
                               " FROM slurm_topology WHERE chosen";
    TOPOMAP_FREED struct edge *edge = NULL;
    size_t count = 0;
    int64_t tree;

    if (db_number(x->file, kind, 0, &tree, err))
        return -1;
    for (uint32_t i = 0; i < x->graph.count; i++)
        x->sw[i].level = -1;
    if (!tree)
        return 0;
    if (read_edges(x, tree == 2, &edge, &count, err))
        return -1;
    TOPOMAP_SORT(edge, count, by_lower);
    return set_levels(x, edge, count, err);
}

/* Where no fabric has switches, those of Slurm's topology file are the network: hosts with
 * coordinates have it beside them, others instead (derive_slurm.c). */
static int read_switches(struct db_export *x, topomap_error *err)
{
    DB_ROWS rows = {0};
    int64_t slurm;

    if (db_number(x->file,
                  "SELECT EXISTS(SELECT 1 FROM slurm_switch) AND NOT EXISTS"
                  " (SELECT 1 FROM switch JOIN vertex USING(id))",
                  0, &slurm, err))
        return -1;
    x->slurm = slurm != 0;
    if (db_switches_load(x->file, x->slurm, &x->graph, err))
        return -1;
    x->sw = topomap_alloc(x->graph.count, sizeof *x->sw, err);
    if (!x->sw)
        return -1;
    rows = db_ask(x->file,
                  x->slurm ? "SELECT id, label, NULL, NULL, 0 FROM slurm_switch"
                           : "SELECT switch.id, switch.label, place, level, guid FROM"
                             " switch LEFT JOIN vertex ON vertex.id = switch.id",
                  err);
    while (db_next(&rows)) {
        uint32_t at = topomap_switches_find(&x->graph, sqlite3_column_int64(rows.row, 0));

        if (at == UINT32_MAX)
            continue;
        x->sw[at].label = db_column_copy(rows.row, 1, err);
        if (!x->sw[at].label)
            return -1;
        snprintf(x->sw[at].place, sizeof x->sw[at].place, "%s", db_column_text(rows.row, 2));
        x->sw[at].level = db_is_null(rows.row, 3) ? -1 : sqlite3_column_int64(rows.row, 3);
        x->sw[at].guid = db_u64(rows.row, 4);
    }
    return rows.result || !x->slurm ? rows.result : find_slurm_levels(x, err);
}

static uint32_t find_host(const struct db_export *x, int64_t id)
{
    size_t at = topomap_sorted_rows(x->host, x->hosts, sizeof *x->host,
                                    offsetof(struct db_export_host, id), id);

    return at < x->hosts && x->host[at].id == id ? (uint32_t)at : UINT32_MAX;
}

/* Gives the ends of a cable their order, and its host a home. */
static void place_cable(const struct db_export *x, struct db_cable *cable)
{
    struct db_export_host *host;

    if (cable->host == UINT32_MAX) {
        const struct db_cable swap = *cable;

        if (db_natural_order(x->sw[cable->a].label, x->sw[cable->b].label) <= 0)
            return;
        cable->a = swap.b;
        cable->b = swap.a;
        cable->aport = swap.bport;
        cable->bport = swap.aport;
        return;
    }
    host = &x->host[cable->host];
    if (host->home == UINT32_MAX ||
        db_natural_order(x->sw[cable->b].label, x->sw[host->home].label) < 0)
        host->home = cable->b;
}

/* One row: ends and ports, width, speed, Mb/s, hosts of either end, class. 0 where it is no cable
 * of a known host. */
static int take_cable(const struct db_export *x, sqlite3_stmt *row, struct db_cable *cable)
{
    uint32_t a = topomap_switches_find(&x->graph, sqlite3_column_int64(row, 0));
    uint32_t b = topomap_switches_find(&x->graph, sqlite3_column_int64(row, 2));
    int first = b != UINT32_MAX; /* end a is the cable's first end */
    int64_t host = sqlite3_column_int64(row, first ? 7 : 8);

    memset(cable, 0, sizeof *cable);
    cable->host = UINT32_MAX;
    if (a == UINT32_MAX && b == UINT32_MAX)
        return 0;
    if (a == UINT32_MAX || b == UINT32_MAX)
        cable->host = find_host(x, host);
    if ((a == UINT32_MAX || b == UINT32_MAX) && cable->host == UINT32_MAX)
        return 0;
    cable->vertex = sqlite3_column_int64(row, first ? 0 : 2);
    cable->a = first ? a : b;
    cable->b = first ? b : a;
    cable->aport = db_u32(row, first ? 1 : 3);
    cable->bport = db_u32(row, first ? 3 : 1);
    cable->width = db_u32(row, 4);
    cable->speed = db_u32(row, 5);
    cable->mbps = db_u32(row, 6);
    snprintf(cable->class, sizeof cable->class, "%s", db_column_text(row, 9));
    place_cable(x, cable);
    return 1;
}

static int by_first_end(const struct db_cable *x, const struct db_cable *y)
{
    return x->host == UINT32_MAX ? TOPOMAP_ORDER(x->a, y->a) : TOPOMAP_ORDER(x->vertex, y->vertex);
}

/* Cables of hosts first, by host, adapter and port; then those between switches. */
TOPOMAP_COMPARE(by_ends, struct db_cable, TOPOMAP_ORDER(x->host, y->host) ?: by_first_end(x, y),
                TOPOMAP_ORDER(x->aport, y->aport) ?: TOPOMAP_ORDER(x->b, y->b)
                                                  ?: TOPOMAP_ORDER(x->bport, y->bport))

static int read_rows(struct db_export *x, const char *sql, size_t *room, topomap_error *err)
{
    DB_ROWS rows = db_ask(x->file, sql, err);

    while (db_next(&rows)) {
        if (topomap_grow(&x->cable, room, x->cables + 1, sizeof *x->cable, err))
            return -1;
        x->cables += (size_t)take_cable(x, rows.row, &x->cable[x->cables]);
    }
    return rows.result;
}

/* What is attached without an adapter has no row in link: Slurm's file knows of no links, and those
 * of a Cray are between its routers. */
static int read_cables(struct db_export *x, topomap_error *err)
{
    static const struct {
        int slurm;
        const char *sql;
    } rows[] = {
        {0, "SELECT a, aport, b, bport, width, speed, link_mbps(width, speed, mbps), p.host,"
            " q.host, kind FROM link"
            " LEFT JOIN adapter p ON p.vertex = a LEFT JOIN adapter q ON q.vertex = b"
            " WHERE coalesce(state, 0) <> 1" /* IB_DOWN */},
        {0, "SELECT 0, 0, switch, 0, 0, 0, NULL, host, NULL, NULL FROM attach WHERE adapter = 0"},
        {1, "SELECT 0, 0, switch, 0, 0, 0, NULL, host, NULL, NULL FROM slurm_attach"},
        {1, "SELECT a, 0, b, 0, 0, 0, NULL, NULL, NULL, NULL FROM slurm_trunk"},
    };
    size_t room = 0;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].slurm == x->slurm && read_rows(x, rows[i].sql, &room, err))
            return -1;
    TOPOMAP_SORT(x->cable, x->cables, by_ends);
    return 0;
}

void db_export_clear(struct db_export *x)
{
    for (uint32_t i = 0; x->sw && i < x->graph.count; i++)
        free(x->sw[i].label);
    free(x->sw);
    free(x->host);
    free(x->cable);
    topomap_switches_clear(&x->graph);
}

/* ---- What a job needs ---------------------------------------------------------------------- */

/* Leaves out all hosts but `nodes`; cables of hosts that are left out are not read. */
static int keep_hosts(struct db_export *x, const topomap_names *nodes, topomap_error *err)
{
    DB_FINDER finder = {0};
    TOPOMAP_FREED uint8_t *kept = topomap_alloc(x->hosts, 1, err);
    uint32_t hosts = 0;

    if (!kept || db_finder_open(x->db, &finder, err))
        return -1;
    for (size_t i = 0; i < nodes->count; i++) {
        struct db_place place;
        uint32_t at;

        if (db_finder_find(&finder, nodes->name[i], &place, err))
            return -1;
        at = find_host(x, place.host);
        if (at == UINT32_MAX || kept[at])
            continue;
        kept[at] = 1;
        snprintf(x->host[at].name, sizeof x->host[at].name, "%s", nodes->name[i]);
    }
    for (uint32_t h = 0; h < x->hosts; h++)
        if (kept[h])
            x->host[hosts++] = x->host[h];
    x->hosts = hosts;
    return 0;
}

/* Every switch on some shortest path from switch `from` to another one with hosts of the job: back
 * from those, to neighbours that are one hop nearer. */
static void keep_paths(struct db_export *x, uint32_t from, const uint8_t *wanted, uint16_t *hops,
                       uint8_t *on)
{
    const topomap_switches *g = &x->graph;
    uint32_t head = 0, tail = 0;

    topomap_switches_spread(&x->graph, &from, 1, hops);
    memset(on, 0, g->count);
    for (uint32_t i = 0; i < g->count; i++)
        if (wanted[i] && hops[i] != TOPOMAP_FAR) {
            on[i] = 1;
            g->queue[tail++] = i;
        }
    while (head < tail) {
        uint32_t at = g->queue[head++];

        x->sw[at].kept = 1;
        for (uint32_t k = g->first[at]; k < g->first[at + 1]; k++)
            if (!on[g->neighbour[k]] && hops[g->neighbour[k]] + 1 == hops[at]) {
                on[g->neighbour[k]] = 1;
                g->queue[tail++] = g->neighbour[k];
            }
    }
}

static int keep_switches(struct db_export *x, topomap_error *err)
{
    TOPOMAP_FREED uint8_t *wanted = topomap_alloc(x->graph.count, 1, err);
    TOPOMAP_FREED uint8_t *on = topomap_alloc(x->graph.count, 1, err);
    TOPOMAP_FREED uint16_t *hops = topomap_alloc(x->graph.count, sizeof *hops, err);
    size_t cables = 0;

    if (!wanted || !on || !hops)
        return -1;
    for (size_t i = 0; i < x->cables; i++)
        if (x->cable[i].host != UINT32_MAX)
            wanted[x->cable[i].b] = 1;
    for (uint32_t i = 0; i < x->graph.count; i++)
        if (wanted[i])
            keep_paths(x, i, wanted, hops, on);
    for (size_t i = 0; i < x->cables; i++)
        if (x->cable[i].host != UINT32_MAX ||
            (x->sw[x->cable[i].a].kept && x->sw[x->cable[i].b].kept))
            x->cable[cables++] = x->cable[i];
    x->cables = cables;
    return 0;
}

/* ---- All --------------------------------------------------------------------------------- */

int db_export_load(struct db_export *x, const topomap_names *nodes, topomap_error *err)
{
    if (read_hosts(x, err) || (nodes && keep_hosts(x, nodes, err)) || read_switches(x, err) ||
        read_cables(x, err))
        return -1;
    for (uint32_t i = 0; i < x->graph.count; i++)
        x->sw[i].kept = !nodes;
    return nodes ? keep_switches(x, err) : 0;
}

/* topomap imports only valid names of nodes; a database that it did not write may have others. */
static int check_names(const struct db_export *x, const char *format, topomap_error *err)
{
    for (uint32_t h = 0; h < x->hosts; h++)
        if (!topomap_is_node_name(x->host[h].name, strlen(x->host[h].name)))
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "%s: '%.80s' is not a node name, which %s needs: import the "
                                     "dumps into a new database",
                                     x->db->path, x->host[h].name, format);
    return 0;
}

int db_export_check_links(const struct db_export *x, const char *format, topomap_error *err)
{
    if (!x->graph.count)
        return topomap_error_set(err, TOPOMAP_EINPUT,
                                 "%s: no switches: %s is made from links, and no source of this "
                                 "database lists any",
                                 x->db->path, format);
    for (uint32_t h = 0; h < x->hosts; h++)
        if (x->host[h].home != UINT32_MAX)
            return check_names(x, format, err);
    return x->hosts
               ? topomap_error_set(err, TOPOMAP_EINPUT,
                                   "%s: no source of this database says on which switch any of the "
                                   "%u hosts hangs: %s would have none of them",
                                   x->db->path, x->hosts, format)
               : 0;
}

static const db_exporter *find(const char *name, topomap_error *err)
{
    char known[256] = "";

    for (size_t i = 0; i < EXPORTERS; i++) {
        if (strcmp(exporters[i]->row.name, name) == 0)
            return exporters[i];
        topomap_text_append(known, sizeof known, "%s%s", i ? ", " : "", exporters[i]->row.name);
    }
    topomap_error_set(err, TOPOMAP_EUSAGE, "no format '%s'; there are %s", name, known);
    return NULL;
}

static int end_output(topomap_output *output, int failed, topomap_error *err)
{
    if (!failed)
        return topomap_output_commit(output, err);
    topomap_output_abandon(output);
    return -1;
}

int topomap_db_export_machine(const topomap_machine *machine, const char *name, double latency,
                              const char *path, topomap_error *err)
{
    const db_exporter *exporter = find(name, err);
    topomap_output *output;

    if (!exporter)
        return -1;
    if (!exporter->run_machine)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "%s is made of a database; of a machine alone there is simgrid",
                                 name);
    if (topomap_output_open(path, &output, err))
        return -1;
    return end_output(
        output, exporter->run_machine(topomap_output_file(output), machine, latency, err), err);
}

int topomap_db_export(topomap_db *db, const char *name, const topomap_names *nodes, double latency,
                      const char *path, topomap_error *err)
{
    TOPOMAP_CLEANUP(db_export_clear)
    struct db_export x = {.db = db, .file = db->file, .latency = latency};
    topomap_output *output = NULL;
    const db_exporter *exporter = find(name, err);

    if (!exporter || db_imported(db, err) || db_export_load(&x, nodes, err) ||
        (exporter->links && db_export_check_links(&x, name, err)) ||
        topomap_output_open(path, &output, err))
        return -1;
    x.out = topomap_output_file(output);
    return end_output(output, exporter->run(&x, err), err);
}
