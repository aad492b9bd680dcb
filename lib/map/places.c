/* SPDX-License-Identifier: BSD-3-Clause */
#include "map/objective.h"

#include <math.h>
#include <string.h>

#include "machine/machine.h"
#include "map/problem.h"
#include "util/alloc.h"
#include "util/sorted.h"

/* Groups that have slots, numbered as their first slots come. */
static int number_groups(topomap_places *p, uint32_t l, uint32_t *number, topomap_error *err)
{
    const topomap_machine *m = p->machine;
    topomap_place_level *level = &p->level[l];
    uint32_t ids = m->slots > m->nodes ? m->slots : m->nodes;

    level->cost = topomap_nesting_at(m, l)->cost;
    level->group = topomap_arena_alloc(&p->memory, m->slots, sizeof(uint32_t), err);
    if (p->memory.is_short)
        return -1;
    memset(number, 0xff, ids * sizeof *number);
    for (uint32_t s = 0; s < m->slots; s++) {
        uint32_t id = topomap_nesting_group(m, l, s);

        if (number[id] == UINT32_MAX)
            number[id] = level->groups++;
        level->group[s] = number[id];
    }
    level->parent = topomap_arena_alloc(&p->memory, level->groups, sizeof(uint32_t), err);
    level->first_child =
        topomap_arena_alloc(&p->memory, (size_t)level->groups + 2, sizeof(uint32_t), err);
    level->empty = topomap_arena_alloc(&p->memory, level->groups, sizeof(uint32_t), err);
    level->taken = topomap_arena_alloc(&p->memory, level->groups, sizeof(double), err);
    level->best = topomap_arena_alloc(&p->memory, level->groups, sizeof(double), err);
    level->pull = topomap_arena_alloc(&p->memory, level->groups, sizeof(double), err);
    level->pull_best = topomap_arena_alloc(&p->memory, level->groups, sizeof(double), err);
    level->pull_below = topomap_arena_alloc(&p->memory, level->groups, sizeof(double), err);
    level->pull_empty = topomap_arena_alloc(&p->memory, level->groups, sizeof(uint32_t), err);
    level->pulled = topomap_arena_alloc(&p->memory, level->groups, sizeof(uint32_t), err);
    return p->memory.is_short ? -1 : 0;
}

static int build(topomap_places *p, uint32_t *number, topomap_error *err)
{
    const topomap_machine *m = p->machine;

    for (uint32_t l = 0; l < p->levels; l++) {
        topomap_place_level *level = &p->level[l];
        uint32_t members;

        if (number_groups(p, l, number, err) != 0)
            return -1;
        for (uint32_t s = 0; s < m->slots; s++) {
            level->empty[level->group[s]]++;
            if (l)
                level[-1].parent[level[-1].group[s]] = level->group[s];
        }
        members = l ? level[-1].groups : m->slots;
        level->child = topomap_arena_alloc(&p->memory, members, sizeof(uint32_t), err);
        if (!level->child)
            return -1;
        topomap_list_groups(l ? level[-1].parent : level->group, members, level->groups,
                            level->first_child, level->child);
    }
    p->used = topomap_arena_alloc(&p->memory, m->slots, 1, err);
    p->far = topomap_arena_alloc(&p->memory, p->level[p->levels - 1].groups, sizeof *p->far, err);
    p->node = topomap_arena_alloc(&p->memory, p->level[p->levels - 1].groups, sizeof *p->node, err);
    if (p->memory.is_short)
        return -1;
    for (uint32_t s = 0; s < m->slots; s++)
        p->node[p->level[p->levels - 1].group[s]] = m->node_of[s];
    return 0;
}

int topomap_places_init(topomap_places *p, const topomap_machine *machine, topomap_error *err)
{
    uint32_t ids = machine->slots > machine->nodes ? machine->slots : machine->nodes;
    TOPOMAP_FREED uint32_t *number = topomap_alloc(ids, sizeof *number, err);

    *p = (topomap_places){.machine = machine};
    p->levels =
        machine->inner_levels + (machine->kind == TOPOMAP_MACHINE_TREE ? machine->outer_levels : 0);
    if (number && build(p, number, err) == 0 &&
        (machine->kind == TOPOMAP_MACHINE_TREE ||
         topomap_node_price_init(&p->field, machine, err) == 0))
        return 0;
    topomap_places_clear(p);
    return -1;
}

