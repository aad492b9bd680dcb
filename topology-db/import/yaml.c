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
 * anchors (yaml_parser_register_anchor() in loader.c). Returns 1 with \p problem set if one does;
 * what is no YAML is left to the loader. */
static int exceeds_limits(yaml_parser_t *parser, db_yaml_problem *problem)
{
    int levels = 0, anchors = 0, ended = 0;
    yaml_token_t token;

    while (!ended && levels <= LEVELS_MOST && anchors <= ANCHORS_MOST &&
           yaml_parser_scan(parser, &token)) {
        levels += levels_of(token.type);
        anchors += token.type == YAML_ANCHOR_TOKEN;
        ended = token.type == YAML_STREAM_END_TOKEN;
        problem->line = token.start_mark.line + 1;
        yaml_token_delete(&token);
    }
    if (levels <= LEVELS_MOST && anchors <= ANCHORS_MOST)
        return 0;
    snprintf(problem->text, sizeof problem->text, "more than %d %s",
             levels > LEVELS_MOST ? LEVELS_MOST : ANCHORS_MOST,
             levels > LEVELS_MOST ? "levels" : "anchors");
    return 1;
}

/* Checks the limits where \p document is NULL. */
static int load(const char *text, size_t size, yaml_document_t *document, db_yaml_problem *problem,
                topomap_error *err)
{
    yaml_parser_t parser;
    int result;

    if (!yaml_parser_initialize(&parser))
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory: YAML");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    result = document ? !yaml_parser_load(&parser, document) : exceeds_limits(&parser, problem);
    if (document && result) {
        problem->line = parser.problem_mark.line + 1;
        snprintf(problem->text, sizeof problem->text, "%s",
                 parser.problem ? parser.problem : "unreadable");
    }
    yaml_parser_delete(&parser);
    return result;
}

int db_yaml_load(topomap_input *input, yaml_document_t *document, db_yaml_problem *problem,
                 topomap_error *err)
{
    TOPOMAP_FREED char *text = NULL;
    size_t size;
    int result;

    if (topomap_input_all(input, TEXT_MOST, &text, &size, err))
        return -1;
    result = load(text, size, NULL, problem, err);
    return result ? result : load(text, size, document, problem, err);
}

const char *db_yaml_scalar(const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

yaml_node_t *db_yaml_value(yaml_document_t *document, const yaml_node_t *mapping, const char *key)
{
    if (!mapping || mapping->type != YAML_MAPPING_NODE)
        return NULL;
    for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
         pair < mapping->data.mapping.pairs.top; pair++) {
        const char *name = db_yaml_scalar(yaml_document_get_node(document, pair->key));

        if (name && strcmp(name, key) == 0)
            return yaml_document_get_node(document, pair->value);
    }
    return NULL;
}
