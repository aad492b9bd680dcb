/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/import/json_reader.h"

#include <string.h>

#include "util/alloc.h"

#define TEXT_MOST ((size_t)16 << 20)
enum { LEVELS_MOST = 64, ANCHORS_MOST = 100 };

/* Levels that the token opens: 1, 0, or -1 where it closes one. */
static int levels_of(yaml_token_type_t type)
{
    switch (type) {
    case YAML_BLOCK_SEQUENCE_START_TOKEN:
    case YAML_BLOCK_MAPPING_START_TOKEN:
    case YAML_FLOW_SEQUENCE_START_TOKEN:
    case YAML_FLOW_MAPPING_START_TOKEN:
        return 1;
    case YAML_BLOCK_END_TOKEN:
    case YAML_FLOW_SEQUENCE_END_TOKEN:
    case YAML_FLOW_MAPPING_END_TOKEN:
        return -1;
    default:
        return 0;
    }
}

/* Reads token by token up to the first that exceeds a limit: libyaml takes time that grows with the
 * square of the depth (yaml_parser_stale_simple_keys() in its scanner.c) and of the number of
 * anchors (yaml_parser_register_anchor() in loader.c). What is no YAML is left to the loader. */
static int check_limits(const struct db_import *import, yaml_parser_t *parser)
{
    int levels = 0, anchors = 0, ended = 0;
    size_t line = 1;
    yaml_token_t token;

    while (!ended && levels <= LEVELS_MOST && anchors <= ANCHORS_MOST &&
           yaml_parser_scan(parser, &token)) {
        levels += levels_of(token.type);
        anchors += token.type == YAML_ANCHOR_TOKEN;
        ended = token.type == YAML_STREAM_END_TOKEN;
        line = token.start_mark.line + 1;
        yaml_token_delete(&token);
    }
    if (levels <= LEVELS_MOST && anchors <= ANCHORS_MOST)
        return 0;
    return db_fail(import, line, "unreadable YAML: more than %d %s",
                   levels > LEVELS_MOST ? LEVELS_MOST : ANCHORS_MOST,
                   levels > LEVELS_MOST ? "levels" : "anchors");
}

/* Checks the limits where \p document is NULL. */
static int load(const struct db_import *import, const char *text, size_t size,
                yaml_document_t *document)
{
    yaml_parser_t parser;
    int result = 0;

    if (!yaml_parser_initialize(&parser))
        return topomap_error_set(import->err, TOPOMAP_ESYSTEM, "out of memory: YAML");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    if (!document)
        result = check_limits(import, &parser);
    else if (!yaml_parser_load(&parser, document))
        result = db_fail(import, parser.problem_mark.line + 1, "unreadable YAML: %s",
                         parser.problem ? parser.problem : "unreadable");
    yaml_parser_delete(&parser);
    return result;
}

int db_yaml_read(const struct db_import *import, int (*take)(yaml_document_t *document, void *data),
                 void *data)
{
    TOPOMAP_FREED char *text = NULL;
    yaml_document_t document;
    size_t size;
    int result;

    if (topomap_input_all(import->input, TEXT_MOST, &text, &size, import->err) ||
        load(import, text, size, NULL) || load(import, text, size, &document))
        return -1;
    result = take(&document, data);
    yaml_document_delete(&document);
    return result;
}

const char *db_yaml_scalar(const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

yaml_node_t *db_yaml_item(yaml_document_t *document, const yaml_node_t *list, size_t i)
{
    if (!list || list->type != YAML_SEQUENCE_NODE ||
        i >= (size_t)(list->data.sequence.items.top - list->data.sequence.items.start))
        return NULL;
    return yaml_document_get_node(document, list->data.sequence.items.start[i]);
}

yaml_node_t *db_yaml_pair(yaml_document_t *document, const yaml_node_t *mapping, size_t i,
                          const char **key)
{
    const yaml_node_pair_t *pair;

    if (!mapping || mapping->type != YAML_MAPPING_NODE ||
        i >= (size_t)(mapping->data.mapping.pairs.top - mapping->data.mapping.pairs.start))
        return NULL;
    pair = &mapping->data.mapping.pairs.start[i];
    *key = db_yaml_scalar(yaml_document_get_node(document, pair->key)) ?: "";
    return yaml_document_get_node(document, pair->value);
}

yaml_node_t *db_yaml_value(yaml_document_t *document, const yaml_node_t *mapping, const char *key)
{
    yaml_node_t *value;
    const char *name;

    for (size_t i = 0; (value = db_yaml_pair(document, mapping, i, &name)); i++)
        if (strcmp(name, key) == 0)
            return value;
    return NULL;
}
