/* SPDX-License-Identifier: BSD-3-Clause */
/* A joined subnet into the database. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/ib.h"
#include "util/alloc.h"

/* ---- The same subnet under another file name ---------------------------------------------- */

/* Which sources already have a GUID of this file, and how many of them. */
struct overlap {
    int64_t source;
    size_t shared;
};

static int best_overlap(struct db_import *import, const struct ib_fabric *fabric,
                        struct overlap *best, topomap_error *err)
{
    sqlite3_stmt *statement = db_prepare(
        import->file, "SELECT source, guid FROM vertex WHERE kind=0 ORDER BY source, guid", err);
    struct overlap now = {0};
    size_t at = 0;
    int row;

    *best = now;
    if (!statement)
        return -1;
    while ((row = db_step(statement, err)) > 0) {
        uint64_t guid = (uint64_t)sqlite3_column_int64(statement, 1);

        if (now.source != sqlite3_column_int64(statement, 0))
            now = (struct overlap){sqlite3_column_int64(statement, 0), 0};
        for (size_t low = 0, high = fabric->vertices; low < high;) {
            at = low + (high - low) / 2;
            if (fabric->vertex[at].guid == guid) {
                now.shared++;
                break;
            }
            if (fabric->vertex[at].guid < guid)
                low = at + 1;
            else
                high = at;
        }
        if (now.shared > best->shared)
            *best = now;
    }
    sqlite3_finalize(statement);
    return row;
}

/* A subnet is known by its switches. A newer dump of it under another file name (one a day, say)
 * takes the older one's place; a file that shares no switch is another subnet. */
static int replace_older(struct db_import *import, const struct ib_fabric *fabric,
                         topomap_error *err)
{
    struct overlap best;

    if (best_overlap(import, fabric, &best, err))
        return -1;
    return best.shared ? db_forget_source(import->file, best.source, err) : 0;
}

/* ---- Rows -------------------------------------------------------------------------------- */

struct label {
    const char *text;
    uint32_t vertex;
};

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct label *)a)->text, ((const struct label *)b)->text);
}

static void trim(char *text)
{
    size_t length = strlen(text), lead = strspn(text, " ");

    while (length > lead && text[length - 1] == ' ')
        length--;
    memmove(text, text + lead, length - lead);
    text[length - lead] = 0;
}

/* Marks the switches whose description is theirs alone and can be their label. */
static int find_labels(const struct ib_fabric *fabric, uint8_t *unique, topomap_error *err)
{
    struct label *label = topomap_alloc(fabric->vertices, sizeof *label, err);
    size_t labels = 0;

    if (!label)
        return -1;
    for (uint32_t i = 0; i < fabric->vertices; i++)
        if (fabric->vertex[i].kind == IB_SWITCH)
            label[labels++] = (struct label){fabric->text + fabric->vertex[i].text, i};
    qsort(label, labels, sizeof *label, by_text);
    for (size_t i = 0; i < labels; i++) {
        int same = (i && strcmp(label[i].text, label[i - 1].text) == 0) ||
                   (i + 1 < labels && strcmp(label[i].text, label[i + 1].text) == 0);

        unique[label[i].vertex] = !same && *label[i].text;
    }
    free(label);
    return 0;
}

static int write_vertex(sqlite3_stmt *insert, const struct ib_fabric *fabric, uint32_t i,
                        int64_t id, int unique, topomap_error *err)
{
    const struct ib_vertex *vertex = &fabric->vertex[i];
    const char *text = fabric->text + vertex->text;
    char made[24];

    sqlite3_bind_int64(insert, 1, id);
    sqlite3_bind_int(insert, 3, vertex->kind);
    sqlite3_bind_int64(insert, 4, (int64_t)vertex->guid);
    sqlite3_bind_int64(insert, 5, (int64_t)vertex->system);
    sqlite3_bind_int64(insert, 6, vertex->vendor);
    sqlite3_bind_int64(insert, 7, vertex->device);
    sqlite3_bind_int(insert, 8, vertex->ports);
    sqlite3_bind_int(insert, 9, vertex->lid);
    sqlite3_bind_int(insert, 10, vertex->recorded);
    sqlite3_bind_text(insert, 11, text, -1, SQLITE_STATIC);
    snprintf(made, sizeof made, "S-%016" PRIx64, vertex->guid);
    if (vertex->kind == IB_SWITCH)
        sqlite3_bind_text(insert, 12, unique ? text : made, -1, SQLITE_STATIC);
    else
        sqlite3_bind_null(insert, 12);
    return db_insert(insert, err);
}

