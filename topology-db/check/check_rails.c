/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of hosts' NICs beside those of their peers: the switch that each hangs on, and its rate.
 */
#include <stdlib.h>
#include <string.h>

#include "topology-db/check/check.h"
#include "topology-db/derive/derive.h"
#include "util/alloc.h"

enum { PEERS_LEAST = 3, NAME = 64 };

/* A port of a NIC. */
struct nic {
    int64_t host, sw, vertex;
    uint32_t mbps;           /* 0: not known */
    uint32_t usual;          /* what this NIC of most peers has, 0: too few peers to tell */
    char rate[32], most[32]; /* both in words */
    int few, port; /* few: of its peers have another one; they are no other kind of node */
    char node[NAME], peers[NAME], label[NAME];
    char name[NAME]; /* "mlx5_1"; with a port behind it where that is not 1; "port 2" of a source
                        that names none */
};

struct nics {
    struct nic *nic;
    size_t count, room;
};

/* An adapter's text is its host and its own name. */
static void put_name(struct nic *nic, const char *text, int port)
{
    const char *blank = strchr(text, ' ');
    const char *name = blank ? blank + strspn(blank, " ") : "";
    int length = (int)strcspn(name, " ");

    if (!length)
        snprintf(nic->name, sizeof nic->name, "port %d", port);
    else if (port > 1)
        snprintf(nic->name, sizeof nic->name, "%.*s port %d", length < 40 ? length : 40, name,
                 port);
    else
        snprintf(nic->name, sizeof nic->name, "%.*s", length < 40 ? length : 40, name);
}

static void take_nic(sqlite3_stmt *row, struct nic *nic)
{
    uint32_t width = db_u32(row, 7);
    uint32_t speed = db_u32(row, 8);

    memset(nic, 0, sizeof *nic);
    nic->host = sqlite3_column_int64(row, 0);
    snprintf(nic->node, sizeof nic->node, "%.*s", NAME - 1, db_column_text(row, 1));
    snprintf(nic->peers, sizeof nic->peers, "%.*s", NAME - 1, db_column_text(row, 2));
    nic->port = sqlite3_column_int(row, 4);
    put_name(nic, db_column_text(row, 3), nic->port);
    nic->sw = sqlite3_column_int64(row, 5);
    snprintf(nic->label, sizeof nic->label, "%.*s", NAME - 1, db_column_text(row, 6));
    nic->vertex = sqlite3_column_int64(row, 10);
    nic->mbps = db_u32(row, 9);
    db_put_rate(width, speed, nic->mbps, nic->rate, sizeof nic->rate);
}

/* Of hosts with a name, each cable once. */
static int read_nics(struct db_check *check, struct nics *nics)
{
    static const char sql[] =
        "SELECT host.id, host.name, peers(host.name), v.text, l.port, l.sw, switch.label, l.width,"
        "  l.speed, link_mbps(l.width, l.speed, l.mbps), l.nic FROM ("
        " SELECT a AS nic, aport AS port, b AS sw, width, speed, mbps FROM link"
        "  WHERE coalesce(state, 0) <> 1 AND coalesce(kind, '') <> '" DB_LEVEL "' UNION ALL"
        " SELECT b, bport, a, width, speed, mbps FROM link"
        "  WHERE coalesce(state, 0) <> 1 AND coalesce(kind, '') <> '" DB_LEVEL "') l"
        " CROSS JOIN adapter ON adapter.vertex = l.nic JOIN host ON host.id = adapter.host"
        " JOIN vertex v ON v.id = l.nic JOIN switch ON switch.id = l.sw"
        " ORDER BY host.id, l.nic, l.port, l.sw";
    DB_ROWS rows = db_ask(check->file, sql, check->err);

    while (db_next(&rows)) {
        if (topomap_grow(&nics->nic, &nics->room, nics->count + 1, sizeof *nics->nic, check->err))
            return -1;
        take_nic(rows.row, &nics->nic[nics->count++]);
    }
    return rows.result;
}

/* ---- Orders ---------------------------------------------------------------------------------- */

typedef int nic_order(const void *a, const void *b);

/* Where the NICs end, of a list sorted by some order or one that goes on from it, that are equal by
 * it to the one at \p from. */