void topomap_places_clear(topomap_places *p)
{
    topomap_arena_clear(&p->memory);
    topomap_node_price_clear(&p->field);
    *p = (topomap_places){0};
}

/* What a byte to a slot of the group costs more than one to the rest of the group above. Summed up
 * from a slot to the top, its distance to everything in its groups. */
static double step_cost(const topomap_places *p, uint32_t l)
{
    return p->level[l].cost - (l + 1 < p->levels ? p->level[l + 1].cost : 0.0);
}

static void renew_best(topomap_places *p, uint32_t l, uint32_t g)
{
    topomap_place_level *level = &p->level[l];
    double below = l ? INFINITY : 0.0;

    for (uint32_t c = level->first_child[g]; l && c < level->first_child[g + 1]; c++) {
        uint32_t child = level->child[c];

        if (p->level[l - 1].empty[child] && p->level[l - 1].best[child] < below)
            below = p->level[l - 1].best[child];
    }
    level->best[g] = level->taken[g] * step_cost(p, l) + below;
}

/* Distance of the uppermost groups a and b, which are nodes of a torus or matrix. */
static double group_distance(const topomap_places *p, uint32_t a, uint32_t b)
{
    return topomap_node_distance(p->machine, p->node[a], p->node[b]);
}

/* A free slot of least cost in the group, ties by the lowest. */
static uint32_t descend(const topomap_places *p, uint32_t l, uint32_t g)
{
    for (; l > 0; l--) {
        const topomap_place_level *level = &p->level[l], *below = level - 1;
        uint32_t best = UINT32_MAX;

        for (uint32_t c = level->first_child[g]; c < level->first_child[g + 1]; c++)
            if (below->empty[level->child[c]] &&
                (best == UINT32_MAX || below->best[level->child[c]] < below->best[best]))
                best = level->child[c];
        g = best;
    }
    for (uint32_t c = p->level[0].first_child[g]; c < p->level[0].first_child[g + 1]; c++)
        if (!p->used[p->level[0].child[c]])
            return p->level[0].child[c];
    return UINT32_MAX;
}

uint32_t topomap_places_nearest(const topomap_places *p)
{
    const topomap_place_level *top = &p->level[p->levels - 1];
    uint32_t best = UINT32_MAX;

    for (uint32_t g = 0; g < top->groups; g++)
        if (top->empty[g] &&
            (best == UINT32_MAX || top->best[g] + p->far[g] < top->best[best] + p->far[best]))
            best = g;
    return descend(p, p->levels - 1, best);
}

/* As if every slot were taken, and free as well. */
uint32_t topomap_places_centre(topomap_places *p)
{
    const topomap_place_level *top = &p->level[p->levels - 1];
    uint32_t centre;

    for (uint32_t l = 0; l < p->levels; l++)
        for (uint32_t g = 0; g < p->level[l].groups; g++) {
            p->level[l].taken[g] = p->level[l].empty[g];
            renew_best(p, l, g);
        }
    for (uint32_t a = 0; a < top->groups; a++)
        for (uint32_t b = 0; b < top->groups; b++)
            if (a != b)
                p->far[a] += top->taken[b] * group_distance(p, a, b);
    centre = topomap_places_nearest(p);
    for (uint32_t l = 0; l < p->levels; l++)
        for (uint32_t g = 0; g < p->level[l].groups; g++) {
            p->level[l].taken[g] = 0;
            p->level[l].best[g] = 0;
        }
    memset(p->far, 0, top->groups * sizeof *p->far);
    return centre;
}

void topomap_places_take(topomap_places *p, uint32_t slot)
{
    const topomap_place_level *top = &p->level[p->levels - 1];
    uint32_t own = top->group[slot];

    p->used[slot] = 1;
    for (uint32_t l = 0; l < p->levels; l++) {
        uint32_t g = p->level[l].group[slot];

        p->level[l].empty[g]--;
        p->level[l].taken[g]++;
        renew_best(p, l, g);
    }
    for (uint32_t g = 0; g < top->groups; g++)
        if (g != own && top->empty[g])
            p->far[g] += group_distance(p, own, g);
}

