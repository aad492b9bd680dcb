/* SPDX-License-Identifier: BSD-3-Clause */
#include "fabric/fabric.h"
#include "fabric/network.h"
#include "machine/spec.h"
#include "util/alloc.h"

enum { CABLES_MOST = 1 << 22, PLANES = 18 };

struct building {
    const topomap_gpus_shape *g;
    uint32_t nodes;
    topomap_fabric fabric;
    uint32_t *unit, *pod, *domain; /* [nodes] numbers from 0 */
    uint32_t units, pods;
};

static uint32_t most_of(const uint32_t *group, uint32_t nodes)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < nodes; i++)
        most = group[i] >= most ? group[i] + 1 : most;
    return most;
}

static int join(struct building *b, uint32_t x, uint32_t y, uint64_t cables, topomap_error *err)
{
    for (uint64_t i = 0; i < cables; i++)
        if (topomap_fabric_join(&b->fabric, &(topomap_link){.a = x, .b = y, .ends = 3}, err))
            return -1;
    return 0;
}

static uint32_t last(const struct building *b)
{
    return (uint32_t)b->fabric.vertices - 1;
}

/* From each unit's leaves, once. */
static int join_spines(struct building *b, topomap_error *err)
{
    uint32_t first = b->nodes, rails = b->g->rails, spine = first + b->units * rails;
    uint32_t up = (b->g->unit + b->g->taper - 1) / b->g->taper;
    TOPOMAP_FREED uint8_t *done = topomap_alloc(b->units, 1, err);

    if (!done)
        return -1;
    for (uint32_t i = 0; i < b->nodes; i++) {
        for (uint32_t r = 0; !done[b->unit[i]] && r < rails; r++)
            if (join(b, first + b->unit[i] * rails + r, spine + b->pod[i], up, err))
                return -1;
        done[b->unit[i]] = 1;
    }
    return 0;
}

/* A leaf a unit and rail; above it its pod's spines. */
static int add_leaves(struct building *b, topomap_error *err)
{
    uint32_t first = b->nodes, rails = b->g->rails;

    for (uint32_t i = 0; i < b->units * rails; i++)
        if (topomap_fabric_addf(&b->fabric, TOPOMAP_VERTEX_SWITCH, err, "leaf%u.%u", i / rails,
                                i % rails))
            return -1;
    for (uint32_t i = 0; i < b->nodes; i++)
        for (uint32_t r = 0; r < rails; r++)
            if (join(b, i, first + b->unit[i] * rails + r, 1, err))
                return -1;
    if (b->g->unit >= b->g->nodes)
        return 0;
    for (uint32_t p = 0; p < b->pods; p++)
        if (topomap_fabric_addf(&b->fabric, TOPOMAP_VERTEX_SWITCH, err, "spine%u", p))
            return -1;
    return join_spines(b, err);
}

static int add_core(struct building *b, topomap_error *err)
{
    uint32_t first = b->nodes + b->units * b->g->rails;
    uint64_t up = (uint64_t)(b->g->pod + b->g->taper - 1) / b->g->taper * b->g->rails;

    if (b->g->pod == b->g->nodes || b->g->unit == b->g->nodes)
        return 0;
    if (topomap_fabric_addf(&b->fabric, TOPOMAP_VERTEX_SWITCH, err, "core"))
        return -1;
    for (uint32_t p = 0; p < b->pods; p++)
        if (join(b, first + p, last(b), up, err))
            return -1;
    return 0;
}

static int add_domains(struct building *b, topomap_error *err)
{
    uint32_t domains = most_of(b->domain, b->nodes), first = last(b) + 1;

    if (b->g->domain < 2)
        return 0;
    for (uint32_t i = 0; i < domains * PLANES; i++)
        if (topomap_fabric_addf(&b->fabric, TOPOMAP_VERTEX_SWITCH, err, "nvswitch%u.%u", i / PLANES,
                                i % PLANES))
            return -1;
    for (uint32_t i = 0; i < b->nodes; i++)
        for (uint32_t k = 0; k < PLANES; k++)
            if (join(b, i, first + b->domain[i] * PLANES + k, b->g->gpus, err))
                return -1;
    return 0;
}

static int build(struct building *b, topomap_machine *machine, const uint32_t *ids,
                 topomap_error *err)
{
    const topomap_gpus_shape *g = b->g;

    if (topomap_spec_groups(machine, ids, g->unit, g->nodes, b->unit, err) ||
        topomap_spec_groups(machine, ids, g->pod, g->nodes, b->pod, err) ||
        topomap_spec_groups(machine, ids, g->domain, g->nodes, b->domain, err))
        return -1;
    b->units = most_of(b->unit, b->nodes);
    b->pods = most_of(b->pod, b->nodes);
    for (uint32_t i = 0; i < b->nodes; i++)
        if (topomap_fabric_addf(&b->fabric, TOPOMAP_VERTEX_HOST, err, "node%u", ids ? ids[i] : i))
            return -1;
    if (add_leaves(b, err) || add_core(b, err) || add_domains(b, err))
        return -1;
    return topomap_network_of(&b->fabric, NULL, (uint32_t)b->fabric.vertices, b->nodes,
                              &machine->network, err);
}

int topomap_gpus_network(topomap_machine *machine, const uint32_t *ids, const topomap_gpus_shape *g,
                         topomap_error *err)
{
    struct building b = {.g = g, .nodes = machine->nodes};
    TOPOMAP_CLEANUP(topomap_arena_clear) topomap_arena memory = {0};
    uint64_t each = (uint64_t)g->rails * 3 + (g->domain > 1 ? (uint64_t)PLANES * g->gpus : 0);
    int status;

    if (g->nodes > CABLES_MOST / each || machine->nodes < 2)
        return 0;
    b.unit = topomap_arena_alloc(&memory, b.nodes, sizeof *b.unit, err);
    b.pod = topomap_arena_alloc(&memory, b.nodes, sizeof *b.pod, err);
    b.domain = topomap_arena_alloc(&memory, b.nodes, sizeof *b.domain, err);
    status = memory.is_short ? -1 : build(&b, machine, ids, err);
    topomap_fabric_clear(&b.fabric);
    return status;
}
