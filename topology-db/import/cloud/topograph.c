/* SPDX-License-Identifier: BSD-3-Clause */
/* topograph (NVIDIA), which asks clouds and fabrics alike: its API's answer, the closest level
 * first,
 *
 *   {"instances":[{"id":"n1","network_layers":["leaf","spine","core"],
 *                  "labels":{"accelerator.topograph.run/domain":"nvl-1"}}]}
 *
 * or a model of a cluster in YAML:
 *
 *   switches: {core: {switches: [sw1, sw2]}, sw1: {switches: [leaf1]}}
 *   blocks:
 *   - switch: leaf1
 *     nodes: ["n[1-18]"]
 *     annotations: {accelerator.topology.test/domain: nvl-1}
 *
 * A label that ends with /domain is an NVLink domain. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/import/cloud/levels.h"
#include "topology-db/import/json_reader.h"
#include "util/alloc.h"
#include "util/hostlist.h"
#include "util/names/known.h"

enum { NODES_MOST = 1000000 }; /* of a model, which may say many with few words; switches, too */

static int is_domain(const char *label)
{
    size_t length = strlen(label);

    return length > 7 && strcmp(label + length - 7, "/domain") == 0;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static int take_instance(struct db_import *import, void *data, const json_t *instance, size_t line)
{
    struct levels *levels = data;
    const char *id = db_json_text(instance, "id"), *level[LEVELS_MOST], *label;
    const json_t *layers = json_object_get(instance, "network_layers");
    json_t *labels = json_object_get(instance, "labels"), *value;
    size_t count = json_array_size(layers);

    if (!id || count > LEVELS_MOST || (layers && !json_is_array(layers)))
        return db_fail(import, line,
                       "expected an instance with \"id\" and at most %d \"network_layers\"",
                       LEVELS_MOST);
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(layers, i));

        if (!name || !*name)
            return db_fail(import, line, "\"network_layers\" of '%.60s': expected names", id);
        level[count - 1 - i] = name;
    }
    json_object_foreach(labels, label, value)
    {
        const char *domain = is_domain(label) ? json_string_value(value) : NULL;

        if (domain && strlen(domain) >= DB_DOMAIN)
            return db_fail(import, line, "a domain of more than %d characters", DB_DOMAIN - 1);
        if (domain && db_domains_add(&levels->domains, id, domain, line, import->err))
            return -1;
    }
    return levels_add(levels, import, id, level, (int)count, line);
}

static int read_json(struct db_import *import, void *levels)
{
    TOPOMAP_CLEANUP(db_json_clear) struct db_json json = {0};

    return db_json_read(import, &json)
               ? -1
               : db_json_each(import, &json, "instances",
                              "no list \"instances\": expected topograph's answer or its model",
                              take_instance, levels);
}

/* ---- YAML ---------------------------------------------------------------------------------- */

struct model {
    struct db_import *import;
    struct levels *levels;
    yaml_document_t *document;
    size_t nodes;
    topomap_known below; /* switches that others list */
    const char **above;  /* [switches] who does, lent */
    size_t switches, room, listed;
    topomap_error *err;
};

/* One that is not empty. */
static const char *scalar(const yaml_node_t *node)
{
    const char *text = db_yaml_scalar(node);

    return text && *text ? text : NULL;
}

static int fail(struct model *m, const yaml_node_t *node, const char *what)
{
    return db_fail(m->import, node ? node->start_mark.line + 1 : 1, "expected %s", what);
}

/* The first that lists a switch is above it. */
static int list_switch(struct model *m, const yaml_node_t *list, const char *name,
                       const char *above)
{
    uint32_t at;

    if (++m->listed > NODES_MOST) /* an alias may stand for a long list many times */
        return fail(m, list, "at most 1000000 switches under 'switches'");
    if (!name)
        return 0;
    if (topomap_known_number(&m->below, name, strlen(name), &at, m->err))
        return -1;
    return at < m->switches ? 0 : TOPOMAP_APPEND(m->above, m->switches, m->room, m->err, above);
}

static int list_switches(struct model *m, const yaml_node_t *switches)
{
    const yaml_node_t *value, *item;
    const char *name;

    for (size_t i = 0; (value = db_yaml_pair(m->document, switches, i, &name)); i++) {
        const yaml_node_t *below = db_yaml_value(m->document, value, "switches");

        for (size_t k = 0; *name && (item = db_yaml_item(m->document, below, k)); k++)
            if (list_switch(m, below, scalar(item), name))
                return -1;
    }
    return 0;
}

