/* SPDX-License-Identifier: BSD-3-Clause */
/* The inside of a class of nodes, from one node's hwloc XML. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "machine/shape.h"
#include "topology-db/import/hwloc/hwloc.h"
#include "topology-db/import/import.h"
#include "xml/xml.h"

struct inside {
    topomap_shape shape;
    db_hwloc_inside xml;
    topomap_names nodes;
};

static void inside_clear(void *content)
{
    struct inside *inside = content;

    topomap_shape_clear(&inside->shape);
    topomap_names_clear(&inside->nodes);
    db_hwloc_inside_clear(&inside->xml);
}

/* For --nodes, else for the node that the XML names. */
static int find_nodes(struct db_import *import, struct inside *inside)
{
    const char *nodes = import->options->nodes ? import->options->nodes : inside->xml.host;

    if (!nodes)
        return topomap_error_set(import->err, TOPOMAP_EUSAGE,
                                 "%s: the XML names no host; say with --nodes which nodes have "
                                 "this inside",
                                 import->path);
    return topomap_hostlist_expand(nodes, 0, &inside->nodes, import->err);
}

static int read_inside(struct db_import *import, void *content)
{
    struct inside *inside = content;
    TOPOMAP_FREED char *xml = NULL;
    size_t size;

    return DB_STATUS(
        topomap_input_all(import->input, (size_t)256 << 20, &xml, &size, import->err) ||
        topomap_xml_read(import->path, xml, size, NULL, NULL, import->err) ||
        (db_hwloc_is_diff(xml, size) &&
         db_hwloc_patch(import->path, db_option(import, "base"), &xml, &size, import->err)) ||
        db_hwloc_load(import->path, xml, size, &inside->xml, import->err) ||
        topomap_shape_parse(inside->xml.text, &inside->shape, import->err) ||
        find_nodes(import, inside));
}

/* FNV-1a (Fowler, Noll, Vo), 32 bits: short enough to read, and the text itself is the key. */
static uint32_t hash(const char *text)
{
    uint32_t h = 2166136261u;

    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 16777619u;
    return h;
}

/* The class of that shape, which is made where there is none. */
static int make_class(struct db_import *import, const struct inside *inside, int64_t *id)
{
    DB_ROWS rows = {0};
    char name[64];

    snprintf(name, sizeof name, "%" PRIu32 "c%" PRIu32 "t-%08" PRIx32, inside->shape.cores,
             inside->shape.pus, hash(inside->xml.text));
    if (DB_RUN(import->file,
               "INSERT INTO class(name, shape) SELECT ?1, ?2"
               " WHERE NOT EXISTS (SELECT 1 FROM class WHERE shape=?2)",
               import->err, DB_TEXT(name), DB_TEXT(inside->xml.text)))
        return -1;
    rows = DB_ASK(import->file, "SELECT id FROM class WHERE shape=?", import->err,
                  DB_TEXT(inside->xml.text));
    *id = db_next(&rows) ? sqlite3_column_int64(rows.row, 0) : 0;
    return rows.result;
}

/* The node whose adapters the XML has: the one that it names, where it is for that node; else the
 * only one that it is for, and then the XML may have been taken on another node of the class. */
static const char *nic_node(const struct inside *inside, int *exact)
{
    char host[DB_KEY], key[DB_KEY];

    *exact = 1;
    for (size_t i = 0; inside->xml.host && i < inside->nodes.count; i++) {
        db_host_key(inside->xml.host, host);
        db_host_key(inside->nodes.name[i], key);
        if (strcmp(host, key) == 0)
            return inside->nodes.name[i];
    }
    *exact = !inside->xml.host;
    return inside->nodes.count == 1 ? inside->nodes.name[0] : NULL;
}

static int write_nics(struct db_import *import, const char *lines, const char *node, int exact)
{
    char device[64];
    uint64_t guid;

    while (lines && node && db_hwloc_nic(&lines, device, sizeof device, &guid))
        if (DB_ADD(import, "INSERT INTO nic", DB_INT(import->source), DB_TEXT(node),
                   DB_TEXT(device), DB_INT(guid), DB_INT(exact)))
            return -1;
    return 0;
}

/* What is one node's alone: a line "BUS UUID STATE" each. */
static int write_owned(struct db_import *import, const char *node, const char *line)
{
    for (; node && line && *line; line += strcspn(line, "\n"), line += *line == '\n') {
        char bus[20], uuid[48];
        int state;

        if (sscanf(line, "%19s %47s %d", bus, uuid, &state) == 3 &&
            db_devices_own(import, node, topomap_bus_parse(bus), strcmp(uuid, "-") ? uuid : NULL,
                           state))
            return -1;
    }
    return 0;
}

static int write_inside(struct db_import *import, void *content)
{
    const struct inside *inside = content;
    const db_hwloc_inside *xml = &inside->xml;
    int exact;
    const char *node = nic_node(inside, &exact);
    int64_t class;

    if (make_class(import, inside, &class))
        return -1;
    for (size_t i = 0; i < inside->nodes.count; i++) {
        char key[DB_KEY];

        db_host_key(inside->nodes.name[i], key);
        if (DB_ADD(import, "INSERT OR REPLACE INTO node_class", DB_TEXT(key),
                   DB_INT(import->source), DB_TEXT(inside->nodes.name[i]), DB_INT(class)))
            return -1;
    }
    import->report->hosts = inside->nodes.count;
    import->report->classes = 1;
    return DB_STATUS(write_nics(import, xml->nics, node, exact) ||
                     (xml->devices && (db_devices_write(import, xml->devices, &inside->nodes) ||
                                       write_owned(import, node, xml->owned))) ||
                     db_forget_classes(import->file, import->err));
}

static const topomap_graph_option options[] = {
    {"base", "FILE", "the whole topology that an hwloc difference (hwloc-diff) refers to"},
    {NULL, NULL, NULL},
};

const db_importer db_hwloc = {
    .row =
        {"hwloc",
         "inside of a class of nodes, with its GPUs and NICs: an hwloc XML, for --nodes HOSTLIST",
         options},
    .tables = {"node_class", "nic", "node_devices", "own_device"},
    .for_nodes = 1,
    .own_words = 1,
    .size = sizeof(struct inside),
    .begin = read_inside,
    .write = write_inside,
    .clear = inside_clear,
};
