/* SPDX-License-Identifier: BSD-3-Clause */
/* updn: no path goes up, towards the roots, after it went down. */
#include <string.h>

#include "fabric/opensm/subnet.h"

enum { HISTOGRAM = 64 }; /* OpenSM counts hosts that are fewer hops away */

struct updn {
    topomap_opensm_search search;
    uint8_t *rank;      /* [switches] distance from the nearest root; OPENSM_NO_PATH: none */
    uint8_t *up;        /* [ports] the cable leads up */
    uint8_t *came_down; /* [switches] the step that queued it led down */
    uint8_t *queued;    /* [switches] */
};

/* Whether nearly all hosts are at one distance of a switch: then OpenSM takes it for a root. */
static int is_root(struct updn *updn, uint32_t at)
{
    const topomap_opensm_subnet *subnet = updn->search.subnet;
    uint64_t hosts[HISTOGRAM] = {0}, all = 0;
    int most = 0, some = 0;

    topomap_opensm_distances(&updn->search, at);
    for (uint32_t i = 0; i < subnet->count; i++) {
        all += subnet->node[i].host_cables;
        if (updn->search.least[i] < HISTOGRAM)
            hosts[updn->search.least[i]] += subnet->node[i].host_cables;
    }
    for (int i = 0; i < HISTOGRAM; i++) {
        most += (double)hosts[i] > (double)all * 0.9;
        some += (double)hosts[i] > (double)all * 0.05;
    }
    return most == 1 && some == 1;
}

/* Fills rank[]. Returns how many roots there are. */
static uint32_t rank_switches(struct updn *updn)
{
    const topomap_opensm_subnet *subnet = updn->search.subnet;
    uint32_t *queue = updn->search.queue, roots = 0;

    for (uint32_t i = 0; i < subnet->count; i++)
        updn->rank[i] = is_root(updn, i) ? 0 : OPENSM_NO_PATH;
    for (uint32_t i = 0; i < subnet->count; i++)
        if (!updn->rank[i])
            queue[roots++] = i;
    topomap_opensm_spread(subnet, updn->rank, queue, roots);
    return roots;
}

static int leads_up(const struct updn *updn, uint32_t at, uint32_t peer)
{
    const topomap_opensm_switch *node = updn->search.subnet->node;

    if (updn->rank[at] != updn->rank[peer])
        return updn->rank[at] > updn->rank[peer];
    return !updn->rank[at] || node[at].guid > node[peer].guid;
}

/* Searches as OpenSM does, which is not always the shortest legal path: a queued switch keeps the
 * direction of the step that queued it. A switch is queued again only if hops of a port sank. */
static void search_legal(topomap_opensm_search *search, uint32_t to)
{
    struct updn *updn = search->context;
    const topomap_opensm_subnet *subnet = search->subnet;
    uint32_t first = 0, waiting = 1;

    memset(search->least, OPENSM_NO_PATH, subnet->count);
    memset(search->via, OPENSM_NO_PATH, subnet->ports);
    search->least[to] = 0;
    updn->came_down[to] = 0;
    search->queue[0] = to;
    while (waiting) {
        uint32_t at = search->queue[first];

        first = first + 1 < subnet->count ? first + 1 : 0;
        waiting--;
        updn->queued[at] = 0;
        for (uint32_t p = subnet->node[at].first; p < subnet->node[at + 1].first; p++) {
            uint32_t peer = subnet->port[p].peer, hops = search->least[at] + 1u;

            if (peer == OPENSM_NONE || (updn->came_down[at] && updn->up[p]) ||
                hops >= search->via[subnet->port[p].back])
                continue;
            search->via[subnet->port[p].back] = (uint8_t)hops;
            if (hops < search->least[peer])
                search->least[peer] = (uint8_t)hops;
            if (updn->queued[peer])
                continue;
            updn->queued[peer] = 1;
            updn->came_down[peer] = !updn->up[p];
            search->queue[(first + waiting++) % subnet->count] = peer;
        }
    }
}

static int route_updn(topomap_opensm_subnet *subnet, topomap_error *err)
{
    struct updn updn = {.search = {.run = search_legal}};
    topomap_arena *arena = &subnet->arena;

    updn.search.context = &updn;
    updn.rank = topomap_arena_alloc(arena, subnet->count, sizeof *updn.rank, err);
    updn.up = topomap_arena_alloc(arena, subnet->ports, sizeof *updn.up, err);
    updn.came_down = topomap_arena_alloc(arena, subnet->count, sizeof *updn.came_down, err);
    updn.queued = topomap_arena_alloc(arena, subnet->count, sizeof *updn.queued, err);
    if (topomap_opensm_search_new(subnet, &updn.search, err))
        return -1;
    if (!rank_switches(&updn))
        return 1;
    for (uint32_t at = 0; at < subnet->count; at++)
        for (uint32_t p = subnet->node[at].first; p < subnet->node[at + 1].first; p++)
            if (subnet->port[p].peer != OPENSM_NONE)
                updn.up[p] = (uint8_t)leads_up(&updn, at, subnet->port[p].peer);
    return topomap_opensm_choose_ports(subnet, &updn.search, 0, err);
}

const topomap_opensm_engine topomap_opensm_updn = {
    "updn", "shortest paths that never go up after down; refuses where no switch is a root",
    route_updn};
