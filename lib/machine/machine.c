/* SPDX-License-Identifier: BSD-3-Clause */
#include "machine/machine.h"
#include "fabric/network.h"
#include "machine/closeness.h"

#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"

static void *copy_of(const void *source, size_t count, size_t size, topomap_error *err)
{
    void *copy = topomap_alloc(count, size, err);

    if (copy && count)
        memcpy(copy, source, count * size);
    return copy;
}

int topomap_machine_frame(uint32_t nodes, const uint32_t *per_node, char *const *names,
                          topomap_machine **out, topomap_error *err)
{
    TOPOMAP_MACHINE_FREED topomap_machine *machine = topomap_alloc(1, sizeof *machine, err);
    uint64_t slots = 0;

    if (!machine)
        return -1;
    for (uint32_t i = 0; i < nodes; i++)
        slots += per_node[i];
    if (slots == 0 || slots > UINT32_MAX / 2)
        return topomap_error_set(err, TOPOMAP_EINPUT, "a machine has 1 to %u slots, not %llu",
                                 UINT32_MAX / 2, (unsigned long long)slots);
    machine->kind_name = "tree";
    machine->nodes = nodes;
    machine->slots = (uint32_t)slots;
    machine->node_of = topomap_alloc(machine->slots, sizeof(uint32_t), err);
    machine->slot_first = topomap_alloc((size_t)nodes + 1, sizeof(uint32_t), err);
    if (names)
        machine->node_name = topomap_alloc(nodes, sizeof(char *), err);
    if (!machine->node_of || !machine->slot_first || (names && !machine->node_name))
        return -1;
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t first = machine->slot_first[i];

        machine->slot_first[i + 1] = first + per_node[i];
        for (uint32_t s = first; s < machine->slot_first[i + 1]; s++)
            machine->node_of[s] = i;
        if (names && !(machine->node_name[i] = topomap_strdup(names[i], err)))
            return -1;
    }
    *out = topomap_take(&machine);
    return 0;
}

static int add_nesting(topomap_nesting *nesting, uint32_t *count, const char *name, double cost,
                       uint32_t hops, const uint32_t *group, size_t members, topomap_error *err)
{
    uint32_t *copy;

    if (*count == TOPOMAP_MACHINE_LEVELS)
        return topomap_error_set(err, TOPOMAP_EINPUT, "a machine has at most %d levels",
                                 TOPOMAP_MACHINE_LEVELS);
    copy = copy_of(group, members, sizeof *group, err);
    if (!copy)
        return -1;
    nesting += (*count)++;
    snprintf(nesting->name, sizeof nesting->name, "%s", name);
    nesting->cost = cost;
    nesting->hops = hops;
    nesting->group = copy;
    return 0;
}

int topomap_machine_add_inner(topomap_machine *machine, const char *name, double cost,
                              const uint32_t *group, topomap_error *err)
{
    return add_nesting(machine->inner, &machine->inner_levels, name, cost, 0, group, machine->slots,
                       err);
}

int topomap_machine_add_outer(topomap_machine *machine, const char *name, double cost,
                              uint32_t hops, const uint32_t *group, topomap_error *err)
{
    machine->kind = TOPOMAP_MACHINE_TREE;
    return add_nesting(machine->outer, &machine->outer_levels, name, cost, hops, group,
                       machine->nodes, err);
}

static int name_hops(topomap_machine *machine, uint32_t max_hops, topomap_error *err)
{
    machine->max_hops = max_hops;
    machine->hop_level_name = topomap_alloc((size_t)max_hops + 1, 24, err);
    if (!machine->hop_level_name)
        return -1;
    for (uint32_t h = 0; h <= max_hops; h++)
        snprintf(machine->hop_level_name[h], 24, "%u hop%s", h, h == 1 ? "" : "s");
    return 0;
}

