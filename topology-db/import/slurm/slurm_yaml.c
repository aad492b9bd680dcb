/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.yaml (Slurm 24.11 and later): a list of topologies, each exactly one of tree, block,
 * flat, ring, torus3d. Refused is what Slurm refuses. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/import/slurm/slurm_topology.h"
#include "topology-db/import/json_reader.h"
#include "util/alloc.h"

struct reader {
    struct slurm_file *file;
    yaml_document_t *document;
    const char *what; /* what the entry at hand is called, for messages */
    uint8_t *taken;   /* of the torus that is read: places with a node */
};

typedef int take_entry(struct reader *r, const yaml_node_t *entry);

/* ---- Nodes of the document ----------------------------------------------------------------- */

static size_t line_of(const yaml_node_t *node)
{
    return node ? node->start_mark.line + 1 : 0;
}

static size_t list_size(const yaml_node_t *list)
{
    return (size_t)(list->data.sequence.items.top - list->data.sequence.items.start);
}

static int need_mapping(struct reader *r, const yaml_node_t *node, const char *what)
{
    return node && node->type == YAML_MAPPING_NODE
               ? 0
               : slurm_fail(r->file, line_of(node), "%s must be a dictionary", what);
}

/* The list under a key of \p mapping. */
static yaml_node_t *need_list(struct reader *r, const yaml_node_t *mapping, const char *key)
{
    yaml_node_t *list = db_yaml_value(r->document, mapping, key);

    if (list && list->type == YAML_SEQUENCE_NODE)
        return list;
    slurm_fail(r->file, list ? line_of(list) : line_of(mapping), "%s must be a list", key);
    return NULL;
}

static const char *need_text(struct reader *r, const yaml_node_t *mapping, const char *key)
{
    const yaml_node_t *node = db_yaml_value(r->document, mapping, key);
    const char *text = db_yaml_scalar(node);

    if (text && *text)
        return text;
    slurm_fail(r->file, line_of(mapping), "expected a text for '%s'", key);
    return NULL;
}

static int read_number(struct reader *r, const yaml_node_t *node, const char *what, uint32_t least,
                       uint32_t *number)
{
    const char *text = db_yaml_scalar(node);
    char *end = NULL;
    unsigned long n = text ? strtoul(text, &end, 10) : 0;

    if (!text || *text < '0' || *text > '9' || *end || n < least || n > INT32_MAX)
        return slurm_fail(r->file, line_of(node), "%s: expected a whole number from %u", what,
                          least);
    *number = (uint32_t)n;
    return 0;
}

static int read_axes(struct reader *r, const yaml_node_t *mapping, const char *what, uint32_t least,
                     uint32_t *axis)
{
    static const char *const names[] = {"x", "y", "z"};

    if (need_mapping(r, mapping, what))
        return -1;
    for (int i = 0; i < 3; i++)
        if (read_number(r, db_yaml_value(r->document, mapping, names[i]), what, least, &axis[i]))
            return -1;
    return 0;
}

/* Gives \p take each entry of the list under a key; \p what they are, for messages. */
static int each_of(struct reader *r, const yaml_node_t *mapping, const char *key, const char *what,
                   take_entry *take)
{
    const yaml_node_t *list = need_list(r, mapping, key), *item;

    for (size_t i = 0; (item = db_yaml_item(r->document, list, i)); i++) {
        r->what = what;
        if (need_mapping(r, item, what) || take(r, item))
            return -1;
    }
    return list ? 0 : -1;
}

/* ---- Kinds -------------------------------------------------------------------------------- */

static int read_switch(struct reader *r, const yaml_node_t *entry)
{
    const yaml_node_t *children = db_yaml_value(r->document, entry, "children");
    const yaml_node_t *nodes = db_yaml_value(r->document, entry, "nodes"),
                      *members = children ? children : nodes;
    const char *name = need_text(r, entry, "switch");

    if (!name)
        return -1;
    if (children && nodes)
        return slurm_fail(r->file, line_of(entry), "switch '%.60s' has both children and nodes",
                          name);
    if (slurm_add_unit(r->file, name, line_of(entry)))
        return -1;
    if (members && !db_yaml_scalar(members))
        return slurm_fail(r->file, line_of(entry), "expected a host list in one text");
    return members ? slurm_add_members(r->file, db_yaml_scalar(members), children != NULL,
                                       line_of(entry))
                   : 0;
}

