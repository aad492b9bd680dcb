/* SPDX-License-Identifier: BSD-3-Clause */
/* A joined subnet into the database. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/import/ib/ib.h"
#include "util/alloc.h"

/* ---- The same subnet under another file name ---------------------------------------------- */

struct guids {
    uint64_t *guid; /* [count] ascending */
    size_t count;
};

/* What this file's switches may be known by elsewhere: their GUID and that of their port 0, which
 * is all that a ports report has. */
static int list_guids(const struct ib_fabric *fabric, struct guids *guids, topomap_error *err)
{
    uint64_t *guid = guids->guid = topomap_alloc(fabric->vertices * 2, sizeof *guid, err);

    for (size_t i = 0; guid && i < fabric->vertices; i++) {
        const struct ib_vertex *vertex = &fabric->vertex[i];

        if (vertex->kind != IB_SWITCH)
            continue;
        guid[guids->count++] = vertex->guid;
        if (vertex->port_guid)
            guid[guids->count++] = vertex->port_guid;
    }
    if (guid && guids->count)
        TOPOMAP_SORT(guid, guids->count, topomap_by_u64);
    return guid ? 0 : -1;
}

static int has_guid(const void *content, const char *text)
{
    const struct guids *guids = content;
    uint64_t guid = (uint64_t)strtoll(text, NULL, 10);

    return guids->count && bsearch(&guid, guids->guid, guids->count, sizeof guid, topomap_by_u64);
}

/* A subnet is known by its switches. A newer dump of it, of another file name (one a day, say) or
 * another tool, takes the place of those before it; a file that shares no switch with them is
 * another subnet. */
static int replace_older(struct db_import *import, const struct ib_fabric *fabric)
{
    static const char switches[] = "SELECT source, guid FROM vertex WHERE kind=0 UNION ALL"
                                   " SELECT source, guid FROM port WHERE number=0 ORDER BY source";
    struct guids guids = {0};
    int result = DB_STATUS(list_guids(fabric, &guids, import->err) ||
                           db_forget_sharing(import, switches, has_guid, &guids));

    free(guids.guid);
    return result;
}

/* ---- Rows -------------------------------------------------------------------------------- */

struct label {
    const char *text;
    uint32_t vertex;
};

TOPOMAP_COMPARE(by_text, struct label, strcmp(x->text, y->text), 0)

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
    TOPOMAP_FREED struct label *label = topomap_alloc(fabric->vertices, sizeof *label, err);
    size_t labels = 0, end;

    if (!label)
        return -1;
    for (uint32_t i = 0; i < fabric->vertices; i++)
        if (fabric->vertex[i].kind == IB_SWITCH) {
            trim(fabric->base.text + fabric->vertex[i].text);
            label[labels++] = (struct label){ib_text(fabric, i), i};
        }
    TOPOMAP_SORT(label, labels, by_text);
    for (size_t i = 0; i < labels; i = end) {
        for (end = i + 1; end < labels && by_text(&label[i], &label[end]) == 0; end++)
            ;
        unique[label[i].vertex] = end == i + 1 && *label[i].text;
    }
    return 0;
}

static int write_vertices(struct db_import *import, struct ib_fabric *fabric, int64_t base)
{
    TOPOMAP_FREED uint8_t *unique = topomap_alloc(fabric->vertices, 1, import->err);

    if (!unique || find_labels(fabric, unique, import->err))
        return -1;
    for (uint32_t i = 0; i < fabric->vertices; i++) {
        const struct ib_vertex *vertex = &fabric->vertex[i];
        const char *text = ib_text(fabric, i);
        char made[24];

        snprintf(made, sizeof made, "S-%016" PRIx64, vertex->guid);
        if (DB_ADD(import, "INSERT INTO vertex", DB_INT(base + i), DB_INT(import->source),
                   DB_INT(vertex->kind), DB_INT(vertex->guid), DB_INT(vertex->system),
                   DB_INT(vertex->vendor), DB_INT(vertex->device), DB_INT(vertex->ports),
                   DB_INT(vertex->lid), DB_INT(vertex->recorded), DB_NAME(text),
                   DB_NAME(vertex->kind != IB_SWITCH ? NULL
                           : unique[i]               ? text
                                                     : made),
                   DB_INT(vertex->subnet)))
            return -1;
    }
    return 0;
}

