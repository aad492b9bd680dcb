/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/import/import.h"

#include <stdlib.h>
#include <string.h>

int db_domains_add(struct db_list *list, const char *node, const char *domain, size_t line,
                   topomap_error *err)
{
    struct db_domain entry = {.line = line};

    db_host_key(node, entry.key);
    snprintf(entry.node, sizeof entry.node, "%s", node);
    snprintf(entry.domain, sizeof entry.domain, "%s", domain);
    return db_list_add(list, &entry, sizeof entry, err);
}

static int by_node(const void *a, const void *b)
{
    const struct db_domain *x = a, *y = b;

    return strcmp(x->key, y->key) ?: TOPOMAP_ORDER(x->line, y->line);
}

int db_domains_check(struct db_import *import, struct db_list *list)
{
    struct db_domain *entry = list->row;
    size_t kept = 0;

    if (list->rows)
        qsort(entry, list->rows, sizeof *entry, by_node);
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
    DB_STATEMENT *insert =
        db_prepare(import->file, "INSERT INTO clique VALUES(?,?,?)", import->err);

    for (size_t i = 0; insert && i < list->rows; i++)
        if (DB_PUT(insert, import->err, DB_INT(import->source), DB_TEXT(entry[i].node),
                   DB_TEXT(entry[i].domain)))
            return -1;
    return insert ? 0 : -1;
}
