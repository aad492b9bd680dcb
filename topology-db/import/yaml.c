/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/import/yaml.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_MOST ((size_t)16 << 20)

int db_yaml_load(topomap_input *input, yaml_document_t *document, db_yaml_problem *problem,
                 topomap_error *err)
{
    yaml_parser_t parser;
    char *text;
    size_t size;
    int result = topomap_input_all(input, TEXT_MOST, &text, &size, err);

    if (result)
        return -1;
    if (!yaml_parser_initialize(&parser)) {
        free(text);
        return topomap_error_set(err, TOPOMAP_ESYSTEM, "out of memory: YAML");
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    if (!yaml_parser_load(&parser, document)) {
        problem->line = parser.problem_mark.line + 1;
        snprintf(problem->text, sizeof problem->text, "%s",
                 parser.problem ? parser.problem : "unreadable");
        result = 1;
    }
    yaml_parser_delete(&parser);
    free(text);
    return result;
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
