/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/import/lists/named_fabric.h"

#include <string.h>

#include "fabric/infiniband.h"
#include "util/alloc.h"

int db_named_link(topomap_fabric *fabric, topomap_link link, const char *class, int both,
                  topomap_error *err)
{
    if (topomap_fabric_set_class(fabric, &link, class, err) ||
        topomap_fabric_list(fabric, &link, err))
        return -1;
    if (both)
        fabric->link[fabric->links - 1].ends = 3;
    return 0;
}

static int write_vertices(struct db_import *import, const topomap_fabric *fabric, int64_t base)
{
    for (uint32_t i = 0; i < fabric->vertices; i++) {
        int host = topomap_fabric_is(fabric, i, TOPOMAP_VERTEX_HOST);
        int sw = topomap_fabric_is(fabric, i, TOPOMAP_VERTEX_SWITCH);
        const char *name = topomap_fabric_name(fabric, i);

        if (DB_ADD(import, "INSERT INTO vertex(id, source, kind, ports, recorded, text, label)",
                   DB_INT(base + i), DB_INT(import->source),
                   DB_INT(host ? IB_HOST
                          : sw ? IB_SWITCH
                               : IB_OTHER),
                   DB_INT(0), DB_INT(1), DB_NAME(name), DB_NAME(host ? NULL : name)))
            return -1;
        import->report->hosts += (uint64_t)host;
        import->report->switches += (uint64_t)sw;
    }
    return 0;
}

/* Ends without a port number get the next ones after those of their vertex, in the links' order, so
 * that they are told apart. \p next [vertices] */
static uint32_t number(uint32_t port, uint32_t *next)
{
    return port ? port : (*next)++;
}

static void find_next(const topomap_fabric *fabric, uint32_t *next)
{
    for (size_t i = 0; i < fabric->vertices; i++)
        next[i] = 1;
    for (size_t i = 0; i < fabric->links; i++) {
        const topomap_link *link = &fabric->link[i];

        if (link->aport >= next[link->a])
            next[link->a] = link->aport + 1;
        if (link->bport >= next[link->b])
            next[link->b] = link->bport + 1;
    }
}

static int write_links(struct db_import *import, const topomap_fabric *fabric, int64_t base)
{
    TOPOMAP_FREED uint32_t *next = topomap_alloc(fabric->vertices, sizeof *next, import->err);

    if (!next)
        return -1;
    find_next(fabric, next);
    for (size_t i = 0; i < fabric->links; i++) {
        const topomap_link *link = &fabric->link[i];
        int64_t aport = number(link->aport, &next[link->a]);
        int64_t bport = number(link->bport, &next[link->b]);
        uint32_t mbps = topomap_mbps_of_rate(link->rate);
        const char *class = topomap_fabric_class(fabric, link);

        import->report->links += strcmp(class, DB_LEVEL) != 0;
        if (DB_ADD(import, "INSERT INTO link(source, a, aport, b, bport, mbps, ends, kind)",
                   DB_INT(import->source), DB_INT(base + link->a), DB_INT(aport),
                   DB_INT(base + link->b), DB_INT(bport), DB_INT_IF(mbps, mbps),
                   DB_INT(link->ends == 3 ? 2 : 1), DB_TEXT_IF(*class, class)))
            return -1;
    }
    return 0;
}

int db_named_write(struct db_import *import, const topomap_fabric *fabric, int64_t *vertices)
{
    int64_t base;

    if (db_number(import->file, "SELECT max(id) + 1 FROM vertex", 1, &base, import->err) ||
        write_vertices(import, fabric, base) || write_links(import, fabric, base))
        return -1;
    for (size_t i = 0; vertices && i < fabric->vertices; i++)
        vertices[i] = base + (int64_t)i;
    return 0;
}

int db_named_write_content(struct db_import *import, void *fabric)
{
    return db_named_write(import, fabric, NULL);
}

static int has_name(const void *fabric, const char *name)
{
    return topomap_fabric_lookup(fabric, name) != UINT32_MAX;
}

int db_named_replace(struct db_import *import, const topomap_fabric *fabric, const char *importers,
                     int (*has)(const void *content, const char *name), const void *content)
{
    char sql[256];

    snprintf(sql, sizeof sql,
             "SELECT source, text FROM vertex JOIN source ON source.id = vertex.source"
             " WHERE importer IN (%s) AND kind = 0 ORDER BY source",
             importers);
    return DB_STATUS(db_forget_sharing(import, sql, has ? has : has_name, has ? content : fabric) ||
                     db_named_write(import, fabric, NULL));
}