int topomap_machine_set_torus(topomap_machine *machine, uint32_t dims, const uint32_t *dim,
                              const uint8_t *wrap, const uint16_t *coord, double base,
                              double hop_cost, uint32_t base_hops, topomap_error *err)
{
    uint32_t max_hops = base_hops;
    int any_wrap = 0;

    if (dims == 0 || dims > TOPOMAP_MACHINE_DIMS)
        return topomap_error_set(err, TOPOMAP_EINPUT, "a torus has 1 to %d dimensions, not %u",
                                 TOPOMAP_MACHINE_DIMS, dims);
    for (uint32_t d = 0; d < dims; d++) {
        if (dim[d] == 0 || dim[d] > UINT16_MAX)
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "dimension %u of a torus is 1 to %u long, not %u", d,
                                     UINT16_MAX, dim[d]);
        max_hops += wrap[d] ? dim[d] / 2 : dim[d] - 1;
        any_wrap |= wrap[d];
    }
    for (size_t i = 0; i < (size_t)machine->nodes * dims; i++)
        if (coord[i] >= dim[i % dims])
            return topomap_error_set(err, TOPOMAP_EINPUT,
                                     "coordinate %u of node %zu is %u, outside 0..%u",
                                     (unsigned)(i % dims), i / dims, coord[i], dim[i % dims] - 1);
    machine->kind = TOPOMAP_MACHINE_TORUS;
    machine->kind_name = any_wrap ? "torus" : "mesh";
    machine->dims = dims;
    memcpy(machine->dim, dim, dims * sizeof *dim);
    memcpy(machine->wrap, wrap, dims);
    machine->base = base;
    machine->hop_cost = hop_cost;
    machine->base_hops = base_hops;
    machine->coord = copy_of(coord, (size_t)machine->nodes * dims, sizeof *coord, err);
    if (!machine->coord)
        return -1;
    return name_hops(machine, max_hops, err);
}

int topomap_machine_set_matrix(topomap_machine *machine, const char *kind_name, uint32_t sites,
                               const uint32_t *site_of, const float *cost, const uint16_t *hops,
                               topomap_error *err)
{
    size_t cells = (size_t)sites * sites;
    uint32_t max_hops = 1;

    machine->kind = TOPOMAP_MACHINE_MATRIX;
    machine->kind_name = strcmp(kind_name, "fabric") == 0 ? "fabric" : "matrix";
    machine->sites = sites;
    machine->site_of = copy_of(site_of, machine->nodes, sizeof *site_of, err);
    machine->site_cost = copy_of(cost, cells, sizeof *cost, err);
    if (!machine->site_of || !machine->site_cost)
        return -1;
    if (hops) {
        machine->site_hops = copy_of(hops, cells, sizeof *hops, err);
        if (!machine->site_hops)
            return -1;
        for (size_t i = 0; i < cells; i++)
            max_hops = hops[i] > max_hops ? hops[i] : max_hops;
    }
    return name_hops(machine, max_hops, err);
}

int topomap_machine_set_rails(topomap_machine *machine, const uint32_t *rail_of, const float *cross,
                              const uint32_t *cross_hops, topomap_error *err)
{
    uint32_t differ = 0;

    for (uint32_t s = 1; s < machine->slots; s++)
        differ |= rail_of[s] ^ rail_of[0];
    if (machine->kind == TOPOMAP_MACHINE_TORUS)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "a torus has no rails");
    if (!differ)
        return 0;
    if (machine->kind == TOPOMAP_MACHINE_MATRIX) {
        machine->site_cross =
            copy_of(cross, (size_t)machine->sites * machine->sites, sizeof *cross, err);
        if (!machine->site_cross)
            return -1;
    }
    for (uint32_t l = 0; machine->kind == TOPOMAP_MACHINE_TREE && l < machine->outer_levels; l++) {
        machine->outer[l].cross = (double)cross[l];
        machine->outer[l].cross_hops = cross_hops[l];
    }
    machine->rail_of = copy_of(rail_of, machine->slots, sizeof *rail_of, err);
    return machine->rail_of ? 0 : -1;
}

/* Every group must lie inside one group of the next level; ids are below \p ids. */
static int check_nesting(const topomap_nesting *level, uint32_t levels, uint32_t members,
                         uint32_t ids, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *parent = topomap_alloc(ids, sizeof *parent, err);

    if (!parent)
        return -1;
    for (uint32_t l = 0; l < levels; l++) {
        const uint32_t *group = level[l].group;
        const uint32_t *above = l + 1 < levels ? level[l + 1].group : NULL;

        memset(parent, 0xff, ids * sizeof *parent);
        for (uint32_t i = 0; i < members; i++) {
            uint32_t outside = above ? above[i] : 0;

            if (group[i] >= ids)
                return topomap_error_set(err, TOPOMAP_EINPUT, "level %s: group %u of %u",
                                         level[l].name, group[i], ids);
            if (parent[group[i]] != UINT32_MAX && parent[group[i]] != outside)
                return topomap_error_set(err, TOPOMAP_EINPUT,
                                         "level %s is not nested inside the next one",
                                         level[l].name);
            parent[group[i]] = outside;
        }
    }
    return 0;
}

/* Slots of a node are numbered along its tree, so that a group is a range of slots. */
static int check_ranges(const topomap_nesting *level, uint32_t slots, topomap_error *err)
{
    for (uint32_t i = 1; i < slots; i++)
        if (level->group[i] < level->group[i - 1])
            return topomap_error_set(err, TOPOMAP_EINPUT, "level %s: slots are not in tree order",
                                     level->name);
    return 0;
}