/* A block, or a ring: what it is called is also the key of its name. */
static int read_unit(struct reader *r, const yaml_node_t *entry)
{
    const char *name = need_text(r, entry, r->what),
               *nodes = db_yaml_scalar(db_yaml_value(r->document, entry, "nodes"));

    if (!name || slurm_add_unit(r->file, name, line_of(entry)))
        return -1;
    return nodes ? slurm_add_members(r->file, nodes, 0, line_of(entry)) : 0;
}

static int read_sizes(struct reader *r, const yaml_node_t *block)
{
    struct slurm_topology *topology = &r->file->topology[r->file->topologies - 1];
    const yaml_node_t *sizes = need_list(r, block, "block_sizes"), *size;

    if (!sizes)
        return -1;
    if (list_size(sizes) > SLURM_SIZES)
        return slurm_fail(r->file, line_of(sizes), "more than %d block sizes", SLURM_SIZES);
    for (size_t i = 0; (size = db_yaml_item(r->document, sizes, i)); i++)
        if (read_number(r, size, "block_sizes", 1, &topology->sizes[topology->size_count++]))
            return -1;
    return 0;
}

/* Nodes of a box of the torus, x fastest, from the last members added: \p first on. */
static int fill_box(struct reader *r, const uint32_t *anchor, const uint32_t *dims, size_t first,
                    size_t line)
{
    const struct slurm_unit *torus = &r->file->unit[r->file->units - 1];
    size_t count = r->file->members - first;

    for (int i = 0; i < 3; i++)
        if (anchor[i] >= torus->dim[i] || dims[i] > torus->dim[i] - anchor[i])
            return slurm_fail(r->file, line, "a region that reaches out of the torus");
    if ((uint64_t)dims[0] * dims[1] * dims[2] != count)
        return slurm_fail(r->file, line, "%zu nodes do not fill %ux%ux%u", count, dims[0], dims[1],
                          dims[2]);
    for (size_t i = 0; i < count; i++) {
        uint32_t x = anchor[0] + (uint32_t)(i % dims[0]);
        uint32_t y = anchor[1] + (uint32_t)(i / dims[0] % dims[1]);
        uint32_t z = anchor[2] + (uint32_t)(i / dims[0] / dims[1]);
        uint32_t at = x + torus->dim[0] * (y + torus->dim[1] * z);

        if (r->taken[at]++)
            return slurm_fail(r->file, line, "place %u,%u,%u has two nodes", x, y, z);
        r->file->member[first + i].position = at;
    }
    return 0;
}

static int read_region(struct reader *r, const yaml_node_t *region)
{
    uint32_t anchor[3], dims[3];
    size_t first = r->file->members;
    const char *nodes;

    if (read_axes(r, db_yaml_value(r->document, region, "anchor"), "anchor", 0, anchor) ||
        read_axes(r, db_yaml_value(r->document, region, "dims"), "dims", 1, dims) ||
        !(nodes = need_text(r, region, "nodes")) ||
        slurm_add_members(r->file, nodes, 0, line_of(region)))
        return -1;
    return fill_box(r, anchor, dims, first, line_of(region));
}

/* Placements are sizes of jobs: they must fit; they say nothing about distances. */
static int check_placement(struct reader *r, const yaml_node_t *entry)
{
    const struct slurm_unit *torus = &r->file->unit[r->file->units - 1];
    uint32_t dims[3];

    if (read_axes(r, db_yaml_value(r->document, entry, "dims"), "dims", 1, dims))
        return -1;
    for (int axis = 0; axis < 3; axis++)
        if (dims[axis] > torus->dim[axis])
            return slurm_fail(r->file, line_of(entry), "%s larger than its torus", r->what);
    return 0;
}

static int fill_torus(struct reader *r, const yaml_node_t *torus)
{
    static const uint32_t origin[3];
    const struct slurm_unit *unit = &r->file->unit[r->file->units - 1];
    const yaml_node_t *nodes = db_yaml_value(r->document, torus, "nodes");
    size_t first = r->file->members;

    if (!nodes == !db_yaml_value(r->document, torus, "regions"))
        return slurm_fail(r->file, line_of(torus), "a torus has either nodes or regions");
    if (!nodes)
        return each_of(r, torus, "regions", "a region", read_region);
    if (!db_yaml_scalar(nodes))
        return slurm_fail(r->file, line_of(nodes), "expected a host list in one text");
    return DB_STATUS(slurm_add_members(r->file, db_yaml_scalar(nodes), 0, line_of(nodes)) ||
                     fill_box(r, origin, unit->dim, first, line_of(torus)));
}

