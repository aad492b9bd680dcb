/* SPDX-License-Identifier: BSD-3-Clause */
/* topology.yaml (Slurm 24.11 and later): a list of topologies, each exactly one of tree, block,
 * flat, ring, torus3d. Refused is what Slurm refuses. */
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "topology-db/import/slurm/slurm_topology.h"
#include "util/alloc.h"

struct reader {
    struct slurm_file *file;
    yaml_document_t document;
    uint8_t *taken; /* of the torus that is read: places with a node */
};

/* ---- Nodes of the document ----------------------------------------------------------------- */

static size_t line_of(const yaml_node_t *node)
{
    return node ? node->start_mark.line + 1 : 0;
}

static const char *scalar(const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

/* The value of a key; NULL: not there. */
static yaml_node_t *value_of(struct reader *r, const yaml_node_t *mapping, const char *key)
{
    if (!mapping || mapping->type != YAML_MAPPING_NODE)
        return NULL;
    for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
         pair < mapping->data.mapping.pairs.top; pair++) {
        const char *name = scalar(yaml_document_get_node(&r->document, pair->key));

        if (name && strcmp(name, key) == 0)
            return yaml_document_get_node(&r->document, pair->value);
    }
    return NULL;
}

static size_t list_size(const yaml_node_t *list)
{
    return (size_t)(list->data.sequence.items.top - list->data.sequence.items.start);
}

static yaml_node_t *item(struct reader *r, const yaml_node_t *list, size_t i)
{
    return yaml_document_get_node(&r->document, list->data.sequence.items.start[i]);
}

static int need_mapping(struct reader *r, const yaml_node_t *node, const char *what,
                        topomap_error *err)
{
    return node && node->type == YAML_MAPPING_NODE
               ? 0
               : slurm_fail(r->file, line_of(node), err, "%s must be a dictionary", what);
}

/* The list under a key of \p mapping. */
static yaml_node_t *need_list(struct reader *r, const yaml_node_t *mapping, const char *key,
                              topomap_error *err)
{
    yaml_node_t *list = value_of(r, mapping, key);

    if (list && list->type == YAML_SEQUENCE_NODE)
        return list;
    slurm_fail(r->file, list ? line_of(list) : line_of(mapping), err, "%s must be a list", key);
    return NULL;
}

static const char *need_text(struct reader *r, const yaml_node_t *mapping, const char *key,
                             topomap_error *err)
{
    const yaml_node_t *node = value_of(r, mapping, key);
    const char *text = scalar(node);

    if (text && *text)
        return text;
    slurm_fail(r->file, line_of(mapping), err, "expected a text for '%s'", key);
    return NULL;
}

static int read_number(struct reader *r, const yaml_node_t *node, const char *what, uint32_t least,
                       uint32_t *number, topomap_error *err)
{
    const char *text = scalar(node);
    char *end = NULL;
    unsigned long n = text ? strtoul(text, &end, 10) : 0;

    if (!text || *text < '0' || *text > '9' || *end || n < least || n > INT32_MAX)
        return slurm_fail(r->file, line_of(node), err, "%s: expected a whole number from %u", what,
                          least);
    *number = (uint32_t)n;
    return 0;
}

static int read_axes(struct reader *r, const yaml_node_t *mapping, const char *what, uint32_t least,
                     uint32_t *axis, topomap_error *err)
{
    static const char *const names[] = {"x", "y", "z"};

    if (need_mapping(r, mapping, what, err))
        return -1;
    for (int i = 0; i < 3; i++)
        if (read_number(r, value_of(r, mapping, names[i]), what, least, &axis[i], err))
            return -1;
    return 0;
}

/* ---- Kinds -------------------------------------------------------------------------------- */

