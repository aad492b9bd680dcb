/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading JSON and YAML. */
#pragma once

#include <jansson.h>
#include <yaml.h>

#include "topology-db/import/import.h"
#include "util/input.h"

/* ---- json_reader --------------------------------------------------------------- */
/* JSON that importers take: one document, or what was collected from many hosts. */

/** Starts as all zeros. */
struct db_json {
    json_t *root;
    char *text; /* of the one document; NULL where it was collected */
};

/** The whole input, at most 128 MiB of it, as one document. What is collected from hosts, lines of
 *  `HOST: a line of its document` as pdsh and `srun --label` with names print them, becomes an
 *  object with the hosts for keys; hosts that have a message in its place are left out, with a
 *  warning. On failure the error has the line. */
int db_json_read(struct db_import *import, struct db_json *json);
void db_json_clear(struct db_json *json);
/** Whether the input begins like a JSON object or a list; of formats that are lines, too. */
int db_json_begins(struct db_import *import, int *begins);

/** A text of an object that is not empty, lent; NULL where there is none. */
const char *db_json_text(const json_t *object, const char *key);
/** A number that is no fraction, or the digits of a text; -1 where there is none below 2^31. */
int64_t db_json_number(const json_t *object, const char *key);
/** The first of a list, or the value itself where it is no list; NULL where there is none. */
json_t *db_json_first(const json_t *object, const char *key);

/** Gives \p take each of a list's objects, which are inside \p depth brackets of any kind, with the
 *  line that it begins on; 0: not known, as of what was collected. */
int db_json_each(struct db_import *import, const struct db_json *json, const json_t *list,
                 unsigned depth,
                 int (*take)(struct db_import *import, void *data, const json_t *object,
                             size_t line),
                 void *data);

/* ---- yaml ---------------------------------------------------------------------- */
/* YAML that importers take: one document (libyaml). */

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
