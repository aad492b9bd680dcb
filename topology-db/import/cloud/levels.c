/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/import/cloud/levels.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/hostlist.h"

struct alias {
    char key[DB_KEY], node[DB_KEY];
};

void levels_clear(void *content)
{
    struct levels *levels = content;

    topomap_fabric_clear(&levels->fabric);
    free(levels->above);
    free(levels->domains.row);
    free(levels->aliases.row);
    free(levels->rows.row);
}

static int find(struct levels *levels, const char *name, uint32_t *vertex, topomap_error *err)
{
    if (topomap_fabric_find(&levels->fabric, name, vertex, err))
        return -1;
    return *vertex < levels->known
               ? 0
               : TOPOMAP_APPEND(levels->above, levels->known, levels->room, err, UINT32_MAX);
}

static int put_into(struct levels *levels, uint32_t vertex, uint32_t above, topomap_error *err)
{
    if (levels->above[vertex] == above)
        return 0;
    levels->above[vertex] = above;
    return db_named_link(&levels->fabric, (topomap_link){.a = above, .b = vertex}, DB_LEVEL, 1,
                         err);
}

static int add_level(struct levels *levels, struct db_import *import, const char *name,
                     uint32_t above, size_t line, uint32_t *vertex)
{
    if (strlen(name) >= DB_KEY)
        return db_fail(import, line, "'%.100s' is too long for the name of a level", name);
    if (find(levels, name, vertex, import->err))
        return -1;
    if (topomap_fabric_is(&levels->fabric, *vertex, TOPOMAP_VERTEX_HOST))
        return db_fail(import, line, "'%.100s' is an instance and a level that instances are in",
                       name);
    levels->fabric.vertex[*vertex].kind = TOPOMAP_VERTEX_SWITCH;
    if (above == UINT32_MAX)
        return 0;
    if (levels->above[*vertex] != UINT32_MAX && levels->above[*vertex] != above)
        return db_fail(
            import, line,
            "'%.100s' is in two levels above it: the file holds two states of the network; ask "
            "anew",
            name);
    /* Circles begin here, and chains of many files' levels, which nobody has. */
    for (uint32_t v = above, steps = 0; v != UINT32_MAX; v = levels->above[v])
        if (v == *vertex || ++steps > 8 * LEVELS_MOST)
            return db_fail(
                import, line,
                "'%.100s' is inside itself: the file holds two states of the network; ask anew",
                name);
    return put_into(levels, *vertex, above, import->err);
}

int levels_add(struct levels *levels, struct db_import *import, const char *host,
               const char *const *level, int count, size_t line)
{
    uint32_t vertex, above = UINT32_MAX;

    if (!topomap_is_node_name(host, strlen(host)))
        return db_fail(import, line, "'%.100s' is no name that an instance can have", host);
    if (!count) {
        if (!levels->without++)
            levels->first_without = line;
        return 0;
    }
    for (int i = 0; i < count; i++)
        if (add_level(levels, import, level[i], above, line, &above))
            return -1;
    if (find(levels, host, &vertex, import->err))
        return -1;
    if (topomap_fabric_is(&levels->fabric, vertex, TOPOMAP_VERTEX_SWITCH))
        return db_fail(import, line, "'%.100s' is an instance and a level that instances are in",
                       host);
    if (levels->above[vertex] != UINT32_MAX && levels->above[vertex] != above)
        return db_fail(import, line, "'%.100s' is listed twice, in two places", host);
    levels->fabric.vertex[vertex].kind = TOPOMAP_VERTEX_HOST;
    return put_into(levels, vertex, above, import->err);
}

int levels_alias(struct levels *levels, const char *host, const char *node, topomap_error *err)
{
    struct alias alias;

    db_host_key(host, alias.key);
    snprintf(alias.node, sizeof alias.node, "%s", node);
    return db_list_add(&levels->aliases, &alias, sizeof alias, err);
}

int levels_finish(struct db_import *import, void *content)
{
    struct levels *levels = content;
    const char *name = import->importer->row.name;
    char root[40];
    uint32_t tops = 0, top = 0, count = (uint32_t)levels->fabric.vertices;

    if (!levels->fabric.links)
        return db_fail(import, 1,
                       "no instance with its place in the network: not every type and region has "
                       "one");
    for (uint32_t v = 0; v < count; v++)
        tops += levels->above[v] == UINT32_MAX;
    if (tops > 1) {
        snprintf(root, sizeof root, "%.*s", (int)strcspn(name, "-"), name);
        if (find(levels, root, &top, import->err))
            return -1;
        for (uint32_t v = 0; v < count; v++)
            if (levels->above[v] == UINT32_MAX && v != top && put_into(levels, v, top, import->err))
                return -1;
    }
    if (levels->without) {
        import->report->partial = 1;
        db_warn(import, levels->first_without,
                "%zu instances have no place in the network: left out", levels->without);
    }
    return db_domains_check(import, &levels->domains);
}

/* ---- Into the database --------------------------------------------------------------------- */

int levels_write(struct db_import *import, void *content)
{
    const struct levels *levels = content;
    const struct alias *alias = levels->aliases.row;

    if (db_named_replace(import, &levels->fabric,
                         "'aws-topology', 'gcp-topology', 'oci-topology', 'topograph'", NULL, NULL))
        return -1;
    for (size_t i = 0; i < levels->aliases.rows; i++)
        if (DB_ADD(import, "INSERT INTO alias", DB_INT(import->source), DB_TEXT(NULL),
                   DB_TEXT(alias[i].key), DB_TEXT(alias[i].node)))
            return -1;
    return db_domains_write(import, &levels->domains);
}