static size_t run_end(const struct nic *list, size_t from, size_t count, nic_order *order)
{
    size_t end = from;

    while (end < count && order(&list[end], &list[from]) == 0)
        end++;
    return end;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct nic *)a)->name, ((const struct nic *)b)->name);
}

static int by_rate(const void *a, const void *b)
{
    return TOPOMAP_ORDER(((const struct nic *)a)->mbps, ((const struct nic *)b)->mbps);
}

/* Of peers on one switch. */
TOPOMAP_COMPARE(by_peers_switch, struct nic, strcmp(x->peers, y->peers),
                TOPOMAP_ORDER(x->sw, y->sw))

/* Of peers, and of one name. */
TOPOMAP_COMPARE(by_peers_name, struct nic, strcmp(x->peers, y->peers), by_name(x, y))

/* ---- Wrong rails ----------------------------------------------------------------------------- */

TOPOMAP_COMPARE(by_switch, struct nic, by_peers_switch(x, y),
                by_name(x, y) ?: TOPOMAP_ORDER(x->host, y->host))

TOPOMAP_COMPARE(by_host, struct nic, TOPOMAP_ORDER(x->host, y->host), by_name(x, y))

/* The NIC that three quarters of the ports of one switch are: `list` is sorted by name. NULL where
 * there is none, or too few to tell. */
static const struct nic *rail_of(const struct nic *list, size_t count)
{
    size_t end;

    for (size_t i = 0; i < count; i = end) {
        end = run_end(list, i, count, by_name);
        if (end - i >= PEERS_LEAST && (end - i) * 4 >= count * 3)
            return &list[i];
    }
    return NULL;
}

/* Nodes of another kind, with one NIC of another name, are on no wrong rail: this node has that
 * NIC, too, and on another switch. A node with all of its NICs on one has no rails. */
static int has_elsewhere(const struct nics *by_node, const struct nic *nic, const char *name)
{
    struct nic key = *nic;
    const struct nic *found;

    snprintf(key.name, sizeof key.name, "%s", name);
    found = bsearch(&key, by_node->nic, by_node->count, sizeof key, by_host);
    return found && found->sw != nic->sw;
}

static int tell_switch(struct db_check *check, const struct nics *by_node, const struct nic *list,
                       size_t count)
{
    const struct nic *rail = rail_of(list, count);
    int result = 0;

    for (size_t i = 0; rail && !result && i < count; i++)
        if (strcmp(list[i].name, rail->name) != 0 && has_elsewhere(by_node, &list[i], rail->name))
            result = db_found(check, "%s %s is on %s, which has %s of its other peers",
                              list[i].node, list[i].name, list[i].label, rail->name);
    return result;
}

static int copy_nics(const struct nics *from, struct nics *to, topomap_error *err)
{
    if (topomap_grow(&to->nic, &to->room, from->count, sizeof *to->nic, err))
        return -1;
    if (from->count)
        memcpy(to->nic, from->nic, from->count * sizeof *to->nic);
    to->count = from->count;
    return 0;
}

int db_check_wrong_rails(struct db_check *check)
{
    struct nics by_node = {0}, nics = {0};
    int result = read_nics(check, &nics) || copy_nics(&nics, &by_node, check->err) ? -1 : 0;
    size_t end;

    if (!result && nics.count) {
        TOPOMAP_SORT(nics.nic, nics.count, by_switch);
        TOPOMAP_SORT(by_node.nic, by_node.count, by_host);
    }
    for (size_t i = 0; !result && i < nics.count; i = end) {
        end = run_end(nics.nic, i, nics.count, by_peers_switch);
        result = tell_switch(check, &by_node, &nics.nic[i], end - i);
    }
    free(nics.nic);
    free(by_node.nic);
    return result;
}

/* ---- Speeds ---------------------------------------------------------------------------------- */

/* Ports that degraded-link tells of already. */
struct port {
    int64_t vertex;
    uint32_t number;
};

struct told {
    struct port *end;
    size_t count, room;
    topomap_error *err;
};

static int collect(const topomap_db_finding *finding, void *data)
{
    struct told *told = data;

    for (int i = 0; i < 2; i++) {
        if (!finding->end[i].port)
            continue;
        if (TOPOMAP_APPEND(told->end, told->count, told->room, told->err,
                           (struct port){finding->end[i].vertex, finding->end[i].port}))
            return -1;
    }
    return 0;
}

