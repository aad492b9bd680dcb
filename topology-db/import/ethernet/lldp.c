/* SPDX-License-Identifier: BSD-3-Clause */
/* Ethernet by LLDP (IEEE 802.1AB): what lldpd's `lldpcli show neighbors details -f json0` prints on
 * hosts and switches, whose arrays are always there; `-f json`, which leaves them out, too. Without
 * "details" there are no rates.
 *
 *   {"lldp":[{"interface":[{"name":"ens1f0",
 *      "chassis":[{"id":[{"type":"mac","value":"..."}],"name":[{"value":"leaf1"}],
 *                  "descr":[..],"capability":[{"type":"Bridge","enabled":true}]}],
 *      "port":[{"id":[{"type":"ifname","value":"swp17s0"}],"descr":[{"value":".."}],
 *               "auto-negotiation":[{"current":[{"value":"100GBaseCR4"}]}]}]}]}]}
 *
 * A file is one system's (named by --nodes, or by the file: node01.json), or an object with systems
 * for keys, or lines "SYSTEM: a line of its JSON". Several files are one source. Links of a bond
 * are links; planes and rails follow from what is joined. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "topology-db/import/ethernet/wires.h"
#include "topology-db/import/json_reader.h"
#include "topology-db/sql_functions.h"
#include "util/alloc.h"
#include "util/hostlist.h"

/* What is known of a system's kind, by vertex. */
struct trait {
    uint8_t told;               /* its own neighbours were read */
    uint8_t seen;               /* others have it for a neighbour */
    uint8_t bridge;             /* it forwards frames or packets, as it says */
    uint8_t endpoint;           /* it says that it does not */
    uint8_t either;             /* a plain Linux that does: a switch, or a host with containers */
    uint8_t hosts;              /* beside it: 0, 1, or 2 for more */
    uint8_t endpoints, bridges; /* beside it: whether there are some */
    uint32_t host;              /* the first of them */
};

struct content {
    struct wires wires; /* first: wires_write() takes it */
    struct trait *trait;
    size_t traits, trait_room;
    size_t nameless;
};

struct reader {
    struct db_import *import;
    struct content *content;
    uint32_t system; /* whose neighbours are read */
    size_t line;
    const char *interfaces; /* the option, or NULL */
    topomap_error *err;
};

static void content_clear(void *data)
{
    struct content *content = data;

    free(content->trait);
    wires_clear(&content->wires);
}

/* ---- Both shapes of JSON ------------------------------------------------------------------- */

/* The text of {"value": "text"}, of a list of such, or the text itself. */
static const char *value_of(const json_t *object, const char *key)
{
    const json_t *found = db_json_first(object, key);

    return (json_is_object(found) ? db_json_text(found, "value") : json_string_value(found)) ?: "";
}

static int find_system(struct reader *r, const char *name, uint32_t *system)
{
    struct content *c = r->content;

    if (wires_system(&c->wires, name, system, r->err))
        return -1;
    return *system < c->traits
               ? 0
               : TOPOMAP_APPEND(c->trait, c->traits, c->trait_room, r->err, (struct trait){0});
}

/* Names that say nothing: of a system that nobody has named. */
static int is_name(const char *name)
{
    return *name && strncasecmp(name, "localhost", 9) != 0 && strcmp(name, "(none)") != 0;
}

/* ---- A neighbour --------------------------------------------------------------------------- */

/* "100GBaseCR4", "10GigBaseLR", "1000BaseTFD": Mb/s; 0: it says none. */
static uint32_t read_rate(const json_t *port)
{
    const char *text = value_of(db_json_first(port, "auto-negotiation"), "current");
    size_t digits = strspn(text, "0123456789");
    unsigned long rate = digits && digits < 7 ? strtoul(text, NULL, 10) : 0;

    if (!rate || (text[digits] != 'G' && text[digits] != 'B'))
        return 0;
    return (uint32_t)(text[digits] == 'G' ? rate * 1000 : rate);
}

/* lldpd of a host fills in what os-release and uname say; a switch's system names itself. */
static int is_plain_linux(const char *descr)
{
    static const char *const systems[] = {"Cumulus", "SONiC", "DENT", "EOS",  "NX-OS",
                                          "JUNOS",   "Onyx",  "MLNX", "OS10", "OpenSwitch"};

    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
        if (strstr(descr, systems[i]))
            return 0;
    return strstr(descr, " Linux ") && strstr(descr, " #");
}

