/* SPDX-License-Identifier: BSD-3-Clause */
/* Where hosts are on Slingshot, by the addresses of their interfaces, which any user may read: an
 * algorithmic MAC address is 02:00:00: and 20 bits of group (9), switch of the group (5) and port
 * of the switch (6). A line an interface:
 *
 *   node01 NIC 0 macaddr 02:00:00:00:07:ea logaddr 02026 location 000.31.42
 *   node01: hsn0 02:00:00:00:07:ea          or whatever else has a host first and such an address:
 *   node01: [{"ifname":"hsn0","address":"02:00:00:00:07:ea"}]    a line of `ip -j link show hsn0`
 *   node01: MAC: 02:00:00:00:07:ea                                a line of cxi_stat
 *
 * It tells no cable. In a dragonfly the switches of a group are joined all to all, and all groups
 * to each other (D. De Sensi et al., "An In-Depth Analysis of the Slingshot Interconnect", SC20);
 * which switch has the cable to which group is not known, so that a group is a vertex of its own
 * that is one hop from its switches, and ways to other groups have as many hops as minimal ones
 * have. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "topology-db/import/lists/named_fabric.h"
#include "topology-db/sql_functions.h"
#include "util/alloc.h"
#include "util/hostlist.h"

enum { GROUPS = 512, SWITCHES = 32, PORTS = 64, MAC_TEXT = 17, NO_NIC = -1, NICS = 64 };

/* An interface. */
struct entry {
    char host[DB_KEY];
    uint32_t place; /* the address' 20 bits */
    int nic;
    size_t line;
};

struct content {
    topomap_fabric fabric; /* first, as it is what is written */
    struct db_list list;
    size_t other, first_other; /* lines without an address, and the first of them */
    size_t burnt, first_burnt; /* with one that is not algorithmic */
};

static void content_clear(void *data)
{
    struct content *content = data;

    free(content->list.row);
    topomap_fabric_clear(&content->fabric);
}

/* ---- A line -------------------------------------------------------------------------------- */

static int is_mac(const char *text)
{
    for (int i = 0; i < MAC_TEXT; i++)
        if (i % 3 == 2 ? text[i] != ':' : !isxdigit((unsigned char)text[i]))
            return 0;
    return !isxdigit((unsigned char)text[MAC_TEXT]) && text[MAC_TEXT] != ':';
}

/* The first address of a line that stands for one place: not ff:ff:ff:ff:ff:ff. */
static const char *find_mac(const char *line)
{
    for (const char *at = line; *at; at++)
        if ((at == line || (!isxdigit((unsigned char)at[-1]) && at[-1] != ':')) && is_mac(at) &&
            strncasecmp(at, "ff:ff:ff", 8) != 0)
            return at;
    return NULL;
}

static int read_place(const char *mac, uint32_t *place)
{
    unsigned part[3];

    if (strncmp(mac, "02:00:00:", 9) != 0 ||
        sscanf(mac + 9, "%2x:%2x:%2x", &part[0], &part[1], &part[2]) != 3 || part[0] > 0xf)
        return -1;
    *place = part[0] << 16 | part[1] << 8 | part[2];
    return 0;
}