TOPOMAP_COMPARE(by_end, struct port, TOPOMAP_ORDER(x->vertex, y->vertex),
                TOPOMAP_ORDER(x->number, y->number))

static int is_told(const struct told *told, const struct nic *nic)
{
    const struct port key = {nic->vertex, (uint32_t)nic->port};

    return told->count && bsearch(&key, told->end, told->count, sizeof key, by_end);
}

TOPOMAP_COMPARE(by_rail, struct nic, by_peers_name(x, y),
                by_rate(x, y) ?: TOPOMAP_ORDER(x->host, y->host))

/* "mlx5_" of mlx5_1. */
static size_t stem(const char *name)
{
    size_t length = strlen(name);

    while (length && name[length - 1] >= '0' && name[length - 1] <= '9')
        length--;
    return length;
}

/* Of a node, and of one stem. */
static int by_node_stem(const void *a, const void *b)
{
    const struct nic *x = a, *y = b;
    size_t stem_x = stem(x->name), stem_y = stem(y->name);
    int order = TOPOMAP_ORDER(x->host, y->host) ?: TOPOMAP_ORDER(stem_x, stem_y);

    return order ?: strncmp(x->name, y->name, stem_x);
}

TOPOMAP_COMPARE(by_kind, struct nic, by_node_stem(x, y), by_rate(x, y) ?: by_name(x, y))

/* One with the rate that more than half of at least three with a known one have, or NULL; `list` is
 * sorted by it. */
static const struct nic *usual_rate(const struct nic *list, size_t count, size_t *others)
{
    size_t known = 0, end;

    for (size_t i = 0; i < count; i++)
        known += list[i].mbps > 0;
    for (size_t i = 0; known >= PEERS_LEAST && i < count; i = end) {
        end = run_end(list, i, count, by_rate);
        *others = known - (end - i);
        if (list[i].mbps && (end - i) * 2 > known)
            return &list[i];
    }
    return NULL;
}

static void compare_peers(struct nics *nics)
{
    size_t end, others = 0;

    TOPOMAP_SORT(nics->nic, nics->count, by_rail);
    for (size_t i = 0; i < nics->count; i = end) {
        const struct nic *usual;

        end = run_end(nics->nic, i, nics->count, by_peers_name);
        usual = usual_rate(&nics->nic[i], end - i, &others);
        for (size_t k = i; k < end; k++) {
            nics->nic[k].usual = usual ? usual->mbps : 0;
            if (usual)
                memmove(nics->nic[k].most, usual->rate, sizeof usual->rate);
            nics->nic[k].few = !db_is_mixed(others, end - i);
        }
    }
}

/* Of a node's NICs of one kind. */
static int tell_node(struct db_check *check, const struct told *told, const struct nic *list,
                     size_t count)
{
    size_t others;
    const struct nic *most = usual_rate(list, count, &others);
    int result = 0;

    for (size_t i = 0; !result && i < count; i++) {
        const struct nic *nic = &list[i];
        /* Peers vouch for nodes of NICs that are not alike. */
        int differs = most && nic->usual && nic->mbps != most->mbps && nic->mbps != nic->usual;
        int alone = nic->usual && nic->mbps != nic->usual && nic->few;

        if (!nic->mbps || (!differs && !alone) || is_told(told, nic))
            continue;
        result = db_found(check, "%s %s on %s: %s, where %s %s", nic->node, nic->name, nic->label,
                          nic->rate,
                          differs ? "the node's others have" : "this NIC of most of its peers has",
                          differs ? most->rate : nic->most);
    }
    return result;
}

int db_check_nic_speeds(struct db_check *check)
{
    struct told told = {.err = check->err};
    struct db_check degraded = *check;
    struct nics nics = {0};
    int result;
    size_t end;

    degraded.each = collect;
    degraded.data = &told;
    result = db_check_degraded(&degraded) || read_nics(check, &nics) ? -1 : 0;
    TOPOMAP_SORT(told.end, told.count, by_end);
    if (!result && nics.count) {
        compare_peers(&nics);
        TOPOMAP_SORT(nics.nic, nics.count, by_kind);
    }
    for (size_t i = 0; !result && i < nics.count; i = end) {
        end = run_end(nics.nic, i, nics.count, by_node_stem);
        result = tell_node(check, &told, &nics.nic[i], end - i);
    }
    free(told.end);
    free(nics.nic);
    return result;
}