static int write_vertices(struct db_import *import, struct ib_fabric *fabric, int64_t base,
                          topomap_error *err)
{
    sqlite3_stmt *insert =
        db_prepare(import->file, "INSERT INTO vertex VALUES(?,?,?,?,?,?,?,?,?,?,?,?)", err);
    uint8_t *unique = topomap_alloc(fabric->vertices, 1, err);
    int result = insert && unique ? 0 : -1;

    for (uint32_t i = 0; !result && i < fabric->vertices; i++)
        if (fabric->vertex[i].kind == IB_SWITCH)
            trim(fabric->text + fabric->vertex[i].text);
    if (!result)
        result = find_labels(fabric, unique, err);
    if (!result)
        sqlite3_bind_int64(insert, 2, import->source);
    for (uint32_t i = 0; !result && i < fabric->vertices; i++)
        result = write_vertex(insert, fabric, i, base + i, unique[i], err);
    free(unique);
    sqlite3_finalize(insert);
    return result;
}

static int write_ports(struct db_import *import, const struct ib_fabric *fabric, int64_t base,
                       topomap_error *err)
{
    sqlite3_stmt *insert = db_prepare(import->file, "INSERT INTO port VALUES(?,?,?,?,?,?)", err);
    int result = insert ? 0 : -1;

    for (size_t i = 0; !result && i < fabric->ends; i++) {
        const struct ib_end *end = &fabric->end[i];

        if (!end->guid)
            continue;
        sqlite3_bind_int64(insert, 1, base + end->vertex);
        sqlite3_bind_int(insert, 2, end->port);
        sqlite3_bind_int64(insert, 3, import->source);
        sqlite3_bind_int64(insert, 4, (int64_t)end->guid);
        sqlite3_bind_int(insert, 5, end->lid);
        sqlite3_bind_int(insert, 6, end->lmc);
        result = db_insert(insert, err);
    }
    sqlite3_finalize(insert);
    return result;
}

static int write_links(struct db_import *import, const struct ib_fabric *fabric, int64_t base,
                       topomap_error *err)
{
    sqlite3_stmt *insert = db_prepare(import->file,
                                      "INSERT INTO link(source, a, aport, b, bport, width, speed,"
                                      " ends) VALUES(?,?,?,?,?,?,?,?)",
                                      err);
    int result = insert ? 0 : -1;

    for (size_t i = 0; !result && i < fabric->links; i++) {
        const struct ib_link *link = &fabric->link[i];

        sqlite3_bind_int64(insert, 1, import->source);
        sqlite3_bind_int64(insert, 2, base + link->a);
        sqlite3_bind_int(insert, 3, link->aport);
        sqlite3_bind_int64(insert, 4, base + link->b);
        sqlite3_bind_int(insert, 5, link->bport);
        sqlite3_bind_int(insert, 6, link->width);
        sqlite3_bind_int(insert, 7, link->speed);
        sqlite3_bind_int(insert, 8, link->ends);
        result = db_insert(insert, err);
    }
    sqlite3_finalize(insert);
    return result;
}

/* The hosts are counted when it is known which adapters have one: after the views are made. */
static void count(struct db_import *import, const struct ib_fabric *fabric)
{
    import->report->links = fabric->links;
    for (size_t i = 0; i < fabric->vertices; i++) {
        import->report->switches += fabric->vertex[i].kind == IB_SWITCH;
        import->report->adapters += fabric->vertex[i].kind == IB_ADAPTER;
    }
}

int ib_write(struct db_import *import, void *content, topomap_error *err)
{
    struct ib_fabric *fabric = content;
    int64_t base;

    if (replace_older(import, fabric, err) ||
        db_number(import->file, "SELECT max(id) + 1 FROM vertex", 1, &base, err))
        return -1;
    if (write_vertices(import, fabric, base, err) || write_ports(import, fabric, base, err) ||
        write_links(import, fabric, base, err))
        return -1;
    count(import, fabric);
    return 0;
}