/* The number behind a word that ends where the number begins: "NIC 3", "hsn3", "cxi3". */
static int find_nic(const char *line)
{
    static const char *const words[] = {"NIC ", "hsn", "cxi"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (const char *at = line; (at = strstr(at, words[i])) != NULL; at++) {
            const char *digits = at + strlen(words[i]);
            size_t length = strspn(digits, "0123456789");

            if (length && length < 3 && (at == line || !isalnum((unsigned char)at[-1])))
                return atoi(digits);
        }
    return NO_NIC;
}

/* The host is the first word; before it `srun --label` may put a task's number, "12: ". */
static int read_host(struct db_import *import, const char *line, const char *mac, char *host)
{
    size_t label = strspn(line, "0123456789"), length;

    if (label && line[label] == ':' && line[label + 1] == ' ')
        line += label + 2 + strspn(line + label + 2, " \t");
    length = strcspn(line, " \t:,");
    if (!length || length >= DB_KEY || line == mac)
        return db_fail_here(import, "expected a host's name before the address, as each node can "
                                    "print it: echo $(hostname -s) hsn0 $(cat "
                                    "/sys/class/net/hsn0/address)");
    if (!topomap_is_node_name(line, length))
        return db_fail_here(import, "'%.*s' is not a host's name: expected it before the address",
                            (int)(length < 60 ? length : 60), line);
    snprintf(host, DB_KEY, "%.*s", (int)length, line);
    return 0;
}

/* What the address tool works out itself must be what the address says. */
static int check_location(struct db_import *import, const char *line, uint32_t place)
{
    const char *at = strstr(line, "location ");
    unsigned group, sw, port;

    if (!at)
        return 0;
    if (sscanf(at + 9, "%u.%u.%u", &group, &sw, &port) != 3 || group != place >> 11 ||
        sw != (place >> 6 & (SWITCHES - 1)) || port != (place & (PORTS - 1)))
        return db_fail_here(import,
                            "the address is that of location %u.%u.%u, not of '%.20s': a line "
                            "that was cut or changed",
                            place >> 11, place >> 6 & (SWITCHES - 1), place & (PORTS - 1), at + 9);
    return 0;
}

static int read_line(struct db_import *import, void *data, char *line)
{
    struct content *content = data;
    struct entry entry = {.line = topomap_input_lineno(import->input), .nic = find_nic(line)};
    const char *mac;

    line += strspn(line, " \t");
    if (!*line || *line == '#')
        return 0;
    mac = find_mac(line);
    if (!mac) {
        if (!content->other++)
            content->first_other = entry.line;
        return 0;
    }
    if (read_place(mac, &entry.place)) {
        if (!content->burnt++)
            content->first_burnt = entry.line;
        return 0;
    }
    if (read_host(import, line, mac, entry.host) || check_location(import, line, entry.place))
        return -1;
    if (entry.nic >= NICS)
        return db_fail_here(import, "NIC %d: expected 0 to %d", entry.nic, NICS - 1);
    return db_list_add(&content->list, &entry, sizeof entry, import->err);
}

/* ---- All of it ----------------------------------------------------------------------------- */

TOPOMAP_COMPARE(by_place, struct entry, TOPOMAP_ORDER(x->place, y->place),
                db_natural_order(x->host, y->host) ?: TOPOMAP_ORDER(x->line, y->line))

TOPOMAP_COMPARE(by_host, struct entry, db_natural_order(x->host, y->host),
                TOPOMAP_ORDER(x->nic, y->nic) ?: TOPOMAP_ORDER(x->place, y->place))

/* Several tasks of one node print the same; two hosts with one address do not exist. */
static int drop_doubles(struct db_import *import, struct content *content)
{
    struct entry *entry = content->list.row;
    size_t kept = 0;

    TOPOMAP_SORT(entry, content->list.rows, by_place);
    for (size_t i = 0; i < content->list.rows; i++) {
        const struct entry *last = kept ? &entry[kept - 1] : NULL;

        if (last && last->place == entry[i].place) {
            if (strcmp(last->host, entry[i].host) != 0)
                return db_fail(import, entry[i].line,
                               "'%.100s' has the address of '%.100s' on line %zu", entry[i].host,
                               last->host, last->line);
            continue;
        }
        entry[kept++] = entry[i];
    }
    content->list.rows = kept;
    return 0;
}

/* NICs that no line has numbered are counted in the order of their places. */
static int number_nics(struct db_import *import, struct content *content)
{
    struct entry *entry = content->list.row;

    TOPOMAP_SORT(entry, content->list.rows, by_host);
    for (size_t i = 0, first = 0; i < content->list.rows; i++) {
        if (strcmp(entry[first].host, entry[i].host) != 0)
            first = i;
        if (entry[i].nic == NO_NIC)
            entry[i].nic = (int)(i - first);
        else if (i > first && entry[i].nic == entry[i - 1].nic)
            return db_fail(import, entry[i].line,
                           "NIC %d of '%.100s' has another address on line %zu", entry[i].nic,
                           entry[i].host, entry[i - 1].line);
    }
    return 0;
}

static int join(topomap_fabric *fabric, uint32_t a, uint32_t b, topomap_error *err)
{
    return db_named_link(fabric, (topomap_link){.a = a, .b = b}, DB_LEVEL, 1, err);
}

static int add_vertex(topomap_fabric *fabric, enum topomap_vertex_kind kind, uint32_t *vertex,
                      topomap_error *err, uint32_t group, int sw)
{
    char name[32];

    if (sw < 0)
        snprintf(name, sizeof name, "group %u", group);
    else
        snprintf(name, sizeof name, "g%us%d", group, sw);
    if (topomap_fabric_find(fabric, name, vertex, err))
        return -1;
    fabric->vertex[*vertex].kind = (uint8_t)kind;
    return 0;
}

/* Port 0 is kept as 64: 0 is none to the database, and a switch has 64. */
static int add_host(topomap_fabric *fabric, const struct entry *entry, uint32_t sw,
                    topomap_error *err)
{
    uint32_t port = entry->place & (PORTS - 1);
    topomap_link link = {.a = sw, .aport = port ? port : PORTS, .bport = (uint32_t)entry->nic + 1};

    if (topomap_fabric_find(fabric, entry->host, &link.b, err))
        return -1;
    fabric->vertex[link.b].kind = TOPOMAP_VERTEX_HOST;
    return db_named_link(fabric, link, "edge", 1, err);
}

/* The switches of a group, and its vertex, joined all to all. */
struct group {
    uint32_t number, vertex, sw[SWITCHES], switches;
};

static int join_groups(topomap_fabric *fabric, const struct group *group, uint32_t groups,
                       topomap_error *err)
{
    for (uint32_t g = 0; g < groups; g++) {
        for (uint32_t i = 0; i < group[g].switches; i++) {
            if (join(fabric, group[g].sw[i], group[g].vertex, err))
                return -1;
            for (uint32_t k = 0; k < i; k++)
                if (join(fabric, group[g].sw[k], group[g].sw[i], err))
                    return -1;
        }
        for (uint32_t k = 0; k < g; k++)
            if (join(fabric, group[k].vertex, group[g].vertex, err))
                return -1;
    }
    return 0;
}

static int build(struct content *content, topomap_error *err)
{
    TOPOMAP_FREED struct group *group = topomap_alloc(GROUPS, sizeof *group, err);
    struct group *last = NULL;
    topomap_fabric *fabric = &content->fabric;
    uint32_t groups = 0, sw = 0, at = UINT32_MAX;

    if (!group)
        return -1;
    qsort(content->list.row, content->list.rows, sizeof(struct entry), by_place);
    for (size_t i = 0; i < content->list.rows; i++) {
        const struct entry *entry = (const struct entry *)content->list.row + i;
        uint32_t number = entry->place >> 11;

        if (!last || last->number != number) {
            last = &group[groups++];
            last->number = number;
            if (add_vertex(fabric, TOPOMAP_VERTEX_UNKNOWN, &last->vertex, err, number, -1))
                return -1;
        }
        if (entry->place >> 6 != at) {
            at = entry->place >> 6;
            if (add_vertex(fabric, TOPOMAP_VERTEX_SWITCH, &sw, err, number,
                           (int)(at & (SWITCHES - 1))))
                return -1;
            last->sw[last->switches++] = sw;
        }
        if (add_host(fabric, entry, sw, err))
            return -1;
    }
    return join_groups(fabric, group, groups, err);
}

static int check(struct db_import *import, void *data)
{
    struct content *content = data;

    if (!content->list.rows && content->burnt)
        return db_fail(
            import, content->first_burnt,
            "the address does not begin with 02:00:00: and tells no place; this site's interfaces "
            "have none that do (or the switches were not ready): import slingshot-cables or "
            "cray-links");
    if (!content->list.rows)
        return db_fail_here(import, "no line with a host and an address such as 02:00:00:00:07:ea");
    if (content->burnt)
        db_warn(import, content->first_burnt,
                "%zu addresses do not begin with 02:00:00: and tell no place: left out",
                content->burnt);
    if (content->other)
        db_warn(import, content->first_other, "%zu lines have no address: left out",
                content->other);
    import->report->partial |= content->burnt > 0;
    return DB_STATUS(drop_doubles(import, content) || number_nics(import, content) ||
                     build(content, import->err));
}

const db_importer db_slingshot_ama = {
    .row = {"slingshot-ama",
            "Slingshot without privileges: lines of a host and the address of an hsn interface, "
            "02:00:00:..., which holds its group, switch and port"},
    .singleton = 1,
    .routing = "adaptive",
    .tables = {"vertex", "link", "routing"},
    .size = sizeof(struct content),
    .line = read_line,
    .check = check,
    .write = db_named_write_content,
    .clear = content_clear,
};
