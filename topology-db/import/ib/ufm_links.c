/* SPDX-License-Identifier: BSD-3-Clause */
/* UFM's links, GET /ufmRest/resources/links: a list with an object a cable:
 *
 *   {"source_guid":"0c42a103001b7bf6","source_port":"1","source_port_dname":"HCA-2/1",
 *    "source_port_node_description":"luna-0395 mlx5_10",
 *    "destination_guid":"0c42a103009d7af6","destination_port":"19",
 *    "destination_port_node_description":"SLG03-10:19","width":"4x", ...}
 *
 * Ports are decimal. What a node is it does not say: an adapter's description or port has an
 * adapter's name. A switch's description ends with the name of the port. Speeds are not told. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "topology-db/import/ib/ib_read.h"
#include "topology-db/import/json_reader.h"
#include "util/alloc.h"

struct node {
    uint64_t guid;
    int64_t port;
    int kind;
    const char *text;
    size_t length;
};

struct reader {
    struct db_import *import;
    struct ib_fabric *fabric;
    size_t line; /* of the link at hand */
    topomap_error *err;
};

static int fail(struct reader *r, const char *side)
{
    return db_fail(r->import, r->line,
                   "expected %s_guid with up to 16 hexadecimal digits, and %s_port from 1 to "
                   "254",
                   side, side);
}

static int is_adapter(const char *text, const char *port)
{
    char adapter[64];

    return ib_adapter_name(text, adapter, sizeof adapter) ||
           (strncmp(text, "MT", 2) == 0 && isdigit((unsigned char)text[2])) ||
           ib_is_aggregation(text, 0) || (port && strncasecmp(port, "HCA", 3) == 0);
}

/* Without ":1/3/1", the port. */
static size_t switch_length(const char *text)
{
    const char *colon = strrchr(text, ':');

    return colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789/")]
               ? (size_t)(colon - text)
               : strlen(text);
}

static int read_node(struct reader *r, const json_t *link, const char *side, struct node *node)
{
    char key[64];
    const char *guid, *dname;
    char *at;

    snprintf(key, sizeof key, "%s_guid", side);
    guid = db_json_text(link, key);
    snprintf(key, sizeof key, "%s_port", side);
    node->port = db_json_number(link, key);
    at = (char *)guid;
    if (!guid || ib_read_guid(&at, &node->guid) || *at || node->port < 1 || node->port > 254)
        return fail(r, side);
    snprintf(key, sizeof key, "%s_port_dname", side);
    dname = db_json_text(link, key);
    snprintf(key, sizeof key, "%s_port_node_description", side);
    node->text = db_json_text(link, key);
    if (!node->text)
        node->text = "";
    node->kind = is_adapter(node->text, dname) ? IB_ADAPTER : IB_SWITCH;
    node->length = node->kind == IB_SWITCH ? switch_length(node->text) : strlen(node->text);
    return 0;
}

static int add_ends(struct reader *r, const struct node *a, const struct node *b, uint8_t width,
                    uint8_t speed)
{
    struct ib_end end = {.port = (uint8_t)a->port,
                         .remote_port = (uint8_t)b->port,
                         .width = width,
                         .speed = speed,
                         .line = r->line};

    if (ib_neighbour(r->fabric, a->guid, a->kind, a->text, a->length, &end.vertex, r->err) ||
        ib_neighbour(r->fabric, b->guid, b->kind, b->text, b->length, &end.remote, r->err))
        return -1;
    return ib_add_both(r->fabric, &end, r->err);
}

static int take_link(struct db_import *import, void *fabric, const json_t *link, size_t line)
{
    struct reader r = {
        .import = import, .fabric = fabric, .line = line ? line : 1, .err = import->err};
    const char *wide = db_json_text(link, "width"), *fast = db_json_text(link, "speed");
    char *at = (char *)wide;
    struct node a, b;
    uint8_t width = 0, speed = fast ? ib_speed_named(fast, strlen(fast)) : 0;

    if (read_node(&r, link, "source", &a) || read_node(&r, link, "destination", &b))
        return -1;
    if (wide && (*wide < '0' || *wide > '9' || ib_read_width(&at, &width)))
        width = 0;
    return add_ends(&r, &a, &b, width, speed);
}

static int begin(struct db_import *import, void *content)
{
    TOPOMAP_CLEANUP(db_json_clear) struct db_json json = {0};
    struct ib_fabric *fabric = content;

    if (db_json_read(import, &json))
        return -1;
    if (!json_array_size(json.root))
        return db_fail(import, 1,
                       "expected a list of links, as GET /ufmRest/resources/links answers");
    if (db_json_each(import, &json, NULL, "", take_link, fabric))
        return -1;
    /* Each link is there once or twice, and no end is missing. */
    fabric->both = 1;
    for (size_t k = 0; k < fabric->vertices; k++)
        fabric->vertex[k].recorded = 1;
    return ib_join(fabric, import);
}

const db_importer db_ufm_links = {
    .row = {"ufm-links", "InfiniBand fabric: UFM's links in JSON (/ufmRest/resources/links)"},
    .begin = begin,
    IB_IMPORTER,
};
