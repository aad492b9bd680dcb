/* SPDX-License-Identifier: BSD-3-Clause */
/* tree:4:16:8@1:10:100: sizes from the inside out, and the cost of one byte between two slots
 * whose smallest common group is that level (Schulz & Traeff, section 5.1). */
#include <stdlib.h>

#include "machine/spec.h"
#include "util/alloc.h"

typedef struct tree_levels {
    uint32_t count, node_levels;
    uint32_t size[TOPOMAP_SPEC_NUMBERS];
    double cost[TOPOMAP_SPEC_NUMBERS];
    uint64_t node_slots, nodes; /* of the full tree */
} tree_levels;

/* Slots of a leaf, as *8 has them, cost nothing among each other, as on a torus's node, unless a
 * cost of theirs is before the levels'. \param more  levels beside them */
static int read_costs(const topomap_spec *spec, uint32_t more, tree_levels *tree,
                      topomap_error *err)
{
    uint32_t without = tree->count - spec->costs;

    if (spec->costs != 0 && spec->costs != more && spec->costs != tree->count)
        return topomap_spec_fail(spec, err, "%u levels need %u costs after '@', found %u", more,
                                 more, spec->costs);
    for (uint32_t l = 0; l < tree->count; l++)
        if (spec->costs)
            tree->cost[l] = l < without ? 0 : spec->cost[l - without];
        else
            tree->cost[l] = l ? tree->cost[l - 1] * 10 : 1;
    return 0;
}

static int read_levels(const topomap_spec *spec, tree_levels *tree, topomap_error *err)
{
    int count = 0, more;
    uint64_t product = 1;

    if (spec->slots > 1)
        tree->size[count++] = spec->slots; /* *8 is one more level at the inside */
    more = topomap_spec_numbers(spec->body, ':', tree->size + count,
                                TOPOMAP_SPEC_NUMBERS - (uint32_t)count - 1);
    if (more < 1)
        return topomap_spec_fail(spec, err, "expected group sizes such as 4:16:8, found '%s'",
                                 spec->body);
    tree->count = (uint32_t)(count + more);
    if (read_costs(spec, (uint32_t)more, tree, err) != 0)
        return -1;
    tree->node_levels = 1;
    if (spec->node && (topomap_spec_numbers(spec->node, ':', &tree->node_levels, 1) != 1 ||
                       tree->node_levels > tree->count))
        return topomap_spec_fail(spec, err, "node= takes 1 to %u levels, found '%s'", tree->count,
                                 spec->node);
    for (uint32_t l = 0; l < tree->count; l++) {
        if (product > UINT32_MAX / 2 / tree->size[l])
            return topomap_spec_fail(spec, err, "the tree has more than %u slots", UINT32_MAX / 2);
        product *= tree->size[l];
        if (l + 1 == tree->node_levels)
            tree->node_slots = product;
    }
    tree->nodes = product / tree->node_slots;
    return 0;
}

static int add_inner_levels(topomap_machine *machine, const tree_levels *tree, topomap_error *err)
{
    TOPOMAP_FREED uint32_t *group = topomap_alloc(machine->slots, sizeof *group, err);
    uint32_t width = 1;

    if (!group)
        return -1;
    for (uint32_t l = 0; l < tree->node_levels; l++) {
        char name[24];

        width *= tree->size[l];
        for (uint32_t s = 0; s < machine->slots; s++)
            group[s] = s / width;
        snprintf(name, sizeof name, l + 1 == tree->node_levels ? "node" : "level%u", l + 1);
        if (topomap_machine_add_inner(machine, name, tree->cost[l], group, err))
            return -1;
    }
    return 0;
}

/* Group ids must lie below the number of nodes: number those that occur, in ascending order. */
int topomap_spec_groups(const topomap_machine *machine, const uint32_t *ids, uint64_t width,
                        uint64_t nodes, uint32_t *group, topomap_error *err)
{
    uint64_t groups = (nodes + width - 1) / width;
    uint32_t *number = topomap_alloc(groups, sizeof *number, err), next = 0;

    if (!number)
        return -1;
    for (uint32_t i = 0; i < machine->nodes; i++) {
        group[i] = (uint32_t)((ids ? ids[i] : i) / width);
        number[group[i]] = 1;
    }
    for (uint64_t g = 0; g < groups; g++)
        number[g] = number[g] ? next++ : 0;
    for (uint32_t i = 0; i < machine->nodes; i++)
        group[i] = number[group[i]];
    free(number);
    return 0;
}

static int add_outer_levels(topomap_machine *machine, const tree_levels *tree, const uint32_t *ids,
                            topomap_error *err)
{
    TOPOMAP_FREED uint32_t *group = topomap_alloc(machine->nodes, sizeof *group, err);
    uint64_t width = 1;

    if (!group)
        return -1;
    for (uint32_t l = tree->node_levels; l < tree->count; l++) {
        char name[24];

        width *= tree->size[l];
        snprintf(name, sizeof name, "level%u", l + 1);
        if (topomap_spec_groups(machine, ids, width, tree->nodes, group, err) ||
            topomap_machine_add_outer(machine, name, tree->cost[l], 2 * (l + 1 - tree->node_levels),
                                      group, err))
            return -1;
    }
    return 0;
}

static int fill(topomap_machine *machine, const uint32_t *ids, void *shape, topomap_error *err)
{
    return add_inner_levels(machine, shape, err) || add_outer_levels(machine, shape, ids, err) ? -1
                                                                                               : 0;
}

int topomap_spec_tree(const topomap_spec *spec, topomap_machine **machine, topomap_error *err)
{
    tree_levels tree = {0};

    if (read_levels(spec, &tree, err) != 0)
        return -1;
    return topomap_spec_build(spec, tree.nodes, (uint32_t)tree.node_slots, fill, &tree, machine,
                              err);
}
