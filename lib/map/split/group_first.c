/* SPDX-License-Identifier: BSD-3-Clause */
/* Dragonflies from the outside in: groups, then switches, then nodes. Distances do not tell groups:
 * a switch is as far from the one that it has a global link to as from those of its group, so that
 * what goes by distances alone joins switches across groups, and sends what could stay in a group
 * over global links, of which there are few. */
#define _GNU_SOURCE /* qsort_r */
#include <stdlib.h>

#include "fabric/shapes.h"
#include "map/problem.h"
#include "map/split/split.h"
#include "partition/partition.h"
#include "util/alloc.h"
#include "util/sorted.h"

enum { INSIDE = UINT32_MAX, NO_GROUP = UINT32_MAX };

typedef struct group_splitter {
    const topomap_machine *machine;
    uint32_t *group;    /* [nodes] */
    const uint32_t *sw; /* [nodes] */
    int sorted;
} group_splitter;

static int slot_order(const group_splitter *s, uint32_t p, uint32_t q)
{
    uint32_t x = s->machine->node_of[p], y = s->machine->node_of[q];

    return TOPOMAP_ORDER(s->group[x], s->group[y]) ?: TOPOMAP_ORDER(s->sw[x], s->sw[y]);
}

TOPOMAP_COMPARE_BY(by_group, const group_splitter *s, slot_order(s, x, y))

static int split(void *data, uint32_t where, uint32_t *slots, uint32_t count, topomap_split *parts,
                 topomap_error *err)
{
    group_splitter *s = data;
    const topomap_machine *m = s->machine;
    const uint32_t *key[] = {s->group, s->sw};
    uint32_t first, last;

    (void)where;
    if (!s->sorted) {
        qsort_r(slots, count, sizeof *slots, by_group, s);
        s->sorted = 1;
    }
    first = m->node_of[slots[0]];
    last = m->node_of[slots[count - 1]];
    if (first == last)
        return topomap_split_inside(m, slots, count, parts, err);
    for (int k = 0; k < 2; k++)
        if (key[k][first] != key[k][last])
            return topomap_split_runs(slots, count, key[k], m->node_of, INSIDE, parts, err);
    return topomap_split_runs(slots, count, m->node_of, NULL, INSIDE, parts, err);
}

static int map_groups(topomap_problem *problem, uint32_t *slot_of, topomap_error *err)
{
    const topomap_machine *m = problem->machine;
    TOPOMAP_FREED uint32_t *group = topomap_alloc(m->nodes, sizeof *group, err);
    group_splitter s = {.machine = m, .group = group, .sw = m->site_of};
    topomap_splitter splitter = {
        .data = &s, .split = split, .root = INSIDE, .orient = 1, .how = TOPOMAP_PARTITION_EXCHANGE};

    if (!group)
        return -1;
    for (uint32_t node = 0; node < m->nodes; node++) {
        group[node] = m->network ? topomap_dragonfly_group(m->network, node) : NO_GROUP;
        if (group[node] == NO_GROUP)
            return topomap_error_set(err, TOPOMAP_EUSAGE,
                                     "the algorithm group-first is for dragonfly: machines, whose "
                                     "groups are known, as in dragonfly:p=4,a=8,h=4; use top-down");
    }
    return topomap_recursion_map(problem, &splitter, slot_of, err);
}

const topomap_algorithm_impl topomap_algorithm_group_first = {
    .row =
        {"group-first", "topomap", "construct", "fabric",
         "a dragonfly: machine's groups, then switches, then nodes: perfectly balanced partitions"},
    .run = map_groups,
};
