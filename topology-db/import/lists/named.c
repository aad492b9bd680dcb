/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology-db/import/lists/named.h"

#include <stdlib.h>

#include "topology-db/ib_names.h"
#include "util/alloc.h"

static int write_vertices(struct db_import *import, const topomap_links *links, int64_t base,
                          topomap_error *err)
{
    sqlite3_stmt *insert = db_prepare(import->file,
                                      "INSERT INTO vertex(id, source, kind, ports, recorded, text,"
                                      " label) VALUES(?,?,?,0,1,?,?)",
                                      err);
    int result = insert ? 0 : -1;

    for (uint32_t i = 0; !result && i < links->vertices; i++) {
        int host = topomap_links_kind(links, i) == TOPOMAP_LINKS_HOST;
        const char *name = topomap_links_name(links, i);

        sqlite3_bind_int64(insert, 1, base + i);
        sqlite3_bind_int64(insert, 2, import->source);
        sqlite3_bind_int(insert, 3, host ? IB_HOST : IB_SWITCH);
        sqlite3_bind_text(insert, 4, name, -1, SQLITE_STATIC);
        if (host)
            sqlite3_bind_null(insert, 5);
        else
            sqlite3_bind_text(insert, 5, name, -1, SQLITE_STATIC);
        result = db_insert(insert, err);
        import->report->hosts += (uint64_t)host;
        import->report->switches += !host;
    }
    sqlite3_finalize(insert);
    return result;
}

/* Ends without a port number get the next ones after those of their vertex, in the links' order, so
 * that they are told apart. \p next [vertices] */
static uint32_t number(uint32_t port, uint32_t *next)
{
    return port ? port : (*next)++;
}

static void find_next(const topomap_links *links, uint32_t *next)
{
    for (size_t i = 0; i < links->vertices; i++)
        next[i] = 1;
    for (size_t i = 0; i < links->links; i++) {
        const topomap_link *link = &links->link[i];

        if (link->aport >= next[link->a])
            next[link->a] = link->aport + 1;
        if (link->bport >= next[link->b])
            next[link->b] = link->bport + 1;
    }
}

static int write_links(struct db_import *import, const topomap_links *links, int64_t base,
                       topomap_error *err)
{
    uint32_t *next = topomap_alloc(links->vertices, sizeof *next, err);
    sqlite3_stmt *insert = db_prepare(import->file,
                                      "INSERT INTO link(source, a, aport, b, bport, mbps, ends,"
                                      " kind) VALUES(?,?,?,?,?,?,?,?)",
                                      err);
    int result = insert && next ? 0 : -1;

    if (!result)
        find_next(links, next);
    for (size_t i = 0; !result && i < links->links; i++) {
        const topomap_link *link = &links->link[i];

        sqlite3_bind_int64(insert, 1, import->source);
        sqlite3_bind_int64(insert, 2, base + link->a);
        sqlite3_bind_int64(insert, 3, number(link->aport, &next[link->a]));
        sqlite3_bind_int64(insert, 4, base + link->b);
        sqlite3_bind_int64(insert, 5, number(link->bport, &next[link->b]));
        if (link->mbps)
            sqlite3_bind_int64(insert, 6, link->mbps);
        else
            sqlite3_bind_null(insert, 6);
        sqlite3_bind_int(insert, 7, link->ends == 3 ? 2 : 1);
        if (*link->kind)
            sqlite3_bind_text(insert, 8, link->kind, -1, SQLITE_STATIC);
        else
            sqlite3_bind_null(insert, 8);
        result = db_insert(insert, err);
    }
    sqlite3_finalize(insert);
    free(next);
    import->report->links = links->links;
    return result;
}

int db_named_write(struct db_import *import, const topomap_links *links, int64_t *vertices,
                   topomap_error *err)
{
    int64_t base;

    if (db_number(import->file, "SELECT max(id) + 1 FROM vertex", 1, &base, err) ||
        write_vertices(import, links, base, err) || write_links(import, links, base, err))
        return -1;
    for (size_t i = 0; vertices && i < links->vertices; i++)
        vertices[i] = base + (int64_t)i;
    return 0;
}