static int read_tree(struct reader *r, const yaml_node_t *tree, topomap_error *err)
{
    const yaml_node_t *list = need_list(r, tree, "switches", err);
    size_t count;

    for (size_t i = 0; list && i < list_size(list); i++) {
        const yaml_node_t *entry = item(r, list, i), *children, *nodes;
        const char *name;

        if (need_mapping(r, entry, "a switch", err) || !(name = need_text(r, entry, "switch", err)))
            return -1;
        children = value_of(r, entry, "children");
        nodes = value_of(r, entry, "nodes");
        if (children && nodes)
            return slurm_fail(r->file, line_of(entry), err,
                              "switch '%.60s' has both children and nodes", name);
        if (slurm_add_unit(r->file, name, line_of(entry), err))
            return -1;
        if ((children || nodes) && !scalar(children ? children : nodes))
            return slurm_fail(r->file, line_of(entry), err, "expected a host list in one text");
        if ((children || nodes) && slurm_add_members(r->file, scalar(children ? children : nodes),
                                                     children != NULL, line_of(entry), &count, err))
            return -1;
    }
    return list ? 0 : -1;
}

/* Blocks, or rings: a list of names with their nodes. */
static int read_units(struct reader *r, const yaml_node_t *list, const char *key,
                      topomap_error *err)
{
    size_t count;

    for (size_t i = 0; i < list_size(list); i++) {
        const yaml_node_t *entry = item(r, list, i);
        const char *name, *nodes;

        if (need_mapping(r, entry, key, err) || !(name = need_text(r, entry, key, err)))
            return -1;
        nodes = scalar(value_of(r, entry, "nodes"));
        if (slurm_add_unit(r->file, name, line_of(entry), err) ||
            (nodes && slurm_add_members(r->file, nodes, 0, line_of(entry), &count, err)))
            return -1;
    }
    return 0;
}

static int read_block(struct reader *r, const yaml_node_t *block, topomap_error *err)
{
    struct slurm_topology *topology = &r->file->topology[r->file->topologies - 1];
    const yaml_node_t *sizes = need_list(r, block, "block_sizes", err), *blocks;

    if (!sizes)
        return -1;
    if (list_size(sizes) > SLURM_SIZES)
        return slurm_fail(r->file, line_of(sizes), err, "more than %d block sizes", SLURM_SIZES);
    for (size_t i = 0; i < list_size(sizes); i++)
        if (read_number(r, item(r, sizes, i), "block_sizes", 1,
                        &topology->sizes[topology->size_count++], err))
            return -1;
    blocks = need_list(r, block, "blocks", err);
    return blocks ? read_units(r, blocks, "block", err) : -1;
}

static int read_ring(struct reader *r, const yaml_node_t *ring, topomap_error *err)
{
    const yaml_node_t *list = need_list(r, ring, "rings", err);

    return list ? read_units(r, list, "ring", err) : -1;
}

/* Nodes of a box of the torus, x fastest, from the last members added: \p first on. */
static int fill_box(struct reader *r, const uint32_t *anchor, const uint32_t *dims, size_t first,
                    size_t line, topomap_error *err)
{
    const struct slurm_unit *torus = &r->file->unit[r->file->units - 1];
    size_t count = r->file->members - first;

    for (int i = 0; i < 3; i++)
        if (anchor[i] >= torus->dim[i] || dims[i] > torus->dim[i] - anchor[i])
            return slurm_fail(r->file, line, err, "a region that reaches out of the torus");
    if ((uint64_t)dims[0] * dims[1] * dims[2] != count)
        return slurm_fail(r->file, line, err, "%zu nodes do not fill %ux%ux%u", count, dims[0],
                          dims[1], dims[2]);
    for (size_t i = 0; i < count; i++) {
        uint32_t x = anchor[0] + (uint32_t)(i % dims[0]);
        uint32_t y = anchor[1] + (uint32_t)(i / dims[0] % dims[1]);
        uint32_t z = anchor[2] + (uint32_t)(i / dims[0] / dims[1]);
        uint32_t at = x + torus->dim[0] * (y + torus->dim[1] * z);

        if (r->taken[at]++)
            return slurm_fail(r->file, line, err, "place %u,%u,%u has two nodes", x, y, z);
        r->file->member[first + i].position = at;
    }
    return 0;
}

