/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/import/ethernet/wires.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/sql_functions.h"
#include "util/alloc.h"

enum { STEP = 1000, PORT_NAME = 128 };

void wires_clear(void *content)
{
    struct wires *wires = content;

    topomap_fabric_clear(&wires->fabric);
    topomap_known_clear(&wires->systems);
    topomap_known_clear(&wires->ports);
    free(wires->list.row);
}

/* ---- What was said ------------------------------------------------------------------------- */

/* \param shorter  the name without the domain */
static void key_of(const char *name, char shorter[DB_KEY], char key[DB_KEY])
{
    size_t length = strcspn(name, ".");

    if (!name[strspn(name, "0123456789.")]) /* an address */
        length = strlen(name);
    snprintf(shorter, DB_KEY, "%.*s", (int)(length < DB_KEY ? length : DB_KEY - 1), name);
    if (!*shorter)
        strcpy(shorter, "?");
    db_host_key(shorter, key);
}

int wires_system(struct wires *wires, const char *name, uint32_t *vertex, topomap_error *err)
{
    char shorter[DB_KEY], key[DB_KEY];
    size_t before = wires->systems.count;

    key_of(name, shorter, key);
    if (topomap_known_number(&wires->systems, key, strlen(key), vertex, err))
        return -1;
    return *vertex < before ? 0 : topomap_fabric_find(&wires->fabric, shorter, vertex, err);
}

uint32_t wires_find(const struct wires *wires, const char *name)
{
    char shorter[DB_KEY], key[DB_KEY];

    key_of(name, shorter, key);
    return topomap_known_find(&wires->systems, key, strlen(key));
}

int wires_port(struct wires *wires, uint32_t vertex, const char *name, uint32_t *port,
               topomap_error *err)
{
    char key[sizeof vertex + PORT_NAME] = "";
    size_t length = strlen(name);

    if (length >= PORT_NAME)
        length = PORT_NAME - 1;
    memcpy(key, &vertex, sizeof vertex);
    memcpy(key + sizeof vertex, name, length);
    if (!length) /* behind the NUL is what makes it another */
        memcpy(key + sizeof vertex + 1, &wires->list.rows, sizeof wires->list.rows);
    return topomap_known_number(
        &wires->ports, key, sizeof vertex + (length ? length + 1 : 1 + sizeof(size_t)), port, err);
}

/* ---- One port under two names -------------------------------------------------------------- */

struct reverse {
    uint32_t from, from_port, to, to_port;
};

TOPOMAP_COMPARE(by_from, struct reverse, memcmp(x, y, offsetof(struct reverse, to_port)), 0)

/* Where the other end speaks of exactly this port, its own name for its port is taken: some
 * switches tell others names that they do not use themselves. */
static int use_own_names(struct wires *wires, topomap_error *err)
{
    struct wire *wire = wires->list.row;
    size_t rows = wires->list.rows;
    TOPOMAP_FREED uint8_t *own = topomap_alloc(wires->ports.count, 1, err);
    TOPOMAP_FREED struct reverse *told = topomap_alloc(rows, sizeof *told, err);

    if (!own || !told)
        return -1;
    for (size_t i = 0; i < rows; i++) {
        own[wire[i].from_port] = 1;
        /* Looked up by what the others say of me. */
        told[i] = (struct reverse){wire[i].to, wire[i].to_port, wire[i].from, wire[i].from_port};
    }
    TOPOMAP_SORT(told, rows, by_from);
    for (size_t i = 0; i < rows; i++) {
        const struct reverse wanted = {wire[i].from, wire[i].from_port, wire[i].to, 0};
        const struct reverse *found =
            own[wire[i].to_port] ? NULL : bsearch(&wanted, told, rows, sizeof wanted, by_from);

        if (found)
            wire[i].to_port = found->to_port;
    }
    return 0;
}

/* ---- Numbers of ports ---------------------------------------------------------------------- */

/* 0: the name has no number, or one that is too large. */
static uint32_t number_in(const char *name)
{
    uint64_t number = 0;
    int numbers = 0;

    while (*name) {
        uint64_t each = 0;

        if (!isdigit((unsigned char)*name)) {
            name++;
            continue;
        }
        for (; isdigit((unsigned char)*name); name++)
            if ((each = each * 10 + (uint64_t)(*name - '0')) > INT32_MAX)
                return 0;
        number = numbers++ ? number * STEP + each : each;
        if (number > INT32_MAX)
            return 0;
    }
    return (uint32_t)number;
}

struct named_port {
    uint32_t vertex, port;
    const char *name;
};

TOPOMAP_COMPARE(by_name, struct named_port, TOPOMAP_ORDER(x->vertex, y->vertex),
                db_natural_order(x->name, y->name))

static void number_ports(const struct wires *wires, const struct named_port *row, uint32_t *number)
{
    uint32_t count = 0;

    for (size_t i = 0; i < wires->ports.count; i++) {
        int host = topomap_fabric_is(&wires->fabric, row[i].vertex, TOPOMAP_VERTEX_HOST);

        count = i && row[i - 1].vertex == row[i].vertex ? count + 1 : 1;
        number[row[i].port] = !*row[i].name ? 0 : host ? count : number_in(row[i].name);
    }
}

