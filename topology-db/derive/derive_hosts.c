/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds hosts by name, for all files that make derived tables: by the name that a source has, or by
 * the node name that a site maps it to. */
#include <string.h>

#include "topology-db/derive/derive.h"
#include "util/alloc.h"
#include "util/hostlist.h"

static int add_nickname(struct db_views *views, const char *name, const struct db_host_row *host,
                        topomap_error *err)
{
    char key[DB_KEY];

    db_host_key(name, key);
    if (strcmp(key, host->key) == 0)
        return 0;
    if (topomap_grow(&views->nickname, &views->nickname_room, views->nicknames + 1,
                     sizeof *views->nickname, err))
        return -1;
    strcpy(views->nickname[views->nicknames].key, key);
    views->nickname[views->nicknames++].host = host;
    return 0;
}

int db_views_host(struct db_views *views, const char *name, const char *original,
                  struct db_host_row **host, topomap_error *err)
{
    struct db_host_row *found;
    char key[DB_KEY];

    *host = NULL;
    if (!topomap_is_node_name(name, strlen(name))) {
        if (!views->refused++)
            snprintf(views->refused_name, sizeof views->refused_name, "%s", name);
        return 0;
    }
    db_host_key(name, key);
    HASH_FIND_STR(views->hosts, key, found);
    if (!found) {
        found = topomap_alloc(1, sizeof *found, err);
        if (!found)
            return -1;
        strcpy(found->key, key);
        snprintf(found->name, sizeof found->name, "%s", name);
        found->cname = -1;
        HASH_ADD_STR(views->hosts, key, found);
    }
    *host = found;
    return original ? add_nickname(views, original, found, err) : 0;
}

const char *db_views_mapped(const struct db_views *views, const char *name)
{
    struct db_alias *alias;
    char key[DB_KEY];

    if (!views->alias_key)
        return name;
    db_host_key(name, key);
    HASH_FIND(by_key, views->alias_key, key, strlen(key), alias);
    return alias ? alias->node : name;
}

const char *db_views_mapped_guid(const struct db_views *views, uint64_t guid)
{
    struct db_alias *alias;

    if (!views->alias_guid || !guid)
        return NULL;
    HASH_FIND(by_guid, views->alias_guid, &guid, sizeof guid, alias);
    return alias ? alias->node : NULL;
}
