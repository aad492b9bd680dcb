/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/infiniband.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/sorted.h"

void topomap_lft_clear(topomap_lft_fabric *fabric)
{
    for (uint32_t i = 0; fabric->lft && i < fabric->count; i++)
        free(fabric->lft[i].port);
    free(fabric->lft);
    free(fabric->vertex);
    free(fabric->cable);
}

uint32_t topomap_lft_find(const topomap_lft_fabric *fabric, int64_t id)
{
    uint64_t guess = fabric->count ? (uint64_t)id - (uint64_t)fabric->vertex[0].id : 0;
    uint32_t low;

    /* Ids in a row, as they mostly are. */
    if (guess < fabric->count && fabric->vertex[guess].id == id)
        return (uint32_t)guess;
    low = (uint32_t)topomap_sorted_rows(fabric->vertex, fabric->count, sizeof *fabric->vertex,
                                        offsetof(topomap_lft_vertex, id), id);
    return low < fabric->count && fabric->vertex[low].id == id ? low : UINT32_MAX;
}

const topomap_cable *topomap_lft_cable(const topomap_lft_fabric *fabric, uint32_t vertex,
                                       uint32_t port)
{
    uint32_t low = fabric->vertex[vertex].cables, end = fabric->vertex[vertex + 1].cables;
    uint32_t high = end, guess;

    if (low == end)
        return NULL;
    /* Ports in a row, as they mostly are. */
    guess = low + port - fabric->cable[low].port;
    if (guess >= low && guess < end && fabric->cable[guess].port == port)
        return &fabric->cable[guess];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (fabric->cable[middle].port < port)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && fabric->cable[low].port == port ? &fabric->cable[low] : NULL;
}

enum { BY_PEER, BY_PORT, BY_VERTEX, KEYS, PORTS = 256 };

static uint32_t key_of(const topomap_cable *cable, int key)
{
    return key == BY_VERTEX ? cable->at : key == BY_PORT ? cable->port : cable->peer;
}

/* By counting: a launch has a whole fabric's cables to sort. What has the same key stays in order.
 * \param next  [keys + 1] out: where the cables of a key end */
static void sort_cables(const topomap_cable *from, uint32_t count, int key, uint32_t keys,
                        uint32_t *next, topomap_cable *to)
{
    memset(next, 0, (keys + 1u) * sizeof *next);
    for (uint32_t c = 0; c < count; c++)
        next[key_of(&from[c], key) + 1]++;
    for (uint32_t k = 0; k < keys; k++)
        next[k + 1] += next[k];
    for (uint32_t c = 0; c < count; c++)
        to[next[key_of(&from[c], key)]++] = from[c];
}

int topomap_lft_index(topomap_lft_fabric *fabric, topomap_error *err)
{
    uint32_t most = fabric->count > PORTS ? fabric->count : PORTS;
    TOPOMAP_FREED uint32_t *next = topomap_alloc(most + 1u, sizeof *next, err);
    TOPOMAP_FREED topomap_cable *other = topomap_alloc(fabric->cables, sizeof *other, err);

    fabric->lft = topomap_alloc(fabric->count, sizeof *fabric->lft, err);
    if (!next || !other || !fabric->lft)
        return -1;
    for (int key = 0; fabric->cables && key < KEYS; key++) {
        sort_cables(fabric->cable, fabric->cables, key, key == BY_PORT ? PORTS : fabric->count,
                    next, other);
        TOPOMAP_SWAP(other, fabric->cable);
    }
    for (uint32_t i = 0; i < fabric->count; i++)
        fabric->vertex[i + 1].cables = fabric->cables ? next[i] : 0;
    return 0;
}

/* Says why the walk ends at this switch: `%s` is its label. */
static int stuck(topomap_lft_fabric *fabric, topomap_route *route, uint32_t vertex,
                 const char *what, uint32_t number)
{
    char label[160];

    fabric->label(fabric, vertex, label, sizeof label);
    snprintf(route->reason, sizeof route->reason, what, label, number);
    return 0;
}

/* One switch further: 1 and *cable is the way out, 0 stuck, -1 failure. */
static int leave(topomap_lft_fabric *fabric, uint32_t at, uint32_t lid, const topomap_cable **cable,
                 topomap_route *route, topomap_error *err)
{
    const topomap_lft *lft = &fabric->lft[at];

    if (fabric->vertex[at].kind != IB_SWITCH)
        return stuck(fabric, route, at, "'%s' is no switch and does not know LID %u", lid);
    if (fabric->read(fabric, at, err))
        return -1;
    if (!lft->port)
        return stuck(fabric, route, at, "switch '%s' has no routing table here (LID %u)", lid);
    if (lid >= lft->lids || lft->port[lid] == TOPOMAP_NO_PORT)
        return stuck(fabric, route, at, "the table of switch '%s' has no way to LID %u", lid);
    if (lft->port[lid] == 0)
        return stuck(fabric, route, at, "switch '%s' takes LID %u for its own", lid);
    *cable = topomap_lft_cable(fabric, at, lft->port[lid]);
    if (!*cable)
        return stuck(fabric, route, at,
                     "port %2$u of switch '%1$s', where its table leads, has no "
                     "cable",
                     lft->port[lid]);
    return 1;
}

int topomap_lft_route(topomap_lft_fabric *fabric, const topomap_fabric_port *from,
                      const topomap_fabric_port *to, uint32_t lid, topomap_route *route,
                      topomap_error *err)
{
    const topomap_cable *cable = topomap_lft_cable(fabric, from->adapter, from->port);

    route->steps = 0;
    route->reason[0] = 0;
    if (!cable)
        return stuck(fabric, route, from->adapter, "port %2$u of '%1$s' has no cable", from->port);
    if (!lid)
        return stuck(fabric, route, to->adapter, "the LID of port %2$u of '%1$s' is not known",
                     to->port);
    while (cable->peer != to->adapter) {
        uint32_t at = cable->peer;
        uint8_t in = cable->peer_port;
        int way;

        if (route->steps > fabric->count)
            return stuck(fabric, route, at, "the tables lead in a circle at switch '%s' (LID %u)",
                         lid);
        way = leave(fabric, at, lid, &cable, route, err);
        if (way <= 0)
            return way;
        if (TOPOMAP_APPEND(route->step, route->steps, route->room, err,
                           (topomap_route_step){at, in, cable->port}))
            return -1;
    }
    if (cable->peer_port != to->port)
        return stuck(fabric, route, to->adapter, "the tables lead to another port of '%s' (LID %u)",
                     lid);
    return 1;
}
