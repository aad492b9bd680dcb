/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of hosts and adapters. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/check/check.h"
#include "topology-db/derive/derive.h"
#include "topology-db/query/network.h"
#include "util/alloc.h"

enum { PEERS_LEAST = 3 };

struct node {
    int64_t id, class;
    char name[DB_KEY];
    char kind[DB_KEY]; /* the name with every number as '#': what it has in common with its peers */
    uint32_t ports;
    int placed, known; /* it has coordinates; Slurm has it */
};

struct nodes {
    struct node *list;
    size_t count, room;
};

static void put_kind(const char *name, char *kind)
{
    size_t used = 0;

    for (; *name && *name != '.'; name++)
        if (!isdigit((unsigned char)*name))
            kind[used++] = (char)tolower((unsigned char)*name);
        else if (!used || kind[used - 1] != '#')
            kind[used++] = '#';
    kind[used] = 0;
}

/* All hosts in natural order. */
static int read_nodes(struct db_check *check, struct nodes *nodes)
{
    static const char sql[] =
        "SELECT host.id, host.name, host.class, coalesce(p.ports, 0), host.place IS NOT NULL FROM "
        "host"
        " LEFT JOIN (SELECT host, count(*) AS ports FROM attach GROUP BY host) p"
        " ON p.host = host.id ORDER BY host.id";
    struct db_rows rows = db_ask(check->file, sql, check->err);

    while (db_next(&rows)) {
        struct node *node;

        if (topomap_grow(&nodes->list, &nodes->room, nodes->count + 1, sizeof *nodes->list,
                         check->err))
            return db_stop(&rows);
        node = &nodes->list[nodes->count++];
        memset(node, 0, sizeof *node);
        node->id = sqlite3_column_int64(rows.row, 0);
        snprintf(node->name, sizeof node->name, "%s", db_column_text(rows.row, 1));
        node->class = sqlite3_column_int64(rows.row, 2);
        node->ports = (uint32_t)sqlite3_column_int64(rows.row, 3);
        node->placed = sqlite3_column_int(rows.row, 4);
        put_kind(node->name, node->kind);
    }
    return rows.result;
}

/* ---- Rails ------------------------------------------------------------------------------- */

