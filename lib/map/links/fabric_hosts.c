/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/links/links.h"

#include <string.h>

#include "partition/partition.h"
#include "util/alloc.h"

static int find_places(topomap_hosts *h, topomap_error *err)
{
    const topomap_machine *m = h->problem->machine;
    const topomap_network *n = h->network;
    uint32_t *at;

    h->place_of = topomap_arena_alloc(&h->memory, n->vertices, sizeof(uint32_t), err);
    h->vertex = topomap_arena_alloc(&h->memory, m->nodes, sizeof(uint32_t), err);
    h->room = topomap_arena_alloc(&h->memory, m->nodes, sizeof(uint32_t), err);
    h->slot_first = topomap_arena_alloc(&h->memory, (size_t)m->nodes + 1, sizeof(uint32_t), err);
    h->slot = topomap_arena_alloc(&h->memory, m->slots, sizeof(uint32_t), err);
    at = topomap_arena_alloc(&h->memory, m->nodes, sizeof *at, err);
    if (h->memory.is_short)
        return -1;
    memset(h->place_of, 0xff, n->vertices * sizeof(uint32_t));
    for (uint32_t i = 0; i < m->nodes; i++) {
        uint32_t v = n->vertex_of[i], slots = topomap_node_slots(m, i);

        if (slots && h->place_of[v] == UINT32_MAX) {
            h->place_of[v] = h->places;
            h->vertex[h->places++] = v;
        }
        if (slots)
            h->room[h->place_of[v]] += slots;
    }
    for (uint32_t i = 0; i < h->places; i++)
        h->slot_first[i + 1] = h->slot_first[i] + h->room[i];
    memcpy(at, h->slot_first, h->places * sizeof *at);
    for (uint32_t s = 0; s < m->slots; s++)
        h->slot[at[h->place_of[n->vertex_of[m->node_of[s]]]]++] = s;
    return 0;
}

/* ---- Several ranks a host (section 3.4) ---------------------------------------------------- */

static int make_quotient(topomap_hosts *h, uint32_t size, topomap_error *err)
{
    uint32_t n = h->problem->weights.vertices;
    TOPOMAP_FREED uint32_t *member = topomap_alloc(n, sizeof *member, err);
    TOPOMAP_CLEANUP(topomap_partitioner_clear) topomap_partitioner p = {0};

    h->units = h->places;
    h->unit_of = topomap_arena_alloc(&h->memory, n, sizeof(uint32_t), err);
    if (!member || !h->unit_of ||
        topomap_partitioner_init(&p, &h->problem->weights, 1, (uint32_t)h->problem->seed, err))
        return -1;
    p.least_incident = 1;
    if (topomap_contract_blocks(&p, size, member, &h->work, err))
        return -1;
    for (uint32_t i = 0; i < n; i++)
        h->unit_of[member[i]] = i / size;
    for (uint32_t u = 0; u < h->units; u++)
        h->room[u] = 1;
    return 0;
}

/* ---- Parts --------------------------------------------------------------------------------- */

int topomap_hosts_init(topomap_hosts *h, topomap_problem *problem, const char *algorithm,
                       topomap_error *err)
{
    int even = 1;

    *h = (topomap_hosts){.problem = problem, .network = problem->machine->network};
    if (!h->network && problem->machine->kind != TOPOMAP_MACHINE_TORUS)
        return topomap_error_set(err, TOPOMAP_EUSAGE,
                                 "algorithm '%s' needs a machine whose links are known: a torus, "
                                 "a mesh, fattree:, dragonfly:, percs:, gpus:, links:, or a "
                                 "database of a fabric",
                                 algorithm);
    if (!h->network) {
        if (topomap_network_grid(problem->machine, &h->grid, err))
            return -1;
        h->network = h->grid;
    }
    if (find_places(h, err))
        return -1;
    for (uint32_t i = 1; i < h->places; i++)
        even &= h->room[i] == h->room[0];
    if (even && h->room[0] > 1)
        return make_quotient(h, h->room[0], err);
    h->units = problem->weights.vertices;
    h->work = problem->weights;
    return 0;
}

int topomap_hosts_place(const topomap_hosts *h, const uint32_t *place_of_unit, uint32_t *slot_of,
                        topomap_error *err)
{
    TOPOMAP_FREED uint32_t *at = topomap_alloc(h->places, sizeof *at, err);

    if (!at)
        return -1;
    memcpy(at, h->slot_first, h->places * sizeof *at);
    for (uint32_t v = 0; v < h->problem->weights.vertices; v++)
        slot_of[v] = h->slot[at[place_of_unit[h->unit_of ? h->unit_of[v] : v]]++];
    return 0;
}

void topomap_hosts_clear(topomap_hosts *h)
{
    if (h->unit_of)
        topomap_weights_clear(&h->work);
    topomap_network_free(h->grid);
    topomap_arena_clear(&h->memory);
}
