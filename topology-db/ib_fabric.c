/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "topology-db/ib.h"
#include "util/alloc.h"

/* ---- Vertices by GUID -------------------------------------------------------------------- */

/* splitmix64's finaliser: GUIDs of one maker differ in their low bits only. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static int grow_table(struct ib_fabric *fabric, topomap_error *err)
{
    size_t slots = fabric->slots ? fabric->slots * 2 : 1024;
    uint32_t *slot = topomap_alloc(slots, sizeof *slot, err);

    if (!slot)
        return -1;
    for (uint32_t i = 0; i < fabric->vertices; i++) {
        size_t at = mix(fabric->vertex[i].guid) & (slots - 1);

        while (slot[at])
            at = (at + 1) & (slots - 1);
        slot[at] = i + 1;
    }
    free(fabric->slot);
    fabric->slot = slot;
    fabric->slots = slots;
    return 0;
}

int ib_intern(struct ib_fabric *fabric, uint64_t guid, uint32_t *index, topomap_error *err)
{
    size_t at;

    if (fabric->vertices * 2 >= fabric->slots && grow_table(fabric, err))
        return -1;
    for (at = mix(guid) & (fabric->slots - 1); fabric->slot[at];
         at = (at + 1) & (fabric->slots - 1))
        if (fabric->vertex[fabric->slot[at] - 1].guid == guid) {
            *index = fabric->slot[at] - 1;
            return 0;
        }
    if (topomap_grow(&fabric->vertex, &fabric->vertex_room, fabric->vertices + 1,
                     sizeof *fabric->vertex, err))
        return -1;
    fabric->vertex[fabric->vertices] =
        (struct ib_vertex){.guid = guid, .kind = IB_OTHER, .text = SIZE_MAX};
    *index = (uint32_t)fabric->vertices++;
    fabric->slot[at] = *index + 1;
    return 0;
}

size_t ib_keep_text(struct ib_fabric *fabric, const char *text, size_t length, topomap_error *err)
{
    size_t at = fabric->text_size;

    if (topomap_grow(&fabric->text, &fabric->text_room, at + length + 1, 1, err))
        return SIZE_MAX;
    memcpy(fabric->text + at, text, length);
    fabric->text[at + length] = 0;
    fabric->text_size += length + 1;
    return at;
}

void ib_free(void *content)
{
    struct ib_fabric *fabric = content;

    if (!fabric)
        return;
    free(fabric->vertex);
    free(fabric->end);
    free(fabric->link);
    free(fabric->text);
    free(fabric->slot);
    free(fabric);
}

/* ---- Order ------------------------------------------------------------------------------- */

struct rank {
    uint64_t guid;
    uint32_t index;
};

static int by_guid(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    return x->guid < y->guid ? -1 : x->guid > y->guid;
}

