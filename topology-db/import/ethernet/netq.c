/* SPDX-License-Identifier: BSD-3-Clause */
/* NetQ's topology graph: a list with one object of nodes and links, both in groups:
 *
 *   [{"nodes":[{"compounded_nodes":[{"id":"node0","name":"leaf1","device_type":"switch","tier":1}]}],
 *     "links":[{"compounded_links":[{"id":"node9:swp17s0-*-node12:ens4f0np0",
 *               "interfaces":[{"node":"node9","interface":"swp17s0"},{..}]}]}]}]
 *
 * Hosts are what is no switch, "discovered_via_lldp" and of tier -1. It has no rates. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/import/ethernet/wires.h"
#include "topology-db/import/json_reader.h"
#include "util/alloc.h"

struct reader {
    struct db_import *import;
    struct wires *wires;
    const struct db_json *json;
    topomap_known ids;
    uint32_t *vertex; /* [ids.count] */
    size_t room, nodes, links;
    topomap_error *err;
};

/* Groups stand in the text as they come, nodes behind links or before them. */
static size_t line_of(const struct reader *r, const char *key)
{
    const char *at = r->json->text ? strstr(r->json->text, key) : NULL;
    size_t line = 1;

    for (const char *from = r->json->text; at && from < at; from++)
        line += *from == '\n';
    return at ? line : 0;
}

static int take_node(struct reader *r, const json_t *node)
{
    const char *id = db_json_text(node, "id"), *name = db_json_text(node, "name");
    const char *type = db_json_text(node, "device_type");
    size_t before = r->ids.count;
    uint32_t at, vertex;

    r->nodes++;
    if (!id || !name)
        return db_fail(r->import, line_of(r, "\"compounded_nodes\""),
                       "node %zu of \"compounded_nodes\" has no \"id\" or no \"name\"", r->nodes);
    if (topomap_known_number(&r->ids, id, strlen(id) + 1, &at, r->err) ||
        topomap_grow(&r->vertex, &r->room, r->ids.count, sizeof *r->vertex, r->err) ||
        wires_system(r->wires, name, &vertex, r->err))
        return -1;
    if (at < before && r->vertex[at] != vertex)
        return db_fail(r->import, line_of(r, "\"compounded_nodes\""),
                       "node id '%.60s' has two names", id);
    r->vertex[at] = vertex;
    r->wires->fabric.vertex[vertex].kind =
        type && strcmp(type, "switch") == 0 ? TOPOMAP_VERTEX_SWITCH : TOPOMAP_VERTEX_HOST;
    return 0;
}

/* One of the two ends of a link. */
static int take_end(struct reader *r, const json_t *end, uint32_t *vertex, uint32_t *port)
{
    const char *node = db_json_text(end, "node"), *interface = db_json_text(end, "interface");
    uint32_t at;

    if (!node || !interface)
        return db_fail(r->import, line_of(r, "\"compounded_links\""),
                       "link %zu of \"compounded_links\": expected two \"interfaces\", each "
                       "with \"node\" and \"interface\"",
                       r->links);
    at = topomap_known_find(&r->ids, node, strlen(node) + 1);
    if (at == UINT32_MAX)
        return db_fail(r->import, line_of(r, node),
                       "link %zu is of node '%.60s', which no \"compounded_nodes\" has", r->links,
                       node);
    *vertex = r->vertex[at];
    return wires_port(r->wires, *vertex, interface, port, r->err);
}

static int take_link(struct reader *r, const json_t *link)
{
    const json_t *ends = json_object_get(link, "interfaces");
    struct wire wire = {.line = ++r->links};

    if (take_end(r, json_array_get(ends, 0), &wire.from, &wire.from_port) ||
        take_end(r, json_array_get(ends, 1), &wire.to, &wire.to_port))
        return -1;
    return wire.from == wire.to ? 0 : db_list_add(&r->wires->list, &wire, sizeof wire, r->err);
}

/* Gives \p take each object of the groups: root[].groups[].members[]. */
static int each_of(struct reader *r, const json_t *root, const char *groups, const char *members,
                   int (*take)(struct reader *r, const json_t *object))
{
    const json_t *part = json_is_object(root) ? root : json_array_get(root, 0);
    json_t *group, *member;
    size_t k, m;

    for (size_t i = 1; part; part = json_array_get(root, i++))
        json_array_foreach(json_object_get(part, groups), k, group) json_array_foreach(
            json_object_get(group, members), m, member) if (take(r, member)) return -1;
    return 0;
}

static int begin(struct db_import *import, void *wires)
{
    TOPOMAP_CLEANUP(db_json_clear) struct db_json json = {0};
    struct reader r = {.import = import, .wires = wires, .json = &json, .err = import->err};
    int result = DB_STATUS(db_json_read(import, &json) ||
                           each_of(&r, json.root, "nodes", "compounded_nodes", take_node) ||
                           each_of(&r, json.root, "links", "compounded_links", take_link));

    topomap_known_clear(&r.ids);
    free(r.vertex);
    if (!result && !r.links)
        return db_fail(import, 1,
                       "no \"links\" with \"compounded_links\": not NetQ's topology graph");
    return result;
}

const db_importer db_netq = {
    .row = {"netq", "Ethernet: NetQ's topology graph in JSON"},
    .routing = "ecmp",
    .tables = {"vertex", "link", "routing"},
    .own_words = 1,
    .size = sizeof(struct wires),
    .begin = begin,
    .check = wires_join,
    .write = wires_write,
    .clear = wires_clear,
};