static int read_region(struct reader *r, const yaml_node_t *region, topomap_error *err)
{
    uint32_t anchor[3], dims[3];
    size_t first = r->file->members, count;
    const char *nodes;

    if (need_mapping(r, region, "a region", err) ||
        read_axes(r, value_of(r, region, "anchor"), "anchor", 0, anchor, err) ||
        read_axes(r, value_of(r, region, "dims"), "dims", 1, dims, err) ||
        !(nodes = need_text(r, region, "nodes", err)) ||
        slurm_add_members(r->file, nodes, 0, line_of(region), &count, err))
        return -1;
    return fill_box(r, anchor, dims, first, line_of(region), err);
}

/* Placements are sizes of jobs: they must fit; they say nothing about distances. */
static int check_placements(struct reader *r, const yaml_node_t *torus, topomap_error *err)
{
    const struct slurm_unit *unit = &r->file->unit[r->file->units - 1];
    const yaml_node_t *list;

    if (!value_of(r, torus, "placements"))
        return 0;
    list = need_list(r, torus, "placements", err);
    for (size_t i = 0; list && i < list_size(list); i++) {
        const yaml_node_t *entry = item(r, list, i);
        uint32_t dims[3];

        if (need_mapping(r, entry, "a placement", err) ||
            read_axes(r, value_of(r, entry, "dims"), "dims", 1, dims, err))
            return -1;
        for (int axis = 0; axis < 3; axis++)
            if (dims[axis] > unit->dim[axis])
                return slurm_fail(r->file, line_of(entry), err,
                                  "a placement larger than its torus");
    }
    return list ? 0 : -1;
}

static int fill_torus(struct reader *r, const yaml_node_t *torus, topomap_error *err)
{
    static const uint32_t origin[3];
    const struct slurm_unit *unit = &r->file->unit[r->file->units - 1];
    const yaml_node_t *nodes = value_of(r, torus, "nodes"),
                      *regions = value_of(r, torus, "regions");
    size_t first = r->file->members, count;

    if (!nodes == !regions)
        return slurm_fail(r->file, line_of(torus), err, "a torus has either nodes or regions");
    if (nodes) {
        if (!scalar(nodes))
            return slurm_fail(r->file, line_of(nodes), err, "expected a host list in one text");
        return slurm_add_members(r->file, scalar(nodes), 0, line_of(nodes), &count, err) ||
                       fill_box(r, origin, unit->dim, first, line_of(torus), err)
                   ? -1
                   : 0;
    }
    regions = need_list(r, torus, "regions", err);
    for (size_t i = 0; regions && i < list_size(regions); i++)
        if (read_region(r, item(r, regions, i), err))
            return -1;
    return regions ? 0 : -1;
}

static int read_torus(struct reader *r, const yaml_node_t *torus, topomap_error *err)
{
    const char *name;
    uint64_t places;
    uint32_t dim[3];
    int result;

    if (need_mapping(r, torus, "a torus", err) || !(name = need_text(r, torus, "name", err)) ||
        read_axes(r, value_of(r, torus, "dims"), "dims", 1, dim, err))
        return -1;
    places = (uint64_t)dim[0] * dim[1];
    places = places > SLURM_TORUS_MOST ? places : places * dim[2];
    if (places > SLURM_TORUS_MOST || (r->file->places += places) > SLURM_TORUS_MOST)
        return slurm_fail(r->file, line_of(torus), err, "toruses of more than %d places",
                          SLURM_TORUS_MOST);
    if (slurm_add_unit(r->file, name, line_of(torus), err))
        return -1;
    memcpy(r->file->unit[r->file->units - 1].dim, dim, sizeof dim);
    r->taken = topomap_alloc((size_t)dim[0] * dim[1] * dim[2], 1, err);
    result = r->taken ? fill_torus(r, torus, err) : -1;
    free(r->taken);
    r->taken = NULL;
    return result ? -1 : check_placements(r, torus, err);
}