static int by_port(const void *a, const void *b)
{
    const struct ib_end *x = a, *y = b;

    if (x->vertex != y->vertex)
        return x->vertex < y->vertex ? -1 : 1;
    if (x->port != y->port)
        return x->port < y->port ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* Renumbers vertices by GUID: a dump's own order is that of a hash table and changes from run to
 * run. */
static int sort_vertices(struct ib_fabric *fabric, topomap_error *err)
{
    struct rank *rank = topomap_alloc(fabric->vertices, sizeof *rank, err);
    uint32_t *now = topomap_alloc(fabric->vertices, sizeof *now, err);
    struct ib_vertex *sorted = topomap_alloc(fabric->vertices, sizeof *sorted, err);
    int result = rank && now && sorted ? 0 : -1;

    if (!result) {
        for (uint32_t i = 0; i < fabric->vertices; i++)
            rank[i] = (struct rank){fabric->vertex[i].guid, i};
        qsort(rank, fabric->vertices, sizeof *rank, by_guid);
        for (uint32_t i = 0; i < fabric->vertices; i++) {
            now[rank[i].index] = i;
            sorted[i] = fabric->vertex[rank[i].index];
        }
        for (size_t i = 0; i < fabric->ends; i++) {
            fabric->end[i].vertex = now[fabric->end[i].vertex];
            fabric->end[i].remote = now[fabric->end[i].remote];
        }
        memcpy(fabric->vertex, sorted, fabric->vertices * sizeof *sorted);
        free(fabric->slot); /* it has the old indices */
        fabric->slot = NULL;
        fabric->slots = 0;
    }
    free(rank);
    free(sorted);
    free(now);
    return result;
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

/* Gives each vertex its ends; two lines for one port must say the same. */
static int index_ends(struct ib_fabric *fabric, struct db_import *import, topomap_error *err)
{
    size_t kept = 0;

    for (size_t i = 0; i < fabric->ends; i++) {
        struct ib_end *end = &fabric->end[i], *last = kept ? &fabric->end[kept - 1] : NULL;
        struct ib_vertex *vertex = &fabric->vertex[end->vertex];

        if (last && last->vertex == end->vertex && last->port == end->port) {
            if (last->remote != end->remote || last->remote_port != end->remote_port)
                return topomap_error_set(
                    err, TOPOMAP_EINPUT,
                    "%s:%zu: port %u of %016" PRIx64 " has another neighbour on line %zu: the "
                    "file holds two states of the fabric; make a new dump",
                    import->path, end->line, end->port, vertex->guid, last->line);
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

static int add_link(struct ib_fabric *fabric, const struct ib_end *end, uint8_t width,
                    uint8_t speed, uint8_t ends, topomap_error *err)
{
    struct ib_link link = {.a = end->vertex,
                           .b = end->remote,
                           .aport = end->port,
                           .bport = end->remote_port,
                           .width = width,
                           .speed = speed,
                           .ends = ends};

    if (link.a > link.b || (link.a == link.b && link.aport > link.bport))
        link = (struct ib_link){.a = end->remote,
                                .b = end->vertex,
                                .aport = end->remote_port,
                                .bport = end->port,
                                .width = width,
                                .speed = speed,
                                .ends = ends};
    if (topomap_grow(&fabric->link, &fabric->link_room, fabric->links + 1, sizeof *fabric->link,
                     err))
        return -1;
    fabric->link[fabric->links++] = link;
    return 0;
}

static uint8_t smaller_known(uint8_t a, uint8_t b)
{
    return !a ? b : !b ? a : a < b ? a : b;
}

/* A cable whose two ends name each other. Old tools print each end's own rate (ibnetdiscover of
 * 2007: 1xSDR here, 4xSDR there); a cable runs at one, the lower. */
static int join_pair(struct ib_fabric *fabric, struct db_import *import, const struct ib_end *end,
                     const struct ib_end *other, topomap_error *err)
{
    uint8_t width = smaller_known(end->width, other->width);
    uint8_t speed = smaller_known(end->speed, other->speed);

    if ((end->width && other->width && end->width != other->width) ||
        (end->speed && other->speed && end->speed != other->speed))
        db_warn(import, end->line, "width or speed differs from the other end's on line %zu",
                other->line);
    return add_link(fabric, end, width, speed, 2, err);
}

static int is_pair(const struct ib_end *end, const struct ib_end *other)
{
    return other && other->remote == end->vertex && other->remote_port == end->port;
}

static int join_ends(struct ib_fabric *fabric, struct db_import *import, topomap_error *err)
{
    for (size_t i = 0; i < fabric->ends; i++) {
        const struct ib_end *end = &fabric->end[i];
        const struct ib_end *other = find_end(fabric, end->remote, end->remote_port);
        int result = 0;

        if (is_pair(end, other)) {
            if (other >= end) /* the same end: a port looped to itself */
                result = join_pair(fabric, import, end, other, err);
        } else if (other) {
            db_warn(import, end->line,
                    "the other end, port %u of %016" PRIx64 ", names another neighbour on line "
                    "%zu: link left out",
                    end->remote_port, fabric->vertex[end->remote].guid, other->line);
        } else {
            if (fabric->vertex[end->remote].recorded)
                db_warn(import, end->line,
                        "one-way link: port %u of %016" PRIx64 " does not list its end",
                        end->remote_port, fabric->vertex[end->remote].guid);
            result = add_link(fabric, end, end->width, end->speed, 1, err);
        }
        if (result)
            return -1;
    }
    return 0;
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

int ib_join(struct ib_fabric *fabric, struct db_import *import, topomap_error *err)
{
    if (sort_vertices(fabric, err))
        return -1;
    if (fabric->ends)
        qsort(fabric->end, fabric->ends, sizeof *fabric->end, by_port);
    if (index_ends(fabric, import, err) || join_ends(fabric, import, err))
        return -1;
    count_dangling(fabric, import);
    return 0;
}
