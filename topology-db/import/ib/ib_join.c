/* SPDX-License-Identifier: BSD-3-Clause */
/* From port lines to cables: what both ends say, put together. */
#include <inttypes.h>
#include <stdlib.h>

#include "topology-db/import/ib/ib.h"
#include "util/alloc.h"

/* ---- Order ------------------------------------------------------------------------------- */

TOPOMAP_COMPARE(by_guid, struct ib_vertex, TOPOMAP_ORDER(x->guid, y->guid),
                TOPOMAP_ORDER(x->subnet, y->subnet))

TOPOMAP_COMPARE(by_port, struct ib_end,
                TOPOMAP_ORDER(x->vertex, y->vertex) ?: TOPOMAP_ORDER(x->port, y->port),
                TOPOMAP_ORDER(x->derived, y->derived) ?: TOPOMAP_ORDER(x->line, y->line))

/* Renumbers vertices by GUID: a dump's own order is that of a hash table and changes from run to
 * run. */
static int sort_vertices(struct ib_fabric *fabric, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *now = topomap_alloc(fabric->vertices, sizeof *now, err);

    if (!now)
        return -1;
    for (uint32_t i = 0; i < fabric->vertices; i++)
        fabric->vertex[i].was = i;
    TOPOMAP_SORT(fabric->vertex, fabric->vertices, by_guid);
    for (uint32_t i = 0; i < fabric->vertices; i++)
        now[fabric->vertex[i].was] = i;
    ib_renumber(fabric, now);
    return 0;
}

/* ---- Links ------------------------------------------------------------------------------- */

static struct ib_end *find_end(const struct ib_fabric *fabric, uint32_t vertex, uint8_t port)
{
    const struct ib_vertex *v = &fabric->vertex[vertex];
    size_t low = v->first, high = v->first + v->ends;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (fabric->end[middle].port < port)
            low = middle + 1;
        else
            high = middle;
    }
    return low < v->first + v->ends && fabric->end[low].port == port ? &fabric->end[low] : NULL;
}

/* A switch is in one subnet. Where two dumps in a file have it, they are of one subnet, and which
 * of them is true now, the file does not say. */
static int check_subnets(const struct ib_fabric *fabric, struct db_import *import)
{
    for (size_t i = 1; i < fabric->vertices; i++) {
        const struct ib_vertex *a = &fabric->vertex[i - 1], *b = &fabric->vertex[i];

        if (a->guid == b->guid && a->subnet == b->subnet)
            return db_fail(import, 0, "two nodes have the GUID %016" PRIx64, b->guid);
        if (a->guid == b->guid && a->kind == IB_SWITCH && b->kind == IB_SWITCH)
            return db_fail(
                import, b->line,
                "a second record of switch %016" PRIx64
                " (the first is on line %zu): the file holds two dumps of one subnet; keep the "
                "newer one",
                b->guid, a->line);
    }
    return 0;
}

/* Gives each vertex its ends; two lines for one port must say the same. */
static int index_ends(struct ib_fabric *fabric, struct db_import *import)
{
    size_t kept = 0;

    /* Readers may have counted them in the file's order. */
    for (size_t i = 0; i < fabric->vertices; i++)
        fabric->vertex[i].first = fabric->vertex[i].ends = 0;
    for (size_t i = 0; i < fabric->ends; i++) {
        struct ib_end *end = &fabric->end[i], *last = kept ? &fabric->end[kept - 1] : NULL;
        struct ib_vertex *vertex = &fabric->vertex[end->vertex];

        if (last && last->vertex == end->vertex && last->port == end->port) {
            if (last->remote != end->remote || last->remote_port != end->remote_port)
                return db_fail(
                    import, end->line,
                    "port %u of %016" PRIx64
                    " has another neighbour on line %zu: the file holds two states of the fabric; "
                    "make a new dump",
                    end->port, vertex->guid, last->line);
            if (!end->derived)
                db_warn(import, end->line, "port %u of %016" PRIx64 " is listed twice", end->port,
                        vertex->guid);
            continue;
        }
        fabric->end[kept] = *end;
        if (!vertex->ends++)
            vertex->first = kept;
        kept++;
    }
    fabric->ends = kept;
    return 0;
}

/* \param both  nonzero: both ends were listed */
static int add_link(struct ib_fabric *fabric, const struct ib_end *end, int both,
                    topomap_error *err)
{
    topomap_link link = {.a = end->vertex,
                         .b = end->remote,
                         .aport = end->port,
                         .bport = end->remote_port,
                         .class = end->state,
                         .width = end->width,
                         .speed = end->speed};

    if (topomap_fabric_list(&fabric->base, &link, err))
        return -1;
    if (both)
        fabric->base.link[fabric->base.links - 1].ends = 3;
    return 0;
}