static int read_toruses(struct reader *r, const yaml_node_t *torus3d, topomap_error *err)
{
    const yaml_node_t *list = need_list(r, torus3d, "toruses", err);

    for (size_t i = 0; list && i < list_size(list); i++)
        if (read_torus(r, item(r, list, i), err))
            return -1;
    return list ? 0 : -1;
}

static const struct {
    const char *key;
    enum slurm_kind kind;
    int (*read)(struct reader *r, const yaml_node_t *node, topomap_error *err);
} kinds[] = {
    {"tree", SLURM_TREE, read_tree},
    {"block", SLURM_BLOCK, read_block},
    {"flat", SLURM_FLAT, NULL},
    {"ring", SLURM_RING, read_ring},
    {"torus3d", SLURM_TORUS, read_toruses},
};

/* ---- Topologies ---------------------------------------------------------------------------- */

static int is_true(const yaml_node_t *node)
{
    const char *text = scalar(node);

    return text && (strcmp(text, "true") == 0 || strcmp(text, "True") == 0 ||
                    strcmp(text, "TRUE") == 0 || strcmp(text, "yes") == 0);
}

static int read_topology(struct reader *r, const yaml_node_t *entry, topomap_error *err)
{
    const yaml_node_t *found = NULL;
    const char *name;
    size_t which = 0;

    if (need_mapping(r, entry, "a topology", err) || !(name = need_text(r, entry, "topology", err)))
        return -1;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const yaml_node_t *node = value_of(r, entry, kinds[i].key);

        if (!node || (kinds[i].kind == SLURM_FLAT && scalar(node) && !is_true(node)))
            continue;
        if (found)
            return slurm_fail(r->file, line_of(entry), err,
                              "topology '%.60s' is both %s and %s: one of them", name,
                              kinds[which].key, kinds[i].key);
        found = node;
        which = i;
    }
    if (!found)
        return slurm_fail(r->file, line_of(entry), err,
                          "topology '%.60s' is none of tree, block, flat, ring, torus3d", name);
    if (kinds[which].kind != SLURM_FLAT && need_mapping(r, found, kinds[which].key, err))
        return -1;
    for (size_t i = 0; i < r->file->topologies; i++)
        if (strcmp(r->file->topology[i].name, name) == 0)
            return slurm_fail(r->file, line_of(entry), err, "two topologies '%.60s'", name);
    if (slurm_add_topology(r->file, name, kinds[which].kind, line_of(entry), err))
        return -1;
    r->file->topology[r->file->topologies - 1].is_default =
        is_true(value_of(r, entry, "cluster_default"));
    return kinds[which].read ? kinds[which].read(r, found, err) : 0;
}

static int read_root(struct reader *r, topomap_error *err)
{
    const yaml_node_t *root = yaml_document_get_root_node(&r->document);

    if (!root)
        return slurm_fail(r->file, 0, err, "no topology");
    if (root->type != YAML_SEQUENCE_NODE)
        return slurm_fail(r->file, line_of(root), err,
                          "the root must be a list of topologies (topology.yaml)");
    if (list_size(root) > 1000)
        return slurm_fail(r->file, line_of(root), err, "more than 1000 topologies");
    for (size_t i = 0; i < list_size(root); i++)
        if (read_topology(r, item(r, root, i), err))
            return -1;
    return 0;
}

int slurm_read_yaml(struct db_import *import, struct slurm_file *file, topomap_error *err)
{
    struct reader r = {.file = file};
    yaml_parser_t parser;
    char *text;
    size_t size;
    int result = topomap_input_all(import->input, (size_t)16 << 20, &text, &size, err);

    if (result)
        return -1;
    if (!yaml_parser_initialize(&parser)) {
        free(text);
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory: YAML");
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    if (yaml_parser_load(&parser, &r.document)) {
        result = read_root(&r, err);
        yaml_document_delete(&r.document);
    } else {
        result = slurm_fail(file, parser.problem_mark.line + 1, err, "not YAML: %s",
                            parser.problem ? parser.problem : "unreadable");
    }
    yaml_parser_delete(&parser);
    free(text);
    return result;
}