/* \param end  vertex, port, guid, lid, lmc and state are of it */
static int write_port(struct db_import *import, int64_t base, struct ib_end end)
{
    return DB_ADD(import, "INSERT OR IGNORE INTO port", DB_INT(base + end.vertex), DB_INT(end.port),
                  DB_INT(import->source), DB_INT_IF(end.guid, end.guid),
                  DB_INT_IF(end.guid, end.lid), DB_INT_IF(end.guid, end.lmc), DB_INT(end.state));
}

/* Ports that are down come last: a port that another line has as up stays up. */
static int write_ports(struct db_import *import, const struct ib_fabric *fabric, int64_t base)
{
    for (size_t i = 0; i < fabric->ends; i++)
        if (fabric->end[i].guid && write_port(import, base, fabric->end[i]))
            return -1;
    for (uint32_t i = 0; i < fabric->vertices; i++) {
        const struct ib_vertex *v = &fabric->vertex[i];
        struct ib_end end = {.vertex = i, .guid = v->port_guid, .lid = v->lid};

        if (v->port_guid && write_port(import, base, end))
            return -1;
    }
    for (size_t i = 0; i < fabric->idles; i++) {
        const struct ib_idle *idle = &fabric->idle[i];
        struct ib_end end = {.vertex = idle->vertex,
                             .port = idle->port,
                             .guid = idle->guid,
                             .lid = idle->lid,
                             .state = IB_DOWN};

        if (write_port(import, base, end))
            return -1;
    }
    return 0;
}

static int write_links(struct db_import *import, const struct ib_fabric *fabric, int64_t base)
{
    for (size_t i = 0; i < fabric->base.links; i++) {
        const topomap_link *link = &fabric->base.link[i];

        if (DB_ADD(import,
                   "INSERT INTO link(source, a, aport, b, bport, width, speed, ends, state)",
                   DB_INT(import->source), DB_INT(base + link->a), DB_INT(link->aport),
                   DB_INT(base + link->b), DB_INT(link->bport), DB_INT(link->width),
                   DB_INT(link->speed), DB_INT(link->ends == 3 ? 2 : 1), DB_INT(link->class)))
            return -1;
    }
    return 0;
}

/* Links that are down are none. The hosts are counted when it is known which adapters have one:
 * after the views are made. */
static void count(struct db_import *import, const struct ib_fabric *fabric)
{
    for (size_t i = 0; i < fabric->base.links; i++)
        import->report->links += fabric->base.link[i].class != IB_DOWN;
    for (size_t i = 0; i < fabric->vertices; i++) {
        import->report->switches += fabric->vertex[i].kind == IB_SWITCH;
        import->report->adapters += fabric->vertex[i].kind == IB_ADAPTER;
    }
}

int ib_write(struct db_import *import, void *content)
{
    struct ib_fabric *fabric = content;
    int64_t base;

    if (replace_older(import, fabric) ||
        db_number(import->file, "SELECT max(id) + 1 FROM vertex", 1, &base, import->err) ||
        write_vertices(import, fabric, base) || write_ports(import, fabric, base) ||
        write_links(import, fabric, base))
        return -1;
    count(import, fabric);
    ib_clear(fabric); /* the views need memory, too */
    return 0;
}

int ib_count_hosts(struct db_import *import)
{
    DB_ROWS rows = {0};

    if (!import->report->adapters)
        return 0;
    rows = DB_ASK(import->file,
                  "SELECT count(DISTINCT host), sum(host IS NULL) FROM adapter"
                  " CROSS JOIN vertex ON vertex.id = adapter.vertex WHERE source=?",
                  import->err, DB_INT(import->source));
    if (db_next(&rows)) {
        import->report->hosts += db_u64(rows.row, 0);
        import->report->unknown_adapters = db_u64(rows.row, 1);
    }
    return rows.result;
}
