/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/machine.h"

uint32_t topomap_machine_slots(const topomap_machine *machine)
{
    return machine->slots;
}

uint32_t topomap_machine_nodes(const topomap_machine *machine)
{
    return machine->nodes;
}

uint32_t topomap_machine_node_of(const topomap_machine *machine, uint32_t slot)
{
    return machine->node_of[slot];
}

const char *topomap_machine_node_name(const topomap_machine *machine, uint32_t node)
{
    return machine->node_name ? machine->node_name[node] : NULL;
}

const char *topomap_machine_kind(const topomap_machine *machine)
{
    return machine->kind_name;
}

double topomap_machine_distance(const topomap_machine *machine, uint32_t p, uint32_t q)
{
    return topomap_slot_distance(machine, p, q);
}

static uint32_t outer_level(const topomap_machine *m, uint32_t a, uint32_t b)
{
    uint32_t l = 0;

    while (m->outer[l].group[a] != m->outer[l].group[b])
        l++;
    return l;
}

static uint32_t node_hops(const topomap_machine *m, uint32_t a, uint32_t b)
{
    switch (m->kind) {
    case TOPOMAP_MACHINE_TORUS:
        return m->base_hops + topomap_torus_hops(m, a, b);
    case TOPOMAP_MACHINE_MATRIX:
        return m->site_hops ? m->site_hops[(size_t)m->site_of[a] * m->sites + m->site_of[b]] : 1;
    case TOPOMAP_MACHINE_TREE:
        return m->outer[outer_level(m, a, b)].hops;
    }
    return 0;
}

uint32_t topomap_machine_hops(const topomap_machine *machine, uint32_t p, uint32_t q)
{
    uint32_t a = machine->node_of[p], b = machine->node_of[q];
    uint32_t hops = a == b ? 0 : node_hops(machine, a, b);

    if (a != b && machine->kind == TOPOMAP_MACHINE_TREE && machine->rail_of &&
        machine->rail_of[p] != machine->rail_of[q])
        hops += machine->outer[outer_level(machine, a, b)].cross_hops;
    return hops;
}

uint32_t topomap_machine_levels(const topomap_machine *machine)
{
    return machine->inner_levels +
           (machine->kind == TOPOMAP_MACHINE_TREE ? machine->outer_levels : machine->max_hops + 1);
}

const char *topomap_machine_level_name(const topomap_machine *machine, uint32_t level)
{
    if (level < machine->inner_levels)
        return machine->inner[level].name;
    level -= machine->inner_levels;
    if (machine->kind == TOPOMAP_MACHINE_TREE)
        return machine->outer[level].name;
    return machine->hop_level_name[level];
}

uint32_t topomap_machine_level_of(const topomap_machine *machine, uint32_t p, uint32_t q)
{
    uint32_t a = machine->node_of[p], b = machine->node_of[q], l = 0;

    if (a != b)
        return machine->inner_levels + (machine->kind == TOPOMAP_MACHINE_TREE
                                            ? outer_level(machine, a, b)
                                            : node_hops(machine, a, b));
    while (l + 1 < machine->inner_levels &&
           machine->inner[l].group[p] != machine->inner[l].group[q])
        l++;
    return l;
}

double topomap_nodes_most_load(const topomap_machine *m, const double *load)
{
    double most = 0.0;

    for (uint32_t i = 0; i < m->nodes; i++) {
        uint32_t slots = topomap_node_slots(m, i);

        if (slots && load[i] / slots > most)
            most = load[i] / slots;
    }
    return most;
}