/* Two ports of one switch with one number ("eth1", "swp1"): the later by name has none. */
static int drop_doubles(const struct wires *wires, const struct named_port *row, uint32_t *number,
                        topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_known_clear) topomap_known taken = {0};

    for (size_t i = 0; i < wires->ports.count; i++) {
        const uint32_t key[] = {row[i].vertex, number[row[i].port]};
        size_t before = taken.count;
        uint32_t at;

        if (topomap_known_number(&taken, key, sizeof key, &at, err))
            return -1;
        if (at < before)
            number[row[i].port] = 0;
    }
    return 0;
}

/* A port that has several others at its end: a shared medium, or one name for several. */
static void drop_shared(const struct wires *wires, uint32_t *number, uint32_t *peer)
{
    const struct wire *wire = wires->list.row;

    for (size_t i = 0; i < wires->list.rows; i++) {
        const uint32_t end[] = {wire[i].from_port, wire[i].to_port};

        for (int e = 0; e < 2; e++) {
            if (peer[end[e]] && peer[end[e]] != end[!e] + 1)
                number[end[e]] = 0;
            peer[end[e]] = end[!e] + 1;
        }
    }
}

static int find_numbers(const struct wires *wires, uint32_t *number, topomap_error *err)
{
    TOPOMAP_FREED struct named_port *row = topomap_alloc(wires->ports.count, sizeof *row, err);
    TOPOMAP_FREED uint32_t *peer = topomap_alloc(wires->ports.count, sizeof *peer, err);

    if (!row || !peer)
        return -1;
    for (uint32_t i = 0; i < wires->ports.count; i++) {
        const char *key = topomap_known_key(&wires->ports, i);

        row[i] = (struct named_port){.port = i, .name = key + sizeof row[i].vertex};
        memcpy(&row[i].vertex, key, sizeof row[i].vertex);
    }
    TOPOMAP_SORT(row, wires->ports.count, by_name);
    number_ports(wires, row, number);
    if (drop_doubles(wires, row, number, err))
        return -1;
    drop_shared(wires, number, peer);
    return 0;
}

/* ---- Links --------------------------------------------------------------------------------- */

TOPOMAP_COMPARE(by_ports, struct wire, TOPOMAP_ORDER(x->from_port, y->from_port),
                TOPOMAP_ORDER(x->to_port, y->to_port))

static int add_link(topomap_fabric *f, const struct wire *wire, const uint32_t *number,
                    uint32_t mbps, topomap_error *err)
{
    topomap_link link = {.a = wire->from,
                         .b = wire->to,
                         .aport = number[wire->from_port],
                         .bport = number[wire->to_port],
                         .rate = topomap_rate_of_mbps(mbps),
                         .line = wire->line};

    return db_named_link(f, link, "", 1, err);
}

static int add_links(struct wires *wires, const uint32_t *number, size_t *between_hosts,
                     topomap_error *err)
{
    const struct wire *wire = wires->list.row;
    topomap_fabric *f = &wires->fabric;
    size_t end;

    for (size_t i = 0; i < wires->list.rows; i = end) {
        uint32_t mbps = 0;

        for (end = i; end < wires->list.rows && by_ports(&wire[i], &wire[end]) == 0; end++)
            mbps = wire[end].mbps > mbps ? wire[end].mbps : mbps;
        if (topomap_fabric_is(f, wire[i].from, TOPOMAP_VERTEX_HOST) &&
            topomap_fabric_is(f, wire[i].to, TOPOMAP_VERTEX_HOST))
            ++*between_hosts;
        else if (add_link(f, &wire[i], number, mbps, err))
            return -1;
    }
    return 0;
}

int wires_join(struct db_import *import, void *content)
{
    struct wires *wires = content;
    struct wire *wire = wires->list.row;
    TOPOMAP_FREED uint32_t *number = topomap_alloc(wires->ports.count, sizeof *number, import->err);
    size_t between_hosts = 0;

    if (!number || use_own_names(wires, import->err))
        return -1;
    for (size_t i = 0; i < wires->list.rows; i++)
        if (wire[i].from_port > wire[i].to_port)
            wire[i] = (struct wire){wire[i].to,        wire[i].to_port, wire[i].from,
                                    wire[i].from_port, wire[i].mbps,    wire[i].line};
    /* What both ends say of one link is equal then, and stands together. */
    TOPOMAP_SORT(wire, wires->list.rows, by_ports);
    if (find_numbers(wires, number, import->err) ||
        add_links(wires, number, &between_hosts, import->err) ||
        topomap_fabric_match(&wires->fabric, import->path, NULL, import->err))
        return -1;
    if (between_hosts)
        db_warn(import, 0, "%zu links between two hosts are left out: hosts do not route",
                between_hosts);
    return 0;
}

/* ---- Into the database --------------------------------------------------------------------- */

static int has_name(const void *content, const char *name)
{
    return wires_find(content, name) != UINT32_MAX;
}

int wires_write(struct db_import *import, void *content)
{
    const struct wires *wires = content;

    return db_named_replace(import, &wires->fabric, "'lldp', 'netq'", has_name, wires);
}