static int by_kind(const void *a, const void *b)
{
    const struct node *x = a, *y = b;
    int order = strcmp(x->kind, y->kind);

    if (order)
        return order;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int tell_peers(struct db_check *check, const struct node *list, size_t count)
{
    uint32_t *ports = topomap_alloc(count, sizeof *ports, check->err), most;
    int result = ports ? 0 : -1;
    size_t peers = 0;

    for (size_t i = 0; ports && i < count; i++)
        if (list[i].ports)
            ports[peers++] = list[i].ports;
    most = ports && peers >= PEERS_LEAST ? topomap_most_frequent(ports, peers) : 0;
    for (size_t i = 0; !result && i < count; i++)
        if (list[i].ports && list[i].ports < most)
            result = db_found(check, "%s: %u of the %u ports that most nodes of its name have",
                              list[i].name, list[i].ports, most);
    free(ports);
    return result;
}

int db_check_rails(struct db_check *check)
{
    struct nodes nodes = {0};
    int result = read_nodes(check, &nodes);
    size_t end;

    if (nodes.count)
        qsort(nodes.list, nodes.count, sizeof *nodes.list, by_kind);
    for (size_t i = 0; !result && i < nodes.count; i = end) {
        for (end = i; end < nodes.count && strcmp(nodes.list[i].kind, nodes.list[end].kind) == 0;
             end++)
            ;
        result = tell_peers(check, &nodes.list[i], end - i);
    }
    free(nodes.list);
    return result;
}

/* ---- Adapters without a host --------------------------------------------------------------- */

int db_check_unnamed(struct db_check *check)
{
    static const char sql[] =
        "SELECT v.guid, v.text, group_concat(e.at, ', ') FROM adapter JOIN vertex v"
        " ON v.id = adapter.vertex LEFT JOIN"
        " (SELECT a AS id, label || ' port ' || bport AS at FROM link JOIN switch ON switch.id = b"
        "  UNION ALL SELECT b, label || ' port ' || aport FROM link JOIN switch ON switch.id = a"
        "  ORDER BY 2) e"
        " ON e.id = v.id WHERE adapter.host IS NULL GROUP BY v.id ORDER BY v.guid, v.id";
    struct db_rows rows = db_ask(check->file, sql, check->err);
    int result = 0;

    while (!result && db_next(&rows)) {
        const char *at = db_column_text(rows.row, 2);

        result = db_found(check, "0x%016llx \"%s\"%s%s",
                          (unsigned long long)sqlite3_column_int64(rows.row, 0),
                          db_column_text(rows.row, 1), *at ? " at " : "", at);
    }
    db_end(&rows);
    return rows.result ? -1 : result;
}

/* ---- Slurm's nodes --------------------------------------------------------------------------- */

/* Hosts that an imported Slurm topology names, and those that a network has. */
static int read_slurm(struct db_check *check, struct nodes *nodes, int *any)
{
    static const char sql[] =
        "SELECT DISTINCT host, 1 FROM slurm_attach UNION ALL"
        " SELECT DISTINCT host, 0 FROM adapter WHERE host IS NOT NULL ORDER BY 1, 2";
    struct db_rows rows = db_ask(check->file, sql, check->err);

    for (size_t i = 0; i < nodes->count; i++)
        nodes->list[i].ports = 0; /* from here on: in how many networks but Slurm's it is */
    while (db_next(&rows)) {
        int64_t host = sqlite3_column_int64(rows.row, 0);

        /* Hosts are numbered from 1 in the order of the list. */
        if (host < 1 || host > (int64_t)nodes->count)
            continue;
        if (sqlite3_column_int(rows.row, 1))
            *any = nodes->list[host - 1].known = 1;
        else
            nodes->list[host - 1].ports++;
    }
    for (size_t i = 0; i < nodes->count; i++)
        nodes->list[i].ports += nodes->list[i].placed != 0;
    return rows.result;
}

static int look_up(struct db_check *check, struct nodes *nodes, int tell)
{
    const topomap_names *names = check->options->nodes;
    struct db_finder finder;
    int result = db_finder_open(check->db, &finder, check->err);

    if (result)
        return -1;
    for (size_t i = 0; !result && i < names->count; i++) {
        topomap_error unknown;
        struct db_place place;
        int missing = db_finder_find(&finder, names->name[i], &place, &unknown);

        if (missing && unknown.code != TOPOMAP_EINPUT) {
            if (check->err)
                *check->err = unknown;
            result = -1;
        } else if (missing && tell) {
            result = db_found(check, "%s: this database does not know it", names->name[i]);
        } else if (!missing && place.host >= 1 && place.host <= (int64_t)nodes->count) {
            nodes->list[place.host - 1].known = 1;
        }
    }
    db_finder_close(&finder);
    return result;
}

/* Whether any source is a network: without one there is nothing that a node could be missing in. */
static int any_network(const struct nodes *nodes)
{
    for (size_t i = 0; i < nodes->count; i++)
        if (nodes->list[i].ports)
            return 1;
    return 0;
}

static int compare_nodes(struct db_check *check, int unknown)
{
    struct nodes nodes = {0};
    int any = check->options->nodes != NULL, network, result = read_nodes(check, &nodes);

    if (!result)
        result = read_slurm(check, &nodes, &any);
    if (!result && check->options->nodes)
        result = look_up(check, &nodes, unknown);
    network = any_network(&nodes);
    for (size_t i = 0; !result && any && network && i < nodes.count; i++) {
        const struct node *node = &nodes.list[i];

        if (unknown && node->known && !node->ports)
            result = db_found(check, "%s: no network has it", node->name);
        else if (!unknown && !node->known && node->ports)
            result = db_found(check, "%s", node->name);
    }
    free(nodes.list);
    return result;
}

int db_check_unknown_nodes(struct db_check *check)
{
    return compare_nodes(check, 1);
}

int db_check_other_hosts(struct db_check *check)
{
    return compare_nodes(check, 0);
}

/* ---- Classes ------------------------------------------------------------------------------- */

int db_check_classes(struct db_check *check)
{
    struct nodes nodes = {0};
    size_t with = 0, without = 0;
    int result = read_nodes(check, &nodes);

    for (size_t i = 0; i < nodes.count; i++) {
        with += nodes.list[i].class != 0;
        without += nodes.list[i].class == 0;
    }
    if (!result && !with && without)
        result = db_found_as(check, TOPOMAP_DB_INFO,
                             "no node has a class: tasks are placed on nodes, not on cores");
    for (size_t i = 0; !result && with && i < nodes.count; i++)
        if (!nodes.list[i].class)
            result = db_found(check, "%s", nodes.list[i].name);
    free(nodes.list);
    return result;
}

/* ---- Parts ------------------------------------------------------------------------------- */

struct parts {
    topomap_switches switches;
    uint32_t *of; /* [switches] */
    uint32_t count;
    uint32_t *size, *hosts, *lonely, *first; /* [count] switches, hosts, those that hang on no other
                                                part, and the first switch */
    int64_t *source;                         /* [count] */
};

static int find_parts(struct db_check *check, struct parts *p)
{
    p->of = topomap_alloc(p->switches.count, sizeof *p->of, check->err);
    if (!p->of)
        return -1;
    for (uint32_t i = 0; i < p->switches.count; i++)
        p->of[i] = UINT32_MAX;
    for (uint32_t i = 0; i < p->switches.count; i++) {
        uint32_t head = 0, tail = 0;

        if (p->of[i] != UINT32_MAX)
            continue;
        p->of[i] = p->count;
        p->switches.queue[tail++] = i;
        while (head < tail) {
            uint32_t at = p->switches.queue[head++];

            for (uint32_t k = p->switches.first[at]; k < p->switches.first[at + 1]; k++)
                if (p->of[p->switches.neighbour[k]] == UINT32_MAX) {
                    p->of[p->switches.neighbour[k]] = p->count;
                    p->switches.queue[tail++] = p->switches.neighbour[k];
                }
        }
        p->count++;
    }
    p->size = topomap_alloc(p->count, sizeof *p->size, check->err);
    p->hosts = topomap_alloc(p->count, sizeof *p->hosts, check->err);
    p->lonely = topomap_alloc(p->count, sizeof *p->lonely, check->err);
    p->first = topomap_alloc(p->count, sizeof *p->first, check->err);
    p->source = topomap_alloc(p->count, sizeof *p->source, check->err);
    if (!p->size || !p->hosts || !p->lonely || !p->first || !p->source)
        return -1;
    for (uint32_t i = p->switches.count; i--;) {
        p->size[p->of[i]]++;
        p->first[p->of[i]] = i;
    }
    return 0;
}

/* Each host once in every part that it hangs on; lonely: in one only. */
static int count_hosts(struct db_check *check, struct parts *p)
{
    struct db_rows rows =
        db_ask(check->file, "SELECT DISTINCT host, switch FROM attach WHERE host > 0 ORDER BY host",
               check->err);
    int64_t host = 0;
    uint32_t first = 0;
    int several = 0;

    while (db_next(&rows)) {
        uint32_t at = topomap_switches_find(&p->switches, sqlite3_column_int64(rows.row, 1));

        if (at == UINT32_MAX)
            continue;
        if (sqlite3_column_int64(rows.row, 0) != host) {
            host = sqlite3_column_int64(rows.row, 0);
            first = p->of[at];
            several = 0;
            p->hosts[first]++;
            p->lonely[first]++;
        } else if (p->of[at] != first) {
            p->lonely[first] -= !several;
            several = 1;
            p->hosts[p->of[at]]++;
        }
    }
    return rows.result;
}

static int read_sources(struct db_check *check, struct parts *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        struct db_rows rows = DB_ASK(check->file, "SELECT source FROM vertex WHERE id=?",
                                     check->err, DB_INT(p->switches.id[p->first[i]]));

        if (db_next(&rows))
            p->source[i] = sqlite3_column_int64(rows.row, 0);
        db_end(&rows);
        if (rows.result)
            return -1;
    }
    return 0;
}

