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

/** A text of an object that is not empty, lent; NULL where there is none. */
const char *db_json_text(const json_t *object, const char *key);
/** A number that is no fraction, or the digits of a text; -1 where there is none below 2^31. */
int64_t db_json_number(const json_t *object, const char *key);
/** The first of a list, or the value itself where it is no list; NULL where there is none. */
json_t *db_json_first(const json_t *object, const char *key);

/** Gives \p take each object of the list under a key, or that is the whole document where \p key is
 *  NULL, with the line that it begins on; 0: not known, as of what was collected.
 *  \param expected  the error where there is no such list */
int db_json_each(struct db_import *import, const struct db_json *json, const char *key,
                 const char *expected,
                 int (*take)(struct db_import *import, void *data, const json_t *object,
                             size_t line),
                 void *data);

/* ---- yaml ---------------------------------------------------------------------- */
/* YAML that importers take: one document (libyaml). */

/** Loads the whole input: at most 16 MiB, 64 levels and 100 anchors, which are checked before the
 *  document is loaded, and gives \p take the document, which ends then. Returns what \p take
 * returns, or -1 with the import's error set. */
int db_yaml_read(const struct db_import *import, int (*take)(yaml_document_t *document, void *data),
                 void *data);
/** A scalar's text, lent; NULL: it is none. */
const char *db_yaml_scalar(const yaml_node_t *node);
/** Item \p i of a list; NULL behind the last, or where \p list is none. */
yaml_node_t *db_yaml_item(yaml_document_t *document, const yaml_node_t *list, size_t i);
/** The value of pair \p i of a mapping likewise; \p key: its key, "" where that is no scalar. */
yaml_node_t *db_yaml_pair(yaml_document_t *document, const yaml_node_t *mapping, size_t i,
                          const char **key);
/** The value of a key; NULL: not there, or \p mapping is none. */
yaml_node_t *db_yaml_value(yaml_document_t *document, const yaml_node_t *mapping, const char *key);
