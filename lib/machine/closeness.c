/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* qsort_r */
#include "machine/closeness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/alloc.h"
#include "util/sorted.h"

uint32_t topomap_closeness_levels(const topomap_machine *machine)
{
    if (machine->kind == TOPOMAP_MACHINE_TREE && machine->outer_levels > 0)
        return machine->inner_levels + machine->outer_levels - 1;
    return machine->inner_levels;
}

int topomap_nested_order(const void *a, const void *b, void *data)
{
    const topomap_machine *m = data;
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;

    for (uint32_t l = m->outer_levels; l-- > 0;) {
        const uint32_t *group = m->outer[l].group;

        if (group[m->node_of[p]] != group[m->node_of[q]])
            return group[m->node_of[p]] < group[m->node_of[q]] ? -1 : 1;
    }
    return TOPOMAP_ORDER(p, q);
}

uint32_t *topomap_nested_slots(const topomap_machine *m, topomap_error *err)
{
    uint32_t *slot = topomap_alloc(m->slots, sizeof *slot, err), sorted = 1;

    if (!slot)
        return NULL;
    topomap_identity(slot, m->slots);
    while (sorted < m->slots &&
           topomap_nested_order(&slot[sorted - 1], &slot[sorted], (void *)m) < 0)
        sorted++;
    if (sorted < m->slots)
        qsort_r(slot, m->slots, sizeof *slot, topomap_nested_order, (void *)m);
    return slot;
}

/* The highest level at which two slots are in different groups, plus 1; 0: none. */
static uint32_t parting(const topomap_machine *m, uint32_t levels, uint32_t p, uint32_t q)
{
    while (levels > 0 &&
           topomap_nesting_group(m, levels - 1, p) == topomap_nesting_group(m, levels - 1, q))
        levels--;
    return levels;
}

/* Field k of a code counts what a group of level k holds: slots for k = 0, else groups of level
 * k - 1. Pass 0 finds how many bits each field takes, pass 1 writes the codes. */
static uint32_t write_codes(topomap_closeness *c, uint32_t levels, uint32_t *bits, int write)
{
    uint32_t index[TOPOMAP_CLOSE_LEVELS + 2] = {0}, most[TOPOMAP_CLOSE_LEVELS + 2] = {0}, sum = 0;

    for (uint32_t i = 0; i < c->machine->slots; i++) {
        if (i > 0) {
            uint32_t field = parting(c->machine, levels, c->slot[i - 1], c->slot[i]);

            index[field]++;
            memset(index, 0, field * sizeof *index);
            most[field] = index[field] > most[field] ? index[field] : most[field];
        }
        if (!write)
            continue;
        for (uint32_t k = levels + 1; k-- > 0;)
            c->code[i] = c->code[i] << bits[k] | index[k];
    }
    for (uint32_t k = 0; !write && k <= levels; k++) {
        bits[k] = topomap_closeness_bit(most[k], 0);
        sum += bits[k];
    }
    return sum;
}

static int number_groups(topomap_closeness *c, uint32_t level, topomap_error *err)
{
    const topomap_machine *m = c->machine;
    uint32_t *group = topomap_alloc(m->slots, sizeof *group, err);
    uint32_t *start = topomap_alloc((size_t)m->slots + 1, sizeof *start, err);
    uint32_t groups = 0;

    c->group[level] = group;
    c->start[level] = start;
    if (!group || !start)
        return -1;
    for (uint32_t i = 0; i < m->slots; i++) {
        if (i == 0 || topomap_nesting_group(m, level, c->slot[i - 1]) !=
                          topomap_nesting_group(m, level, c->slot[i]))
            start[groups++] = i;
        group[i] = groups - 1;
    }
    start[groups] = m->slots;
    c->groups[level] = groups;
    return 0;
}

/* Distances by bits, for codes whose lowest field is field `lowest`. */
static void spread_costs(topomap_closeness *c, uint32_t lowest, uint32_t fields,
                         const uint32_t *bits)
{
    uint32_t at = 1;

    c->by_bit[0] = 0.0f;
    c->level_of[0] = 0;
    for (uint32_t k = lowest; k < fields; k++)
        for (uint32_t b = 0; b < bits[k]; b++, at++) {
            c->by_bit[at] = (float)topomap_nesting_at(c->machine, k)->cost;
            c->cross_by_bit[at] = (float)topomap_nesting_at(c->machine, k)->cross;
            c->level_of[at] = (uint8_t)(k - lowest);
            c->by_level[k - lowest] = c->by_bit[at];
        }
    for (uint32_t l = 1; l + lowest < fields; l++)
        for (uint32_t b = 1; b < at; b++)
            if (c->level_of[b] < l) {
                c->closer[l][b] = c->by_level[l] - c->by_bit[b];
                c->most_closer[l] = fmaxf(c->most_closer[l], c->closer[l][b]);
            }
}

/* Groups of a level instead of slots: two of them are of one shape where their slots' codes are the
 * same below the level. */