/* The lower of two where both are known: of widths, speeds and states. */
static uint8_t smaller_known(uint8_t a, uint8_t b)
{
    return !a ? b : !b ? a : a < b ? a : b;
}

/* A cable whose two ends name each other. Old tools print each end's own rate (ibnetdiscover of
 * 2007: 1xSDR here, 4xSDR there); a cable runs at one, the lower. */
static int join_pair(struct ib_fabric *fabric, struct db_import *import, const struct ib_end *end,
                     const struct ib_end *other)
{
    struct ib_end both = *end;

    both.width = smaller_known(end->width, other->width);
    both.speed = smaller_known(end->speed, other->speed);
    both.state = smaller_known(end->state, other->state);
    if ((end->width && other->width && end->width != other->width) ||
        (end->speed && other->speed && end->speed != other->speed))
        db_warn(import, end->line, "width or speed differs from the other end's on line %zu",
                other->line);
    return add_link(fabric, &both, !end->derived && !other->derived, import->err);
}

/* What is missing of the last record of a file may have been cut off. */
static void note_one_way(const struct ib_fabric *fabric, struct db_import *import,
                         const struct ib_end *end)
{
    const struct ib_vertex *remote = &fabric->vertex[end->remote];
    int last = remote->guid == fabric->last && remote->subnet == fabric->subnet;

    if (!remote->recorded)
        return;
    import->report->partial |= last;
    db_warn(import, end->line, "one-way link: port %u of %016" PRIx64 " does not list its end%s",
            end->remote_port, remote->guid,
            last ? "; it is the last record: the file may be cut" : "");
}

static int join_ends(struct ib_fabric *fabric, struct db_import *import)
{
    for (size_t i = 0; i < fabric->ends; i++) {
        const struct ib_end *end = &fabric->end[i];
        const struct ib_end *other = find_end(fabric, end->remote, end->remote_port);

        if (other && other->remote == end->vertex && other->remote_port == end->port) {
            /* the same end: a port looped to itself */
            if (other >= end && join_pair(fabric, import, end, other))
                return -1;
        } else if (other) {
            db_warn(import, end->line,
                    "the other end, port %u of %016" PRIx64 ", names another neighbour on line "
                    "%zu: link left out",
                    end->remote_port, fabric->vertex[end->remote].guid, other->line);
        } else {
            note_one_way(fabric, import, end);
            if (add_link(fabric, end, 0, import->err))
                return -1;
        }
    }
    return 0;
}

/* Old ibdiagnet lists each link once: no end of such a file is missing. */
static void accept_single(struct ib_fabric *fabric)
{
    for (size_t i = 0; i < fabric->base.links; i++)
        if (fabric->base.link[i].ends == 3)
            return;
    for (size_t i = 0; i < fabric->base.links; i++)
        fabric->base.link[i].ends = 3;
    for (size_t i = 0; i < fabric->vertices; i++)
        fabric->vertex[i].recorded = 1;
}

/* Links that only one of two lines has, in a file that has both of others. */
static void count_single(const struct ib_fabric *fabric, struct db_import *import)
{
    size_t single = 0;

    for (size_t i = 0; i < fabric->base.links; i++)
        single += fabric->base.link[i].ends != 3;
    if (single)
        db_warn(import, 0, "%zu one-way links: the other end does not list them", single);
}

/* Records that only the other ends name: the discovery did not reach them, or the file is cut. */
static void count_dangling(const struct ib_fabric *fabric, struct db_import *import)
{
    size_t dangling = 0;
    uint64_t first = 0;

    for (size_t i = 0; i < fabric->vertices; i++)
        if (!fabric->vertex[i].recorded && !dangling++)
            first = fabric->vertex[i].guid;
    if (!dangling)
        return;
    import->report->partial = 1;
    db_warn(import, 0,
            "%zu neighbours have no record (the first is %016" PRIx64 "): the discovery was not "
            "complete or the file is cut",
            dangling, first);
}

int ib_join(struct ib_fabric *fabric, struct db_import *import)
{
    if (sort_vertices(fabric, import->err))
        return -1;
    TOPOMAP_SORT(fabric->end, fabric->ends, by_port);
    if (check_subnets(fabric, import) || index_ends(fabric, import) || join_ends(fabric, import))
        return -1;
    if (fabric->both) {
        accept_single(fabric);
        count_single(fabric, import);
    }
    count_dangling(fabric, import);
    return 0;
}