static void take_traits(struct trait *trait, const json_t *chassis)
{
    json_t *list = json_object_get(chassis, "capability"), *each;
    size_t count = json_is_array(list) ? json_array_size(list) : json_is_object(list);
    int said = 0, forwards = 0;

    trait->seen = 1;
    for (size_t i = 0; i < count; i++) { /* lldpd writes a list of one without brackets */
        const char *type;
        const json_t *enabled;
        int on;

        each = json_is_array(list) ? json_array_get(list, i) : list;
        type = db_json_text(each, "type");
        enabled = json_object_get(each, "enabled");
        on = json_is_true(enabled) ||
             (json_is_string(enabled) && strcmp(json_string_value(enabled), "on") == 0);
        said = 1;
        forwards |= on && type && (strcmp(type, "Bridge") == 0 || strcmp(type, "Router") == 0);
    }
    /* Containers and machines make a bridge of a host. */
    if (is_plain_linux(value_of(chassis, "descr"))) {
        trait->either |= (uint8_t)forwards;
        trait->endpoint |= (uint8_t)!forwards;
    } else {
        trait->bridge |= (uint8_t)forwards;
        trait->endpoint |= said && !forwards;
    }
}

/* What others call a port: its interface's name; lldpd's default for a port's id is the MAC
 * address, the name being its description then. */
static const char *port_of(const json_t *port)
{
    const char *id = value_of(port, "id"), *descr = value_of(port, "descr");
    const char *type = db_json_text(db_json_first(port, "id"), "type") ?: "";

    if (strcmp(type, "mac") != 0 && strcmp(type, "local") != 0)
        return id;
    if (!*descr || strlen(descr) > 40 || descr[strcspn(descr, " \t")])
        return id;
    return strcmp(type, "local") == 0 && id[strspn(id, "0123456789")] ? id : descr;
}

/* \p chassis, \p name: in the short shape the name is a key and no value. */
static int take_neighbour(struct reader *r, const char *interface, const json_t *chassis,
                          const char *name, const json_t *port)
{
    struct wire wire = {.from = r->system, .line = r->line, .mbps = read_rate(port)};

    if (!is_name(name)) {
        r->content->nameless++;
        return 0;
    }
    if (find_system(r, name, &wire.to))
        return -1;
    if (wire.to == wire.from)
        return 0; /* a cable between two ports of one system */
    take_traits(&r->content->trait[wire.to], chassis);
    if (wires_port(&r->content->wires, wire.from, interface, &wire.from_port, r->err) ||
        wires_port(&r->content->wires, wire.to, port_of(port), &wire.to_port, r->err))
        return -1;
    return db_list_add(&r->content->wires.list, &wire, sizeof wire, r->err);
}

/* The chassis under "chassis": {"id":.., "name":..}, a list of it, or {NAME: {"id":..}}. */
static const json_t *find_chassis(const json_t *entry, const char **name)
{
    json_t *chassis = db_json_first(entry, "chassis"), *value;
    const char *key;

    *name = "";
    if (!json_is_object(chassis))
        return NULL;
    if (json_object_get(chassis, "id")) {
        *name = value_of(chassis, "name");
        return chassis;
    }
    json_object_foreach(chassis, key, value)
    {
        *name = key;
        return value;
    }
    return NULL;
}

/* interfaces=ens,eth: what the names of interfaces begin with. */
static int is_wanted(const struct reader *r, const char *interface)
{
    for (const char *at = r->interfaces; at; at = strchr(at, ',')) {
        size_t length;

        at += *at == ',';
        length = strcspn(at, ",");
        if (length && strncmp(interface, at, length) == 0)
            return 1;
    }
    return !r->interfaces;
}

static int take_entry(struct reader *r, const char *interface, const json_t *entry)
{
    const char *name;
    const json_t *chassis = find_chassis(entry, &name), *port = db_json_first(entry, "port");

    if (!interface || !json_is_object(entry) || !json_is_object(port))
        return db_fail(r->import, r->line,
                       "a neighbour of '%.60s' without a name of an interface or a port: "
                       "expected what `lldpcli show neighbors details -f json0` prints",
                       topomap_fabric_name(&r->content->wires.fabric, r->system));
    return chassis && is_wanted(r, interface) ? take_neighbour(r, interface, chassis, name, port)
                                              : 0;
}

