/* SPDX-License-Identifier: BSD-3-Clause */
/* YAML that importers take: one document (libyaml). */
#ifndef TOPOMAP_DB_IMPORT_YAML_H
#define TOPOMAP_DB_IMPORT_YAML_H

#include <yaml.h>

#include "util/input.h"

typedef struct db_yaml_problem {
    size_t line;
    char text[160];
} db_yaml_problem;

/** Loads the whole input: at most 16 MiB, 64 levels and 100 anchors, which are checked before the
 *  document is loaded. Returns 0; 1 with \p problem set if it is no YAML or exceeds a limit; or -1
 *  with \p err set. The caller ends \p document with yaml_document_delete() after 0. */
int db_yaml_load(topomap_input *input, yaml_document_t *document, db_yaml_problem *problem,
                 topomap_error *err);
/** A scalar's text, lent; NULL: it is none. */
const char *db_yaml_scalar(const yaml_node_t *node);
/** The value of a key; NULL: not there, or \p mapping is none. */
yaml_node_t *db_yaml_value(yaml_document_t *document, const yaml_node_t *mapping, const char *key);

#endif