void topomap_places_pull(topomap_places *p, uint32_t slot, double weight)
{
    for (uint32_t l = 0; l < p->levels; l++) {
        topomap_place_level *level = &p->level[l];
        uint32_t g = level->group[slot];

        /* Weights are positive: 0 says that nobody has pulled yet. */
        if (level->pull[g] == 0.0)
            level->pulled[level->pulls++] = g;
        level->pull[g] += weight;
    }
}

/* From the inside out: the cheapest free slot of each pulled group. One of a child that nobody
 * pulls costs nothing below the group. */
static void price_pulled(topomap_places *p)
{
    for (uint32_t l = 0; l < p->levels; l++)
        for (uint32_t i = 0; i < p->level[l].pulls; i++) {
            topomap_place_level *level = &p->level[l];
            uint32_t g = level->pulled[i], up = level->parent[g];
            double below = l && level->pull_empty[g] ? level->pull_below[g] : INFINITY;

            if (level->empty[g] > level->pull_empty[g] && below > 0.0)
                below = 0.0;
            level->pull_best[g] = level->pull[g] * step_cost(p, l) + below;
            if (l + 1 == p->levels || level->empty[g] == 0)
                continue;
            if (level[1].pull_empty[up] == 0 || level->pull_best[g] < level[1].pull_below[up])
                level[1].pull_below[up] = level->pull_best[g];
            level[1].pull_empty[up] += level->empty[g];
        }
}

static double top_cost(const topomap_places *p, uint32_t g)
{
    const topomap_place_level *top = &p->level[p->levels - 1];
    double cost = top->pull[g] > 0.0 ? top->pull_best[g] : 0.0;

    if (p->machine->kind == TOPOMAP_MACHINE_TREE)
        return cost;
    return cost + topomap_node_price_cost(&p->field, p->node[g]) -
           top->pull[g] * topomap_node_price_own(&p->field, p->node[g]);
}

static void price_field(topomap_places *p)
{
    const topomap_place_level *top = &p->level[p->levels - 1];

    if (p->machine->kind == TOPOMAP_MACHINE_TREE)
        return;
    for (uint32_t i = 0; i < top->pulls; i++)
        topomap_node_price_add(&p->field, p->node[top->pulled[i]], top->pull[top->pulled[i]]);
    topomap_node_price_price(&p->field);
}

/* The child with room that costs least, ties by the lowest. */
static uint32_t pulled_child(const topomap_places *p, uint32_t l, uint32_t g)
{
    const topomap_place_level *level = &p->level[l], *below = level - 1;
    uint32_t best = UINT32_MAX;
    double least = INFINITY;

    for (uint32_t c = level->first_child[g]; c < level->first_child[g + 1]; c++) {
        uint32_t child = level->child[c];
        double cost = below->pull[child] > 0.0 ? below->pull_best[child] : 0.0;

        if (below->empty[child] && cost < least) {
            least = cost;
            best = child;
        }
    }
    return best;
}

static void forget(topomap_places *p)
{
    for (uint32_t l = 0; l < p->levels; l++) {
        topomap_place_level *level = &p->level[l];

        for (uint32_t i = 0; i < level->pulls; i++) {
            level->pull[level->pulled[i]] = 0.0;
            level->pull_empty[level->pulled[i]] = 0;
        }
        level->pulls = 0;
    }
}

uint32_t topomap_places_pulled(topomap_places *p)
{
    const topomap_place_level *top = &p->level[p->levels - 1];
    uint32_t g = UINT32_MAX, l = p->levels - 1, slot;
    double least = INFINITY;

    if (top->pulls == 0)
        return topomap_places_nearest(p);
    price_pulled(p);
    price_field(p);
    for (uint32_t i = 0; i < top->groups; i++) {
        double cost = top->empty[i] ? top_cost(p, i) : INFINITY;

        if (cost < least) {
            least = cost;
            g = i;
        }
    }
    while (l > 0 && p->level[l].pull[g] > 0.0)
        g = pulled_child(p, l--, g);
    slot = descend(p, l, g);
    forget(p);
    return slot;
}
