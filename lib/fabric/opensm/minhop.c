/* SPDX-License-Identifier: BSD-3-Clause */
/* minhop and dor: shortest paths, and the choice of a port among those that begin one. updn makes
 * the same choice among other paths.
 *
 * The choice for a destination depends on the choices for those before it at the same switch, and
 * on no other switch. All hosts of a switch follow each other in the order of destinations, so the
 * paths to one switch are searched for at a time, and no matrix of all pairs is needed. */
#include <string.h>

#include "fabric/opensm/subnet.h"
#include "util/keyed.h"

/* ---- Paths ------------------------------------------------------------------------------- */

int topomap_opensm_search_new(topomap_opensm_subnet *subnet, topomap_opensm_search *search,
                              topomap_error *err)
{
    topomap_arena *arena = &subnet->arena;

    search->subnet = subnet;
    search->least = topomap_arena_alloc(arena, subnet->count, sizeof *search->least, err);
    search->via = topomap_arena_alloc(arena, subnet->ports, sizeof *search->via, err);
    search->queue = topomap_arena_alloc(arena, subnet->count, sizeof *search->queue, err);
    return arena->is_short ? -1 : 0;
}

uint32_t topomap_opensm_spread(const topomap_opensm_subnet *subnet, uint8_t *hops, uint32_t *queue,
                               uint32_t end)
{
    for (uint32_t first = 0; first < end; first++) {
        uint32_t at = queue[first];

        if (hops[at] + 1 == OPENSM_NO_PATH)
            break;
        for (uint32_t p = subnet->node[at].first; p < subnet->node[at + 1].first; p++) {
            uint32_t peer = subnet->port[p].peer;

            if (peer != OPENSM_NONE && hops[peer] == OPENSM_NO_PATH) {
                hops[peer] = (uint8_t)(hops[at] + 1);
                queue[end++] = peer;
            }
        }
    }
    return end;
}

void topomap_opensm_distances(topomap_opensm_search *search, uint32_t to)
{
    memset(search->least, OPENSM_NO_PATH, search->subnet->count);
    search->least[to] = 0;
    search->queue[0] = to;
    topomap_opensm_spread(search->subnet, search->least, search->queue, 1);
}

static void search_shortest(topomap_opensm_search *search, uint32_t to)
{
    const topomap_opensm_subnet *subnet = search->subnet;

    topomap_opensm_distances(search, to);
    for (uint32_t p = 0; p < subnet->ports; p++) {
        uint32_t peer = subnet->port[p].peer;
        uint32_t hops = peer == OPENSM_NONE ? OPENSM_NO_PATH : search->least[peer] + 1u;

        search->via[p] = (uint8_t)(hops < OPENSM_NO_PATH ? hops : OPENSM_NO_PATH);
    }
}

/* ---- The choice of a port ---------------------------------------------------------------- */

struct choice {
    topomap_opensm_subnet *subnet;
    topomap_opensm_search *search;
    int one_neighbour;
    uint32_t *count; /* [ports] destinations that leave by it so far */
    uint32_t *times; /* [ports or switches, the greater] LIDs of the present destination that go
                        by a port (one_neighbour) or to a switch */
    uint32_t candidate[OPENSM_PORTS], candidates;
    uint16_t lid[OPENSM_PORTS]; /* first LIDs of the ends of a switch that have an offset */
    uint32_t lids;
};

/* Lists the ports of a switch that begin a shortest path, ascending. */
static void find_candidates(struct choice *choice, uint32_t at)
{
    const topomap_opensm_subnet *subnet = choice->subnet;
    const topomap_opensm_search *search = choice->search;
    uint8_t least = search->least[at];

    choice->candidates = 0;
    if (least == OPENSM_NO_PATH)
        return;
    for (uint32_t p = subnet->node[at].first; p < subnet->node[at + 1].first; p++)
        if (search->via[p] == least &&
            (!choice->one_neighbour || !choice->candidates ||
             subnet->port[p].peer == subnet->port[choice->candidate[0]].peer))
            choice->candidate[choice->candidates++] = p;
}

/* The candidate with the fewest destinations, the first of equals. */
static uint32_t least_used(const struct choice *choice)
{
    uint32_t best = choice->candidate[0];

    for (uint32_t i = 1; i < choice->candidates; i++)
        if (choice->count[choice->candidate[i]] < choice->count[best])
            best = choice->candidate[i];
    return best;
}

/* Counts at which ports or switches the earlier LIDs of an end leave, or takes them off again. */
static void count_earlier(struct choice *choice, const uint8_t *earlier, uint32_t offset, int add)
{
    const topomap_opensm_subnet *subnet = choice->subnet;

    for (uint32_t i = 0; i < offset; i++)
        for (uint32_t c = 0; c < choice->candidates; c++) {
            uint32_t p = choice->candidate[c];

            if (subnet->port[p].number == earlier[i])
                choice->times[choice->one_neighbour ? p : subnet->port[p].peer] += (uint32_t)add;
        }
}

/* The port for a second or further LID of an end: one to a switch that the earlier ones do not use
 * if there is one, else the one with the fewest destinations and, of equals, the fewest LIDs of
 * this end. */
