/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/import/import.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

/* The set of that text, which is made where there is none. */
static int find_set(struct db_import *import, const char *text, int64_t *id)
{
    DB_ROWS rows = {0};

    if (DB_RUN(import->file,
               "INSERT INTO device_set(text) SELECT ?1"
               " WHERE NOT EXISTS (SELECT 1 FROM device_set WHERE text=?1)",
               import->err, DB_TEXT(text)))
        return -1;
    rows =
        DB_ASK(import->file, "SELECT id FROM device_set WHERE text=?", import->err, DB_TEXT(text));
    *id = db_next(&rows) ? sqlite3_column_int64(rows.row, 0) : 0;
    return rows.result;
}

int db_devices_write(struct db_import *import, const char *text, const topomap_names *nodes)
{
    int64_t set;

    if (find_set(import, text, &set))
        return -1;
    for (size_t i = 0; i < nodes->count; i++) {
        char key[DB_KEY];

        db_host_key(nodes->name[i], key);
        if (DB_ADD(import, "INSERT INTO node_devices", DB_INT(import->source), DB_TEXT(key),
                   DB_TEXT(nodes->name[i]), DB_INT(set)))
            return -1;
    }
    return 0;
}

int db_devices_own(struct db_import *import, const char *node, uint64_t bus, const char *uuid,
                   int state)
{
    char key[DB_KEY];

    db_host_key(node, key);
    return DB_ADD(import, "INSERT INTO own_device", DB_INT(import->source), DB_TEXT(key),
                  DB_INT(bus), DB_TEXT_IF(uuid && *uuid, uuid), DB_INT_IF(state >= 0, state));
}

int db_devices_nodes(struct db_import *import, void *content)
{
    struct db_devices_file *file = content;

    if (!import->options->nodes)
        return topomap_error_set(import->err, TOPOMAP_EUSAGE,
                                 "%s: say with --nodes which nodes have these devices",
                                 import->path);
    return topomap_hostlist_expand(import->options->nodes, 0, &file->nodes, import->err);
}

int db_devices_write_file(struct db_import *import, void *content)
{
    const struct db_devices_file *file = content;
    TOPOMAP_FREED char *text = topomap_devices_format(&file->devices, import->err);

    import->report->hosts = file->nodes.count;
    return text ? db_devices_write(import, text, &file->nodes) : -1;
}

void db_devices_clear_file(void *content)
{
    struct db_devices_file *file = content;

    topomap_devices_clear(&file->devices);
    topomap_names_clear(&file->nodes);
}

/* ---- NVLink domains --------------------------------------------------------------------- */

int db_domains_add(struct db_list *list, const char *node, const char *domain, size_t line,
                   topomap_error *err)
{
    struct db_domain entry = {.line = line};

    db_host_key(node, entry.key);
    snprintf(entry.node, sizeof entry.node, "%s", node);
    snprintf(entry.domain, sizeof entry.domain, "%s", domain);
    return db_list_add(list, &entry, sizeof entry, err);
}

TOPOMAP_COMPARE(by_node, struct db_domain, strcmp(x->key, y->key), TOPOMAP_ORDER(x->line, y->line))

int db_domains_check(struct db_import *import, struct db_list *list)
{
    struct db_domain *entry = list->row;
    size_t kept = 0;

    TOPOMAP_SORT(entry, list->rows, by_node);
    for (size_t i = 0; i < list->rows; i++) {
        if (kept && strcmp(entry[kept - 1].key, entry[i].key) == 0) {
            if (strcmp(entry[kept - 1].domain, entry[i].domain) != 0)
                return db_fail(import, entry[i].line,
                               "node '%.100s' is in another domain on line %zu", entry[i].node,
                               entry[kept - 1].line);
            continue;
        }
        entry[kept++] = entry[i];
    }
    list->rows = kept;
    return 0;
}

int db_domains_write(struct db_import *import, const struct db_list *list)
{
    const struct db_domain *entry = list->row;

    for (size_t i = 0; i < list->rows; i++)
        if (DB_ADD(import, "INSERT INTO clique", DB_INT(import->source), DB_TEXT(entry[i].node),
                   DB_TEXT(entry[i].domain)))
            return -1;
    return 0;
}
