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

struct reader {
    struct db_import *import;
    struct ib_fabric *fabric;
    size_t line; /* of the link at hand */
};

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

static int read_node(struct reader *r, const json_t *link, const char *side, uint32_t *vertex,
                     uint8_t *port)
{
    char key[64], *at;
    const char *guid, *dname, *text;
    int64_t number;
    uint64_t id;

    snprintf(key, sizeof key, "%s_guid", side);
    guid = db_json_text(link, key);
    at = (char *)guid;
    snprintf(key, sizeof key, "%s_port", side);
    number = db_json_number(link, key);
    if (!guid || ib_read_guid(&at, &id) || *at || number < 1 || number > 254)
        return db_fail(r->import, r->line,
                       "expected %s_guid with up to 16 hexadecimal digits, and %s_port from 1 to "
                       "254",
                       side, side);
    *port = (uint8_t)number;
    snprintf(key, sizeof key, "%s_port_dname", side);
    dname = db_json_text(link, key);
    snprintf(key, sizeof key, "%s_port_node_description", side);
    text = db_json_text(link, key) ?: "";
    return is_adapter(text, dname)
               ? ib_neighbour(r->fabric, id, IB_ADAPTER, text, strlen(text), vertex, r->import->err)
               : ib_neighbour(r->fabric, id, IB_SWITCH, text, switch_length(text), vertex,
                              r->import->err);
}

static int take_link(struct db_import *import, void *fabric, const json_t *link, size_t line)
{
    struct reader r = {.import = import, .fabric = fabric, .line = line ? line : 1};
    const char *wide = db_json_text(link, "width"), *fast = db_json_text(link, "speed");
    struct ib_end end = {.line = r.line, .speed = fast ? ib_speed_named(fast, strlen(fast)) : 0};
    char *at = (char *)wide;

    if (read_node(&r, link, "source", &end.vertex, &end.port) ||
        read_node(&r, link, "destination", &end.remote, &end.remote_port))
        return -1;
    if (wide && (*wide < '0' || *wide > '9' || ib_read_width(&at, &end.width)))
        end.width = 0;
    return ib_add_both(fabric, &end, import->err);
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
