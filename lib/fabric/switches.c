/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/switches.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/sorted.h"

void topomap_switches_clear(topomap_switches *switches)
{
    free(switches->id);
    free(switches->first);
    free(switches->neighbour);
    free(switches->cost);
    free(switches->queue);
    memset(switches, 0, sizeof *switches);
}

uint32_t topomap_switches_find(const topomap_switches *switches, int64_t id)
{
    uint32_t low =
        (uint32_t)topomap_sorted_rows(switches->id, switches->count, sizeof *switches->id, 0, id);

    return low < switches->count && switches->id[low] == id ? low : UINT32_MAX;
}

uint32_t topomap_switches_link(const topomap_switches *switches, uint32_t a, uint32_t b)
{
    uint32_t low = (uint32_t)topomap_sorted_u32(switches->neighbour, switches->first[a],
                                                switches->first[a + 1], b);

    return low < switches->first[a + 1] && switches->neighbour[low] == b ? low : UINT32_MAX;
}

uint32_t topomap_switches_cost(const topomap_switches *switches, uint32_t a, uint32_t b)
{
    uint32_t link = a < switches->count && b < switches->count
                        ? topomap_switches_link(switches, a, b)
                        : UINT32_MAX;

    return link == UINT32_MAX ? 0 : switches->cost[link];
}

/* Trunks are sorted by (a, b) with a < b: filling the smaller neighbours first keeps every list
 * ascending. */
int topomap_switches_join(topomap_switches *switches, const topomap_trunk *trunk, size_t count,
                          topomap_error *err)
{
    TOPOMAP_FREED uint32_t *at = topomap_alloc(switches->count + 1u, sizeof *at, err);

    switches->first = topomap_alloc(switches->count + 1u, sizeof *switches->first, err);
    switches->neighbour = topomap_alloc(count * 2, sizeof *switches->neighbour, err);
    switches->queue = topomap_alloc(switches->count, sizeof *switches->queue, err);
    switches->cost = topomap_alloc(count * 2, sizeof *switches->cost, err);
    if (!at || !switches->first || !switches->neighbour || !switches->queue || !switches->cost)
        return -1;
    for (size_t i = 0; i < count; i++) {
        switches->first[trunk[i].a + 1]++;
        switches->first[trunk[i].b + 1]++;
    }
    for (uint32_t i = 0; i < switches->count; i++)
        switches->first[i + 1] += switches->first[i];
    memcpy(at, switches->first, (switches->count + 1u) * sizeof *at);
    for (size_t i = 0; i < count; i++) {
        switches->cost[at[trunk[i].b]] = trunk[i].cost;
        switches->neighbour[at[trunk[i].b]++] = trunk[i].a;
    }
    for (size_t i = 0; i < count; i++) {
        switches->cost[at[trunk[i].a]] = trunk[i].cost;
        switches->neighbour[at[trunk[i].a]++] = trunk[i].b;
    }
    return 0;
}

/* ---- Searches ----------------------------------------------------------------------------- */

uint32_t topomap_switches_parts(topomap_switches *s, const uint8_t *keep, uint32_t *part)
{
    uint32_t *queue = s->queue, parts = 0;

    for (uint32_t i = 0; i < s->count; i++)
        part[i] = UINT32_MAX;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t head = 0, tail = 0;

        if (part[i] != UINT32_MAX)
            continue;
        part[i] = parts;
        for (queue[tail++] = i; head < tail; head++)
            for (uint32_t k = s->first[queue[head]]; k < s->first[queue[head] + 1]; k++)
                if ((!keep || keep[k]) && part[s->neighbour[k]] == UINT32_MAX) {
                    part[s->neighbour[k]] = parts;
                    queue[tail++] = s->neighbour[k];
                }
        parts++;
    }
    return parts;
}

void topomap_switches_spread(topomap_switches *switches, const uint32_t *from, size_t count,
                             uint16_t *hops)
{
    uint32_t head = 0, tail = 0;

    for (uint32_t i = 0; i < switches->count; i++)
        hops[i] = TOPOMAP_FAR;
    for (size_t i = 0; i < count; i++)
        if (hops[from[i]] == TOPOMAP_FAR) {
            hops[from[i]] = 0;
            switches->queue[tail++] = from[i];
        }
    while (head < tail) {
        uint32_t at = switches->queue[head++];

        for (uint32_t i = switches->first[at]; i < switches->first[at + 1]; i++) {
            uint32_t next = switches->neighbour[i];

            if (hops[next] == TOPOMAP_FAR && hops[at] < TOPOMAP_FAR - 1) {
                hops[next] = (uint16_t)(hops[at] + 1);
                switches->queue[tail++] = next;
            }
        }
    }
}

/* Breadth first: when a switch is taken from the queue, all of those one hop nearer are done, and
 * its cost is final. */
void topomap_switches_reach(topomap_switches *switches, const topomap_start *start, size_t starts,
                            uint16_t *hops, uint32_t *cost)
{
    uint32_t head = 0, tail = 0;

    for (uint32_t i = 0; i < switches->count; i++)
        hops[i] = TOPOMAP_FAR;
    for (size_t i = 0; i < starts; i++) {
        if (hops[start[i].at] == TOPOMAP_FAR) {
            switches->queue[tail++] = start[i].at;
            cost[start[i].at] = start[i].cost;
        } else if (start[i].cost < cost[start[i].at]) {
            cost[start[i].at] = start[i].cost;
        }
        hops[start[i].at] = (uint16_t)start[i].hops;
    }
    while (head < tail) {
        uint32_t at = switches->queue[head++], far = hops[at] + 1u, own = cost[at];

        if (far >= TOPOMAP_FAR)
            continue;
        for (uint32_t i = switches->first[at]; i < switches->first[at + 1]; i++) {
            uint32_t next = switches->neighbour[i], sum = own + switches->cost[i];

            if (hops[next] == TOPOMAP_FAR) {
                hops[next] = (uint16_t)far;
                cost[next] = sum;
                switches->queue[tail++] = next;
            } else if (hops[next] == far && sum < cost[next]) {
                cost[next] = sum;
            }
        }
    }
}