static int read_torus(struct reader *r, const yaml_node_t *torus)
{
    const char *name = need_text(r, torus, "name");
    TOPOMAP_FREED uint8_t *taken = NULL;
    uint64_t places;
    uint32_t dim[3];

    if (!name || read_axes(r, db_yaml_value(r->document, torus, "dims"), "dims", 1, dim))
        return -1;
    places = (uint64_t)dim[0] * dim[1];
    places = places > SLURM_TORUS_MOST ? places : places * dim[2];
    if (places > SLURM_TORUS_MOST || (r->file->places += places) > SLURM_TORUS_MOST)
        return slurm_fail(r->file, line_of(torus), "toruses of more than %d places",
                          SLURM_TORUS_MOST);
    if (slurm_add_unit(r->file, name, line_of(torus)))
        return -1;
    memcpy(r->file->unit[r->file->units - 1].dim, dim, sizeof dim);
    r->taken = taken = topomap_alloc((size_t)dim[0] * dim[1] * dim[2], 1, r->file->err);
    if (!taken || fill_torus(r, torus))
        return -1;
    return db_yaml_value(r->document, torus, "placements")
               ? each_of(r, torus, "placements", "a placement", check_placement)
               : 0;
}

static const struct kind {
    const char *key;
    enum slurm_kind kind;
    const char *list, *what; /* of its units, and what one is called */
    take_entry *read;
} kinds[] = {
    {"tree", SLURM_TREE, "switches", "a switch", read_switch},
    {"block", SLURM_BLOCK, "blocks", "block", read_unit},
    {"flat", SLURM_FLAT, NULL, NULL, NULL},
    {"ring", SLURM_RING, "rings", "ring", read_unit},
    {"torus3d", SLURM_TORUS, "toruses", "a torus", read_torus},
};

/* ---- Topologies ---------------------------------------------------------------------------- */

static int is_true(const yaml_node_t *node)
{
    const char *text = db_yaml_scalar(node);

    return text && (strcmp(text, "true") == 0 || strcmp(text, "True") == 0 ||
                    strcmp(text, "TRUE") == 0 || strcmp(text, "yes") == 0);
}

static int read_topology(struct reader *r, const yaml_node_t *entry)
{
    const yaml_node_t *found = NULL;
    const struct kind *kind = NULL;
    const char *name;

    if (need_mapping(r, entry, "a topology") || !(name = need_text(r, entry, "topology")))
        return -1;
    for (const struct kind *k = kinds; k < kinds + sizeof kinds / sizeof *kinds; k++) {
        const yaml_node_t *node = db_yaml_value(r->document, entry, k->key);

        if (!node || (k->kind == SLURM_FLAT && db_yaml_scalar(node) && !is_true(node)))
            continue;
        if (found)
            return slurm_fail(r->file, line_of(entry),
                              "topology '%.60s' is both %s and %s: one of them", name, kind->key,
                              k->key);
        found = node;
        kind = k;
    }
    if (!found)
        return slurm_fail(r->file, line_of(entry),
                          "topology '%.60s' is none of tree, block, flat, ring, torus3d", name);
    if (kind->list && need_mapping(r, found, kind->key))
        return -1;
    for (size_t i = 0; i < r->file->topologies; i++)
        if (strcmp(r->file->topology[i].name, name) == 0)
            return slurm_fail(r->file, line_of(entry), "two topologies '%.60s'", name);
    if (slurm_add_topology(r->file, name, kind->kind, line_of(entry)))
        return -1;
    r->file->topology[r->file->topologies - 1].is_default =
        is_true(db_yaml_value(r->document, entry, "cluster_default"));
    if (kind->kind == SLURM_BLOCK && read_sizes(r, found))
        return -1;
    return kind->list ? each_of(r, found, kind->list, kind->what, kind->read) : 0;
}

static int read_root(yaml_document_t *document, void *data)
{
    struct reader *r = data;
    const yaml_node_t *root = yaml_document_get_root_node(document), *topology;

    r->document = document;
    if (!root)
        return slurm_fail(r->file, 0, "no topology");
    if (root->type != YAML_SEQUENCE_NODE)
        return slurm_fail(r->file, line_of(root),
                          "the root must be a list of topologies (topology.yaml)");
    if (list_size(root) > 1000)
        return slurm_fail(r->file, line_of(root), "more than 1000 topologies");
    for (size_t i = 0; (topology = db_yaml_item(document, root, i)); i++)
        if (read_topology(r, topology))
            return -1;
    return 0;
}

int slurm_read_yaml(struct slurm_file *file)
{
    struct reader r = {.file = file};

    return db_yaml_read(file->import, read_root, &r);
}
