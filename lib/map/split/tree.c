/* SPDX-License-Identifier: BSD-3-Clause */
/* Recursive tree mapping: Wu, Xiong, Lan, "Hierarchical task mapping of cell-based applications"
 * (HierTopoMap), Alg. 1: at each vertex of the machine's tree the graph is split into parts of
 * exactly the leaf counts. Where the machine has levels, they are the tree; where it has distances
 * only, the tree comes from neighbour joining (section 3.1.1). Inside nodes the same routine goes
 * on along the hwloc tree. */
#define _GNU_SOURCE /* qsort_r */
#include <stdlib.h>

#include "machine/machine.h"
#include "map/problem.h"
#include "map/split/split.h"
#include "partition/partition.h"
#include "util/alloc.h"
#include "util/clock.h"
#include "util/sorted.h"

enum { JOINING_LIMIT = 4096, INSIDE = UINT32_MAX };

typedef struct tree_splitter {
    const topomap_machine *machine;
    topomap_joining joining; /* over items: sites, or nodes of a torus */
    const uint32_t *item_of; /* [nodes] */
    uint32_t items;
    uint32_t *slots_under;  /* [joining.vertices] */
    uint32_t *rank_of_item; /* [items] position in depth-first order */
    uint32_t *identity;     /* [nodes] item_of of a torus */
    uint32_t size;          /* slots that one of those to be split stands for */
    int sorted;
} tree_splitter;

static uint32_t item_rank(const tree_splitter *t, uint32_t slot)
{
    return t->rank_of_item[t->item_of[t->machine->node_of[slot]]];
}

TOPOMAP_COMPARE_BY(item_order, const tree_splitter *t,
                   TOPOMAP_ORDER(item_rank(t, x), item_rank(t, y)))

/* Between nodes of one group, the key is the node itself. */
static int split_nodes(const topomap_machine *m, uint32_t *slots, uint32_t count,
                       topomap_split *split, topomap_error *err)
{
    if (m->node_of[slots[0]] == m->node_of[slots[count - 1]])
        return topomap_split_inside(m, slots, count, split, err);
    return topomap_split_runs(slots, count, m->node_of, NULL, INSIDE, split, err);
}

static int split_levels(void *data, uint32_t where, uint32_t *slots, uint32_t count,
                        topomap_split *split, topomap_error *err)
{
    tree_splitter *t = data;
    const topomap_machine *m = t->machine;

    (void)where;
    if (!t->sorted) {
        qsort_r(slots, count, sizeof *slots, topomap_nested_order, (void *)m);
        t->sorted = 1;
    }
    if (m->node_of[slots[0]] == m->node_of[slots[count - 1]])
        return topomap_split_inside(m, slots, count, split, err);
    for (uint32_t l = m->outer_levels; l-- > 0;) {
        const uint32_t *group = m->outer[l].group;

        if (group[m->node_of[slots[0]]] != group[m->node_of[slots[count - 1]]])
            return topomap_split_runs(slots, count, group, m->node_of, INSIDE, split, err);
    }
    return split_nodes(m, slots, count, split, err);
}

static int split_joined(void *data, uint32_t where, uint32_t *slots, uint32_t count,
                        topomap_split *split, topomap_error *err)
{
    tree_splitter *t = data;
    const topomap_joining *tree = &t->joining;

    if (!t->sorted) {
        qsort_r(slots, count, sizeof *slots, item_order, t);
        t->sorted = 1;
    }
    if (where == INSIDE || where < t->items)
        return split_nodes(t->machine, slots, count, split, err);
    for (uint32_t c = tree->first_child[where]; c < tree->first_child[where + 1]; c++)
        if (t->slots_under[tree->child[c]] &&
            topomap_split_add(split, t->slots_under[tree->child[c]] / t->size, tree->child[c],
                              err) != 0)
            return -1;
    return 0;
}

static void fill_distances(const tree_splitter *t, const uint32_t *node_of_item, float *distance)
{
    for (uint32_t a = 0; a < t->items; a++)
        for (uint32_t b = 0; b < t->items; b++)
            distance[(size_t)a * t->items + b] =
                a == b ? 0.0f
                       : (float)topomap_node_distance(t->machine, node_of_item[a], node_of_item[b]);
}

/* Depth-first order of the items and the slots below every vertex. */
static int number_items(tree_splitter *t, topomap_error *err)
{
    const topomap_joining *tree = &t->joining;
    TOPOMAP_FREED uint32_t *stack = topomap_alloc(tree->vertices, sizeof *stack, err);
    uint32_t depth = 0, next = 0;

    t->rank_of_item = topomap_alloc(t->items, sizeof(uint32_t), err);
    t->slots_under = topomap_alloc(tree->vertices, sizeof(uint32_t), err);
    if (!stack || !t->rank_of_item || !t->slots_under)
        return -1;
    for (uint32_t s = 0; s < t->machine->slots; s++)
        t->slots_under[t->item_of[t->machine->node_of[s]]]++;
    for (uint32_t v = t->items; v < tree->vertices; v++)
        for (uint32_t c = tree->first_child[v]; c < tree->first_child[v + 1]; c++)
            t->slots_under[v] += t->slots_under[tree->child[c]];
    stack[depth++] = tree->vertices - 1;
    while (depth) {
        uint32_t v = stack[--depth];

        if (v < t->items)
            t->rank_of_item[v] = next++;
        else
            for (uint32_t c = tree->first_child[v + 1]; c-- > tree->first_child[v];)
                stack[depth++] = tree->child[c];
    }
    return 0;
}