/* The switch that lists this one; NULL: none. */
static const char *find_above(const struct model *m, const char *name)
{
    uint32_t at = topomap_known_find(&m->below, name, strlen(name));

    return at == UINT32_MAX ? NULL : m->above[at];
}

static int add_nodes(struct model *m, const yaml_node_t *list, const char *const *level, int count,
                     const char *domain)
{
    size_t line = list->start_mark.line + 1;
    TOPOMAP_CLEANUP(topomap_names_clear) topomap_names names = {0};
    topomap_error why;

    if (topomap_hostlist_expand(scalar(list), 0, &names, &why))
        return why.code == TOPOMAP_ESYSTEM ? topomap_error_set(m->err, why.code, "%s", why.text)
                                           : db_fail(m->import, line, "%s", why.text);
    m->nodes += names.count;
    if (m->nodes > NODES_MOST)
        return fail(m, list, "at most 1000000 nodes in all blocks");
    for (size_t i = 0; i < names.count; i++)
        if ((domain && db_domains_add(&m->levels->domains, names.name[i], domain, line, m->err)) ||
            levels_add(m->levels, m->import, names.name[i], level, count, line))
            return -1;
    return 0;
}

/* From the block's switch upwards; the outermost comes first. */
static int find_levels(struct model *m, const yaml_node_t *block, const char **level, int *count)
{
    const char *name = scalar(db_yaml_value(m->document, block, "switch")), *up[LEVELS_MOST];

    for (*count = 0; name; name = find_above(m, name)) {
        if (*count == LEVELS_MOST)
            return fail(m, block, "at most 8 switches above each other, and no circle of them");
        up[(*count)++] = name;
    }
    for (int i = 0; i < *count; i++)
        level[i] = up[*count - 1 - i];
    return 0;
}

static const char *find_domain(struct model *m, const yaml_node_t *block)
{
    static const char *const kinds[] = {"annotations", "labels"};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const yaml_node_t *labels = db_yaml_value(m->document, block, kinds[i]), *value;
        const char *name;

        for (size_t k = 0; (value = db_yaml_pair(m->document, labels, k, &name)); k++)
            if (is_domain(name))
                return scalar(value);
    }
    return NULL;
}

static int take_block(struct model *m, const yaml_node_t *block)
{
    const yaml_node_t *nodes = db_yaml_value(m->document, block, "nodes"), *node;
    const char *level[LEVELS_MOST], *domain;
    int count;

    if (!nodes || (nodes->type != YAML_SEQUENCE_NODE && !scalar(nodes)))
        return fail(m, block, "a block with 'switch' and a list of 'nodes'");
    if (find_levels(m, block, level, &count))
        return -1;
    domain = find_domain(m, block);
    if (domain && strlen(domain) >= DB_DOMAIN)
        return fail(m, block, "a domain of at most 127 characters");
    if (scalar(nodes))
        return add_nodes(m, nodes, level, count, domain);
    for (size_t i = 0; (node = db_yaml_item(m->document, nodes, i)); i++) {
        if (!scalar(node))
            return fail(m, node, "host lists under 'nodes'");
        if (add_nodes(m, node, level, count, domain))
            return -1;
    }
    return 0;
}

static int take_model(yaml_document_t *document, void *data)
{
    struct model *m = data;
    const yaml_node_t *root = yaml_document_get_root_node(document), *block;
    const yaml_node_t *blocks = db_yaml_value(document, root, "blocks");

    m->document = document;
    if (!blocks || blocks->type != YAML_SEQUENCE_NODE)
        return fail(m, root, "a model with 'switches' and a list of 'blocks'");
    if (list_switches(m, db_yaml_value(document, root, "switches")))
        return -1;
    for (size_t i = 0; (block = db_yaml_item(document, blocks, i)); i++)
        if (take_block(m, block))
            return -1;
    return 0;
}

static int read_yaml(struct db_import *import, struct levels *levels)
{
    struct model model = {.import = import, .levels = levels, .err = import->err};
    int result = db_yaml_read(import, take_model, &model);

    topomap_known_clear(&model.below);
    free(model.above);
    return result;
}

/* ---- Both ---------------------------------------------------------------------------------- */

static int begin(struct db_import *import, void *levels)
{
    char first;

    if (db_first_byte(import, &first))
        return -1;
    return first == '{' || first == '[' ? read_json(import, levels) : read_yaml(import, levels);
}

const db_importer db_topograph = {
    .row = {"topograph",
            "topograph's answer in JSON, or its model of a cluster in YAML; levels, no links"},
    LEVELS_IMPORTER,
    .own_words = 1,
    .begin = begin,
    .check = levels_finish,
};