static int make_places(topomap_closeness *c, uint32_t level, uint32_t below, topomap_error *err)
{
    uint32_t *start = c->start[level], groups = c->groups[level];
    uint32_t mask = below < 32 ? ((uint32_t)1 << below) - 1 : UINT32_MAX;

    c->shape = topomap_alloc(groups, sizeof *c->shape, err);
    if (!c->shape)
        return -1;
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t hash = start[g + 1] - start[g];

        for (uint32_t i = start[g]; i < start[g + 1]; i++)
            hash = (hash ^ (c->code[i] & mask)) * 0x9e3779b1u + (hash >> 15);
        c->shape[g] = hash;
    }
    for (uint32_t g = 0; g < groups; g++)
        c->code[g] = below < 32 ? c->code[start[g]] >> below : 0;
    for (uint32_t l = level + 1; l < c->levels; l++)
        for (uint32_t g = 0; g < groups; g++)
            c->group[l][g] = c->group[l][start[g]];
    for (uint32_t l = level + 1; l < c->levels; l++)
        for (uint32_t k = 0; k <= c->groups[l]; k++)
            c->start[l][k] = k == c->groups[l] ? groups : c->group[level][c->start[l][k]];
    c->first = start;
    c->start[level] = NULL;
    for (uint32_t l = 0; l <= level; l++) {
        free(c->group[l]);
        free(c->start[l]);
    }
    c->levels -= level + 1;
    memmove(c->group, c->group + level + 1, c->levels * sizeof *c->group);
    memmove(c->start, c->start + level + 1, c->levels * sizeof *c->start);
    memmove(c->groups, c->groups + level + 1, c->levels * sizeof *c->groups);
    for (uint32_t l = c->levels; l <= c->levels + level; l++)
        c->group[l] = c->start[l] = NULL;
    c->places = groups;
    return 0;
}

static int single_slots(topomap_closeness *c, topomap_error *err)
{
    c->places = c->machine->slots;
    c->first = topomap_alloc((size_t)c->places + 1, sizeof *c->first, err);
    if (!c->first)
        return -1;
    for (uint32_t i = 0; i <= c->places; i++)
        c->first[i] = i;
    return 0;
}

/* Whole nodes that change places keep their rails among them; single slots do not, nor do groups of
 * them, which may have several.
 * \param bits  of the codes */
static enum topomap_closeness_how how_of(const topomap_machine *m, int level, uint32_t bits)
{
    int tree = m->kind == TOPOMAP_MACHINE_TREE, within = level + 1 < (int)m->inner_levels;
    uint32_t rails = 0;

    if (m->rail_of && within) {
        for (uint32_t s = 0; s < m->slots; s++)
            rails |= m->rail_of[s];
        return tree && level == TOPOMAP_CLOSE_SLOTS &&
                       bits + topomap_closeness_bit(rails, 0) <= TOPOMAP_CLOSE_CODE_BITS
                   ? TOPOMAP_CLOSE_RAILS
                   : TOPOMAP_CLOSE_ANY;
    }
    return bits > TOPOMAP_CLOSE_CODE_BITS ? TOPOMAP_CLOSE_ANY
           : tree                         ? TOPOMAP_CLOSE_BITS
                                          : TOPOMAP_CLOSE_TABLE;
}

static int build(topomap_closeness *c, int level, topomap_error *err)
{
    const topomap_machine *m = c->machine;
    int tree = m->kind == TOPOMAP_MACHINE_TREE;
    uint32_t bits[TOPOMAP_CLOSE_LEVELS + 2] = {0}, below = 0;
    /* The last field of a tree counts groups of the level below everything. */
    uint32_t fields = c->levels + (tree && m->outer_levels > 0), sum;

    c->code = topomap_alloc(m->slots, sizeof *c->code, err);
    c->slot = topomap_nested_slots(m, err);
    if (!c->code || !c->slot)
        return -1;
    for (uint32_t l = 0; l < c->levels; l++)
        if (number_groups(c, l, err) != 0)
            return -1;
    /* Without levels between nodes, nodes are the field above the last level. */
    sum = write_codes(c, c->levels, bits, 0);
    c->how = how_of(m, level, sum);
    if (c->how != TOPOMAP_CLOSE_ANY)
        write_codes(c, c->levels, bits, 1);
    c->rail_shift = sum;
    for (uint32_t i = 0; c->how == TOPOMAP_CLOSE_RAILS && i < m->slots; i++)
        c->code[i] |= m->rail_of[c->slot[i]] << sum;
    spread_costs(c, (uint32_t)(level + 1), fields, bits);
    for (uint32_t k = 0; k <= (uint32_t)(level + 1) - 1 && level >= 0; k++)
        below += bits[k];
    for (uint32_t k = (uint32_t)(level + 1); k < c->levels; k++)
        c->node_bits += bits[k];
    if (level >= 0 ? make_places(c, (uint32_t)level, below, err) != 0 : single_slots(c, err) != 0)
        return -1;
    if (c->how == TOPOMAP_CLOSE_BITS || c->how == TOPOMAP_CLOSE_RAILS)
        return 0;
    return topomap_closeness_tabulate(c, level, err);
}

int topomap_closeness_init(topomap_closeness *c, const topomap_machine *machine, int level,
                           uint32_t table_nodes, topomap_error *err)
{
    *c = (topomap_closeness){.machine = machine,
                             .table_nodes = table_nodes,
                             .levels = topomap_closeness_levels(machine)};
    if (build(c, level, err) == 0)
        return 0;
    topomap_closeness_clear(c);
    return -1;
}

void topomap_closeness_clear(topomap_closeness *c)
{
    free(c->code);
    free(c->shape);
    free(c->first);
    free(c->slot);
    for (uint32_t l = 0; l < TOPOMAP_CLOSE_LEVELS; l++) {
        free(c->group[l]);
        free(c->start[l]);
    }
    free(c->pair);
    free(c->near_first);
    free(c->near_node);
    free(c->node_first);
    *c = (topomap_closeness){0};
}