static int join_items(tree_splitter *t, topomap_error *err)
{
    const topomap_machine *m = t->machine;
    TOPOMAP_FREED uint32_t *node_of_item = topomap_alloc(t->items, sizeof *node_of_item, err);
    TOPOMAP_FREED float *distance = NULL;

    if (t->items > JOINING_LIMIT)
        return topomap_error_set(
            err, TOPOMAP_EUSAGE,
            "tree: neighbour joining takes %d places at most, here are %u; use "
            "rb-wrap",
            JOINING_LIMIT, t->items);
    distance = topomap_alloc((size_t)t->items * t->items, sizeof *distance, err);
    if (!node_of_item || !distance)
        return -1;
    for (uint32_t i = 0; i < m->nodes; i++)
        node_of_item[t->item_of[i]] = i;
    fill_distances(t, node_of_item, distance);
    if (topomap_joining_build(t->items, distance, &t->joining, err))
        return -1;
    return number_items(t, err);
}

static int choose_items(tree_splitter *t, topomap_error *err)
{
    const topomap_machine *m = t->machine;

    if (m->kind == TOPOMAP_MACHINE_MATRIX) {
        t->items = m->sites;
        t->item_of = m->site_of;
        return 0;
    }
    t->identity = topomap_alloc(m->nodes, sizeof *t->identity, err);
    if (!t->identity)
        return -1;
    topomap_identity(t->identity, m->nodes);
    t->items = m->nodes;
    t->item_of = t->identity;
    return 0;
}

static void by_nodes(void *data, uint32_t size)
{
    ((tree_splitter *)data)->size = size;
}

void topomap_tree_splitter_close(topomap_splitter *splitter)
{
    tree_splitter *t = splitter->data;

    if (!t)
        return;
    topomap_joining_clear(&t->joining);
    free(t->rank_of_item);
    free(t->slots_under);
    free(t->identity);
    free(t);
    splitter->data = NULL;
}

int topomap_tree_splitter_open(const topomap_machine *machine, topomap_splitter *splitter,
                               topomap_error *err)
{
    tree_splitter *t = topomap_alloc(1, sizeof *t, err);

    *splitter =
        (topomap_splitter){.data = t, .split = split_levels, .root = INSIDE, .by_nodes = by_nodes};
    if (!t)
        return -1;
    t->machine = machine;
    t->size = 1;
    if (machine->kind == TOPOMAP_MACHINE_TREE)
        return 0;
    if (choose_items(t, err) != 0 || join_items(t, err) != 0) {
        topomap_tree_splitter_close(splitter);
        return -1;
    }
    splitter->split = split_joined;
    splitter->root = t->joining.vertices - 1;
    return 0;
}

static int map_tree(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    double before = topomap_clock_cpu();
    TOPOMAP_CLEANUP(topomap_tree_splitter_close) topomap_splitter splitter = {0};

    if (topomap_tree_splitter_open(problem->machine, &splitter, err))
        return -1;
    problem->found.phase_seconds[TOPOMAP_PHASE_TREE] += topomap_clock_cpu() - before;
    return topomap_grouped_map(problem, &splitter, slot_of, err);
}

const topomap_parameter topomap_parameters_grouped[] = {
    {"grouped", "N", "1: one k-way partition into groups of a node's size first, as published", 0,
     1},
    {NULL, NULL, NULL, 0, 0},
};

const topomap_algorithm_impl topomap_algorithm_tree = {
    .row = {"tree", BY_WU ", Alg. 1", "construct", FITS_ALL,
            "recursive partition along the machine's tree (neighbour joining where it has none)"},
    .parameters = topomap_parameters_grouped,
    .run = map_tree,
};

/* ---- Blocks ------------------------------------------------------------------------------ */
/* Algorithms of Schulz & Traeff (VieM), which divide from the outside in, too. `top-down`
 * (section 3.1): the graph into as many perfectly balanced blocks as the outermost level has
 * groups, each of them into the groups of the next, down to single slots. `multisection`: the
 * recursive multisection of section 4, by which VieM makes communication graphs, with one rank a
 * block: each level is one k-way partition, made exact by the moves that cut least. Groups may be
 * of any sizes. */

static int map_along(const topomap_algorithm_impl *self, topomap_problem *problem,
                     uint32_t *slot_of, topomap_error *err)
{
    TOPOMAP_CLEANUP(topomap_tree_splitter_close) topomap_splitter splitter = {0};

    if (topomap_tree_splitter_open(problem->machine, &splitter, err))
        return -1;
    splitter.how = (unsigned)self->variant;
    return topomap_recursion_map(problem, &splitter, slot_of, err);
}

const topomap_algorithm_impl topomap_algorithm_top_down = {
    .row = {"top-down", BY_VIEM ", 3.1", "construct", FITS_HIERARCHY,
            "perfectly balanced partitions along the hierarchy, each cut lowered by swaps"},
    .run_family = map_along,
    .variant = TOPOMAP_PARTITION_EXCHANGE,
};

const topomap_algorithm_impl topomap_algorithm_multisection = {
    .row = {"multisection", BY_VIEM ", 4 (RMS)", "construct", FITS_HIERARCHY,
            "k-way partitions along the hierarchy, corrected to its sizes"},
    .run_family = map_along,
    .variant = TOPOMAP_PARTITION_KWAY,
};
