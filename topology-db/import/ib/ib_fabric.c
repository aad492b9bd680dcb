/* SPDX-License-Identifier: BSD-3-Clause */
/* Vertices by GUID, and what is kept of each line. */
#include <stdlib.h>
#include <string.h>

#include "topology-db/import/ib/ib.h"
#include "util/alloc.h"

/* ---- Vertices by GUID -------------------------------------------------------------------- */

int ib_intern(struct ib_fabric *fabric, uint64_t guid, uint32_t *index, topomap_error *err)
{
    const uint64_t key[] = {guid, fabric->subnet};

    if (topomap_known_number(&fabric->guids, key, sizeof key, index, err))
        return -1;
    if (*index < fabric->vertices)
        return 0;
    return TOPOMAP_APPEND(
        fabric->vertex, fabric->vertices, fabric->vertex_room, err,
        (struct ib_vertex){
            .guid = guid, .subnet = fabric->subnet, .kind = IB_OTHER, .text = UINT32_MAX});
}

void ib_renumber(struct ib_fabric *fabric, const uint32_t *now)
{
    for (size_t i = 0; i < fabric->ends; i++) {
        fabric->end[i].vertex = now[fabric->end[i].vertex];
        fabric->end[i].remote = now[fabric->end[i].remote];
    }
    for (size_t i = 0; i < fabric->idles; i++)
        fabric->idle[i].vertex = now[fabric->idle[i].vertex];
    topomap_known_clear(&fabric->guids); /* they have the old indices */
}

int ib_describe(struct ib_fabric *fabric, uint32_t index, int kind, const char *text, size_t length,
                topomap_error *err)
{
    struct ib_vertex *vertex = &fabric->vertex[index];

    if (topomap_fabric_keep(&fabric->base, text, length, &vertex->text, err))
        return -1;
    vertex->kind = (uint8_t)kind;
    if (kind == IB_ADAPTER && ib_is_aggregation(ib_text(fabric, index), vertex->device))
        vertex->kind = IB_AGGREGATION;
    return 0;
}

int ib_neighbour(struct ib_fabric *fabric, uint64_t guid, int kind, const char *text, size_t length,
                 uint32_t *index, topomap_error *err)
{
    if (ib_intern(fabric, guid, index, err))
        return -1;
    return fabric->vertex[*index].text == UINT32_MAX
               ? ib_describe(fabric, *index, kind, text, length, err)
               : 0;
}

int ib_add_end(struct ib_fabric *fabric, const struct ib_end *end, topomap_error *err)
{
    return TOPOMAP_APPEND(fabric->end, fabric->ends, fabric->end_room, err, *end);
}

struct ib_end ib_reverse(const struct ib_end *end)
{
    struct ib_end other = *end;

    other.vertex = end->remote;
    other.remote = end->vertex;
    other.port = end->remote_port;
    other.remote_port = end->port;
    return other;
}

int ib_add_both(struct ib_fabric *fabric, const struct ib_end *end, topomap_error *err)
{
    struct ib_end other = ib_reverse(end);

    other.derived = 1;
    return ib_add_end(fabric, end, err) || ib_add_end(fabric, &other, err) ? -1 : 0;
}

int ib_add_idle(struct ib_fabric *fabric, const struct ib_idle *idle, topomap_error *err)
{
    return TOPOMAP_APPEND(fabric->idle, fabric->idles, fabric->idle_room, err, *idle);
}

void ib_clear(void *content)
{
    struct ib_fabric *fabric = content;

    free(fabric->vertex);
    free(fabric->end);
    free(fabric->idle);
    topomap_fabric_clear(&fabric->base);
    topomap_known_clear(&fabric->guids);
    memset(fabric, 0, sizeof *fabric);
}