/* The largest part of a source is the fabric. Parts whose hosts all hang on others too are planes
 * of their own. */
static int tell_parts(struct db_check *check, const struct parts *p)
{
    sqlite3_stmt *label =
        db_prepare(check->file, "SELECT label FROM switch WHERE id=?", check->err);
    int result = label ? 0 : -1;

    for (uint32_t i = 0; !result && i < p->count; i++) {
        uint32_t largest = i;

        for (uint32_t j = 0; j < p->count; j++)
            if (p->source[j] == p->source[i] && (p->hosts[j] > p->hosts[largest] ||
                                                 (p->hosts[j] == p->hosts[largest] && j < largest)))
                largest = j;
        if (largest == i || !p->hosts[i])
            continue;
        sqlite3_bind_int64(label, 1, p->switches.id[p->first[i]]);
        if (db_step(label, check->err) < 0)
            result = -1;
        else
            result = db_found_as(
                check, p->lonely[i] ? check->row->severity : TOPOMAP_DB_INFO,
                "%u switches (%s ...) with %u hosts have no link to the %u hosts of the rest%s",
                p->size[i], db_column_text(label, 0), p->hosts[i], p->hosts[largest],
                p->lonely[i] ? "" : ": a plane of its own, all its hosts are on others too");
        sqlite3_reset(label);
    }
    sqlite3_finalize(label);
    return result;
}

int db_check_parts(struct db_check *check)
{
    struct parts p = {0};
    int result = db_switches_load(check->file, 0, &p.switches, check->err);

    if (result)
        return -1;
    result = find_parts(check, &p) || count_hosts(check, &p) || read_sources(check, &p) ? -1 : 0;
    if (!result)
        result = tell_parts(check, &p);
    free(p.of);
    free(p.size);
    free(p.hosts);
    free(p.lonely);
    free(p.first);
    free(p.source);
    topomap_switches_clear(&p.switches);
    return result;
}