static uint32_t least_used_again(struct choice *choice, const uint8_t *earlier, uint32_t offset)
{
    const topomap_opensm_subnet *subnet = choice->subnet;
    uint32_t start = 0, best = OPENSM_NONE, fresh = OPENSM_NONE, fewest = UINT32_MAX;

    /* The scan begins behind the port of the LID before. */
    while (!choice->one_neighbour && start < choice->candidates &&
           subnet->port[choice->candidate[start]].number <= earlier[offset - 1])
        start++;
    count_earlier(choice, earlier, offset, 1);
    for (uint32_t i = 0; i < choice->candidates; i++) {
        uint32_t p = choice->candidate[(start + i) % choice->candidates];
        uint32_t times = choice->times[choice->one_neighbour ? p : subnet->port[p].peer];

        if (!times && !choice->one_neighbour) {
            if (fresh == OPENSM_NONE || choice->count[p] < choice->count[fresh])
                fresh = p;
        } else if (best == OPENSM_NONE || choice->count[p] < choice->count[best]) {
            best = p;
            fewest = times < fewest ? times : fewest;
        } else if (choice->count[p] == choice->count[best] && times < fewest) {
            best = p;
            fewest = times;
        }
    }
    count_earlier(choice, earlier, offset, -1);
    return fresh != OPENSM_NONE ? fresh : best;
}

/* ---- Destinations ------------------------------------------------------------------------ */

/* Lists the first LIDs of the ends of a switch that have a LID at this offset, and fills the
 * switch's own entries for these. */
static void list_ends(struct choice *choice, uint32_t to, uint32_t offset)
{
    const topomap_opensm_subnet *subnet = choice->subnet;

    choice->lids = 0;
    for (uint32_t p = subnet->node[to].first; p < subnet->node[to + 1].first; p++) {
        uint32_t e = subnet->port[p].end;

        if (e == OPENSM_NONE || offset >> subnet->end[e].lmc)
            continue;
        choice->lid[choice->lids++] = subnet->end[e].lid;
        subnet->table[to][subnet->end[e].lid + offset] = subnet->port[p].number;
    }
}

/* Fills the entries for the ends of one switch, at the other switches. */
static void route_ends(struct choice *choice, uint32_t to, uint32_t offset)
{
    topomap_opensm_subnet *subnet = choice->subnet;

    list_ends(choice, to, offset);
    if (!choice->lids)
        return;
    choice->search->run(choice->search, to);
    for (uint32_t at = 0; at < subnet->count; at++) {
        if (at == to)
            continue;
        find_candidates(choice, at);
        for (uint32_t i = 0; choice->candidates && i < choice->lids; i++) {
            uint8_t *entry = &subnet->table[at][choice->lid[i]];
            uint32_t best = offset ? least_used_again(choice, entry, offset) : least_used(choice);

            choice->count[best]++;
            entry[offset] = subnet->port[best].number;
        }
    }
}

/* Fills the entries for the switches themselves, which are not counted. */
static void route_switches(struct choice *choice)
{
    topomap_opensm_subnet *subnet = choice->subnet;

    for (uint32_t to = 0; to < subnet->count; to++) {
        uint32_t lid = subnet->node[to].lid;

        if (!lid)
            continue;
        choice->search->run(choice->search, to);
        subnet->table[to][lid] = 0;
        for (uint32_t at = 0; at < subnet->count; at++) {
            if (at == to)
                continue;
            find_candidates(choice, at);
            if (choice->candidates)
                subnet->table[at][lid] = subnet->port[least_used(choice)].number;
        }
    }
}

int topomap_opensm_choose_ports(topomap_opensm_subnet *subnet, topomap_opensm_search *search,
                                int one_neighbour, topomap_error *err)
{
    uint32_t most = subnet->ports > subnet->count ? subnet->ports : subnet->count;
    struct choice choice = {.subnet = subnet, .search = search, .one_neighbour = one_neighbour};
    topomap_keyed *order = topomap_arena_alloc(&subnet->arena, subnet->count, sizeof *order, err);

    choice.count = topomap_arena_alloc(&subnet->arena, subnet->ports, sizeof *choice.count, err);
    choice.times = topomap_arena_alloc(&subnet->arena, most, sizeof *choice.times, err);
    if (subnet->arena.is_short)
        return -1;
    /* The switches with the most hosts come first. */
    for (uint32_t i = 0; i < subnet->count; i++)
        order[i] = (topomap_keyed){-(int64_t)subnet->node[i].host_cables, i, 0};
    qsort(order, subnet->count, sizeof *order, topomap_keyed_order);
    for (uint32_t offset = 0; offset < 1u << subnet->lmc; offset++) {
        for (uint32_t i = 0; i < subnet->count; i++)
            route_ends(&choice, order[i].a, offset);
        if (!offset)
            route_switches(&choice);
    }
    return 0;
}

/* ---- The engines ------------------------------------------------------------------------- */

static int route_shortest(topomap_opensm_subnet *subnet, int one_neighbour, topomap_error *err)
{
    topomap_opensm_search search = {.run = search_shortest};

    if (topomap_opensm_search_new(subnet, &search, err))
        return -1;
    return topomap_opensm_choose_ports(subnet, &search, one_neighbour, err);
}

static int route_minhop(topomap_opensm_subnet *subnet, topomap_error *err)
{
    return route_shortest(subnet, 0, err);
}

static int route_dor(topomap_opensm_subnet *subnet, topomap_error *err)
{
    return route_shortest(subnet, 1, err);
}

const topomap_opensm_engine topomap_opensm_minhop = {
    "minhop", "shortest paths, spread evenly over the ports that begin one (OpenSM's default)",
    route_minhop};
const topomap_opensm_engine topomap_opensm_dor = {
    "dor", "shortest paths by the lowest port: dimension order in a torus that is cabled for it",
    route_dor};
