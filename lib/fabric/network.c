/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/network.h"

#include <stdlib.h>

#include "util/alloc.h"
#include "util/sorted.h"

void topomap_network_free(topomap_network *network)
{
    if (!network)
        return;
    for (uint32_t v = 0; network->name && v < network->vertices; v++)
        free(network->name[v]);
    free(network->name);
    topomap_arena_clear(&network->memory);
    free(network->shape);
    free(network->next);
    free(network);
}

static int allocate(topomap_network *network, size_t links, const uint32_t *vertex_of,
                    topomap_error *err)
{
    topomap_arena *memory = &network->memory;

    network->vertex_of = topomap_arena_alloc(memory, network->nodes, sizeof(uint32_t), err);
    network->first =
        topomap_arena_alloc(memory, (size_t)network->vertices + 1, sizeof(uint32_t), err);
    network->head = topomap_arena_alloc(memory, links, sizeof(uint32_t), err);
    network->cables = topomap_arena_alloc(memory, links, sizeof(uint32_t), err);
    network->capacity = topomap_arena_alloc(memory, links, sizeof(double), err);
    if (memory->is_short)
        return -1;
    for (uint32_t i = 0; i < network->nodes; i++)
        network->vertex_of[i] = vertex_of ? vertex_of[i] : i;
    return 0;
}

/* How many pairs of a vertex and a neighbour there are. */
static size_t count_pairs(uint32_t vertices, const uint32_t *first, const topomap_end *end)
{
    size_t pairs = 0;

    for (uint32_t v = 0; v < vertices; v++)
        for (uint32_t i = first[v]; i < first[v + 1]; i++)
            pairs += i == first[v] || end[i].peer != end[i - 1].peer;
    return pairs;
}

static void fill(topomap_network *network, const topomap_link *link, const uint32_t *first,
                 const topomap_end *end)
{
    for (uint32_t v = 0; v < network->vertices; v++) {
        for (uint32_t i = first[v]; i < first[v + 1]; i++) {
            if (i == first[v] || end[i].peer != end[i - 1].peer)
                network->head[network->links++] = end[i].peer;
            network->cables[network->links - 1]++;
            network->capacity[network->links - 1] += link[end[i].link].rate;
        }
        network->first[v + 1] = network->links;
    }
}

static int make(uint32_t vertices, const topomap_link *link, const uint32_t *first,
                const topomap_end *end, uint32_t nodes, const uint32_t *vertex_of,
                topomap_network **out, topomap_error *err)
{
    size_t links = count_pairs(vertices, first, end);
    TOPOMAP_NETWORK_FREED topomap_network *network = NULL;

    if (links > TOPOMAP_NETWORK_LINKS)
        return topomap_error_set(err, TOPOMAP_EINPUT, "a network of %zu links is too large",
                                 links / 2);
    network = topomap_alloc(1, sizeof *network, err);
    if (!network)
        return -1;
    network->vertices = vertices;
    network->nodes = nodes;
    network->unit = "bytes";
    if (allocate(network, links, vertex_of, err))
        return -1;
    fill(network, link, first, end);
    *out = topomap_take(&network);
    return 0;
}

int topomap_network_new(uint32_t vertices, size_t links, const topomap_link *link, uint32_t nodes,
                        const uint32_t *vertex_of, topomap_network **network, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *first = NULL;
    TOPOMAP_FREED topomap_end *end = NULL;

    for (size_t i = 0; i < links; i++)
        if (link[i].a >= vertices || link[i].b >= vertices)
            return topomap_error_set(err, TOPOMAP_EINPUT, "a cable ends at vertex %u of %u",
                                     link[i].a >= vertices ? link[i].a : link[i].b, vertices);
    if (topomap_ends_list(vertices, links, link, TOPOMAP_ENDS_BY_PEER, &first, &end, err))
        return -1;
    return make(vertices, link, first, end, nodes, vertex_of, network, err);
}

/* Links between vertices of the network, with their rates; the others are dropped. */
static void renumber(topomap_fabric *f, const uint32_t *number, double rate)
{
    size_t kept = 0;

    for (size_t i = 0; i < f->links; i++) {
        topomap_link link = f->link[i];

        link.a = number ? number[link.a] : link.a;
        link.b = number ? number[link.b] : link.b;
        link.rate = link.rate > 0 ? link.rate : rate;
        if (link.a != UINT32_MAX && link.b != UINT32_MAX)
            f->link[kept++] = link;
    }
    f->links = kept;
}

int topomap_network_of(topomap_fabric *f, const uint32_t *number, uint32_t vertices, uint32_t nodes,
                       topomap_network **out, topomap_error *err)
{
    topomap_network *network;
    double common;

    if (topomap_fabric_rate(f, 0, 0, &common, err))
        return -1;
    renumber(f, number, common > 0 ? common : 1.0);
    if (topomap_network_new(vertices, f->links, f->link, nodes, NULL, &network, err))
        return -1;
    *out = network;
    network->unit = common > 0 ? "s" : "bytes";
    network->name = topomap_alloc(vertices, sizeof *network->name, err);
    if (!network->name)
        return -1;
    for (uint32_t v = 0; v < f->vertices; v++) {
        uint32_t at = number ? number[v] : v;

        if (at != UINT32_MAX &&
            !(network->name[at] = topomap_strdup(topomap_fabric_name(f, v), err)))
            return -1;
    }
    return 0;
}

uint32_t topomap_network_link(const topomap_network *network, uint32_t tail, uint32_t head)
{
    uint32_t low = (uint32_t)topomap_sorted_u32(network->head, network->first[tail],
                                                network->first[tail + 1], head);

    return low < network->first[tail + 1] && network->head[low] == head ? low : UINT32_MAX;
}