/* {"name": "eth0", ...} or {"eth0": {...}}. */
static int take_interface(struct reader *r, json_t *interface)
{
    json_t *value;
    const char *key;

    if (json_object_get(interface, "chassis"))
        return take_entry(r, db_json_text(interface, "name"), interface);
    json_object_foreach(interface, key, value) if (take_entry(r, key, value)) return -1;
    return 0;
}

/* ---- A system ------------------------------------------------------------------------------ */

static int take_system(struct reader *r, const char *name, json_t *document)
{
    json_t *lldp = db_json_first(document, "lldp"), *list, *each;
    size_t i;

    if (!lldp)
        lldp = document;
    list = json_object_get(lldp, "interface");
    if (!json_is_object(lldp) || (list && !json_is_array(list) && !json_is_object(list)))
        return db_fail(r->import, r->line, "'%.60s': expected {\"lldp\": [{\"interface\": [...]}]}",
                       name);
    if (!is_name(name)) {
        r->content->nameless++;
        return 0;
    }
    if (find_system(r, name, &r->system))
        return -1;
    r->content->trait[r->system].told = 1;
    if (json_is_object(list))
        return take_interface(r, list);
    json_array_foreach(list, i, each) if (take_interface(r, each)) return -1;
    return 0;
}

/* Of a file with one system: --nodes, or what the file is called, node01.site.json. */
static int name_file(struct reader *r, char *name)
{
    const char *nodes = r->import->options->nodes, *slash = strrchr(r->import->path, '/');
    const char *base = nodes ? nodes : slash ? slash + 1 : r->import->path;

    snprintf(name, DB_KEY, "%.*s", (int)strcspn(base, "."), base);
    if (name[strcspn(name, " \t,[]")] ||
        (nodes && r->import->options->more && *r->import->options->more))
        return db_fail(r->import, 0,
                       "whose neighbours are these? --nodes NODE, or a file called NODE.json");
    return 0;
}

static int take_file(struct reader *r, json_t *root)
{
    char name[DB_KEY];
    const char *key;
    json_t *each;

    if (!json_is_object(root) || !json_object_size(root))
        return db_fail(r->import, 1, "expected {\"lldp\": ...} or an object with systems for keys");
    if (json_object_get(root, "lldp"))
        return name_file(r, name) || take_system(r, name, root) ? -1 : 0;
    json_object_foreach(root, key, each) if (take_system(r, key, each)) return -1;
    return 0;
}

static int begin(struct db_import *import, void *content)
{
    struct reader r = {.import = import,
                       .content = content,
                       .interfaces = db_option(import, "interfaces"),
                       .line = 1,
                       .err = import->err};
    TOPOMAP_CLEANUP(db_json_clear) struct db_json json = {0};

    return db_json_read(import, &json) ? -1 : take_file(&r, json.root);
}

/* ---- Kinds --------------------------------------------------------------------------------- */

/* Who has an endpoint for a neighbour is none, unless others know better: hosts do not route, but
 * two of them may have a cable of their own. */
static void tell_by_endpoints(struct content *c)
{
    const struct wire *wire = c->wires.list.row;

    for (size_t i = 0; i < c->wires.list.rows; i++) {
        const uint32_t end[] = {wire[i].from, wire[i].to};

        for (int e = 0; e < 2; e++)
            if (c->trait[end[!e]].endpoint && !c->trait[end[e]].either &&
                !c->trait[end[e]].endpoint)
                c->trait[end[e]].bridge = 1;
    }
}

static void count_beside(struct trait *trait, uint32_t peer, const struct trait *other)
{
    /* Whom nobody has for a neighbour, of whose files there are some, is a host for the most. */
    if (other->endpoint || (other->told && !other->seen && !other->bridge)) {
        if (!trait->hosts)
            trait->host = peer;
        if (trait->hosts < 2)
            trait->hosts = trait->host == peer ? 1 : 2;
    }
    trait->endpoints |= other->endpoint;
    trait->bridges |= other->bridge && !other->endpoint;
}

/* Leaves have hosts beside them; a host may have another one, behind a cable of their own, and is
 * at a switch all the same. */
static int is_leaf(const struct trait *trait)
{
    return trait->hosts > 1 || (trait->endpoints && !trait->bridges);
}