int topomap_machine_finish(topomap_machine *machine, topomap_error *err)
{
    if (machine->inner_levels == 0 &&
        topomap_machine_add_inner(machine, "node", 0.0, machine->node_of, err) != 0)
        return -1;
    /* The node level has the nodes' numbers, and nodes may be without slots. */
    if (check_nesting(machine->inner, machine->inner_levels, machine->slots,
                      machine->slots > machine->nodes ? machine->slots : machine->nodes, err) != 0)
        return -1;
    for (uint32_t l = 0; l < machine->inner_levels; l++)
        if (check_ranges(&machine->inner[l], machine->slots, err) != 0)
            return -1;
    if (memcmp(machine->inner[machine->inner_levels - 1].group, machine->node_of,
               machine->slots * sizeof(uint32_t)) != 0)
        return topomap_error_set(err, TOPOMAP_EINPUT, "the last inner level must be the node");
    if (machine->kind != TOPOMAP_MACHINE_TREE)
        return 0;
    for (uint32_t i = 1; machine->outer_levels > 0 && i < machine->nodes; i++)
        if (machine->outer[machine->outer_levels - 1].group[i] !=
            machine->outer[machine->outer_levels - 1].group[0])
            return topomap_error_set(err, TOPOMAP_EINPUT, "the last outer level must hold all");
    if (machine->outer_levels == 0 && machine->nodes > 1)
        return topomap_error_set(err, TOPOMAP_EINPUT, "a machine of several nodes needs a fabric");
    return check_nesting(machine->outer, machine->outer_levels, machine->nodes, machine->nodes,
                         err);
}

int topomap_machine_add_aside(topomap_machine *machine, const char *name, const uint32_t *group,
                              topomap_error *err)
{
    uint32_t *copy;

    if (machine->asides == TOPOMAP_MACHINE_ASIDES)
        return topomap_error_set(err, TOPOMAP_EUSAGE, "a machine has %d groups of nodes at most",
                                 TOPOMAP_MACHINE_ASIDES);
    copy = copy_of(group, machine->nodes, sizeof *copy, err);
    if (!copy)
        return -1;
    snprintf(machine->aside[machine->asides].name, sizeof machine->aside->name, "%s", name);
    machine->aside[machine->asides++].group = copy;
    return 0;
}

const uint32_t *topomap_machine_groups(const topomap_machine *machine, const char *name)
{
    for (uint32_t l = 0; machine->kind == TOPOMAP_MACHINE_TREE && l < machine->outer_levels; l++)
        if (strcmp(name, machine->outer[l].name) == 0)
            return machine->outer[l].group;
    for (uint32_t i = 0; i < machine->asides; i++)
        if (strcmp(name, machine->aside[i].name) == 0)
            return machine->aside[i].group;
    return NULL;
}

void topomap_machine_free(topomap_machine *machine)
{
    if (!machine)
        return;
    topomap_machine_clusters_clear(machine->inner, machine->inner_levels);
    topomap_machine_clusters_clear(machine->outer, machine->outer_levels);
    for (uint32_t i = 0; machine->node_name && i < machine->nodes; i++)
        free(machine->node_name[i]);
    free(machine->node_name);
    free(machine->node_of);
    free(machine->slot_first);
    free(machine->coord);
    free(machine->site_of);
    free(machine->site_cost);
    free(machine->site_hops);
    free(machine->rail_of);
    free(machine->site_cross);
    for (uint32_t i = 0; i < machine->asides; i++)
        free(machine->aside[i].group);
    free(machine->hop_level_name);
    topomap_network_free(machine->network);
    free(machine);
}

int topomap_machine_check_slots(const topomap_machine *machine, const uint32_t *slot_of,
                                uint32_t ranks, enum topomap_code code, topomap_error *err)
{
    uint32_t slots = machine->slots;
    TOPOMAP_FREED uint8_t *used = topomap_alloc(slots, 1, err);

    if (!used)
        return -1;
    for (uint32_t r = 0; r < ranks; r++) {
        if (slot_of[r] >= slots)
            return topomap_error_set(err, code,
                                     "rank %u is on slot %u, but the machine has slots 0..%u", r,
                                     slot_of[r], slots - 1);
        if (used[slot_of[r]]++)
            return topomap_error_set(err, code,
                                     "slot %u has two ranks, one of them %u: a placement is one "
                                     "to one",
                                     slot_of[r], r);
    }
    return 0;
}
