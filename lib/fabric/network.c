/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/network.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/fattree.h"
#include "util/alloc.h"
#include "util/sorted.h"

void topomap_network_free(topomap_network *network)
{
    if (!network)
        return;
    for (uint32_t v = 0; network->name && v < network->vertices; v++)
        free(network->name[v]);
    free(network->name);
    free(network->vertex_of);
    free(network->first);
    free(network->head);
    free(network->cables);
    free(network->capacity);
    topomap_fattree_free(network->fattree);
    free(network->next);
    free(network);
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

double topomap_commonest_rate(double *rate, size_t count, int higher)
{
    double best = 0;
    size_t most = 0, end;

    if (count)
        qsort(rate, count, sizeof *rate, by_number);
    for (size_t i = 0; i < count; i = end) {
        for (end = i; end < count && by_number(&rate[i], &rate[end]) == 0; end++)
            ;
        if (end - i > most || (higher && end - i == most)) {
            most = end - i;
            best = rate[i];
        }
    }
    return best;
}

const char *topomap_cables_fill(topomap_cable *cable, size_t cables, topomap_error *err)
{
    double *rate = topomap_alloc(cables, sizeof *rate, err), common;
    size_t known = 0;

    if (!rate)
        return NULL;
    for (size_t i = 0; i < cables; i++)
        if (cable[i].capacity > 0)
            rate[known++] = cable[i].capacity;
    common = topomap_commonest_rate(rate, known, 0);
    free(rate);
    for (size_t i = 0; i < cables; i++)
        if (!(cable[i].capacity > 0))
            cable[i].capacity = common > 0 ? common : 1.0;
    return common > 0 ? "s" : "bytes";
}

static int by_ends(const void *a, const void *b)
{
    const topomap_cable *x = a, *y = b;

    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

/* Adds up cables of one pair; \return how many pairs are left, in front. */
static size_t join_parallel(size_t cables, topomap_cable *cable)
{
    size_t pairs = 0;

    for (size_t i = 0; i < cables; i++)
        if (cable[i].a > cable[i].b) {
            uint32_t a = cable[i].a;

            cable[i].a = cable[i].b;
            cable[i].b = a;
        }
    if (cables)
        qsort(cable, cables, sizeof *cable, by_ends);
    for (size_t i = 0; i < cables; i++) {
        if (cable[i].a == cable[i].b || !cable[i].cables)
            continue;
        if (pairs && by_ends(&cable[pairs - 1], &cable[i]) == 0) {
            cable[pairs - 1].cables += cable[i].cables;
            cable[pairs - 1].capacity += cable[i].capacity;
        } else {
            cable[pairs++] = cable[i];
        }
    }
    return pairs;
}

static int allocate(topomap_network *network, const uint32_t *vertex_of, topomap_error *err)
{
    network->vertex_of = topomap_alloc(network->nodes, sizeof(uint32_t), err);
    network->first = topomap_alloc((size_t)network->vertices + 1, sizeof(uint32_t), err);
    network->head = topomap_alloc(network->links, sizeof(uint32_t), err);
    network->cables = topomap_alloc(network->links, sizeof(uint32_t), err);
    network->capacity = topomap_alloc(network->links, sizeof(double), err);
    if (!network->vertex_of || !network->first || !network->head || !network->cables ||
        !network->capacity)
        return -1;
    for (uint32_t i = 0; i < network->nodes; i++)
        network->vertex_of[i] = vertex_of ? vertex_of[i] : i;
    return 0;
}

static void put(topomap_network *network, uint32_t *at, uint32_t tail, uint32_t head,
                const topomap_cable *cable)
{
    uint32_t link = at[tail]++;

    network->head[link] = head;
    network->cables[link] = cable->cables;
    network->capacity[link] = cable->capacity;
}

/* Pairs are sorted by (a, b): the backward links of a vertex come first, then the forward ones, so
 * that heads ascend. */
static void fill(topomap_network *network, size_t pairs, const topomap_cable *cable, uint32_t *at)
{
    for (size_t i = 0; i < pairs; i++) {
        network->first[cable[i].a + 1]++;
        network->first[cable[i].b + 1]++;
    }
    for (uint32_t v = 0; v < network->vertices; v++)
        network->first[v + 1] += network->first[v];
    memcpy(at, network->first, network->vertices * sizeof *at);
    for (size_t i = 0; i < pairs; i++)
        put(network, at, cable[i].b, cable[i].a, &cable[i]);
    for (size_t i = 0; i < pairs; i++)
        put(network, at, cable[i].a, cable[i].b, &cable[i]);
}

int topomap_network_new(uint32_t vertices, size_t cables, topomap_cable *cable, uint32_t nodes,
                        const uint32_t *vertex_of, topomap_network **out, topomap_error *err)
{
    topomap_network *network;
    uint32_t *at;
    size_t pairs;

    for (size_t i = 0; i < cables; i++)
        if (cable[i].a >= vertices || cable[i].b >= vertices)
            return topomap_error_set(err, TOPOMAP_EINPUT, "a cable ends at vertex %u of %u",
                                     cable[i].a >= vertices ? cable[i].a : cable[i].b, vertices);
    pairs = join_parallel(cables, cable);
    if (pairs > TOPOMAP_NETWORK_LINKS / 2)
        return topomap_error_set(err, TOPOMAP_EINPUT, "a network of %zu links is too large", pairs);
    network = topomap_alloc(1, sizeof *network, err);
    if (!network)
        return -1;
    network->vertices = vertices;
    network->links = (uint32_t)pairs * 2;
    network->nodes = nodes;
    network->unit = "bytes";
    at = topomap_alloc(vertices, sizeof *at, err);
    if (!at || allocate(network, vertex_of, err)) {
        free(at);
        topomap_network_free(network);
        return -1;
    }
    fill(network, pairs, cable, at);
    free(at);
    *out = network;
    return 0;
}

uint32_t topomap_network_link(const topomap_network *network, uint32_t tail, uint32_t head)
{
    uint32_t low = (uint32_t)topomap_sorted_u32(network->head, network->first[tail],
                                                network->first[tail + 1], head);

    return low < network->first[tail + 1] && network->head[low] == head ? low : UINT32_MAX;
}