/* Linux on switches, too, is what a fabric has on all of them or none. */
static void settle_linux(struct db_import *import, struct content *c)
{
    const struct wire *wire = c->wires.list.row;
    size_t leaves = 0, bridges = 0, others = 0, first = 0;

    for (size_t i = 0; i < c->wires.list.rows; i++) {
        count_beside(&c->trait[wire[i].from], wire[i].to, &c->trait[wire[i].to]);
        count_beside(&c->trait[wire[i].to], wire[i].from, &c->trait[wire[i].from]);
    }
    for (size_t v = 0; v < c->traits; v++) {
        leaves += c->trait[v].either && is_leaf(&c->trait[v]);
        bridges += c->trait[v].bridge && !c->trait[v].endpoint;
    }
    for (size_t v = c->traits; v-- > 0;) {
        struct trait *trait = &c->trait[v];
        int leaf = trait->either && is_leaf(trait);

        if (!trait->either || trait->bridge || trait->endpoint)
            continue;
        trait->bridge = leaf || (leaves && !bridges);
        trait->endpoint = !trait->bridge;
        if (trait->bridge && !leaf) {
            others++;
            first = v;
        }
    }
    if (others)
        db_warn(import, 0,
                "%zu systems forward frames, have a plain Linux and no host beside them, '%.60s' "
                "for one: taken for switches; --option hosts=HOSTLIST tells which are hosts",
                others, topomap_fabric_name(&c->wires.fabric, (uint32_t)first));
}

static enum topomap_vertex_kind kind_of(const struct trait *trait, int listed)
{
    if (listed)
        return TOPOMAP_VERTEX_SWITCH; /* the hosts have theirs already */
    if (trait->endpoint)
        return TOPOMAP_VERTEX_HOST;
    if (trait->bridge || !trait->told)
        return TOPOMAP_VERTEX_SWITCH;
    /* Its neighbours would have been told of it, were they told of anything. */
    return trait->seen ? TOPOMAP_VERTEX_UNKNOWN : TOPOMAP_VERTEX_HOST;
}

static int find_kinds(struct db_import *import, struct content *c)
{
    const char *hosts = db_option(import, "hosts");
    TOPOMAP_CLEANUP(topomap_names_clear) topomap_names names = {0};
    size_t found = 0;

    if (hosts && topomap_hostlist_expand(hosts, 0, &names, import->err))
        return -1;
    for (size_t i = 0; i < names.count; i++) {
        uint32_t v = wires_find(&c->wires, names.name[i]);

        found += v != UINT32_MAX;
        if (v != UINT32_MAX)
            c->wires.fabric.vertex[v].kind = TOPOMAP_VERTEX_HOST;
    }
    if (hosts && !found)
        return db_fail(import, 0, "none of hosts=%.60s is in the file", hosts);
    if (!hosts) {
        tell_by_endpoints(c);
        settle_linux(import, c);
        tell_by_endpoints(c);
    }
    for (uint32_t v = 0; v < c->wires.fabric.vertices; v++)
        if (c->wires.fabric.vertex[v].kind == TOPOMAP_VERTEX_UNKNOWN)
            c->wires.fabric.vertex[v].kind = (uint8_t)kind_of(&c->trait[v], hosts != NULL);
    return 0;
}

static int check(struct db_import *import, void *data)
{
    struct content *content = data;

    if (!content->wires.list.rows)
        return db_fail(import, 1,
                       "no neighbour that has a name: is lldpd running on both ends, and has "
                       "it waited (30 s)?");
    if (content->nameless)
        db_warn(import, 0, "%zu neighbours have no name but localhost, or none at all: left out",
                content->nameless);
    if (find_kinds(import, content) || wires_join(import, content))
        return -1;
    if (!content->wires.fabric.links)
        return db_fail(import, 1,
                       "only links between hosts: which of '%.60s' and the others forward? "
                       "--option hosts=HOSTLIST: all others are switches then",
                       topomap_fabric_name(&content->wires.fabric, 0));
    return 0;
}

static const topomap_graph_option options[] = {
    {"hosts", "HOSTLIST", "names that are hosts; all others are switches then"},
    {"interfaces", "NAME,...",
     "what the names of interfaces begin with that count, of hosts and switches: ens,eth,swp"},
    {NULL, NULL, NULL},
};

const db_importer db_lldp = {
    .row = {"lldp",
            "Ethernet: `lldpcli show neighbors details -f json0` of hosts and switches, one file a "
            "system "
            "or collected",
            options},
    .routing = "ecmp",
    .tables = {"vertex", "link", "routing"},
    .for_nodes = 1,
    .joins = 1,
    .size = sizeof(struct content),
    .begin = begin,
    .check = check,
    .write = wires_write,
    .clear = content_clear,
};
